"""Who may read a library on a server, and who may write to it.

One role owns the namespace: it makes the tables, migrates them, grants. Readers and writers are roles that own
nothing; what each may do is what is granted here, also on tables that later migrations make. Names of roles are text
from outside: the driver quotes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import psycopg
from psycopg import sql

from hybridkb.database.postgres_address import Address, read_address
from hybridkb.database.postgres_connection import PostgresConnection
from hybridkb.database.postgres_errors import translated
from hybridkb.database.postgres_schema import find_vectors, require_ready
from hybridkb.database.postgres_sessions import connected
from hybridkb.errors import DatabaseError, InvalidInput

_NOTHING = (
    "revoke_later_tables", "revoke_later_sequences", "revoke_later_functions", "revoke_tables", "revoke_sequences",
    "revoke_functions", "revoke_namespace",
)  # fmt: skip
_READER = ("use_namespace", "read_tables", "read_later_tables", "call_functions", "call_later_functions")
_WRITER = ("write_tables", "write_later_tables", "keep_version", "number_rows", "number_later_rows")
_MAINTAINER = ("maintain_tables", "maintain_later_tables")
_MAINTAIN_SINCE = 170_000
_EVERYBODY = "public"


def grant(
    url: str, *, readers: Iterable[str] = (), writers: Iterable[str] = (), revoke: Iterable[str] = (),
    dry_run: bool = False,
) -> tuple[str, ...]:  # fmt: skip
    """Let roles read a library or write to it, or no longer; all of it or nothing.

    What a role was granted in the namespace before is taken back first, so that a writer made a reader only reads.

    Args:
        url: the library's address, as the role that owns it.
        readers, writers, revoke: names of roles that are there; each in one of the three.
        dry_run: change nothing.

    Returns the statements, in order.

    Raises:
        InvalidInput: a role is not there, is named twice, owns the library, or is everybody.
        DatabaseError: this role does not own the library, or may not give what a role lacks; nothing was changed.
    """
    address = read_address(url)
    wished = _wished(tuple(readers), tuple(writers), tuple(revoke))
    with translated(address.shown), connected(address) as raw:
        connection = PostgresConnection(raw)
        require_ready(connection, address.schema, address.shown)
        names = _names(raw, address)
        with raw.transaction():
            statements = [one for role, kind in wished for one in _statements(raw, names, role, kind)]
            if dry_run:
                return tuple(statements)
            for statement in statements:
                raw.execute(statement.encode())  # as it is: a name may hold what stands for a value elsewhere
            for role, kind in wished:
                _require_complete(connection, names, role, kind, address)
    return tuple(statements)


def _wished(readers: tuple[str, ...], writers: tuple[str, ...], revoke: tuple[str, ...]) -> list[tuple[str, str]]:
    kinds = (("", revoke), ("reader", readers), ("writer", writers))
    wished = [(role, kind) for kind, roles in kinds for role in roles]
    if not wished:
        raise InvalidInput("name a role: a reader, a writer, or one that is to be neither", field="readers")
    seen: set[str] = set()
    for role, _ in wished:
        if not isinstance(role, str) or not role or "\0" in role:
            raise InvalidInput(f"{role!r} cannot name a role", field="readers")
        if role.casefold() == _EVERYBODY:
            raise InvalidInput(
                "'public' is everybody who may connect, and no role; make one for the readers and let them be members "
                "of it",
                field="readers",
            )
        if role in seen:
            raise InvalidInput(f"the role {role!r} is named twice; a writer reads as well", field="readers")
        seen.add(role)
    return wished


def _names(raw: psycopg.Connection[Any], address: Address) -> dict[str, str]:
    connection = PostgresConnection(raw)
    owner, may_act, database, this = connection.row("grants/owner", {"schema": address.schema}) or ("", False, "", "")
    if not may_act:
        raise DatabaseError(
            f"{address.shown}: the namespace {address.schema!r} belongs to {owner!r}, and only that role may grant; "
            f"connect as it, not as {this!r}",
            path=address.shown,
        )
    vectors = find_vectors(raw)
    assert vectors is not None  # its type is that of a column
    return {"namespace": address.schema, "owner": owner, "database": database, "vector": vectors.namespace}


def _statements(raw: psycopg.Connection[Any], names: dict[str, str], role: str, kind: str) -> list[str]:
    """What makes a role a reader, a writer, or neither."""
    connection = PostgresConnection(raw)
    found = connection.row("grants/role", {"role": role, "vector": names["vector"]})
    if found is None:
        raise InvalidInput(f"there is no role {role!r}; make it first (CREATE ROLE ... LOGIN)", field="readers")
    if role == names["owner"]:
        raise InvalidInput(f"the role {role!r} owns the library and may do everything already", field="readers")
    wanted = list(_NOTHING)
    if kind:
        may_connect, has_vectors = found
        wanted += ([] if may_connect else ["connect"]) + ([] if has_vectors else ["use_vectors"]) + list(_READER)
    if kind == "writer":
        wanted += _WRITER
        wanted += _MAINTAINER if raw.info.server_version >= _MAINTAIN_SINCE else ()
    quoted = {name: sql.Identifier(text) for name, text in {**names, "role": role}.items()}
    return [_composed(connection.statement(f"grants/{name}"), quoted, raw) for name in wanted]


def _composed(text: str, names: dict[str, sql.Identifier], raw: psycopg.Connection[Any]) -> str:
    lines = (line for line in text.splitlines() if not line.startswith("--"))
    return sql.SQL(" ".join(lines)).format(**names).as_string(raw)


def _require_complete(
    connection: PostgresConnection, names: dict[str, str], role: str, kind: str, address: Address
) -> None:
    """What this role may not give, the server passes over with a warning: look what became of it."""
    if not kind:
        return
    needed = "SELECT" if kind == "reader" else "SELECT, INSERT, UPDATE, DELETE"
    asked = {"role": role, "schema": names["namespace"], "vector": names["vector"], "needed": needed}
    lacking = [str(row[0]) for row in connection.rows("grants/lacking", asked)]
    if lacking:
        raise DatabaseError(
            f"{address.shown}: the role {role!r} still lacks {'; '.join(lacking[:5])}, which the owner of the library "
            "may not give; let the owner of that do so, then grant again. Nothing was changed",
            path=address.shown,
        )
