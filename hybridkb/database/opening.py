"""A path or an address to a database."""

from __future__ import annotations

import os

from hybridkb.database.database import Database
from hybridkb.database.sqlite_database import SqliteDatabase

_SCHEMES = ("postgresql://", "postgres://")


def is_address(path_or_url: str | os.PathLike[str]) -> bool:
    """Whether this names a library on a PostgreSQL server; everything else is a file."""
    return isinstance(path_or_url, str) and path_or_url.startswith(_SCHEMES)


def open_database(
    path_or_url: str | os.PathLike[str], *, read_only: bool = False, create: bool = True
) -> Database:
    """Open a library's tables, and make or migrate them where that is allowed.

    Args:
        path_or_url: a file, or ``postgresql://user@host/database?schema=name``.
        read_only: never write.
        create: make what is missing.

    Raises:
        DatabaseError: it cannot be opened, or is not ours.
        SchemaTooNew, SchemaTooOld: another hybridkb made it, and it cannot be migrated here.
        MissingExtra: an address, and the extra ``postgres`` is not installed.
    """
    if is_address(path_or_url):
        from hybridkb.database.postgres_database import PostgresDatabase  # an extra, imported where it is used

        return PostgresDatabase(str(path_or_url), read_only=read_only, create=create)
    return SqliteDatabase(path_or_url, read_only=read_only, create=create)
