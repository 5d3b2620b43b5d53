"""What a gold set says: queries, and what a person judged to be a right answer to each.

A judgement names a document (an item, a card's slug, a path), a chunk of one (a tree node, a card's chunk), or the
passages of one that hold a quote, which stay the same however the document is cut.
Nothing here looks into a library.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from hashlib import blake2b
from typing import Any

from hybridkb.filters import Filters

DOCUMENT = "document:"
"""Begins the address of a document that is named by its path."""

MOST_GRADE = 100


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer and how good it is.

    Attributes:
        owner: ``item:UUID`` or ``document:PATH``.
        member: the node or chunk inside it; None for the whole document, or where a quote says which.
        quote: what a passage must hold to be meant; an ellipsis stands for anything in between.
        grade: 0 is wrong, 1 is right, more is better.
        text_hash: the text that was judged, if the gold set was stamped; 32 hexadecimal digits.
        written: the address as the gold set writes it, for messages.
    """

    owner: str
    member: str | None = None
    quote: str | None = None
    grade: int = 1
    text_hash: str | None = field(default=None, compare=False)
    written: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """The address: that of a hit's locator, or ``document:PATH``; a quote stands behind it."""
        address = self.owner if self.member is None else f"{self.owner}#{self.member}"
        return address if self.quote is None else f"{address} {self.quote!r}"

    @property
    def whole(self) -> bool:
        """Whether the whole document is meant."""
        return self.member is None and self.quote is None

    @property
    def document_path(self) -> str | None:
        """The path, when the document is named by it."""
        return self.owner.removeprefix(DOCUMENT) if self.owner.startswith(DOCUMENT) else None


@dataclass(frozen=True)
class GoldRecord:
    """One query with its judged answers.

    Attributes:
        query: the text that is searched for.
        judgements: the judged answers; none, or none better than 0, is a negative query: nothing in the library
            answers it.
        filters: what the search is narrowed to, the cutoff included.
        id: the record's own name, if it has one.
        kind: what sort of question it is; figures are also told by kind.
        note: anything a person wants to remember.
        line: where it stands in its file, from 1; 0 when it came from no file.
    """

    query: str
    judgements: tuple[Judgement, ...] = ()
    filters: Filters = field(default_factory=Filters)
    id: str | None = None
    kind: str | None = None
    note: str | None = None
    line: int = 0

    @cached_property
    def key(self) -> str:
        """Names the search by sixteen hexadecimal digits: same text, filters and cutoff, same key."""
        asked = [self.query, set_filters(self.filters)]
        return blake2b(json.dumps(asked, sort_keys=True).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    @property
    def answers(self) -> tuple[Judgement, ...]:
        """The judgements that are right."""
        return tuple(one for one in self.judgements if one.grade > 0)

    @property
    def by_document(self) -> bool:
        """Whether only whole documents are judged, so that a document counts once, by its best passage."""
        return all(one.whole for one in self.judgements)

    @property
    def label(self) -> str:
        """How messages call the record."""
        name = f"{self.id!r}" if self.id else repr(self.query if len(self.query) <= 60 else self.query[:57] + "...")
        return f"line {self.line} ({name})" if self.line else name


@dataclass(frozen=True)
class GoldSet:
    """Judged queries.

    Attributes:
        records: the queries, in the order of their file.
        name: the file, or what else they came from.
    """

    records: tuple[GoldRecord, ...]
    name: str = "<records>"

    @cached_property
    def digest(self) -> str:
        """Names queries, filters, cutoffs and judgements by sixteen hexadecimal digits.

        Order, ids, notes and stamps do not matter; equal digests are judged alike.
        """
        judged = sorted(
            [record.key, sorted((one.name, one.grade) for one in record.judgements)] for record in self.records
        )
        return blake2b(json.dumps(judged).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    @property
    def positive(self) -> tuple[GoldRecord, ...]:
        """Queries that have an answer."""
        return tuple(record for record in self.records if record.answers)

    @property
    def negative(self) -> tuple[GoldRecord, ...]:
        """Queries that nothing in the library answers."""
        return tuple(record for record in self.records if not record.answers)

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[GoldRecord]:
        return iter(self.records)


def set_filters(filters: Filters) -> dict[str, Any]:
    """The filters that are set, as JSON holds them; instants are microseconds since 1970 UTC."""
    values = asdict(filters)
    return {
        one.name: list(values[one.name]) if isinstance(values[one.name], tuple) else values[one.name]
        for one in fields(filters)
        if values[one.name] not in (None, ())
    }


def subset(gold: GoldSet, records: Sequence[GoldRecord]) -> GoldSet:
    """Some of a gold set's records, under its name."""
    return GoldSet(tuple(records), gold.name)
