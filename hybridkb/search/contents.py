"""What there is to find: items, filter values and their counts, as far as they are visible at a cutoff.

Everything is asked under the same compiled filter as a search, and shows nothing that a search could not show.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import Any
from uuid import UUID

from hybridkb.database import Connection
from hybridkb.database.conditions import with_conditions
from hybridkb.errors import InvalidInput
from hybridkb.filters import CompiledFilter
from hybridkb.knowledge import Locator, SourceRef
from hybridkb.knowledge.locator import OwnerKind
from hybridkb.knowledge.times import from_microseconds

MAX_LISTED = 10_000
FACET_OF = {
    "tags": "tag", "any_tags": "tag", "exclude_tags": "tag", "tickers": "ticker", "periods": "period",
    "collections": "collection",
}  # fmt: skip
COLUMNS = ("item_types", "source_kinds", "sources", "kinds", "verdicts", "confidence", "artifact_kinds", "path_prefix")
LISTABLE: tuple[str, ...] = (*COLUMNS, *FACET_OF)


@dataclass(frozen=True, slots=True)
class ValueCount:
    """One value that a filter may ask for.

    Attributes:
        value: as the filter takes it; of ``path_prefix`` a folder, empty for the root.
        records, items: how many records have it, and how many items these belong to.
        first_as_of, last_as_of: earliest and latest ``as_of`` of these records (UTC).
        first_available_at, last_available_at: the same of ``available_at``; None when all are unknown.
    """

    value: str
    records: int
    items: int
    first_as_of: datetime
    last_as_of: datetime
    first_available_at: datetime | None
    last_available_at: datetime | None


@dataclass(frozen=True, slots=True)
class ValuePage:
    """Values of one filter, the most frequent first.

    Attributes:
        values: those asked for.
        total: how many there are in all.
    """

    values: tuple[ValueCount, ...]
    total: int


@dataclass(frozen=True, slots=True)
class ItemSummary:
    """One item without its text; a paper stands for all that was made of it.

    Attributes:
        item_id, item_type, title: what it is, the type as filters see it; the title is None when it has no text of
            its own. Of a paper the id of its source, and ``"paper_source"``.
        path: of a local source; None without one.
        source: where it comes from.
        as_of, available_at: of the revision seen (UTC); None is unknown.
        records: how many of its records pass the filter.
        tags: its tags, sorted.
        owner_kind: ``"item"``, or ``"source"`` of a paper.
    """

    item_id: UUID
    item_type: str
    title: str | None
    path: str | None
    source: SourceRef
    as_of: datetime
    available_at: datetime | None
    records: int
    tags: tuple[str, ...]
    owner_kind: OwnerKind = "item"

    @property
    def locator(self) -> Locator:
        """The address of the whole."""
        return Locator(self.owner_kind, self.item_id)


@dataclass(frozen=True, slots=True)
class ItemPage:
    """Items by path, then id; those without a path last.

    Attributes:
        items: those asked for.
        total: how many there are in all.
    """

    items: tuple[ItemSummary, ...]
    total: int


def list_values(connection: Connection, compiled: CompiledFilter, name: str, limit: int, offset: int) -> ValuePage:
    """List the values of a filter among the records that pass another filter.

    Raises:
        InvalidInput: the values of that filter cannot be listed, or a bound is wrong.
    """
    if name not in LISTABLE:
        near = get_close_matches(str(name), LISTABLE, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(LISTABLE)}"
        raise InvalidInput(f"the values of {name!r} cannot be listed; {hint}", field="name")
    statement = "overview/values/facet" if name in FACET_OF else f"overview/values/{name}"
    rows, total = _page(connection, compiled, statement, limit, offset, facet=FACET_OF.get(name))
    return ValuePage(tuple(_value(row) for row in rows), total)


def list_items(connection: Connection, compiled: CompiledFilter, limit: int, offset: int) -> ItemPage:
    """List the items that have a record which passes the filter.

    Raises:
        InvalidInput: a bound is wrong.
    """
    rows, total = _page(connection, compiled, "overview/items", limit, offset)
    return ItemPage(tuple(_summary(row) for row in rows), total)


def named_items(connection: Connection, compiled: CompiledFilter, ids: Iterable[str]) -> ItemPage:
    """Summarise those of the named items that have a record which passes the filter."""
    wanted = {"ids": json.dumps(sorted(set(ids)))}
    rows = _rows(connection, compiled, "overview/named_items", wanted)
    return ItemPage(tuple(_summary(row) for row in rows), len(rows))


def _page(
    connection: Connection, compiled: CompiledFilter, statement: str, limit: int, offset: int, **values: Any
) -> tuple[list[tuple[Any, ...]], int]:
    """The rows of a page and the number of all rows, which stands in the last column."""
    bounds = {"limit": _bound("limit", limit, 1, MAX_LISTED), "offset": _bound("offset", offset, 0, 2**62), **values}
    rows = _rows(connection, compiled, statement, bounds)
    if rows or not offset:
        return rows, int(rows[0][-1]) if rows else 0
    first = _rows(connection, compiled, statement, {**bounds, "limit": 1, "offset": 0})
    return [], int(first[0][-1]) if first else 0


def _rows(
    connection: Connection, compiled: CompiledFilter, statement: str, values: dict[str, Any]
) -> list[tuple[Any, ...]]:
    sql = with_conditions(connection, statement, (compiled.standing, *compiled.conditions))
    return connection.text_rows(sql, {**compiled.bindings, **values})


def _bound(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(f"{name} is a whole number from {least:,} to {most:,}, not {value!r}", field=name)
    return value


def _value(row: tuple[Any, ...]) -> ValueCount:
    value, records, items, *times, _ = row
    first_as_of, last_as_of, first_available, last_available = (_time(one) for one in times)
    assert first_as_of is not None
    assert last_as_of is not None
    return ValueCount(value, records, items, first_as_of, last_as_of, first_available, last_available)


def _summary(row: tuple[Any, ...]) -> ItemSummary:
    owner_kind, item_id, item_type, title, path, source, as_of, available_at, records, tags, _ = row
    return ItemSummary(
        item_id=UUID(item_id),
        item_type=item_type,
        title=title or None,
        path=path,
        source=SourceRef.model_validate_json(source),
        as_of=from_microseconds(as_of),
        available_at=_time(available_at),
        records=records,
        tags=tuple(sorted(json.loads(tags))),
        owner_kind=owner_kind,
    )


def _time(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else from_microseconds(microseconds)
