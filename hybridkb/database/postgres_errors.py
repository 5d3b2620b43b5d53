"""The border where errors of the server and its driver become ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from hybridkb.errors import DatabaseBusy, DatabaseError, DatabaseUnavailable, HybridKBError

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
        "the server takes no more connections; close some, lower pool= in the address, or raise max_connections",
    ),
    (
        (errors.InsufficientPrivilege,),
        DatabaseError,
        "this role may not do that; a reader opens with read_only=True, and grants are given by hybridkb grant "
        "(docs/postgres.md)",
    ),
    (
        (errors.ReadOnlySqlTransaction,),
        DatabaseError,
        "the server, or this session, takes no writes (a standby?); write to the primary, or open with read_only=True",
    ),
    (
        (errors.UndefinedTable, errors.UndefinedColumn, errors.UndefinedFunction, errors.UndefinedObject),
        DatabaseError,
        "a table, column or function that hybridkb made is not there; was the schema changed by hand? Restore it",
    ),
    (
        (errors.InvalidAuthorizationSpecification, errors.InvalidPassword),
        DatabaseUnavailable,
        "the server refuses this user or password; give PGPASSWORD or a line in ~/.pgpass",
    ),
    ((errors.InvalidCatalogName,), DatabaseUnavailable, "there is no such database; make it first (createdb)"),
)
_LOST = (
    "the connection to the server broke or could not be made; look whether it runs and can be reached. What was not "
    "committed was not kept, and doing the same again is safe: what is stored already is not stored twice"
)


@contextmanager
def translated(shown: str) -> Iterator[None]:
    """Turn every error of the driver inside the block into one of ours, naming the address ``shown``."""
    try:
        yield
    except HybridKBError:
        raise
    except (psycopg.Error, PoolTimeout, PoolClosed, TooManyRequests) as error:
        raise ours(error, shown) from error


def ours(error: Exception, shown: str) -> DatabaseError:
    """The error of ours that stands for one of the driver's."""
    what = " ".join(str(error).split())
    for kinds, made, remedy in _REMEDIES:
        if isinstance(error, kinds):
            return made(f"{shown}: {remedy} ({what})", path=shown)
    if isinstance(error, PoolTimeout | TooManyRequests):
        return DatabaseBusy(
            f"{shown}: every connection of this process is in use, or none can be made, and none became free in time "
            f"({what}); run fewer searches at once, or raise pool= in the address",
            path=shown,
        )
    if isinstance(error, psycopg.OperationalError | PoolClosed):
        return DatabaseUnavailable(f"{shown}: {_LOST} ({what})", path=shown)
    return DatabaseError(f"{shown}: the database failed ({what})", path=shown)
