"""Exact cosine over vectors in memory, for peers that bring words alone; kept in the peer's folder as numpy files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from peers.shape import Document, Filter, Vector, Vectors

_FEW = 4


class DenseVectors:
    """Vectors with what is filtered on. Filters act before the nearest are chosen."""

    def __init__(self, names: list[str], vectors: Vectors, dates: NDArray[np.int64], tags: list[list[str]]) -> None:
        """Take rows of one order."""
        self.names = names
        self._vectors = vectors
        self._dates = dates
        self._tags = tags
        self._by_tag = {
            tag: np.array([tag in row for row in tags], bool) for tag in sorted({tag for row in tags for tag in row})
        }

    @classmethod
    def of(cls, documents: Sequence[Document], vectors: Vectors) -> Self:
        """The vectors of documents."""
        return cls(
            [document.name for document in documents],
            vectors,
            np.array([document.available_at for document in documents], np.int64),
            [list(document.tags) for document in documents],
        )

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read what ``save`` wrote."""
        facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
        return cls(facts["names"], np.load(folder / "vectors.npy"), np.load(folder / "dates.npy"), facts["tags"])

    def save(self, folder: Path) -> None:
        """Write three files."""
        np.save(folder / "vectors.npy", self._vectors)
        np.save(folder / "dates.npy", self._dates)
        facts = {"names": self.names, "tags": self._tags}
        (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")

    def joined(self, other: DenseVectors) -> DenseVectors:
        """These rows, then those."""
        return DenseVectors(
            self.names + other.names,
            np.concatenate([self._vectors, other._vectors]),
            np.concatenate([self._dates, other._dates]),
            self._tags + other._tags,
        )

    def allowed(self, narrow: Filter) -> NDArray[np.bool_]:
        """Which rows a filter leaves."""
        found = np.ones(len(self.names), bool)
        if narrow.tag is not None:
            found &= self._by_tag.get(narrow.tag, np.zeros(len(self.names), bool))
        if narrow.before is not None:
            found &= self._dates <= narrow.before
        return found

    def nearest(self, vector: Vector, k: int, narrow: Filter | None = None) -> list[tuple[str, float]]:
        """Names and cosines of the k nearest, ties by row."""
        if narrow is None:
            return self._best(np.arange(len(self.names)), self._vectors @ vector, k)
        rows = np.flatnonzero(self.allowed(narrow))
        if len(rows) * _FEW < len(self.names):
            return self._best(rows, self._vectors[rows] @ vector, k)
        return self._best(rows, (self._vectors @ vector)[rows], k)

    def _best(self, rows: NDArray[np.int64], scores: NDArray[np.float32], k: int) -> list[tuple[str, float]]:
        if len(rows) > k:
            least = np.partition(scores, len(scores) - k)[len(scores) - k]
            kept = np.flatnonzero(scores >= least)
            rows, scores = rows[kept], scores[kept]
        order = np.lexsort((rows, -scores))[:k]
        return [(self.names[rows[place]], float(scores[place])) for place in order]
