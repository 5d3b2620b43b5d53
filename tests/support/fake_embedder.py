"""Embedders without a model, for tests: exact tables, and vectors hashed from words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hybridkb.embedders.space import EmbeddingSpace

_WORD = re.compile(r"\w+")


class _CountingEmbedder:
    """Keeps every text it was asked for, in order, and how often it was called.

    Attributes:
        document_texts: every text given to `embed_documents`.
        query_texts: every text given to `embed_queries`.
        document_calls: number of calls of `embed_documents`.
        fail_with: when set, the exception that the next calls raise.
    """

    def __init__(self, space: EmbeddingSpace) -> None:
        self.space = space
        self.document_texts: list[str] = []
        self.query_texts: list[str] = []
        self.document_calls = 0
        self.fail_with: Exception | None = None

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.document_calls += 1
        self.document_texts.extend(texts)
        return self._embed(texts)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.query_texts.extend(texts)
        return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.fail_with is not None:
            raise self.fail_with
        rows = [self._vector(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.space.dimensions)

    def _vector(self, text: str) -> NDArray[np.float64]:
        raise NotImplementedError


class TableEmbedder(_CountingEmbedder):
    """Answers with the vector its table holds for a text; an unknown text raises KeyError.

    Vectors are given back as they are: neither normalised nor checked.
    """

    def __init__(
        self,
        table: Mapping[str, Sequence[float]],
        dimensions: int,
        *,
        model: str = "table",
        version: str = "1",
    ) -> None:
        super().__init__(EmbeddingSpace(model=model, dimensions=dimensions, version=version))
        self.table = dict(table)

    def _vector(self, text: str) -> NDArray[np.float64]:
        return np.array(self.table[text], dtype=np.float64)


class HashEmbedder(_CountingEmbedder):
    """Unit vectors summed from a hash of each word (folded to lower case): texts that share words are near.

    The same text gives the same vector in every process; `model` and `version` move every vector.
    """

    def __init__(self, dimensions: int = 8, model: str = "fake", *, version: str = "1") -> None:
        super().__init__(EmbeddingSpace(model=model, dimensions=dimensions, version=version))

    def _vector(self, text: str) -> NDArray[np.float64]:
        words = _WORD.findall(text.lower()) or [text]
        total = np.sum([self._word_vector(word) for word in words], axis=0)
        return np.asarray(total / np.linalg.norm(total), dtype=np.float64)

    def _word_vector(self, word: str) -> NDArray[np.float64]:
        key = f"{self.space.model}\0{self.space.version}\0{word}".encode("utf-8", "surrogatepass")
        blocks = -(-2 * self.space.dimensions // 64)
        digest = b"".join(hashlib.blake2b(key, salt=block.to_bytes(16, "little")).digest() for block in range(blocks))
        numbers = np.frombuffer(digest, dtype="<u2")[: self.space.dimensions]
        return numbers.astype(np.float64) - 32767.5
