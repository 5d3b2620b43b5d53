"""What the rooms above may ask of a database, whichever engine keeps it.

Many readers beside one writer, from any thread. A read sees one state from its first statement to its last; a write is
all or nothing, and one writer at a time is let in, so that what is read inside it stays true until it commits.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import ClassVar, TypeVar

from hybridkb.database.connection import Connection
from hybridkb.database.sibling import Sibling
from hybridkb.database.statements import Engine
from hybridkb.errors import DatabaseError

Answer = TypeVar("Answer")


class Database(ABC):
    """One library's tables, shared between threads.

    Attributes:
        engine: ``"sqlite"`` or ``"postgres"``.
        path: the file, or the address without its password; names the library in errors.
        read_only: whether writes are refused.
        created: whether opening made it.
    """

    engine: ClassVar[Engine]
    path: str
    read_only: bool
    created: bool
    _closed: bool
    _process: int

    @property
    def concurrency(self) -> int:
        """How many threads at once may usefully ask it."""
        return min(32, (os.cpu_count() or 1) + 4)

    @abstractmethod
    def read(self) -> AbstractContextManager[Connection]:
        """Lend a connection inside a read transaction: one consistent state."""

    @abstractmethod
    def write(self, *, committed: Callable[[], None] | None = None) -> AbstractContextManager[Connection]:
        """Lend a connection inside a write transaction, which no other writer can enter.

        Commits when the block ends, rolls everything back when it raises. ``committed`` is called
        after the commit and before another thread may write.

        Raises:
            DatabaseError: the library is open read-only, or closed.
            DatabaseBusy: another writer kept the lock for too long.
        """

    def repeated(self, read: Callable[[], Answer]) -> Answer:
        """Run something that only reads; once more when the connection broke before it had its answer."""
        return read()

    def reading(self, body: Callable[[Connection], Answer]) -> Answer:
        """Run ``body`` in one read transaction, as :meth:`repeated` does."""

        def read() -> Answer:
            with self.read() as connection:
                return body(connection)

        return self.repeated(read)

    def writing(self, body: Callable[[Connection], Answer], *, committed: Callable[[], None] | None = None) -> Answer:
        """Run ``body`` in a write transaction; again, a few times, when the engine undid it for the sake of another
        client (a deadlock, a serialisation failure). Whatever it did outside the database must bear repeating.

        Raises:
            As :meth:`write`.
        """
        with self.write(committed=committed) as connection:
            return body(connection)

    @abstractmethod
    def outside_transaction(self) -> AbstractContextManager[Connection]:
        """Lend a writing connection with no transaction open, for upkeep that cannot run inside one."""

    @abstractmethod
    def job_lock(self, name: str, *, wait_seconds: float) -> AbstractContextManager[float]:
        """Hold the lock of the job ``name`` on this library while the block runs; yields the seconds waited for it.

        One holder at a time, across threads, processes and machines; freed when its holder ends, however it ends.
        Not to be entered again by its holder, who would wait for himself.

        Args:
            name: lower-case letters, digits and hyphens, such as ``"sync"``.
            wait_seconds: how long to wait for another holder; 0 tries once.

        Raises:
            DatabaseBusy: another thread or process holds it still.
            DatabaseError: the lock cannot be made.
            InvalidInput: not a usable name.
        """

    @abstractmethod
    def sibling(self, kind: str) -> Sibling:
        """The place of the copy of that kind beside this library, whether there is one or not.

        Args:
            kind: lower-case letters; names the copy, and the setting in which it says what it is.
        """

    @abstractmethod
    def close(self) -> None:
        """Close every connection that is not in use; later calls raise."""

    def _require_usable(self) -> None:
        if self._closed:
            raise DatabaseError(f"{self.path}: the library is closed; open it again", path=self.path)
        if self._process != os.getpid():  # connections must not cross a fork; they and their locks are the parent's
            raise DatabaseError(
                f"{self.path}: the library was opened before this process was forked; open it again in the child",
                path=self.path,
            )

    def _refuse_if_read_only(self) -> None:
        if self.read_only:
            raise DatabaseError(
                f"{self.path}: the library is open read-only; open it without read_only to write", path=self.path
            )
