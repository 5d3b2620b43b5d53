"""Puts collections into both engines: the same parts, texts and vectors under the same names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Self
from uuid import UUID

import numpy as np
from beir import Document, Part, Vectors, parts
from engines import Answer, Mode, Ours
from numpy.typing import NDArray
from textbook import Found, Row, Textbook

from hybridkb.knowledge import Note, SourceRef, stable_id
from hybridkb.knowledge.times import from_microseconds, parse_day_or_instant, to_microseconds

_UNDATED = datetime(2026, 1, 1, tzinfo=UTC)
_BATCH = 1000


class Pair:
    """hybridkb and the textbook recipe over one collection."""

    def __init__(self, folder: Path, vectors: Vectors | None) -> None:
        """Make both files in an empty folder."""
        self.vectors = vectors
        dimensions = vectors.dimensions if vectors else None
        self.ours = Ours(folder / "hybridkb.db", vectors=vectors is not None, dimensions=dimensions or 1)
        self.textbook = Textbook(str(folder / "textbook.db"), dimensions)
        self._names: dict[str, str] = {}

    def add(self, documents: Iterable[Document]) -> None:
        """Store documents, or their windows when that is what has vectors."""
        windows = self.vectors is not None and self.vectors.by_window
        every = (part for document in documents for part in parts(document, windows=windows))
        for batch in _batches(every):
            self._names |= {str(_id(part)): part.name for part in batch}
            vectors = self._vectors_of(batch)
            rows = [_row(part) for part in batch]
            texts = [f"{row.title}\n\n{row.body}" if row.title and row.body else row.title or row.body for row in rows]
            self.ours.add([_item(part) for part in batch], texts, vectors)
            self.textbook.add(rows, vectors)

    @property
    def size(self) -> int:
        """How many parts are stored."""
        return len(self._names)

    def answer_ours(
        self, text: str, query: str, mode: Mode, *, top_k: int, before: int | None = None, exact: bool = False
    ) -> Answer:
        """Ask hybridkb; part names and scores."""
        if self.vectors is not None and self.ours.embedder is not None:
            self.ours.embedder.answer_anything_with(self.vectors.queries[query])
        cutoff = None if before is None else from_microseconds(before)
        hits = self.ours.library.search(text, mode=mode, top_k=top_k, exact=exact, available_at_before=cutoff)
        return [(self._names[str(hit.item_id)], hit.score) for hit in hits]

    def answer_textbook(
        self, text: str, query: str, mode: Mode, *, top_k: int, before: int | None = None
    ) -> Answer:
        """Ask the textbook recipe; part names and scores."""
        if mode == "lexical":
            return self._named(self.textbook.lexical(text, top_k=top_k, before=before))
        assert self.vectors is not None
        vector = self.vectors.queries[query]
        if mode == "semantic":
            return self._named(self.textbook.semantic(vector, top_k=top_k, before=before))
        return self._named(self.textbook.hybrid(text, vector, top_k=top_k, before=before))

    def close(self) -> None:
        """Close both files."""
        self.ours.close()
        self.textbook.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _named(self, found: Sequence[Found]) -> Answer:
        return [(self._names[one.name], one.score) for one in found]

    def _vectors_of(self, batch: Sequence[Part]) -> NDArray[np.float16] | None:
        return None if self.vectors is None else np.array([self.vectors.documents[part.name] for part in batch])


def day_of(document: Document) -> int | None:
    """The end of the document's day in microseconds; None when it has no date."""
    if not document.date:
        return None
    return to_microseconds(parse_day_or_instant(document.date, meaning="available_at"))


def _item(part: Part) -> Note:
    known = day_of(part.document)
    moment = None if known is None else from_microseconds(known)
    return Note(
        id=_id(part),
        title=part.document.title,
        body=part.text,
        as_of=moment or _UNDATED,
        available_at=moment,
        source=SourceRef(kind="local", uri=part.document.name),
    )


def _row(part: Part) -> Row:
    return Row(str(_id(part)), part.document.title, part.text, day_of(part.document))


def _id(part: Part) -> UUID:
    return stable_id("beir", part.name)


def _batches(every: Iterator[Part]) -> Iterator[list[Part]]:
    while batch := list(islice(every, _BATCH)):
        yield batch
