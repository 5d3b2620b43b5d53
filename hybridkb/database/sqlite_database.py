"""Lends connections: many readers beside one writer, from any thread.

Reads run inside one deferred transaction, so that every statement of an answer sees
the same state. Writes begin IMMEDIATE: a transaction that reads first and upgrades
later would fail at once when another process wrote in between.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from hybridkb.database.copying import copy_file
from hybridkb.database.database import Database
from hybridkb.database.driver_errors import translated
from hybridkb.database.job_lock import file_lock
from hybridkb.database.migrations import SCHEMA_VERSION, is_empty, migrate, require_known_schema, schema_version
from hybridkb.database.sqlite_connection import APPLICATION_ID, SqliteConnection, open_connection, prepare_file
from hybridkb.database.sqlite_sibling import SqliteSibling
from hybridkb.database.stopping import interruptible, require_wanted
from hybridkb.errors import DatabaseError


class SqliteDatabase(Database):
    """One SQLite file, shared between threads."""

    engine = "sqlite"

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False, create: bool = True) -> None:
        """Open the file, create or migrate it.

        Raises:
            DatabaseError: it cannot be opened, is no SQLite file, or is not ours.
            SchemaTooNew, SchemaTooOld: see :mod:`hybridkb.database.migrations`.
        """
        self.path = _usable(path)
        self.read_only = read_only
        self._idle: list[SqliteConnection] = []
        self._idle_lock = threading.Lock()
        self._writer: SqliteConnection | None = None
        self._write_lock = threading.RLock()
        self._process = os.getpid()
        self._closed = False
        self.created = False
        _refuse_impossible_path(self.path, may_create=create and not read_only)
        with translated(self.path):
            self._prepare(create)

    def _prepare(self, create: bool) -> None:
        connection = open_connection(self.path, read_only=self.read_only, create=create)
        try:
            if self.read_only or not (is_empty(connection) or self._needs_migration(connection)):
                require_known_schema(connection, self.path)
            else:
                self._create_or_migrate(connection)
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)

    def _needs_migration(self, connection: SqliteConnection) -> bool:
        ours = int(connection.value("schema/application")) == APPLICATION_ID
        return ours and schema_version(connection) < SCHEMA_VERSION

    def _create_or_migrate(self, connection: SqliteConnection) -> None:
        if is_empty(connection):
            prepare_file(connection)
        connection.rows("transaction/begin_immediate")
        try:
            ran = migrate(connection, self.path)
            self.created = 1 in ran
            connection.rows("transaction/commit")
        except BaseException:
            _roll_back(connection)
            raise

    @contextmanager
    def read(self) -> Iterator[SqliteConnection]:
        """Lend a connection inside a read transaction: one consistent state."""
        connection = self._borrow()
        try:
            with translated(self.path), interruptible(connection.raw.interrupt):
                connection.rows("transaction/begin")
                try:
                    yield connection
                finally:
                    _roll_back(connection)
        finally:
            self._give_back(connection)

    @contextmanager
    def write(self, *, committed: Callable[[], None] | None = None) -> Iterator[SqliteConnection]:
        """Lend the writing connection inside an immediate transaction.

        Commits when the block ends, rolls everything back when it raises. ``committed`` is called
        after the commit and before another thread may write.

        Raises:
            DatabaseError: the library is open read-only, or closed.
            DatabaseBusy: another process kept the lock for too long.
        """
        self._refuse_if_read_only()
        with self._write_lock, translated(self.path):
            connection = self._writing_connection()
            with interruptible(connection.raw.interrupt):
                connection.rows("transaction/begin_immediate")
                try:
                    yield connection
                    require_wanted()
                    connection.rows("transaction/commit")
                except BaseException:
                    _roll_back(connection)
                    raise
            if committed is not None:
                committed()

    @contextmanager
    def outside_transaction(self) -> Iterator[SqliteConnection]:
        """Lend the writing connection with no transaction open, for VACUUM and checkpoints."""
        with self._write_lock, translated(self.path):
            yield self._writing_connection()

    def job_lock(self, name: str, *, wait_seconds: float) -> AbstractContextManager[float]:
        return file_lock(self.path, name, wait_seconds=wait_seconds)

    def sibling(self, kind: str) -> SqliteSibling:
        return SqliteSibling(self.path, kind, SqliteDatabase)

    def copy_to(self, target: str, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Write a copy of the whole library to a file, as one transaction sees it, while others read and write it.

        Args:
            target: a path; what is there is replaced. A copy that ends half-way is no database.
            progress: called with (pages copied, pages in all).

        Raises:
            DatabaseError: there is no room for it, or it cannot be written.
        """
        with self.read() as connection:
            copy_file(connection, self.path, target, progress=progress)

    def close(self) -> None:
        """Close every connection that is not in use; later calls raise.

        In a forked child nothing is closed: the connections and their locks are the parent's.
        """
        if self._process != os.getpid():
            self._closed = True
            return
        with self._write_lock, self._idle_lock:
            self._closed = True
            while self._idle:
                self._idle.pop().close()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def _borrow(self) -> SqliteConnection:
        self._require_usable()
        with self._idle_lock:
            if self._idle:
                return self._idle.pop()
        with translated(self.path):
            return open_connection(self.path, read_only=self.read_only, create=False)

    def _give_back(self, connection: SqliteConnection) -> None:
        with self._idle_lock:
            if not self._closed and not connection.in_transaction:
                self._idle.append(connection)
                return
        connection.close()

    def _writing_connection(self) -> SqliteConnection:
        self._require_usable()
        if self._writer is None:
            self._writer = open_connection(self.path, read_only=False, create=False)
        return self._writer


def _roll_back(connection: SqliteConnection) -> None:
    if connection.in_transaction:
        connection.rows("transaction/rollback")


def _usable(path: str | os.PathLike[str]) -> str:
    try:
        text = os.fsdecode(path)
        text.encode()
    except (TypeError, UnicodeError):
        raise DatabaseError(f"{path!r} is not a usable file name; give a path such as desk.db") from None
    return text


def _refuse_impossible_path(path: str, *, may_create: bool) -> None:
    if "\0" in path or not path or path == ":memory:":
        raise DatabaseError(f"{path!r} is not a usable file name; give a path such as desk.db", path=path)
    if os.path.isdir(path):
        raise DatabaseError(f"{path}: this is a directory; give the path of a file in it", path=path)
    if not may_create and not os.path.exists(path):
        raise DatabaseError(f"{path}: there is no such library; create it first (hybridkb init)", path=path)
    if may_create and not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        raise DatabaseError(f"{path}: its folder does not exist; create the folder first", path=path)
