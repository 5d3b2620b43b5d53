"""Carries out what a look found: reads files, puts them in batches, withdraws what is gone.

A batch is one transaction over items, withdrawals and what is known of the files, so that a kill at any point leaves
a state from which the next refresh goes on. A file that was moved leaves its old name and appears under the new one
in the same transaction, at the same instant.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridkb.database import Connection
from hybridkb.errors import InvalidInput
from hybridkb.folder.batch import Batch, Done, Ready
from hybridkb.folder.file_reader import FileReader
from hybridkb.folder.look import Look
from hybridkb.folder.times import next_availability, removal_time
from hybridkb.ingest.pipeline import LEFT_FOR_LATER, Ingest
from hybridkb.ingest.prepare import Prepared
from hybridkb.ingest.removal import take_out
from hybridkb.ingest.reports import ProgressCallback
from hybridkb.knowledge import Document, content_hash
from hybridkb.store.canonical import ItemState, load_states
from hybridkb.store.files import FileRow, forget_files, save_files

BATCH_REMOVALS = 500
INLINE_TEXTS = 16
"""A batch with more new texts than this is searchable by words first, and its vectors follow."""


class Worker:
    """One refresh of one folder."""

    def __init__(self, ingest: Ingest, folder_no: int, look: Look, reader: FileReader, *, embed: bool) -> None:
        self._ingest = ingest
        self._folder_no = folder_no
        self._look = look
        self._reader = reader
        self._embed = embed
        self._done = Done(dict(look.rows))

    def work(self, progress: ProgressCallback | None) -> Done:
        """Read, put and withdraw everything; what was committed stays when it is interrupted."""
        batch, total = Batch(), len(self._look.to_read)
        for count, path in enumerate(self._look.to_read, start=1):
            self._reader.read(self._look.scan.files[path], batch, self._done)
            if batch.full or count == total:
                self._commit(batch)
                batch = Batch()
                if progress is not None:
                    progress(count, total)
        self._remove()
        return self._done

    def _commit(self, batch: Batch) -> None:
        """Put a batch: items, withdrawals and file rows in one transaction."""
        now = self._ingest.clock()
        documents = self._dated(batch, now)
        if documents:
            self._put(batch, documents, now)
        elif batch.rows:
            with self._ingest.database.write() as connection:
                self._write_rows(connection, _next_generation(connection), batch, (), now)
            self._count(batch, set())

    def _put(self, batch: Batch, documents: list[Document], now: int) -> None:
        put: set[str] = set()

        def alongside(connection: Connection, generation: int, prepared: Sequence[Prepared]) -> None:
            put.update(one.item_id for one in prepared)
            self._write_rows(connection, generation, batch, prepared, now)

        report = self._ingest.put_placed(
            enumerate(documents),
            on_error="skip",
            embed=self._embed,
            embed_at_most=INLINE_TEXTS,
            alongside=alongside,
        )
        self._done.embedded += report.embedded
        if report.pending and report.degraded not in (None, LEFT_FOR_LATER):
            self._done.degraded = report.degraded
        for skipped in report.skipped:
            self._done.say(batch.ready[skipped.position].row.path, skipped.reason)
        self._count(batch, put)

    # --- from when on -------------------------------------------------------------------------------------------

    def _dated(self, batch: Batch, now: int) -> list[Document]:
        """Decide from when on each document is shown; what cannot be dated leaves the batch."""
        with self._ingest.database.read() as connection:
            states = load_states(connection, (ready.row.item_id for ready in batch.ready))
            olds = load_states(connection, (ready.moved_from.item_id for ready in batch.ready if ready.moved_from))
        documents, dated = [], []
        for ready in batch.ready:
            state, old = states.get(ready.row.item_id), ready.moved_from
            try:
                document = self._date(ready, state, olds.get(old.item_id) if old else None, now)
            except InvalidInput as error:
                self._done.say(ready.row.path, str(error))
                self._is_gone(old)
                continue
            documents.append(document)
            dated.append(ready)
        batch.ready = dated
        return documents

    def _date(self, ready: Ready, state: ItemState | None, old: ItemState | None, now: int) -> Document:
        """The document with its times: those it has already, if it is held as it is, else those that follow."""
        held = None if state is None else self._as_held(ready, state)
        if held is not None:
            return held
        moment, wanted = now, ready.wanted
        if old is not None:
            moment = removal_time(old, now)
            if old.revisions[-1].available_at is not None and wanted is None:
                wanted = moment  # it was observable under its old name
        available_at = next_availability(state, wanted, now=moment, moved=ready.elsewhere)
        if available_at == ready.wanted:
            return ready.document
        return self._reader.document(ready.row, ready.read, available_at)

    def _as_held(self, ready: Ready, state: ItemState) -> Document | None:
        """The document at the time it has, if the library shows these bytes now; None when it shows others."""
        newest = state.revisions[-1]
        if newest.available_at is None or state.position_at(None) is None:
            return None
        document = self._reader.document(ready.row, ready.read, newest.available_at)
        same = ready.old is not None and ready.old.content_hash == ready.row.content_hash
        if same and ready.row.path not in self._look.forced:
            return document  # read in another way: a correction of the record
        return document if content_hash(document) == newest.content_hash else None

    # --- writing ------------------------------------------------------------------------------------------------

    def _write_rows(
        self, connection: Connection, generation: int, batch: Batch, prepared: Sequence[Prepared], now: int
    ) -> None:
        """Write what belongs to a batch, in its transaction."""
        hashes = {one.item_id: one.content_hash for one in prepared}
        put = [ready for ready in batch.ready if ready.row.item_id in hashes]
        left = [ready.moved_from for ready in put if ready.moved_from is not None]
        batch.saved = [*batch.rows, *(one.row._replace(item_hash=hashes[one.row.item_id]) for one in put)]
        _take_out(connection, generation, batch.stale, now)
        gone, batch.forgotten = _take_out(connection, generation, left, now)
        batch.saved += gone
        save_files(connection, self._folder_no, batch.saved)
        forget_files(connection, self._folder_no, batch.forgotten)

    def _count(self, batch: Batch, put: set[str]) -> None:
        """Take a committed batch into the counts."""
        self._done.keep(batch.saved, batch.forgotten)
        self._done.removed += len(batch.stale)
        for ready in batch.ready:
            old = ready.moved_from
            if ready.row.item_id in put:
                self._done.indexed += 1
                self._done.renamed += old is not None
                self._done.removed += old is not None
            else:
                self._is_gone(old)

    def _is_gone(self, old: FileRow | None) -> None:
        """Withdraw a file that was moved although its new name could not be put: it is gone all the same."""
        if old is not None:
            self._reader.missing[old.path] = old

    def _remove(self) -> None:
        """Withdraw what is missing and was not found under another name."""
        rows = [self._reader.missing[path] for path in sorted(self._reader.missing)]
        for first in range(0, len(rows), BATCH_REMOVALS):
            step = rows[first : first + BATCH_REMOVALS]
            with self._ingest.database.write() as connection:
                gone, forgotten = _take_out(connection, _next_generation(connection), step, self._ingest.clock())
                save_files(connection, self._folder_no, gone)
                forget_files(connection, self._folder_no, forgotten)
            self._done.keep(gone, forgotten)
            self._done.removed += sum(row.state == "indexed" for row in step)


def _take_out(
    connection: Connection, generation: int, rows: Sequence[FileRow], now: int
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
            gone.append(row._replace(state="gone", reason=None, notes=(), passages=0))
        else:
            forgotten.append(row.path)
    return gone, forgotten


def _next_generation(connection: Connection) -> int:
    return int(connection.value("state/next_generation"))
