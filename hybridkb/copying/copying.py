"""Carries a library to another place, a batch at a time, and lets it be one only when every row has arrived.

The source is read in one transaction, so what is copied is one state of it, whatever is written there meanwhile. Each
batch is a transaction of its own in the target, which also notes how far it came; a copy that was killed goes on there.
At the end the target is read back and compared with what was read of the source, table by table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hybridkb.copying.made_anew import complete, follow, missing
from hybridkb.copying.note import Note, Part, require_note, write_note
from hybridkb.copying.rows import insert, pages, tally_of
from hybridkb.copying.source import Source, look_at, require_copyable
from hybridkb.copying.tables import TABLES
from hybridkb.copying.target import LOCK, Place, begin, finish, refuse_itself
from hybridkb.database import Connection, Database, open_database
from hybridkb.errors import BrokenInvariant
from hybridkb.text import shared_analyser

COPYING, VERIFYING = "copying", "verifying"

CopyProgress = Callable[[str, int, int], None]
"""Called with (``"copying"`` or ``"verifying"``, rows done, rows in all)."""


@dataclass(frozen=True, slots=True)
class CopyReport:
    """What was copied.

    Attributes:
        source, target: files or addresses, without passwords.
        tables: rows by table, each compared with what was read of the source.
        digests: by table, what names its content: equal in source and target.
        rows: rows in all.
        bytes: their size.
        resumed: whether an unfinished copy was gone on with.
        seconds: time taken, of this run alone.
    """

    source: str
    target: str
    tables: Mapping[str, int]
    digests: Mapping[str, str]
    rows: int
    bytes: int
    resumed: bool
    seconds: float


def copy_library(
    source: Place, target: Place, *, restart: bool = False, progress: CopyProgress | None = None
) -> CopyReport:
    """Copy a library to a file or a server: items with all revisions, papers, vectors, runs, folders, everything.

    Nothing is embedded, no model is loaded, and the source is only read. The copy answers every question as the source
    does. Killed or interrupted, it goes on where it was when it is called again with the same arguments; until it is
    done, opening the target raises :class:`~hybridkb.errors.UnfinishedCopy`.

    Args:
        source: a file or an address.
        target: a file or an address; new, empty, or an unfinished copy of the same source.
        restart: throw an unfinished copy in the target away. Nothing else is ever thrown away.
        progress: called with (what is being done, rows done, rows in all) after each batch.

    Raises:
        InvalidInput: the target holds something, or is the source; nothing was changed.
        UnfinishedCopy: the target is an unfinished copy of something else, or the source has changed since.
        BrokenInvariant: what arrived is not what was read; the findings name the tables, the target stays unfinished.
        SchemaTooOld: the source has to be migrated, or rebuilt, first.
        DatabaseError: one of both cannot be read or written; what arrived stays, to be gone on with.
        DatabaseBusy: another copy into the target is at work.
    """
    started = time.monotonic()
    origin = open_database(source, read_only=True, create=False)
    try:
        refuse_itself(source, target, origin.path)
        with origin.read() as connection:
            require_copyable(connection, origin.path)  # what cannot be copied is refused before anything is made
        place = open_database(target)
        try:
            with place.job_lock(LOCK, wait_seconds=0.0):
                note, resumed = _Copy(origin, place, restart, progress).run()
        finally:
            place.close()
    finally:
        origin.close()
    parts = note.parts
    return CopyReport(
        source=origin.path,
        target=place.path,
        tables={name: part.tally.rows for name, part in parts.items()},
        digests={name: part.tally.name for name, part in parts.items()},
        rows=note.rows,
        bytes=sum(part.tally.bytes for part in parts.values()),
        resumed=resumed,
        seconds=time.monotonic() - started,
    )


class _Copy:
    """One run, under the lock of the job."""

    def __init__(self, origin: Database, place: Database, restart: bool, progress: CopyProgress | None) -> None:
        self._origin = origin
        self._place = place
        self._restart = restart
        self._progress = progress

    def run(self) -> tuple[Note, bool]:
        """Copy, verify, finish. Returns what was copied, and whether a part of it was there."""
        with self._origin.read() as reading:
            source = look_at(reading, self._origin.path)
            note, resumed = begin(self._place, source, self._origin.path, restart=self._restart)
            note = self._carry(reading, source, note)
        self._verify(note)
        with self._place.write() as writing:
            require_note(writing, note, self._place.path)
            complete(writing)
            finish(writing, source)
        with self._place.outside_transaction() as connection:
            connection.rows("copy/settle")
        return note, resumed

    def _carry(self, reading: Connection, source: Source, note: Note) -> Note:
        analyser = shared_analyser(source.settings.language)
        total = sum(source.rows.values())
        self._tell(COPYING, note.rows, total)
        for table in TABLES:
            part = note.part(table)
            if part.done:
                continue
            for rows in pages(reading, table, part.after):
                after = rows[-1][: len(table.key)] if rows else part.after
                part = Part(part.tally.with_rows(rows), after, done=len(rows) < table.rows)
                following = note.with_part(table, part)
                with self._place.write() as writing:
                    writing.rows("copy/begin_batch")
                    require_note(writing, note, self._place.path)
                    insert(writing, table, rows)
                    follow(writing, table, rows, analyser)
                    write_note(writing, following)
                note = following
                self._tell(COPYING, note.rows, total)
        return note

    def _verify(self, note: Note) -> None:
        """Read the target back and compare it with what was read of the source.

        Raises:
            BrokenInvariant: it is not the same; the findings name the tables.
        """
        done, findings = 0, []

        def seen(rows: int) -> None:
            nonlocal done
            done += rows
            self._tell(VERIFYING, done, note.rows)

        with self._place.read() as connection:
            for table in TABLES:
                wanted, found = note.part(table).tally, tally_of(connection, table, seen)
                if found != wanted:
                    findings.append(
                        f"table {table.name}: {wanted.rows:,} rows were read ({wanted.name}), {found.rows:,} arrived "
                        f"({found.name})"
                    )
            findings += missing(connection)
        if findings:
            raise BrokenInvariant(
                f"{self._place.path}: what arrived is not what was read: {findings[0]}; the copy is no library. Begin "
                "anew with --restart; if it happens again, run hybridkb check on the source",
                findings=findings,
                path=self._place.path,
            )

    def _tell(self, stage: str, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress(stage, done, total)


__all__ = ["CopyProgress", "CopyReport", "copy_library"]
