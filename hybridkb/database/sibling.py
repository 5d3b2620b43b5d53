"""The place of one copy beside a library, such as its candidate: where it is, and how it gets there and goes.

A copy is whole or not there at all, whatever ends the process that makes it. What stands in the place and is no such
copy is left alone on a server, where a namespace may be anybody's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from hybridkb.database.connection import Connection

if TYPE_CHECKING:
    from hybridkb.database.database import Database

CopyProgress = Callable[[int, int], None]
"""Called with (pages copied, pages in all)."""


class Sibling(ABC):
    """One copy beside a library, there or not. Its kind names the setting in which it says that it is one.

    Attributes:
        path: a file, or an address without its password; names it in reports and errors.
        address: what opens it; may hold a password.
    """

    path: str
    address: str

    @abstractmethod
    def is_there(self) -> bool:
        """Whether anything stands in this place."""

    @abstractmethod
    def open(self) -> Database | None:
        """Open the copy; None when there is none, or something that does not say it is one.

        Raises:
            DatabaseError: it cannot be read.
        """

    @abstractmethod
    def require_room(self) -> None:
        """Refuse early what :meth:`make` could not do, as far as that can be told without doing it.

        Raises:
            BrokenInvariant: something else stands there, which is left alone.
            DatabaseError: this role may not make it, or replace the one that is there.
        """

    @abstractmethod
    def make(self, prepare: Callable[[Connection], None], *, progress: CopyProgress | None = None) -> None:
        """Copy the library as one transaction sees it, while others read and write it; replaces an older copy.

        Args:
            prepare: called with a connection inside a write transaction of the copy, before it stands in its place. It
                must write the note.
            progress: called with (pages copied, pages in all).

        Raises:
            BrokenInvariant, DatabaseError: as :meth:`require_room`; or there is no room. An older copy is then still
                there.
        """

    @abstractmethod
    def remove(self) -> bool:
        """Remove the copy, and what was left of making one. Returns whether there was one.

        Raises:
            BrokenInvariant: something else stands there, which is left alone.
            DatabaseError: it cannot be removed.
            DatabaseBusy: somebody reads it, and did not end in time.
        """

    @abstractmethod
    def job_lock(self, name: str, *, wait_seconds: float) -> AbstractContextManager[float]:
        """Hold the lock of a job on the library, as :meth:`~hybridkb.database.database.Database.job_lock` does."""
