"""The rows of a slug in a table of chunks, as the card that they become."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Row
from hybridkb.errors import InvalidInput
from hybridkb.knowledge import Provenance, SourceRef, TreeNode
from hybridkb.knowledge.card import CARD_ROOT, MemoryCard, card_id, plain_slug
from hybridkb.knowledge.times import parse_day_or_instant
from hybridkb.memory.collected import SkippedCard
from hybridkb.upkeep import HeldItem

MOST_CHUNK = 20_000
"""The highest chunk number of one slug; gaps below it are kept as chunks without text."""


@dataclass(slots=True)
class AdoptReport:
    """What an adoption did.

    Attributes:
        table: namespace and name.
        columns_added: the columns of provenance that it got.
        added: slugs that the library did not hold.
        changed: slugs whose rows changed since the table was adopted before.
        unchanged: slugs that were there already.
        kept: slugs that an ingest replaced since; they stay as that made them.
        chunks: chunks written.
        vectors: texts whose vector was taken from the table.
        pending: texts written without a vector.
        without_provenance: slugs written that have no provenance card yet.
        skipped: rows and slugs that could not be used, and why; the table keeps them.
        notes: what was guessed, or left to do.
        seconds: time taken.
    """

    table: str
    columns_added: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    chunks: int = 0
    vectors: int = 0
    pending: int = 0
    without_provenance: int = 0
    skipped: tuple[SkippedCard, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def skip(self, place: str, reason: str) -> None:
        """Say what is left out, and why."""
        self.skipped += (SkippedCard(place, reason),)

    def note(self, note: str) -> None:
        """Say what was guessed, or is left to do."""
        self.notes += (note,)


@dataclass(slots=True)
class TableCard:
    """One slug as the table holds it."""

    item: MemoryCard
    held: HeldItem | None
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)


class CardReader:
    """Reads the rows of one table, slug by slug."""

    def __init__(
        self,
        report: AdoptReport,
        held: Mapping[str | None, HeldItem],
        uri: str,
        source: str | None,
        zone: str,
        now: datetime,
    ) -> None:
        """Keep what every slug is read with; the report hears what is left out."""
        self._report = report
        self._held = held
        self._uri = uri
        self._source = source
        self._zone = zone
        self._now = now
        self._seen: set[str] = set()

    def read(self, slug: str, rows: list[Row]) -> TableCard:
        """Make the card of a slug; rows that cannot be chunks are skipped.

        Raises:
            InvalidInput: nothing of it can be a card.
        """
        plain = plain_slug(slug)
        if plain in self._seen:
            raise InvalidInput("the same slug stands in the table in two Unicode forms; make them one", field="slug")
        self._seen.add(plain)
        texts, vectors = self._chunks(slug, rows)
        if not texts:
            raise InvalidInput("no row of it holds text", field="text")
        held = self._held.get(plain)
        provenance = self._provenance(slug, rows)
        item = MemoryCard(
            id=card_id(plain),
            slug=plain,
            title=plain,
            root_node_id=CARD_ROOT,
            nodes=dict(_nodes(texts)),
            as_of=self._as_of(provenance, held),
            source=SourceRef(kind="manual", uri=self._uri, content_hash=_digest(texts)),
            provenance=provenance,
        )
        return TableCard(item, held, vectors)

    def _chunks(self, slug: str, rows: list[Row]) -> tuple[dict[int, str], dict[str, NDArray[np.float32]]]:
        """Texts by number, and vectors by node; what cannot be a chunk is skipped."""
        from hybridkb.database.postgres_adopted import vector_of

        texts: dict[int, str] = {}
        vectors: dict[str, NDArray[np.float32]] = {}
        for _, number, text, sent, *_ in rows:
            place = f"{slug} {number}"
            if number is None or not 0 <= number <= MOST_CHUNK:
                self._report.skip(place, f"chunk_idx is a whole number from 0 to {MOST_CHUNK}, not {number}")
            elif text is None or not text.strip():
                self._report.skip(place, "it holds no text")
            elif number in texts and texts[number] != text:
                why = "another row of this slug and chunk_idx holds another text; number it otherwise"
                self._report.skip(place, why)
            elif number not in texts:
                texts[number] = text
                if sent is not None:
                    vectors[str(number)] = vector_of(sent)
        return texts, vectors

    def _provenance(self, slug: str, rows: list[Row]) -> Provenance | None:
        """What the rows say of themselves; the first of each column that says something."""
        said = [next((row[place] for row in rows if row[place] not in (None, "")), None) for place in range(4, 9)]
        source, kind, doc_date, verdict, link = said
        try:
            if source is not None:
                return Provenance(source, kind, None if doc_date is None else doc_date[:10], verdict, link)
        except InvalidInput as error:
            self._report.note(f"the provenance of {slug} is left out: {error}")
        if self._source is None:
            self._report.without_provenance += 1
            return None
        return Provenance(self._source)

    def _as_of(self, provenance: Provenance | None, held: HeldItem | None) -> datetime:
        """The end of its own day, else the time of the first adoption."""
        if provenance is not None and provenance.doc_date is not None:
            return parse_day_or_instant(provenance.doc_date, meaning="as_of", zone=self._zone)
        return held.as_of if held is not None else self._now


def _nodes(texts: dict[int, str]) -> Iterator[tuple[str, TreeNode]]:
    """The chunks by their own numbers; those of a gap hold no text, and nobody finds them."""
    yield CARD_ROOT, TreeNode(node_id=CARD_ROOT)
    for number in range(max(texts) + 1):
        name = str(number)
        yield name, TreeNode(node_id=name, parent_id=CARD_ROOT, position=number, content=texts.get(number, ""))


def _digest(texts: dict[int, str]) -> str:
    told: Any = sha256()
    for number, text in sorted(texts.items()):
        told.update(f"{number}\0{len(text)}\0{text}".encode())
    return str(told.hexdigest())
