"""The namespace of a library on a server: made, migrated step by step, or refused.

Two clients that open a new library at once take turns by an advisory lock, and the second finds it made. Steps and the
note that they ran share one transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import psycopg
from psycopg import errors

from hybridkb.database.migrations import SCHEMA_VERSION
from hybridkb.database.postgres_connection import PostgresConnection
from hybridkb.database.postgres_errors import NO_WRITES
from hybridkb.database.postgres_text import quoted_name
from hybridkb.database.statements import migration_versions, statement_names
from hybridkb.errors import DatabaseError, SchemaTooNew, SchemaTooOld

MINIMUM_SERVER = 150_000
MINIMUM_VECTOR = (0, 7, 0)  # halfvec
_MIGRATION_LOCK = 0x68796B6D  # "hykm"

Configure = Callable[[psycopg.Connection[Any]], None]


class Vectors(NamedTuple):
    """pgvector as a database has it.

    Attributes:
        namespace: where it is installed.
        version: of the extension.
        halfvec: the number of the type, if it is new enough to have it.
    """

    namespace: str
    version: str
    halfvec: int | None


def find_vectors(raw: psycopg.Connection[Any]) -> Vectors | None:
    """pgvector, if it is installed."""
    found = PostgresConnection(raw).row("schema/vector_extension")
    return None if found is None else Vectors(*found)


def why_no_writes(connection: PostgresConnection) -> str | None:
    """Why this role cannot write to the library, and what to do; None when it can."""
    granted, taken = connection.row("schema/may_write") or (False, False)
    if not taken:
        return NO_WRITES
    if not granted:
        return (
            "this role may read this library and not write to it; let its owner run hybridkb grant with --writer for "
            "it, or open with read_only=True"
        )
    return None


def make_or_migrate(raw: psycopg.Connection[Any], schema: str, shown: str, *, configure: Configure) -> bool:
    """Bring the namespace to the current schema. Returns whether it was made now.

    Raises:
        DatabaseError: the server or pgvector is too old, or this role may not make what is missing.
        SchemaTooNew, SchemaTooOld: another hybridkb made it.
    """
    _require_server(raw, shown)
    configure(raw)
    connection = PostgresConnection(raw)
    if stored_version(connection, schema, shown) == SCHEMA_VERSION:
        return False
    with raw.transaction():
        connection.rows("schema/no_timeout")  # while another client migrates, which takes as long as it takes
        connection.rows("transaction/lock_library", {"library": _MIGRATION_LOCK, "schema": schema})
        version = stored_version(connection, schema, shown)
        if version == SCHEMA_VERSION:
            return False
        if version:
            _require_migratable(version, shown)
        _make_namespace(raw, schema, shown)
        configure(raw)
        vectors = find_vectors(raw)
        owner = connection.value("schema/owner", {"schema": schema})
        if owner is not None:
            connection.rows("schema/act_as", {"owner": owner})
        _run_steps(PostgresConnection(raw, vectors=vectors and vectors.namespace), version)
    return version == 0


def require_ready(connection: PostgresConnection, schema: str, shown: str) -> None:
    """Refuse a namespace that is missing, too new, or not migrated."""
    connection.rows("schema/set_path", {"schema": schema})
    version = stored_version(connection, schema, shown)
    if version == 0:
        raise DatabaseError(
            f"{shown}: there is no library in the namespace {schema!r}; create it first (hybridkb init), as the role "
            "that is to own it",
            path=shown,
        )
    _require_migratable(version, shown)
    if version < SCHEMA_VERSION:
        raise SchemaTooOld(
            f"{shown}: schema {version} must be migrated to {SCHEMA_VERSION}; its owner opens it once "
            "without read_only",
            found=version,
            supported=SCHEMA_VERSION,
            path=shown,
        )


def stored_version(connection: PostgresConnection, schema: str, shown: str) -> int:
    """The schema version of a namespace; 0 when it holds no library.

    Raises:
        DatabaseError: it holds one that this role may not read.
    """
    _, used, _, held, read = connection.row("schema/access", {"schema": schema}) or (None,) * 5
    if not held:
        return 0
    if not (used and read):
        raise DatabaseError(
            f"{shown}: this role may not read the library in the namespace {schema!r}; let its owner run hybridkb "
            "grant with --reader or --writer for it",
            path=shown,
        )
    return int(connection.value("schema/version") or 0)


def _require_migratable(version: int, shown: str) -> None:
    if version > SCHEMA_VERSION:
        raise SchemaTooNew(
            f"{shown}: made by a newer hybridkb (schema {version}, this one reads up to {SCHEMA_VERSION}); upgrade "
            "hybridkb",
            found=version,
            supported=SCHEMA_VERSION,
            path=shown,
        )


def make_tables(connection: PostgresConnection) -> None:
    """Make all that a new library has in the namespace of the connection, inside its transaction."""
    _run_steps(connection, 0)


def _run_steps(connection: PostgresConnection, version: int) -> None:
    for step in migration_versions("postgres"):
        if step > version:
            for name in statement_names(f"migrations/{step:04d}", "postgres"):
                connection.rows(name)
            connection.rows("schema/set_version", {"version": step})


def _make_namespace(raw: psycopg.Connection[Any], schema: str, shown: str) -> None:
    """Make what is missing of the namespace and pgvector; this role must be allowed to make tables in it."""
    connection = PostgresConnection(raw)
    there, _, may_create, held, _ = connection.row("schema/access", {"schema": schema}) or (None,) * 5
    if there and not may_create:
        what = f"{'migrate the library' if held else 'make tables'} in the namespace {schema!r}"
        raise DatabaseError(
            f"{shown}: this role may not {what}, which belongs to another; let the role that owns it open the library "
            "once (hybridkb init)",
            path=shown,
        )
    try:
        with raw.transaction():
            connection.text_rows(connection.statement("schema/make_namespace").replace("{schema}", schema))
    except errors.InsufficientPrivilege as error:
        raise DatabaseError(f"{shown}: {may_not_make(connection, schema)}", path=shown) from error
    connection.rows("transaction/lock_library", {"library": _MIGRATION_LOCK, "schema": "extension vector"})
    if find_vectors(raw) is None:
        _make_extension(raw, shown)


def may_not_make(connection: PostgresConnection, schema: str) -> str:
    """Says that this role may not make a namespace, and what its owner, or that of the database, can do about it."""
    role, quoted, database = connection.row("schema/who") or ("", "", "")
    return (
        f"the role {role!r} may not make the namespace {schema!r}; let the owner of the database run GRANT CREATE ON "
        f"DATABASE {database} TO {quoted}, or CREATE SCHEMA {quoted_name(schema)} AUTHORIZATION {quoted}"
    )


def _make_extension(raw: psycopg.Connection[Any], shown: str) -> None:
    try:
        with raw.transaction():
            PostgresConnection(raw).rows("schema/make_public")
            PostgresConnection(raw).rows("schema/make_extension")
    except (errors.UndefinedFile, errors.FeatureNotSupported) as error:
        raise DatabaseError(
            f"{shown}: the server has no pgvector, which keeps the vectors; install it there (for example the package "
            "postgresql-18-pgvector), then open the library again",
            path=shown,
        ) from error
    except errors.InsufficientPrivilege as error:
        raise DatabaseError(
            f"{shown}: pgvector is not enabled in this database, and this role may not do so; let a superuser run "
            "CREATE EXTENSION vector there, then open the library again",
            path=shown,
        ) from error


def _require_server(raw: psycopg.Connection[Any], shown: str) -> None:
    if raw.info.server_version < MINIMUM_SERVER:
        raise DatabaseError(
            f"{shown}: PostgreSQL {raw.info.server_version // 10_000} is too old; 15 or newer is needed", path=shown
        )
    vectors = find_vectors(raw)
    if vectors is not None and tuple(int(part) for part in vectors.version.split(".")[:3]) < MINIMUM_VECTOR:
        raise DatabaseError(
            f"{shown}: pgvector {vectors.version} is too old; install 0.7 or newer and run ALTER EXTENSION "
            "vector UPDATE",
            path=shown,
        )
