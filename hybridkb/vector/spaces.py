"""Embedding spaces in the file: which one serves, which one is being built.

Vectors of different spaces never meet: each space has its own rows in ``embedding`` and
its own sqlite-vec table. A space serves once every record has its vector there, those of earlier
revisions too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hybridkb.database import Connection
from hybridkb.embedders.space import EmbeddingSpace

SpaceState = Literal["building", "serving", "retired"]


@dataclass(frozen=True, slots=True)
class StoredSpace:
    """A space as the file knows it.

    Attributes:
        number: names its table and its rows.
        space: model, dimensions, version.
        state: whether it answers searches.
        int8_error: how far quantising moved any of its unit vectors, at most.
    """

    number: int
    space: EmbeddingSpace
    state: SpaceState
    int8_error: float = 0.0


def stored_spaces(connection: Connection) -> list[StoredSpace]:
    """All spaces of the file, oldest first."""
    return [_from_row(row) for row in connection.rows("vector/spaces")]


def serving_space(connection: Connection) -> StoredSpace | None:
    """The space that answers searches, if there is one."""
    return next((stored for stored in stored_spaces(connection) if stored.state == "serving"), None)


def find_space(connection: Connection, space: EmbeddingSpace) -> StoredSpace | None:
    """The stored space with this fingerprint, if there is one."""
    return next((s for s in stored_spaces(connection) if s.space.fingerprint == space.fingerprint), None)


def ensure_space(connection: Connection, space: EmbeddingSpace) -> StoredSpace:
    """Find or make the space, inside the caller's write transaction.

    The first space of a file serves at once; later ones are built beside it. A retired
    space that is used again is building.
    """
    known = stored_spaces(connection)
    same = next((s for s in known if s.space.fingerprint == space.fingerprint), None)
    if same is not None and same.state != "retired":
        return same
    state: SpaceState = "building" if any(s.state == "serving" for s in known) else "serving"
    if same is not None:
        set_state(connection, same.number, state)
        return StoredSpace(same.number, space, state)
    connection.rows(
        "vector/insert_space",
        {
            "fingerprint": space.fingerprint,
            "model": space.model,
            "dimensions": space.dimensions,
            "version": space.version,
            "normalised": int(space.normalised),
            "max_tokens": space.max_tokens,
            "prefix": space.prefix,
            "state": state,
        },
    )
    made = find_space(connection, space)
    assert made is not None
    create_vector_table(connection, made)
    return made


def set_state(connection: Connection, number: int, state: SpaceState) -> None:
    """Change a space's state."""
    connection.rows("vector/set_state", {"space_no": number, "state": state})


def serve(connection: Connection, number: int) -> None:
    """Let this space serve and retire the one that did."""
    for stored in stored_spaces(connection):
        if stored.state == "serving" and stored.number != number:
            set_state(connection, stored.number, "retired")
    set_state(connection, number, "serving")


def create_vector_table(connection: Connection, stored: StoredSpace) -> None:
    """Make the sqlite-vec table that any SQL user can query."""
    connection.text_rows(for_space(connection, "vector/create_table", stored))


def drop_vector_table(connection: Connection, stored: StoredSpace) -> None:
    """Drop the sqlite-vec table, before a rebuild."""
    connection.text_rows(for_space(connection, "vector/drop_table", stored))


def for_space(connection: Connection, name: str, stored: StoredSpace) -> str:
    """Fill a statement's table name. Only two integers of our own ever get into the SQL."""
    return connection.statement(name).replace("{space_no}", str(int(stored.number))).replace(
        "{dimensions}", str(int(stored.space.dimensions))
    )


def _from_row(row: tuple[object, ...]) -> StoredSpace:
    number, model, dimensions, version, normalised, max_tokens, prefix, state, int8_error = row
    space = EmbeddingSpace(model, dimensions, version, bool(normalised), max_tokens, prefix)  # type: ignore[arg-type]
    return StoredSpace(number, space, state, int8_error)  # type: ignore[arg-type]
