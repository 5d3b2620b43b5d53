"""Copies a whole library file as one transaction sees it, while others read and write it."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterable

import apsw

from hybridkb.database.driver_errors import translated
from hybridkb.database.sqlite_connection import SqliteConnection
from hybridkb.errors import DatabaseError

_PAGES = 2048
COMPANIONS = ("-wal", "-shm", "-journal")


def copy_file(
    connection: SqliteConnection, path: str, target: str, *, progress: Callable[[int, int], None] | None = None
) -> None:
    """Write a copy to ``target``, which must not be a library in use. A copy that ends half-way is no database.

    Nobody may read or write the copy who may not read or write what was copied.

    Args:
        connection: inside a read transaction; what it sees is copied.
        path: its file.
        target: a path; what is there is replaced.
        progress: called with (pages copied, pages in all).

    Raises:
        DatabaseError: there is no room for it, or it cannot be written.
    """
    remove_database(target)
    pages = int(connection.value("schema/pages"))  # the first read of a transaction decides what it sees
    _require_room(target, int(connection.value("upkeep/file_bytes")))
    _make_empty(target, like=path)
    with translated(target):
        _copy(connection, target, pages, progress)


def remove_database(path: str) -> None:
    """Remove a database file and what SQLite keeps beside it; what is not there is passed over."""
    _remove(path, (path, *(path + end for end in COMPANIONS)))


def replace_database(path: str, target: str) -> None:
    """Give a closed database the name of another, which it replaces in one step.

    The log that the other left goes first: SQLite would take it for that of the new file.
    """
    _remove(target, [target + end for end in COMPANIONS])
    try:
        os.replace(path, target)
    except OSError as error:
        raise DatabaseError(f"{target} cannot be written: {error.strerror or error}", path=target) from error


def _remove(path: str, names: Iterable[str]) -> None:
    for name in names:
        try:
            os.unlink(name)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise DatabaseError(f"{name} cannot be removed: {error.strerror or error}", path=path) from error


def _make_empty(target: str, *, like: str) -> None:
    """An empty file with the permissions of another; what SQLite puts beside it gets them too."""
    try:
        file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.fchmod(file, stat.S_IMODE(os.stat(like).st_mode))
        finally:
            os.close(file)
    except OSError as error:
        raise DatabaseError(f"{target} cannot be written: {error.strerror or error}", path=target) from error


def _copy(connection: SqliteConnection, target: str, pages: int, progress: Callable[[int, int], None] | None) -> None:
    copy = apsw.Connection(target)
    try:
        with copy.backup("main", connection.raw, "main") as backup:
            while not backup.done:
                backup.step(_PAGES)
                if progress is not None:
                    progress(backup.page_count - backup.remaining, pages)
    finally:
        copy.close()


def _require_room(target: str, needed: int) -> None:
    free = shutil.disk_usage(os.path.dirname(os.path.abspath(target))).free
    if free < needed + needed // 10:
        raise DatabaseError(
            f"{target}: a copy of the library takes {needed:,} bytes, and {free:,} are free; free some space",
            path=target,
        )
