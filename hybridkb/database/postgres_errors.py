"""The border where errors of the server and its driver become ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import errors
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from hybridkb.database.stopping import require_wanted
from hybridkb.errors import DatabaseBusy, DatabaseError, DatabaseUnavailable, HybridKBError, InvalidInput

NO_WRITES = (
    "the server, or this session, takes no writes (a standby?); write to the primary, or open with read_only=True"
)
_FULL = "the server takes no more connections; close some, lower pool= in the address, or raise max_connections"
_REFUSED = "the server refuses this role or password; give PGPASSWORD or a line in ~/.pgpass, and look at pg_hba.conf"
_NO_DATABASE = "there is no such database, or this role may not connect to it; make it first (createdb)"
_REMEDIES: tuple[tuple[tuple[type[psycopg.Error], ...], type[DatabaseError], str], ...] = (
    (
        (errors.LockNotAvailable,),
        DatabaseBusy,
        "another client is writing and did not finish in time; try again later, or write smaller batches",
    ),
    (
        (errors.SerializationFailure, errors.DeadlockDetected),
        DatabaseBusy,
        "the server undid this because of what another client did at the same time; nothing was kept, do it again",
    ),
    (
        (errors.QueryCanceled,),
        DatabaseBusy,
        "the statement was cancelled, by a statement_timeout or by hand; nothing of this was kept: ask for less, or "
        "raise the limit (options=-c%20statement_timeout=10min in the address)",
    ),
    (
        (errors.DiskFull,),
        DatabaseError,
        "the server's disk is full; free some space there, nothing of this write was kept",
    ),
    (
        (errors.OutOfMemory, errors.ConfigurationLimitExceeded, errors.InsufficientResources),
        DatabaseError,
        "the server ran out of a resource; nothing of this was kept: write smaller batches, or raise its limits",
    ),
    (
        (errors.TooManyConnections,),
        DatabaseUnavailable,
        _FULL,
    ),
    (
        (errors.InsufficientPrivilege,),
        DatabaseError,
        "this role may not do that; what changes tables or indexes is for the role that owns the library, a reader "
        "opens with read_only=True, and grants are given by hybridkb grant (docs/postgres.md)",
    ),
    (
        (errors.ReadOnlySqlTransaction,),
        DatabaseError,
        NO_WRITES,
    ),
    (
        (errors.UndefinedTable, errors.UndefinedColumn, errors.UndefinedFunction, errors.UndefinedObject),
        DatabaseError,
        "a table, column or function that hybridkb made is not there; was the schema changed by hand? Restore it",
    ),
    (
        (errors.InvalidAuthorizationSpecification, errors.InvalidPassword),
        DatabaseUnavailable,
        _REFUSED,
    ),
    ((errors.InvalidCatalogName,), DatabaseUnavailable, _NO_DATABASE),
    (
        (errors.DuplicateTable, errors.DuplicateFunction, errors.DuplicateObject),
        DatabaseError,
        "the namespace holds something of this name that is not of a hybridkb library; name another one with schema= "
        "in the address",
    ),
    (
        (errors.IdleInTransactionSessionTimeout,),
        DatabaseUnavailable,
        "the server ended a transaction in which nothing happened for long; nothing of it was kept: do it again, or "
        "raise the limit (options=-c%20idle_in_transaction_session_timeout=30min in the address)",
    ),
)
_WHILE_CONNECTING = (
    ("too many clients", _FULL),
    ("too many connections", _FULL),
    ("remaining connection slots", _FULL),
    ("authentication", _REFUSED),
    ("no password", _REFUSED),
    ("pg_hba.conf", _REFUSED),
    ('role "', _REFUSED),
    ('database "', _NO_DATABASE),
    ("starting up", "the server starts up, and takes no connections yet; try again in a moment"),
    ("shutting down", "the server shuts down; try again when it runs again"),
    ("recovery", "the server recovers, and takes no connections yet; try again in a moment"),
)
"""What the server says to a connection that it refuses. It comes without a code, so the words are looked at; in another
language the whole of it is still shown."""
_LOST = "no connection to the server can be made; look whether it runs and can be reached"
_BROKE = (
    "the connection to the server broke: it was restarted, ended the session, or cannot be reached. What was not "
    "committed was not kept, and doing the same again is safe: what is stored already is not stored twice"
)


@contextmanager
def translated(shown: str, *, of: psycopg.Connection[Any] | None = None) -> Iterator[None]:
    """Turn every error of the driver inside the block into one of ours, naming the address ``shown``.

    ``of`` is the connection that the block uses, when it has one: broken, it makes the error say so.
    """
    try:
        yield
    except HybridKBError:
        raise
    except (psycopg.Error, PoolTimeout, PoolClosed, TooManyRequests) as error:
        require_wanted()  # a statement that was cancelled because nobody waits for it
        raise ours(error, shown, broke=of is not None and of.closed) from error


def ours(error: Exception, shown: str, *, broke: bool = False) -> HybridKBError:
    """The error of ours that stands for one of the driver's: the database's, or of an address that cannot be read."""
    what = " ".join(str(error).split())
    if broke:
        return DatabaseUnavailable(f"{shown}: {_BROKE} ({what})", path=shown, broke=True)
    for kinds, made, remedy in _REMEDIES:
        if isinstance(error, kinds):
            return made(f"{shown}: {remedy} ({what})", path=shown)
    if isinstance(error, PoolTimeout | TooManyRequests):
        return DatabaseBusy(
            f"{shown}: every connection of this process is in use, or none can be made, and none became free in time "
            f"({what}); run fewer searches at once, or raise pool= in the address",
            path=shown,
        )
    if isinstance(error, PoolClosed):
        return DatabaseError(f"{shown}: the library is closed; open it again", path=shown)
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        for words, remedy in _WHILE_CONNECTING:
            if words in what:
                return DatabaseUnavailable(f"{shown}: {remedy} ({what})", path=shown)
    if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None and "URI" in what:
        return InvalidInput(
            f"{shown}: the address cannot be read; after its ? stand schema, pool, wait, and what libpq knows, such as "
            f"sslmode ({what})",
            field="path_or_url",
        )
    if isinstance(error, psycopg.OperationalError):
        return DatabaseUnavailable(f"{shown}: {_LOST} ({what})", path=shown)
    return DatabaseError(f"{shown}: the database failed ({what})", path=shown)


def is_undone(error: Exception) -> bool:
    """Whether an error of ours says that the server undid a transaction for the sake of another client."""
    return isinstance(error.__cause__, errors.SerializationFailure | errors.DeadlockDetected)
