"""Puts back what an export wrote: items with all their revisions, withdrawals, notes of purges, papers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from hybridkb.errors import HybridKBError, InvalidInput, NotFound
from hybridkb.ingest.paper_restore import PAPER_ENTRIES, PaperRestore
from hybridkb.ingest.pipeline import Ingest, OnError
from hybridkb.ingest.removal import restore_withdrawal
from hybridkb.ingest.reports import ProgressCallback, PutReport, Skipped
from hybridkb.knowledge import Entry, KnowledgeItem, Purge, read_items
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

    Positions of what is skipped are those of the lines, counted from 0.

    Raises:
        UnreadableDocument: a line cannot be read (``on_error="raise"``); earlier batches stay written.
        InvalidInput: an item or a withdrawal cannot be stored (``on_error="raise"``).
        NotFound: a withdrawal is of an item that is not held (``on_error="raise"``).
    """
    report = PutReport()
    papers = PaperRestore(ingest, embed=embed)
    entries = _entries(lines, on_error, report)
    for is_plain, run in groupby(entries, key=lambda entry: is_plain_item(entry[1])):
        if is_plain:
            report.include(ingest.put_placed(run, progress=progress, on_error=on_error, embed=embed))
        else:
            for position, entry in run:
                _happen(ingest, papers, position, entry, on_error, report)
    report.skipped = tuple(sorted(report.skipped, key=lambda one: one.position))
    return report


def is_plain_item(entry: Entry) -> bool:
    """Whether an entry is an item that :meth:`Ingest.put_many` takes, and not of a paper."""
    return isinstance(entry, KnowledgeItem) and not isinstance(entry, PAPER_ENTRIES)


def _entries(
    lines: str | os.PathLike[str] | Iterable[str], on_error: OnError, report: PutReport
) -> Iterator[tuple[int, Entry]]:
    """Positions and entries; what cannot be read goes to the report."""
    for number, entry in read_items(lines):
        if not isinstance(entry, HybridKBError):
            yield number - 1, entry
        elif on_error == "raise":
            raise entry
        else:
            report.skipped = (*report.skipped, Skipped(number - 1, None, str(entry)))


def _happen(
    ingest: Ingest, papers: PaperRestore, position: int, entry: Any, on_error: OnError, report: PutReport
) -> None:
    try:
        if isinstance(entry, PAPER_ENTRIES):
            report.include(papers.take(entry))
        elif isinstance(entry, Purge):
            _note_purge(ingest, entry)
        else:
            restore_withdrawal(ingest, str(entry.id), to_microseconds(entry.at))
    except (InvalidInput, NotFound) as error:
        if on_error == "raise":
            raise
        named = getattr(entry, "id", None)
        report.skipped = (*report.skipped, Skipped(position, None if named is None else str(named), str(error)))


def _note_purge(ingest: Ingest, entry: Purge) -> None:
    item_id = str(entry.id)
    with ingest.database.write() as connection:
        if load_state(connection, item_id) is None:
            tombstone = {"item_id": item_id, "purged_at": to_microseconds(entry.at), "reason": entry.reason or ""}
            connection.rows("canonical/insert_tombstone", tombstone)
