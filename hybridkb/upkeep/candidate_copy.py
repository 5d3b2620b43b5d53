"""The copy of a library that is evaluated beside it: where it lies, and that what is purged leaves it, too.

Whoever works on the copy holds the lock of the job, so that no two ever have it open for writing: SQLite files that are
replaced under an open connection lose what is in their log. Who holds the lock also carries purges over.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hybridkb.database import Database
from hybridkb.errors import DatabaseBusy, DatabaseError
from hybridkb.ingest.removal import erase_purged
from hybridkb.store.candidate_note import NOTE

LOCK = "reindex"
"""The job of whoever makes, evaluates, promotes, purges or removes a candidate."""


def purge_candidate(database: Database) -> None:
    """Erase from the candidate of a library, if there is one, what was purged from the library since it was copied.

    While a reindex or a promotion is at work it is left to that.

    Raises:
        DatabaseError: the candidate cannot be read or written.
    """
    try:
        with held_copy(database) as copy:
            if copy is not None:
                carry_purges(database, copy)
    except DatabaseBusy:
        return
    except DatabaseError as error:
        path = database.sibling(NOTE).path
        raise DatabaseError(
            f"{path}, the candidate of this library, may still hold what was purged ({error}); compact the library to "
            "try again, or discard the candidate (hybridkb reindex --discard)",
            path=path,
        ) from error


def carry_purges(database: Database, copy: Database) -> bool:
    """Erase from a copy what was purged from the library since. Returns whether anything was."""
    with database.read() as connection:
        purges = connection.rows("canonical/all_tombstones")
    with copy.read() as connection:
        known = set(connection.rows("canonical/all_tombstones"))
    missing = [purge for purge in purges if purge not in known]
    if missing:
        with copy.write() as connection:
            erase_purged(connection, missing)
    return bool(missing)


@contextmanager
def held_copy(database: Database) -> Iterator[Database | None]:
    """Open the candidate of a library and keep others from it; None when there is none, or something else lies there.

    Raises:
        DatabaseBusy: a reindex or a promotion is at work on it.
    """
    sibling = database.sibling(NOTE)
    if not sibling.is_there():
        yield None
        return
    with database.job_lock(LOCK, wait_seconds=0.0):
        copy = sibling.open()
        try:
            yield copy
        finally:
            if copy is not None:
                copy.close()
