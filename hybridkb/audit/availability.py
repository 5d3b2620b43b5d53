"""Findings about single revisions: times that are unknown, contradict each other, or came late."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from hybridkb.audit.report import Example, Finding, make_finding
from hybridkb.database import Connection, Row
from hybridkb.errors import BrokenInvariant, InvalidInput
from hybridkb.knowledge.times import from_microseconds, parse_instant, to_microseconds

GRACE = 24 * 3600 * 1_000_000
"""How long after its availability an item may be recorded without counting as back-filled: one day.

Not with ``since``: whoever relied on answers given in between wants to know of every one that changed.
"""

MOST_EXAMPLES = 20
_STEP = 5000


def availability_findings(connection: Connection, since: int | None) -> Iterator[Finding]:
    """Look at the times of every stored revision. ``since`` is microseconds since 1970 UTC."""
    yield from _grouped(connection, "unknown_availability", {})
    yield from _before_publication(connection)
    yield from _grouped(connection, "as_of_after_available", {})
    yield from _grouped(connection, "back_filled", {"since": since, "grace": GRACE if since is None else 0}, since)


def _grouped(
    connection: Connection, kind: str, parameters: dict[str, int | None], since: int | None = None
) -> Iterator[Finding]:
    """A kind that SQL counts: ``audit/<kind>`` by item type and source kind, ``audit/<kind>_examples``."""
    by_type: Counter[str] = Counter()
    by_source: Counter[str] = Counter()
    for item_type, source_kind, count in connection.rows(f"audit/{kind}", parameters):
        by_type[item_type] += count
        by_source[source_kind] += count
    if not by_type:
        return
    rows = connection.rows(f"audit/{kind}_examples", {**parameters, "limit": MOST_EXAMPLES})
    yield make_finding(
        kind,
        by_type.total(),
        since=since,
        groups={"item_type": dict(sorted(by_type.items())), "source_kind": dict(sorted(by_source.items()))},
        examples=tuple(_example(row) for row in rows),
    )


def _example(row: Row) -> Example:
    item_id, item_type, source_kind, available_at, as_of, recorded_at = row
    return Example(
        item_id,
        f"{item_type}, {source_kind}",
        {
            "available_at": None if available_at is None else from_microseconds(available_at),
            "as_of": from_microseconds(as_of),
            "recorded_at": from_microseconds(recorded_at),
        },
    )


def _before_publication(connection: Connection) -> Iterator[Finding]:
    by_type: Counter[str] = Counter()
    by_source: Counter[str] = Counter()
    examples: list[Example] = []
    for row, published in _published(connection):
        if row[3] >= to_microseconds(published):
            continue
        by_type[row[1]] += 1
        by_source[row[2]] += 1
        if len(examples) < MOST_EXAMPLES:
            example = _example(row)
            examples.append(Example(example.subject, example.detail, {**example.times, "published_at": published}))
    if examples:
        yield make_finding(
            "available_before_publication",
            by_type.total(),
            groups={"item_type": dict(sorted(by_type.items())), "source_kind": dict(sorted(by_source.items()))},
            examples=tuple(examples),
        )


def _published(connection: Connection) -> Iterator[tuple[Row, datetime]]:
    """Revisions with a time of publication and a known availability, and that time."""
    after = 0
    while rows := connection.rows("audit/published", {"after": after, "limit": _STEP}):
        for revision_no, published, item_id, *row in rows:
            yield (item_id, *row), _published_at(published, item_id)
            after = revision_no


def _published_at(text: str, item_id: str) -> datetime:
    try:
        return parse_instant(text)
    except InvalidInput as error:
        sentence = f"item {item_id} is stored with a damaged source ({error})"
        raise BrokenInvariant(f"{sentence}; restore it from an export", findings=[sentence]) from error
