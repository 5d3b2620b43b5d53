"""Writes vectors: the cache by text hash, and the sqlite-vec rows of records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection, hashes_parameter, ids_parameter
from hybridkb.embedders.guard import from_stored, int8_error_many, to_int8_many, to_stored
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.errors import BrokenInvariant
from hybridkb.vector.spaces import StoredSpace, ensure_space, find_space, for_space


@dataclass(frozen=True, slots=True)
class NewVector:
    """A text's vector, or the reason why it has none."""

    text_hash: bytes
    vector: NDArray[np.float16] | str


def hashes_with_vector(connection: Connection, space: StoredSpace, hashes: Sequence[bytes]) -> set[bytes]:
    """Which of the texts have a vector in the space already."""
    parameters = {"space_no": space.number, **hashes_parameter(hashes)}
    return {row[0] for row in connection.rows("vector/known_hashes", parameters)}


def store_vectors(connection: Connection, space: StoredSpace, vectors: Sequence[NewVector]) -> None:
    """Keep vectors and failures, inside the caller's write transaction."""
    good = [(new.text_hash, to_stored(new.vector)) for new in vectors if not isinstance(new.vector, str)]
    insert_vectors(connection, space, good)
    connection.many("vector/forget_failure", ((space.number, text_hash) for text_hash, _ in good))
    connection.many(
        "vector/insert_failure",
        ((space.number, new.text_hash, new.vector) for new in vectors if isinstance(new.vector, str)),
    )


def insert_vectors(connection: Connection, space: StoredSpace, vectors: Iterable[tuple[bytes, bytes]]) -> None:
    """Keep vectors in their stored form, by text hash; those that are there stay."""
    new: dict[bytes, bytes] = {}
    for text_hash, vector in vectors:
        new.setdefault(text_hash, vector)
    for text_hash in hashes_with_vector(connection, space, list(new)):
        del new[text_hash]
    connection.many(
        "vector/insert_embedding",
        ((space.number, text_hash, connection.vector_parameter(vector)) for text_hash, vector in new.items()),
    )


def use_space(connection: Connection, space: EmbeddingSpace) -> StoredSpace:
    """Find or make the space; one that was retired gets the table rows of records made in the meantime."""
    before = find_space(connection, space)
    stored = ensure_space(connection, space)
    if before is not None and before.state == "retired":
        attach_records(connection, stored, records_without_row(connection, stored))
    return stored


def is_retired(connection: Connection, space: EmbeddingSpace | None) -> bool:
    """Whether the file knows the space, and another serves in its place."""
    stored = None if space is None else find_space(connection, space)
    return stored is not None and stored.state == "retired"


def matrix_of(vectors: Sequence[bytes], dimensions: int) -> NDArray[np.float16]:
    """Stored vectors as rows.

    Raises:
        BrokenInvariant: one has another size.
    """
    if set(map(len, vectors)) - {2 * dimensions}:
        raise BrokenInvariant("a stored vector has the wrong size; run check(), then rebuild()")
    return from_stored(b"".join(vectors)).reshape(len(vectors), dimensions)


def attach_records(connection: Connection, space: StoredSpace, record_ids: Sequence[int]) -> None:
    """Give records their row in the sqlite-vec table, as far as their texts have vectors."""
    if connection.engine != "sqlite":  # vectors stand by text alone
        return
    rows = connection.rows(
        "vector/vectors_of_records", {"space_no": space.number, **ids_parameter(list(record_ids))}
    )
    if not rows:
        return
    matrix = matrix_of([row[1] for row in rows], space.space.dimensions)
    worst = float(int8_error_many(matrix).max())
    connection.rows("vector/raise_int8_error", {"space_no": space.number, "int8_error": worst})
    quantised = to_int8_many(matrix)
    connection.text_many(
        for_space(connection, "vector/insert_record_vector", space),
        ((row[0], vector.tobytes()) for row, vector in zip(rows, quantised, strict=True)),
    )


def records_without_row(connection: Connection, space: StoredSpace) -> list[int]:
    """Records whose text has a vector but which have no sqlite-vec row yet."""
    return [row[0] for row in connection.text_rows(for_space(connection, "vector/records_without_row", space))]


def detach_records(connection: Connection, spaces: Sequence[StoredSpace], record_ids: Sequence[int]) -> None:
    """Remove records from every sqlite-vec table; their vectors stay cached by text."""
    for space in spaces:
        sql = for_space(connection, "vector/delete_record_vectors", space)
        connection.text_rows(sql, ids_parameter(list(record_ids)))


def erase_unused_vectors(connection: Connection) -> None:
    """Remove cached vectors and failures of texts that no record shows any more."""
    connection.rows("vector/erase_embeddings")
    connection.rows("vector/erase_failures")
