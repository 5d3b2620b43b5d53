"""One job of a name at a time beside one library file, across threads and processes.

The lock is SQLite's own, on an empty file of its own beside the library (``desk.db-job-sync``), so
it never stands in the way of readers or of short writes. The operating system frees it when its
holder ends, however it ends; the empty file stays, since deleting it could let two in.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from hybridkb.database.statements import statement
from hybridkb.errors import DatabaseBusy, DatabaseError, InvalidInput

_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}", re.ASCII)
_STEP_SECONDS = 0.02  # short waits of ours instead of SQLite's one long one: Ctrl-C ends them


def require_job_name(name: str) -> None:
    """Refuse what cannot name a job.

    Raises:
        InvalidInput: it is not lower-case letters, digits and hyphens.
    """
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"{name!r} cannot name a job; write lower-case letters, digits and hyphens", field="name")


@contextmanager
def file_lock(database_path: str | os.PathLike[str], name: str, *, wait_seconds: float) -> Iterator[float]:
    """Hold the lock of the job ``name`` while the block runs; yields how long it was waited for, in seconds.

    Not to be entered again by its holder, who would wait for himself.

    Args:
        database_path: the library's file; links are followed, so that every path to it means one lock.
        name: lower-case letters, digits and hyphens, such as ``"sync"``.
        wait_seconds: how long to wait for another holder; 0 tries once.

    Raises:
        DatabaseBusy: another thread or process holds it still.
        DatabaseError: the lock's file cannot be made or opened, for example in a folder that may not be written.
        InvalidInput: not a usable name.
    """
    require_job_name(name)
    path = f"{os.path.realpath(database_path)}-job-{name}"
    connection = _open(path)
    try:
        waited = _begin(connection, path, name, wait_seconds)
        try:
            yield waited
        finally:
            connection.execute(statement("transaction/rollback", "sqlite"))
    finally:
        connection.close()


def _open(path: str) -> apsw.Connection:
    try:
        return apsw.Connection(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    except apsw.Error as error:
        raise DatabaseError(
            f"{path}: the lock's file cannot be made or opened ({error}); the folder of the library must be writable "
            "for this job",
            path=path,
        ) from error


def _begin(connection: apsw.Connection, path: str, name: str, wait_seconds: float) -> float:
    """Take the lock; returns the seconds waited."""
    started = time.monotonic()
    while True:
        try:
            connection.execute(statement("transaction/begin_immediate", "sqlite"))
            return time.monotonic() - started
        except apsw.BusyError as error:
            waited = time.monotonic() - started
            if waited >= wait_seconds:
                raise DatabaseBusy(
                    f"{path}: another thread or process is at the job {name!r} and did not end within "
                    f"{wait_seconds:g} s; try again when it is done",
                    path=path,
                ) from error
            time.sleep(min(_STEP_SECONDS, wait_seconds - waited))
        except apsw.Error as error:
            raise DatabaseError(
                f"{path}: the lock cannot be taken ({error}); the folder of the library must be writable for this "
                "job, on a file system with locks",
                path=path,
            ) from error
