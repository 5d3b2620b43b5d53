"""txtai with content and its hybrid index; vectors are handed to it by an external transform that looks them up.

Its fusion is its own (normalised scores, equal weights); a single leg is asked for by the weight 1 or 0, which still
computes both. Filters are SQL around ``similar()``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from txtai import Embeddings

from peers.shape import Document, Filter, Hit, Mode, Peer, Vector, Vectors

os.environ.setdefault("ALLOW_RESOLVE_TRANSFORM", "True")  # a saved index names its transform: the one below

_GIVEN: dict[str, Any] = {}
_WEIGHTS: dict[Mode, str] = {"lexical": ", 0.0", "semantic": ", 1.0", "hybrid": ""}
_DENSE_ONLY = "zzvectorzz"


class Adapted(Peer):
    """One saved index."""

    distributions = ("txtai", "faiss-cpu", "torch", "numpy")
    note = "approximate vectors when large; single legs compute both; filters act after its candidates are chosen"

    def build(self, documents: Sequence[Document], vectors: Vectors) -> None:
        self._embeddings = _made()
        self._index(self._embeddings.index, documents, vectors)

    def open(self) -> None:
        self._embeddings = _made()
        self._embeddings.load(str(self.folder / "index"), config={"transform": transform})

    def add(self, documents: Sequence[Document], vectors: Vectors) -> None:
        self._index(self._embeddings.upsert, documents, vectors)

    def _index(self, action: Any, documents: Sequence[Document], vectors: Vectors) -> None:
        _GIVEN.update({one.text: row for one, row in zip(documents, vectors, strict=True)})
        action(_rows(documents))
        _GIVEN.clear()
        self._embeddings.save(str(self.folder / "index"))

    def search(
        self, text: str, vector: Vector, k: int, narrow: Filter | None = None, *, mode: Mode = "hybrid"
    ) -> list[Hit]:
        asked = _DENSE_ONLY if mode == "semantic" else text
        _GIVEN[asked] = vector
        sql = f"SELECT id, score, text FROM txtai WHERE similar(:asked{_WEIGHTS[mode]}){_condition(narrow)} LIMIT {k}"
        try:
            rows = self._embeddings.search(sql, limit=k, parameters={"asked": asked})
        finally:
            del _GIVEN[asked]
        hits = [Hit(row["id"], float(row["score"]), row["text"]) for row in rows]
        return [hit for hit in hits if hit.score > 0] if mode == "lexical" else hits

    def search_as_typed(self, text: str, k: int) -> list[Hit]:
        _GIVEN[text] = np.full(self.dimensions, self.dimensions**-0.5, np.float32)
        try:
            rows = self._embeddings.search(text, k)
        finally:
            del _GIVEN[text]
        return [Hit(row["id"], float(row["score"]), row["text"]) for row in rows]

    def close(self) -> None:
        self._embeddings.close()


def transform(texts: Sequence[Any]) -> Any:
    """The given vectors of texts."""
    return np.stack([_GIVEN[one if isinstance(one, str) else one["text"]] for one in texts])


def _made() -> Any:
    return Embeddings({"method": "external", "transform": transform, "hybrid": True, "content": True})


def _rows(documents: Sequence[Document]) -> Iterator[tuple[str, dict[str, Any], None]]:
    for one in documents:
        tags = {_column(tag): 1 for tag in one.tags}
        yield one.name, {"text": one.text, "available_at": one.available_at, **tags}, None


def _column(tag: str) -> str:
    return "has_" + re.sub(r"\W", "_", tag)


def _condition(narrow: Filter | None) -> str:
    if narrow is None:
        return ""
    tag = "" if narrow.tag is None else f" AND {_column(narrow.tag)} = 1"
    before = "" if narrow.before is None else f" AND available_at <= {narrow.before}"
    return tag + before
