"""Findings about what was done to the past: purges, and every edit that the journal noted."""

from __future__ import annotations

from collections.abc import Iterator

from hybridkb.audit.report import Example, Finding, make_finding
from hybridkb.database import Connection
from hybridkb.knowledge.times import from_microseconds

MOST_LISTED = 1000


def edit_findings(connection: Connection, since: int | None) -> Iterator[Finding]:
    """List purges and edits recorded from ``since`` on (microseconds since 1970 UTC; None is all)."""
    yield from _purges(connection, since)
    yield from _edits(connection, since)


def _purges(connection: Connection, since: int | None) -> Iterator[Finding]:
    count = int(connection.value("audit/count_purges", {"since": since}))
    if not count:
        return
    rows = connection.rows("audit/purges", {"since": since, "limit": MOST_LISTED})
    examples = (
        Example(item_id, reason or "no reason given", {"purged_at": from_microseconds(purged_at)})
        for item_id, purged_at, reason in rows
    )
    yield make_finding("purge", count, since=since, examples=tuple(examples))


def _edits(connection: Connection, since: int | None) -> Iterator[Finding]:
    kinds = {kind: int(count) for kind, count in connection.rows("audit/count_edits", {"since": since})}
    if not kinds:
        return
    rows = connection.rows("audit/edits", {"since": since, "limit": MOST_LISTED})
    yield make_finding(
        "edit_of_the_past",
        sum(kinds.values()),
        since=since,
        groups={"edit": kinds},
        examples=tuple(_edit(*row) for row in rows),
    )


def _edit(kind: str, subject: str | None, affected_from: int, recorded_at: int, detail: str) -> Example:
    return Example(
        subject,
        f"{kind}: {detail}" if detail else kind,
        {"affected_from": from_microseconds(affected_from), "recorded_at": from_microseconds(recorded_at)},
    )
