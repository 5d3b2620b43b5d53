"""hybridkb over one file: notes with given vectors; the filters are tags and the cutoff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from corpus import GivenVectors

from hybridkb import HybridLibrary
from hybridkb.knowledge import Note, SourceRef, stable_id
from hybridkb.knowledge.times import from_microseconds
from hybridkb.records import join_text
from peers.shape import Document, Filter, Hit, Mode, Peer, Vector, Vectors, batches

_BATCH = 1000


class Adapted(Peer):
    """The library as its caller finds it: defaults everywhere."""

    distributions = ("hybridkb", "apsw", "sqlite-vec", "numpy", "pystemmer")
    note = "hits carry snippet, source and explanation; a cutoff also bounds the statistics"

    def build(self, documents: Sequence[Document], vectors: Vectors) -> None:
        self.open()
        self.add(documents, vectors)

    def open(self) -> None:
        self._embedder = GivenVectors(self.dimensions)
        self._library = HybridLibrary.open(self.folder / "library.db", embedder=self._embedder)

    def add(self, documents: Sequence[Document], vectors: Vectors) -> None:
        for where, batch in batches(documents, _BATCH):
            texts = [join_text(document.title, document.body) for document in batch]
            self._embedder.expect(texts, vectors[where].astype(np.float16))
            self._library.put_many([_item(document) for document in batch])

    def search(
        self, text: str, vector: Vector, k: int, narrow: Filter | None = None, *, mode: Mode = "hybrid"
    ) -> list[Hit]:
        self._embedder.answer_anything_with(vector.astype(np.float16))
        filters: dict[str, Any] = {}
        if narrow is not None and narrow.tag is not None:
            filters["tags"] = narrow.tag
        if narrow is not None and narrow.before is not None:
            filters["available_at_before"] = from_microseconds(narrow.before)
        found = self._library.search(text, mode=mode, top_k=k, **filters)
        return [Hit(hit.source.uri or "", hit.score, hit.matched_text) for hit in found]

    def close(self) -> None:
        self._library.close()


def _item(document: Document) -> Note:
    moment = from_microseconds(document.available_at)
    return Note(
        id=stable_id("peers", document.name),
        title=document.title,
        body=document.body,
        tags=document.tags,
        as_of=moment,
        available_at=moment,
        source=SourceRef(kind="local", uri=document.name),
    )
