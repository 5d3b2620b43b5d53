"""Carries out what a look found: reads files, puts them in batches, withdraws what is gone.

A batch is one transaction over items, withdrawals and what is known of the files, so that a kill at any point leaves
a state from which the next refresh goes on. A file that was moved leaves its old name and appears under the new one
in the same transaction, at the same instant.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hybridkb.database import Connection
from hybridkb.documents import ReadDocument
from hybridkb.errors import InvalidInput, MissingExtra
from hybridkb.folder.document_item import document_id, make_document
from hybridkb.folder.look import Look
from hybridkb.folder.reading import NotReadNow, read_bytes
from hybridkb.folder.report import FileNote, reason_of, shown
from hybridkb.folder.scan import FoundFile
from hybridkb.folder.times import information_cutoff, next_availability, removal_time, wanted_availability
from hybridkb.ingest.pipeline import LEFT_FOR_LATER, Ingest
from hybridkb.ingest.prepare import Prepared
from hybridkb.ingest.removal import take_out
from hybridkb.ingest.reports import ProgressCallback
from hybridkb.knowledge import Document, content_hash
from hybridkb.records import project
from hybridkb.store.canonical import ItemState, load_states
from hybridkb.store.files import FileRow, forget_files, save_files

BATCH_FILES = 200
BATCH_CHARACTERS = 4_000_000
BATCH_REMOVALS = 500
INLINE_TEXTS = 64
"""A batch with more new texts than this is searchable by words first, and its vectors follow."""


@dataclass(slots=True)
class Ready:
    """A file that was read and is to be put."""

    row: FileRow
    read: ReadDocument
    wanted: int | None
    old: FileRow | None
    moved_from: FileRow | None = None
    elsewhere: bool = False
    document: Document | None = None  # as it would be if nothing were known of it


@dataclass(slots=True)
class Done:
    """What a refresh did so far; ``rows`` is what is known of the files now."""

    rows: dict[str, FileRow]
    indexed: int = 0
    removed: int = 0
    renamed: int = 0
    touched: int = 0
    embedded: int = 0
    degraded: str | None = None
    unread: list[FileNote] = field(default_factory=list)
    notes: list[FileNote] = field(default_factory=list)

    def keep(self, rows: Sequence[FileRow], forgotten: Sequence[str]) -> None:
        """Take in what was committed."""
        self.rows.update((row.path, row) for row in rows)
        for path in forgotten:
            self.rows.pop(path, None)


@dataclass(slots=True)
class _Batch:
    """Files on their way into one transaction.

    Attributes:
        ready: to put.
        rows: of which only what is known changes.
        stale: indexed files whose bytes are others now, and unreadable: their text is withdrawn.
        characters: of what is ready.
        saved, forgotten: what the transaction made of the file rows.
    """

    ready: list[Ready] = field(default_factory=list)
    rows: list[FileRow] = field(default_factory=list)
    stale: list[FileRow] = field(default_factory=list)
    characters: int = 0
    saved: list[FileRow] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)

    @property
    def full(self) -> bool:
        return len(self.ready) + len(self.rows) >= BATCH_FILES or self.characters >= BATCH_CHARACTERS


class Worker:
    """One refresh of one folder."""

    def __init__(self, ingest: Ingest, folder_no: int, collection: str, zone: str, look: Look, *, embed: bool) -> None:
        self._ingest = ingest
        self._folder_no = folder_no
        self._collection = collection
        self._zone = zone
        self._look = look
        self._embed = embed
        self._missing = {path: look.rows[path] for path in look.missing}
        self._uncertain = self._rows_by_content()
        self.done = Done(dict(look.rows))

    def work(self, progress: ProgressCallback | None) -> Done:
        """Read, put and withdraw everything; what was committed stays when it is interrupted."""
        batch, total = _Batch(), len(self._look.to_read)
        for count, path in enumerate(self._look.to_read, start=1):
            self._read(self._look.scan.files[path], batch)
            if batch.full or count == total:
                self._commit(batch)
                batch = _Batch()
                if progress is not None:
                    progress(count, total)
        self._remove()
        return self.done

    # --- reading ------------------------------------------------------------------------------------------------

    def _read(self, found: FoundFile, batch: _Batch) -> None:
        """Read one file into the batch, or say why not."""
        old = self._look.rows.get(found.path)
        try:
            read = read_bytes(found, self._look.settings.max_bytes)
        except FileNotFoundError:
            self._say(found.path, "vanished before it was read")
            if old is not None and old.state != "gone":
                self._missing[found.path] = old
            return
        except (NotReadNow, OSError) as error:
            self._say(found.path, f"cannot be read: {reason_of(error)}" if isinstance(error, OSError) else str(error))
            return
        row = FileRow(
            found.path, "indexed", read.size, read.modified_ns, read.changed_ns, found.device, read.read_ns,
            hashlib.sha256(read.data).digest(), str(document_id(self._collection, found.path)),
            reader=self._look.settings.reader,
        )  # fmt: skip
        if self._is_same(old, row):
            assert old is not None
            batch.rows.append(_touched(old, row))
            self.done.touched += old.state == "indexed"
            return
        try:
            self._prepare(row, old, read.data, batch)
        except MissingExtra as error:  # not the file's fault: it is read again when other packages are there
            self._refuse(replace(row, reader=self._look.settings.lacking_reader), old, str(error), batch)
        except InvalidInput as error:
            self._refuse(row, old, str(error), batch)

    def _is_same(self, old: FileRow | None, row: FileRow) -> bool:
        if old is None or old.state == "gone" or row.path in self._look.forced:
            return False
        return (old.content_hash, old.reader) == (row.content_hash, row.reader)

    def _prepare(self, row: FileRow, old: FileRow | None, data: bytes, batch: _Batch) -> None:
        from hybridkb.documents.reading import read_document  # the readers are loaded when there is something to read

        settings = self._look.settings
        read = read_document(data, shown(row.path), zone=self._zone, passage_characters=settings.passage_characters)
        if not read.passages:
            self._refuse(row, old, "; ".join(read.notes) or "holds no text", batch)
            return
        assert row.modified_ns is not None
        wanted = wanted_availability(
            read.front_matter, row.path, row.modified_ns, settings.availability, self._zone
        )
        row = replace(row, passages=len(read.passages), notes=read.notes)
        ready = Ready(row, read, wanted, old)
        self._find_old_name(ready)
        ready.document = self._document(ready, wanted)
        project(ready.document)  # what cannot be put is told of this file, before the batch
        batch.ready.append(ready)
        batch.characters += sum(len(passage.text) for passage in read.passages)

    def _document(self, ready: Ready, available_at: int | None) -> Document:
        row = ready.row
        assert row.modified_ns is not None
        assert row.content_hash is not None
        return make_document(
            ready.read,
            collection=self._collection,
            path=row.path,
            content_hash=row.content_hash,
            as_of=information_cutoff(
                ready.read.front_matter, row.path, row.modified_ns, available_at, self._zone
            ),
            available_at=available_at,
        )

    def _refuse(self, row: FileRow, old: FileRow | None, reason: str, batch: _Batch) -> None:
        """Note a file whose bytes cannot be read; its former text, if any, is not what it says now."""
        if old is not None and old.state == "indexed":
            batch.stale.append(old)
        batch.rows.append(replace(row, state="unreadable", passages=0, reason=reason, notes=()))

    def _say(self, path: str, reason: str) -> None:
        self.done.unread.append(FileNote(path, reason))

    # --- moves --------------------------------------------------------------------------------------------------

    def _rows_by_content(self) -> dict[bytes, dict[str, FileRow]]:
        """Files that are not certain to hold still what they held, by what that was; those long gone too."""
        held: dict[bytes, dict[str, FileRow]] = defaultdict(dict)
        for path, row in self._look.rows.items():
            if row.state != "unreadable" and row.content_hash and path not in self._look.unchanged:
                held[row.content_hash][path] = row
        return held

    def _find_old_name(self, ready: Ready) -> None:
        """Find the name under which the library showed these bytes before: that of a missing file, if there is one."""
        assert ready.row.content_hash is not None
        held = self._uncertain.get(ready.row.content_hash, {})
        others = [path for path in sorted(held) if path != ready.row.path]
        ready.elsewhere = bool(others)
        for path in others:
            if path in self._missing and self._missing[path].state == "indexed":
                ready.moved_from = self._missing.pop(path)
                return

    # --- writing ------------------------------------------------------------------------------------------------

    def _commit(self, batch: _Batch) -> None:
        """Put a batch: items, withdrawals and file rows in one transaction."""
        now = self._ingest.clock()
        self._time(batch, now)
        if not batch.ready:
            if batch.rows:
                with self._ingest.database.write() as connection:
                    generation = int(connection.value("state/next_generation")) if batch.stale else 0
                    self._write_rows(connection, generation, batch, (), now)
                self._count(batch, set())
            return
        put: set[str] = set()

        def alongside(connection: Connection, generation: int, prepared: Sequence[Prepared]) -> None:
            put.update(one.item_id for one in prepared)
            self._write_rows(connection, generation, batch, prepared, now)

        report = self._ingest.put_placed(
            ((place, ready.document) for place, ready in enumerate(batch.ready)),
            on_error="skip",
            embed=self._embed,
            embed_at_most=INLINE_TEXTS,
            alongside=alongside,
        )
        self.done.embedded += report.embedded
        if report.pending and report.degraded != LEFT_FOR_LATER:
            self.done.degraded = report.degraded
        for skipped in report.skipped:
            self._say(batch.ready[skipped.position].row.path, skipped.reason)
        self._count(batch, put)

    def _time(self, batch: _Batch, now: int) -> None:
        """Decide from when on each document is shown."""
        with self._ingest.database.read() as connection:
            states = load_states(connection, (ready.row.item_id for ready in batch.ready))
            olds = load_states(connection, (r.moved_from.item_id for r in batch.ready if r.moved_from))
        for ready in batch.ready:
            state = states.get(ready.row.item_id)
            old = olds.get(ready.moved_from.item_id) if ready.moved_from else None
            ready.document = self._timed(ready, state, old, now)

    def _timed(self, ready: Ready, state: ItemState | None, old: ItemState | None, now: int) -> Document:
        """The document with its times: those it has already, if it is held as it is, else those that follow."""
        if state is not None and state.position_at(None) is not None:
            newest = state.revisions[-1]
            same_bytes = ready.old is not None and ready.old.content_hash == ready.row.content_hash
            same_bytes = same_bytes and ready.row.path not in self._look.forced
            as_held = self._document(ready, newest.available_at)
            is_held = content_hash(as_held) == newest.content_hash
            if newest.available_at is not None and (same_bytes or is_held):
                return as_held
        moved = ready.elsewhere or (ready.old is not None and ready.old.state == "indexed" and state is None)
        moment = max(now, removal_time(old, now)) if old is not None else now
        wanted = ready.wanted
        if old is not None and old.revisions[-1].available_at is not None and wanted is None:
            wanted = moment  # it was observable under its old name
        available_at = next_availability(state, wanted, now=moment, moved=moved)
        assert ready.document is not None
        return ready.document if available_at == ready.wanted else self._document(ready, available_at)

    def _write_rows(
        self, connection: Connection, generation: int, batch: _Batch, prepared: Sequence[Prepared], now: int
    ) -> None:
        """Write what belongs to a batch, in its transaction."""
        hashes = {one.item_id: one.content_hash for one in prepared}
        put = [ready for ready in batch.ready if ready.row.item_id in hashes]
        left = [ready.moved_from for ready in put if ready.moved_from is not None]
        batch.saved = [*batch.rows, *(replace(one.row, item_hash=hashes[one.row.item_id]) for one in put)]
        self._take_out(connection, generation, batch.stale, now)
        gone, batch.forgotten = self._take_out(connection, generation, left, now)
        batch.saved += gone
        save_files(connection, self._folder_no, batch.saved)
        forget_files(connection, self._folder_no, batch.forgotten)

    def _take_out(
        self, connection: Connection, generation: int, rows: Sequence[FileRow], now: int
    ) -> tuple[list[FileRow], list[str]]:
        """Withdraw files in the caller's transaction.

        Returns what is to be known of them, and the paths of those that nobody could see in any past: these are
        to be forgotten.
        """
        states = load_states(connection, (row.item_id for row in rows))
        gone, forgotten = [], []
        for row in rows:
            state = states.get(row.item_id)
            if state is not None and state.position_at(None) is not None:
                take_out(connection, state, removal_time(state, now), now=now, generation=generation)
            if state is not None and state.revisions[-1].available_at is not None:
                gone.append(replace(row, state="gone", reason=None, notes=(), passages=0))
            else:
                forgotten.append(row.path)
        return gone, forgotten

    def _count(self, batch: _Batch, put: set[str]) -> None:
        """Take a committed batch into the counts."""
        self.done.keep(batch.saved, batch.forgotten)
        self.done.removed += len(batch.stale)
        for ready in batch.ready:
            old = ready.moved_from
            if ready.row.item_id in put:
                self.done.indexed += 1
                self.done.renamed += old is not None
                self.done.removed += old is not None
            elif old is not None:
                self._missing[old.path] = old  # its new name could not be put: it is gone all the same

    def _remove(self) -> None:
        """Withdraw what is missing and was not found under another name."""
        rows = [self._missing[path] for path in sorted(self._missing)]
        for first in range(0, len(rows), BATCH_REMOVALS):
            step = rows[first : first + BATCH_REMOVALS]
            indexed = [row for row in step if row.state == "indexed"]
            with self._ingest.database.write() as connection:
                generation = int(connection.value("state/next_generation")) if indexed else 0
                gone, forgotten = self._take_out(connection, generation, step, self._ingest.clock())
                save_files(connection, self._folder_no, gone)
                forget_files(connection, self._folder_no, forgotten)
            self.done.keep(gone, forgotten)
            self.done.removed += len(indexed)


def _touched(old: FileRow, row: FileRow) -> FileRow:
    """What is known of a file whose bytes are what they were: its size and times as they are now."""
    return replace(
        old, size=row.size, modified_ns=row.modified_ns, changed_ns=row.changed_ns, device=row.device,
        read_ns=row.read_ns,
    )  # fmt: skip
