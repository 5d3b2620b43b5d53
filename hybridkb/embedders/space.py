"""What makes two vectors comparable: the embedding space and the embedder's protocol."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hybridkb.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """Names one embedding space. Vectors of different spaces never meet.

    Attributes:
        model: the model's name, as its maker writes it.
        dimensions: length of every vector.
        version: the maker's version or revision of the weights.
        normalised: whether the embedder returns unit vectors (hybridkb normalises anyway).
        max_tokens: how much text the model reads at once; None when unknown.
        prefix: what the embedder puts before a document, since it moves the vector.
    """

    model: str
    dimensions: int
    version: str
    normalised: bool = True
    max_tokens: int | None = None
    prefix: str = ""

    def __post_init__(self) -> None:
        if not self.model or not self.version:
            raise InvalidInput("an embedding space needs a model name and a version", field="model")
        if not 1 <= self.dimensions <= 8192:
            raise InvalidInput(
                f"an embedding space has 1 to 8192 dimensions, not {self.dimensions}", field="dimensions"
            )

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that differ whenever any field differs."""
        fields = [
            self.model, self.dimensions, self.version, self.normalised, self.max_tokens, self.prefix,
        ]
        return hashlib.blake2b(json.dumps(fields).encode(), digest_size=8).hexdigest()

    def __str__(self) -> str:
        return f"{self.model} ({self.dimensions} dimensions, version {self.version})"


@runtime_checkable
class Embedder(Protocol):
    """Turns text into vectors. Anything with these three members will do."""

    @property
    def space(self) -> EmbeddingSpace:
        """The space of the vectors. A plain attribute will do; a service may have to be asked for it once."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each text: shape (len(texts), space.dimensions), float32."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each query: shape (len(texts), space.dimensions), float32."""
        ...
