"""A path or an address to a database."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from hybridkb.database.database import Database
from hybridkb.database.sibling import Sibling
from hybridkb.database.sqlite_database import SqliteDatabase
from hybridkb.database.sqlite_sibling import SqliteSibling
from hybridkb.errors import InvalidInput

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


@contextmanager
def sibling_of(path_or_url: str | os.PathLike[str], kind: str) -> Iterator[Sibling]:
    """The place of the copy of that kind beside a library that is not open; beside a file it need not be there.

    Raises:
        DatabaseError: the library on a server cannot be opened.
        MissingExtra: an address, and the extra ``postgres`` is not installed.
    """
    if not is_address(path_or_url):
        yield SqliteSibling(os.fspath(path_or_url), kind, SqliteDatabase)
        return
    database = open_database(path_or_url, read_only=True, create=False)
    try:
        yield database.sibling(kind)
    finally:
        database.close()


def grant(
    address: str, *, readers: Iterable[str] = (), writers: Iterable[str] = (), revoke: Iterable[str] = (),
    dry_run: bool = False,
) -> tuple[str, ...]:  # fmt: skip
    """Let roles of a server read a library or write to it, or no longer; all of it or nothing. See docs/postgres.md.

    What a role was granted in the library's namespace before is taken back first, so that a writer made a reader only
    reads.

    Args:
        address: of the library, as the role that owns it.
        readers, writers, revoke: names of roles that are there; each in one of the three.
        dry_run: change nothing.

    Returns the statements, in order.

    Raises:
        InvalidInput: not an address; or a role is not there, is named twice, owns the library, or is everybody.
        DatabaseError: this role does not own the library, or may not give what a role lacks; nothing was changed.
        MissingExtra: the extra ``postgres`` is not installed.
    """
    if not is_address(address):
        raise InvalidInput(
            f"{address!r} is no address of a server: roles are a server's; a file is read and written by whom its "
            "permissions let",
            field="address",
        )
    from hybridkb.database import postgres_grants  # an extra, imported where it is used

    return postgres_grants.grant(address, readers=readers, writers=writers, revoke=revoke, dry_run=dry_run)
