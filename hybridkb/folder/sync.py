"""Keeps the documents of a library in step with a folder: look, and if something changed, take the lock and do it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.errors import DatabaseBusy, DatabaseError, EmbedderError, InvalidInput, MissingExtra
from hybridkb.folder.adopt import known_documents
from hybridkb.folder.apply import Worker
from hybridkb.folder.batch import Done
from hybridkb.folder.file_reader import FileReader
from hybridkb.folder.look import Known, Look, RootTrouble, look_at
from hybridkb.folder.report import FileNote, FolderSummary, RefreshCounts, shown
from hybridkb.folder.settings import DEFAULT_COLLECTION, check_collection
from hybridkb.ingest.catch_up import STEP_TEXTS, embed_pending
from hybridkb.ingest.pipeline import Ingest
from hybridkb.ingest.reports import ProgressCallback
from hybridkb.knowledge.times import from_microseconds
from hybridkb.store.files import files_out_of_step, load_files, load_folder, save_files, save_folder
from hybridkb.store.settings import load_settings
from hybridkb.vector.spaces import find_space

WAIT_SECONDS = 30.0
RETRY_SECONDS = 60.0
HURRIED_TEXTS = 16
"""Texts that are embedded between two looks at the clock."""


class FolderSync:
    """Refreshes the folders of one library. Thread-safe; one refresh works at a time, in all processes."""

    def __init__(self, ingest: Ingest) -> None:
        """Keep the library's write flow."""
        self._ingest = ingest
        self._known: dict[str, Known] = {}
        self._embedded = -1  # generation at which no text waited for a vector
        self._trouble: str | None = None  # what the embedder failed with last
        self._failed_at = -RETRY_SECONDS

    def refresh(
        self,
        folder: str | os.PathLike[str],
        *,
        collection: str = DEFAULT_COLLECTION,
        moved: bool = False,
        embed: bool = True,
        embed_seconds: float | None = None,
        wait_seconds: float = WAIT_SECONDS,
        progress: ProgressCallback | None = None,
        **settings: Any,
    ) -> RefreshCounts:
        """Bring the collection in step with the folder; see :meth:`HybridLibrary.sync`."""
        started = time.monotonic()
        root = _folder(folder)
        check_collection(collection)
        waited, busy = 0.0, None
        try:
            look = self._look(root, collection, settings, moved)
            done = Done(look.rows)
            if self._ingest.database.read_only:
                self._refuse_changes(look)
            elif not look.settled:
                with ExitStack() as stack:
                    try:
                        waited = stack.enter_context(
                            self._ingest.database.job_lock("sync", wait_seconds=wait_seconds)
                        )
                    except DatabaseBusy as error:
                        busy, waited = str(error), wait_seconds
                    else:
                        look = self._look(root, collection, settings, moved)
                        if not look.settled:
                            done = self._carry_out(look, collection, embed, progress)
        except RootTrouble as trouble:
            counts = self._as_it_stands(collection, str(trouble))
        else:
            counts = _counts(look, done, busy)
        vectors = self._catch_up(embed_seconds, counts) if embed else {}
        return replace(counts, waited=waited, seconds=time.monotonic() - started, **vectors)

    def folders(self) -> tuple[FolderSummary, ...]:
        """The folders that the library is kept in step with, by collection; nothing is looked at."""
        with self._ingest.database.read() as connection:
            rows = connection.rows("files/folders")
        return tuple(
            FolderSummary(collection, shown(os.fsdecode(root)), from_microseconds(changed_at), *counts)
            for collection, root, changed_at, *counts in rows
        )

    def _look(self, root: str, collection: str, settings: dict[str, Any], moved: bool) -> Look:
        return look_at(root, self._what_is_known(collection), settings, moved=moved)

    def _what_is_known(self, collection: str) -> Known:
        """Read what is known of a folder, unless nothing was written since it was read last."""
        with self._ingest.database.read() as connection:
            generation = int((connection.row("state/get") or (0,))[0])
            known = self._known.get(collection)
            if known is None or known.generation != generation:
                folder = load_folder(connection, collection)
                rows = load_files(connection, folder.folder_no) if folder else {}
                out_of_step = files_out_of_step(connection, folder.folder_no) if folder else ()
                self._known[collection] = known = Known(generation, folder, rows, frozenset(out_of_step))
        return known

    def _refuse_changes(self, look: Look) -> None:
        """Nothing can be written: refuse unless the folder is as it was."""
        if look.changed:
            path = self._ingest.database.path
            raise DatabaseError(
                f"{path}: the folder changed, but the library is open read-only; open it without read_only", path=path
            )

    def _carry_out(self, look: Look, collection: str, embed: bool, progress: ProgressCallback | None) -> Done:
        """Do what a look found; the job's lock is held."""
        new = look.folder is None
        with self._ingest.database.write() as connection:
            zone = load_settings(connection).zone
            connection.rows("state/next_generation")
            folder = save_folder(
                connection, collection, root=look.scan.root, device=look.device, inode=look.inode,
                settings=look.settings.as_json(), now=self._ingest.clock(),
            )  # fmt: skip
            if new:
                save_files(connection, folder.folder_no, known_documents(connection, collection, look.scan.files))
                look.compare(load_files(connection, folder.folder_no))
        reader = FileReader(look, collection, zone)
        return Worker(self._ingest, folder.folder_no, look, reader, embed=embed).work(progress)

    def _as_it_stands(self, collection: str, trouble: str) -> RefreshCounts:
        """The index as it is, when there is no folder to compare it with."""
        indexed = [row for row in self._what_is_known(collection).rows.values() if row.state == "indexed"]
        return RefreshCounts(
            passages=sum(row.passages for row in indexed),
            files=len(indexed),
            kept=len(indexed),
            folder_missing=f"nothing was removed: {trouble}",
        )

    # --- vectors ------------------------------------------------------------------------------------------------

    def _catch_up(self, most_seconds: float | None, counts: RefreshCounts) -> dict[str, Any]:
        """Embed what waits for a vector, as far as the time allows; returns what the counts say of it.

        Without a limit of time, texts that the model could not embed before are tried once more.
        """
        generation = self._generation()
        if generation == self._embedded:
            return {}
        chosen = self._ingest.embedders.opened()
        if chosen.space is None:
            return {"degraded": chosen.reason}
        pending, failed = self._pending(chosen.space)
        if not pending:
            self._embedded = generation
            return {}
        without = {"pending": pending, "degraded": counts.degraded or _failures(failed)}
        if self._ingest.database.read_only or counts.degraded:
            return without
        if most_seconds is not None and (pending == len(failed) or self._failed_lately()):
            return {**without, "degraded": self._trouble or without["degraded"]}
        try:
            with self._ingest.database.job_lock("embed", wait_seconds=0):
                step = STEP_TEXTS if most_seconds is None else HURRIED_TEXTS
                report = embed_pending(self._ingest, most_seconds=most_seconds, step_texts=step)
        except DatabaseBusy:  # another process embeds
            return without
        except (EmbedderError, MissingExtra) as error:
            self._trouble, self._failed_at = str(error), time.monotonic()
            return {"pending": pending, "degraded": self._trouble}
        self._trouble = None
        return {
            "embedded": counts.embedded + report.embedded,
            "pending": report.pending,
            "degraded": _failures(report.failed),
        }

    def _pending(self, space: EmbeddingSpace) -> tuple[int, list[tuple[str, str]]]:
        """How many texts wait for a vector, and which of them the model could not embed, and why."""
        with self._ingest.database.read() as connection:
            stored = find_space(connection, space)
            if stored is None:
                return 0, []
            name = {"space_no": stored.number}
            return int(connection.value("vector/count_pending", name)), connection.rows("vector/failures", name)

    def _failed_lately(self) -> bool:
        """Whether the model failed so lately that who is in a hurry does not ask it again."""
        return time.monotonic() - self._failed_at < RETRY_SECONDS

    def _generation(self) -> int:
        with self._ingest.database.read() as connection:
            return int((connection.row("state/get") or (0,))[0])


def _folder(folder: str | os.PathLike[str]) -> str:
    try:
        path = os.fsdecode(folder)
    except TypeError:
        raise InvalidInput(f"{folder!r} is no path of a folder", field="folder") from None
    if not path or "\0" in path:
        raise InvalidInput(f"{path!r} is no path of a folder", field="folder")
    return os.path.abspath(path)


def _counts(look: Look, done: Done, busy: str | None) -> RefreshCounts:
    indexed = [row for row in done.rows.values() if row.state == "indexed"]
    unreadable = [FileNote(row.path, row.reason or "") for row in done.rows.values() if row.state == "unreadable"]
    notes = [FileNote(row.path, note) for row in indexed for note in row.notes]
    notes += [FileNote(path, "the name is no UTF-8") for path in look.scan.files if shown(path) != path]
    return RefreshCounts(
        indexed=done.indexed,
        removed=done.removed,
        passages=sum(row.passages for row in indexed),
        unreadable=_listed([*unreadable, *done.unread, *look.scan.unlisted]),
        renamed=done.renamed,
        unchanged=len(look.unchanged) + done.touched,
        files=len(indexed),
        skipped=_listed(look.scan.skipped),
        notes=_listed([*look.notes, *notes]),
        kept=len(look.kept),
        busy=busy,
        embedded=done.embedded,
        degraded=done.degraded,
    )


def _failures(failed: Sequence[tuple[str, str]]) -> str | None:
    if not failed:
        return None
    return f"{len(failed):,} texts could not be embedded; the first, {failed[0][0]}: {failed[0][1]}"


def _listed(notes: list[FileNote]) -> list[FileNote]:
    return sorted(FileNote(shown(path), reason) for path, reason in notes)
