"""A copy beside a library's file: ``desk.db-candidate`` beside ``desk.db``."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from hybridkb.database.connection import Connection
from hybridkb.database.copying import remove_database, replace_database
from hybridkb.database.job_lock import file_lock
from hybridkb.database.sibling import CopyProgress, Sibling

if TYPE_CHECKING:
    from hybridkb.database.sqlite_database import SqliteDatabase


class SqliteSibling(Sibling):
    """One file beside another. The library itself need not be open."""

    def __init__(self, library_path: str, kind: str, tables: type[SqliteDatabase]) -> None:
        """Name the place of the copy of that ``kind``; ``tables`` opens files."""
        self.path = self.address = f"{os.path.realpath(library_path)}-{kind}"  # every link to a library means one copy
        self._library_path = library_path
        self._kind = kind
        self._tables = tables

    def is_there(self) -> bool:
        return os.path.exists(self.path)

    def open(self) -> SqliteDatabase | None:
        if not self.is_there():
            return None
        database = self._tables(self.path, create=False)
        try:
            with database.read() as connection:
                is_one = connection.value("library/get", {"name": self._kind}) is not None
        except BaseException:
            database.close()
            raise
        if not is_one:
            database.close()
            return None
        return database

    def require_room(self) -> None:
        """A file of this name is ours; whether the disk has room, copying looks."""

    def make(self, prepare: Callable[[Connection], None], *, progress: CopyProgress | None = None) -> None:
        """As :meth:`Sibling.make`: copied under another name, and renamed when it is whole."""
        try:
            self._fill(prepare, progress)
        except BaseException:
            remove_database(self._partial)
            raise
        replace_database(self._partial, self.path)

    def _fill(self, prepare: Callable[[Connection], None], progress: CopyProgress | None) -> None:
        library = self._tables(self._library_path, create=False)
        try:
            library.copy_to(self._partial, progress=progress)
        finally:
            library.close()
        copy = self._tables(self._partial, create=False)
        try:
            with copy.write() as connection:
                prepare(connection)
        finally:
            copy.close()

    def remove(self) -> bool:
        there = self.is_there()
        for name in (self.path, self._partial):
            remove_database(name)
        return there

    def job_lock(self, name: str, *, wait_seconds: float) -> AbstractContextManager[float]:
        return file_lock(self._library_path, name, wait_seconds=wait_seconds)

    @property
    def _partial(self) -> str:
        """The name of a copy that is not whole yet."""
        return f"{self.path}.partial"
