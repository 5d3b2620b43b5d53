"""What every adapter takes and gives: documents, filters, hits, and the interface that the worker asks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Mode = Literal["lexical", "semantic", "hybrid"]
MODES: tuple[Mode, ...] = ("lexical", "semantic", "hybrid")

DEPTH = 100
"""How many hits each leg hands to the fusion, wherever a peer lets the caller say so."""

RRF_K = 60
"""The constant of reciprocal-rank fusion."""

Vectors = NDArray[np.float32]
"""Unit vectors, shape (documents, dimensions)."""

Vector = NDArray[np.float32]
"""One unit vector, shape (dimensions,)."""

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Document:
    """One document. ``available_at`` is in microseconds since 1970 UTC."""

    name: str
    title: str
    body: str
    available_at: int = 0
    tags: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Title and body, for peers that have one field."""
        return f"{self.title}\n\n{self.body}" if self.title and self.body else self.title or self.body


@dataclass(frozen=True, slots=True)
class Filter:
    """Only documents that carry the tag and, of a given instant, were available by then; None is no condition."""

    tag: str | None = None
    before: int | None = None

    def allows(self, document: Document) -> bool:
        """Whether a document may be a hit."""
        return (self.tag is None or self.tag in document.tags) and (
            self.before is None or document.available_at <= self.before
        )


class Hit(NamedTuple):
    """One hit; every peer returns the text too, as a caller needs it."""

    name: str
    score: float
    text: str


class Peer(ABC):
    """One way to search: an index in an empty folder of its own.

    Attributes:
        distributions: the packages whose versions are stored with the results.
        modes: which of the three modes it has.
        note: what a reader must know to read its figures right.
    """

    distributions: ClassVar[tuple[str, ...]] = ()
    modes: ClassVar[tuple[Mode, ...]] = MODES
    note: ClassVar[str] = ""

    def __init__(self, folder: Path, dimensions: int) -> None:
        """Say where the index lies; nothing is opened yet."""
        self.folder = folder
        self.dimensions = dimensions

    @abstractmethod
    def build(self, documents: Sequence[Document], vectors: Vectors) -> None:
        """Index documents in the empty folder, ready to answer; durable when it returns."""

    @abstractmethod
    def open(self) -> None:
        """Make ready to answer from what an earlier process built."""

    @abstractmethod
    def add(self, documents: Sequence[Document], vectors: Vectors) -> None:
        """Index further documents, in whichever way the peer has for it."""

    @abstractmethod
    def search(
        self, text: str, vector: Vector, k: int, narrow: Filter | None = None, *, mode: Mode = "hybrid"
    ) -> list[Hit]:
        """The best k, best first; a careful caller's way, with the peer's own filters."""

    def search_as_typed(self, text: str, k: int) -> list[Hit] | None:
        """Hand the text as it is to the peer's own entry for text; None when it has none but ``search``."""
        return None

    def close(self) -> None:  # noqa: B027  (many peers have nothing to close)
        """Let go of the files."""


def batches(every: Sequence[_Item], size: int) -> Iterator[tuple[slice, Sequence[_Item]]]:
    """Stretches of a sequence, and where they lie."""
    for first in range(0, len(every), size):
        where = slice(first, first + size)
        yield where, every[where]


def fuse(*rankings: Iterable[str]) -> list[tuple[str, float]]:
    """Reciprocal-rank fusion of names, for peers without one of their own; ties by name."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, name in enumerate(ranking, 1):
            scores[name] = scores.get(name, 0.0) + 1.0 / (RRF_K + rank)
    return sorted(scores.items(), key=lambda one: (-one[1], one[0]))
