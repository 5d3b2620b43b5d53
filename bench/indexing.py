"""Puts collections into both engines: the same parts, texts and vectors under the same names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Literal, Self
from uuid import UUID

import numpy as np
from beir import Document, Part, Vectors, parts
from engines import Answer, Mode, Ours
from numpy.typing import NDArray
from textbook import Found, Row, Textbook

from hybridkb.knowledge import KnowledgeItem, Locator, Note, SourceRef, TreeKnowledge, TreeNode, stable_id
from hybridkb.knowledge.times import from_microseconds, parse_day_or_instant, to_microseconds
from hybridkb.records import Projection, register_projection

_UNDATED = datetime(2026, 1, 1, tzinfo=UTC)
_BATCH = 1000


class Windowed(TreeKnowledge):
    """A document as its windows; the first is the root."""

    item_type: Literal["windowed"] = "windowed"


register_projection(Windowed, Projection())


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
        every = (list(parts(document, windows=windows)) for document in documents)
        for batch in _batches(every):
            for part in batch:  # as hybridkb names it, and as the recipe does
                self._names[str(_locator(part, windows))] = self._names[str(_id(part))] = part.name
            vectors = self._vectors_of(batch)
            rows = [_row(part) for part in batch]
            texts = [f"{row.title}\n\n{row.body}" if row.title and row.body else row.title or row.body for row in rows]
            self.ours.add(_documents(batch) if windows else [_item(part) for part in batch], texts, vectors)
            self.textbook.add(rows, vectors)

    @property
    def size(self) -> int:
        """How many parts are stored."""
        return len(set(self._names.values()))

    def answer_ours(
        self,
        text: str,
        query: str,
        mode: Mode,
        *,
        top_k: int,
        before: int | None = None,
        exact: bool = False,
        by_document: bool = False,
    ) -> Answer:
        """Ask hybridkb; part names and scores. ``by_document``: the best part of each document, as it ranks these."""
        if self.vectors is not None and self.ours.embedder is not None:
            self.ours.embedder.answer_anything_with(self.vectors.queries[query])
        cutoff = None if before is None else from_microseconds(before)
        collapse: Literal["item"] | None = "item" if by_document else None
        hits = self.ours.library.search(
            text, mode=mode, top_k=top_k, exact=exact, collapse=collapse, available_at_before=cutoff
        )
        return [(self._names[str(hit.locator)], hit.score) for hit in hits]

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


def _documents(parts_of_them: Sequence[Part]) -> list[KnowledgeItem]:
    """Whole documents from their windows, in which each window is the record that a note of it would be."""
    return [_document(list(several)) for _, several in groupby(parts_of_them, key=lambda part: part.document.name)]


def _document(windows: Sequence[Part]) -> Windowed:
    item, numbers = _item(windows[0]), [_number(part) for part in windows]
    nodes = {
        number: TreeNode(
            node_id=number, parent_id=numbers[0] if place else None, position=max(0, place - 1),
            title=part.document.title, content=part.text,
        )
        for place, (number, part) in enumerate(zip(numbers, windows, strict=True))
    }  # fmt: skip
    return Windowed(
        id=item.id, title=item.title, root_node_id=numbers[0], nodes=nodes, as_of=item.as_of,
        available_at=item.available_at, source=item.source,
    )  # fmt: skip


def _number(part: Part) -> str:
    return part.name.rpartition("#")[2]


def _locator(part: Part, windows: bool) -> Locator:
    """What hybridkb calls a part: a note, or a document's window."""
    if not windows:
        return Locator("item", _id(part))
    number = _number(part)
    return Locator("item", stable_id("beir", f"{part.document.name}#0"), None if number == "0" else number)


def _row(part: Part) -> Row:
    return Row(str(_id(part)), part.document.title, part.text, day_of(part.document))


def _id(part: Part) -> UUID:
    return stable_id("beir", part.name)


def _batches(documents: Iterator[list[Part]]) -> Iterator[list[Part]]:
    """The parts of whole documents, a thousand or a few more at a time."""
    batch: list[Part] = []
    for windows in documents:
        batch += windows
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
