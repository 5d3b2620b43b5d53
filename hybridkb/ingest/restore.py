"""Puts back what an export wrote: items with all their revisions, withdrawals, notes of purges."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from hybridkb.errors import HybridKBError
from hybridkb.ingest.pipeline import Ingest, OnError
from hybridkb.ingest.removal import restore_withdrawal
from hybridkb.ingest.reports import ProgressCallback, PutReport, Skipped
from hybridkb.knowledge import KnowledgeItem, Purge, Withdrawal, read_items
from hybridkb.knowledge.times import to_microseconds
from hybridkb.store.canonical import load_state


def restore_lines(
    ingest: Ingest,
    lines: str | os.PathLike[str] | Iterable[str],
    *,
    progress: ProgressCallback | None = None,
    on_error: OnError = "raise",
    embed: bool = True,
) -> PutReport:
    """Store lines in order; runs of items are put in batches of 1,000.

    Raises:
        UnreadableDocument: a line cannot be read (``on_error="raise"``); earlier batches stay written.
        InvalidInput: an item cannot be stored (``on_error="raise"``).
    """
    report = PutReport()
    for is_item, run in groupby(_entries(lines, on_error, report), key=lambda entry: isinstance(entry, KnowledgeItem)):
        if is_item:
            report.include(ingest.put_many(run, progress=progress, on_error=on_error, embed=embed))
        else:
            for entry in run:
                _happen(ingest, entry)
    return report


def _entries(
    lines: str | os.PathLike[str] | Iterable[str], on_error: OnError, report: PutReport
) -> Iterator[KnowledgeItem | Withdrawal | Purge]:
    for number, entry in read_items(lines):
        if not isinstance(entry, HybridKBError):
            yield entry
        elif on_error == "raise":
            raise entry
        else:
            report.skipped = (*report.skipped, Skipped(number - 1, None, str(entry)))


def _happen(ingest: Ingest, entry: Any) -> None:
    item_id, at = str(entry.id), to_microseconds(entry.at)
    if isinstance(entry, Purge):
        with ingest.database.write() as connection:
            if load_state(connection, item_id) is None:
                tombstone = {"item_id": item_id, "purged_at": at, "reason": entry.reason or ""}
                connection.rows("canonical/insert_tombstone", tombstone)
        return
    restore_withdrawal(ingest, item_id, at)
