"""Another program's table of chunks beside a library: ``blog_chunks(slug, chunk_idx, text, embedding, ...)``.

It gets five columns of provenance and values in them. Nothing else of it is ever written, and its rows are only read.
Names of tables are text from outside: they are looked up as values, and quoted where they stand for a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from psycopg.pq import TransactionStatus

from hybridkb.database.connection import Row
from hybridkb.database.postgres_connection import PostgresConnection
from hybridkb.database.postgres_text import for_driver, quoted_name
from hybridkb.errors import DatabaseError, InvalidInput

PROVENANCE = ("source", "kind", "doc_date", "verdict", "link")
_NEEDED = ("slug", "chunk_idx", "text")
_NUMBERS = frozenset({"int2", "int4", "int8"})
_VECTORS = frozenset({"vector", "halfvec", "_float4", "_float8"})
_PART = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^".\s][^".]*?))\s*(\.|$)')
_FETCHED = 200


@dataclass(frozen=True, slots=True)
class ChunkTable:
    """A table that holds chunks.

    Attributes:
        namespace, name: its own.
        missing: the columns of provenance that it lacks.
        embedding: the type of its column of vectors; None when it has none that can be read.
    """

    namespace: str
    name: str
    missing: tuple[str, ...]
    embedding: str | None

    def __str__(self) -> str:
        return f"{self.namespace}.{self.name}"

    @property
    def quoted(self) -> str:
        """Its name as SQL writes it."""
        return f"{quoted_name(self.namespace)}.{quoted_name(self.name)}"


def read_name(text: str) -> tuple[str, str]:
    """Read ``table`` (of ``public``) or ``namespace.table``; parts that hold a dot stand in double quotes.

    Raises:
        InvalidInput: it names no table.
    """
    parts, at, ended = [], 0, False
    while isinstance(text, str) and not ended and (found := _PART.match(text, at)) and "\0" not in text:
        parts.append(found[2] if found[1] is None else found[1].replace('""', '"'))
        at, ended = found.end(), found[3] != "."
    if not ended or at != len(text) or not 1 <= len(parts) <= 2:
        raise InvalidInput(
            f"{text!r} names no table; write table or namespace.table, such as public.blog_chunks", field="table"
        )
    return (parts[0], parts[1]) if len(parts) == 2 else ("public", parts[0])


def find_table(connection: PostgresConnection, namespace: str, name: str) -> ChunkTable:
    """Look a table up.

    Raises:
        InvalidInput: it is not there, is no table, or lacks a column that makes it one of chunks.
        DatabaseError: this role may not add the columns that it lacks.
    """
    asked = {"namespace": namespace, "table": name}
    shown = f"{namespace}.{name}"
    found = connection.row("adopted/table", asked)
    if found is None or not found[1]:
        what = "is no table but a view or the like" if found else "is not there"
        raise InvalidInput(f"the table {shown!r} {what}; name a table of this database", field="table")
    columns: dict[str, str] = dict(connection.rows("adopted/columns", asked))
    lacking = [column for column in _NEEDED if column not in columns]
    if lacking:
        raise InvalidInput(
            f"the table {shown!r} has no column {', '.join(lacking)}; a table of chunks has slug, chunk_idx and text",
            field="table",
        )
    if columns["chunk_idx"] not in _NUMBERS:
        raise InvalidInput(f"chunk_idx of {shown!r} holds {columns['chunk_idx']}, and not whole numbers", field="table")
    missing = tuple(column for column in PROVENANCE if column not in columns)
    if missing and not found[0]:
        raise DatabaseError(
            f"the table {shown!r} lacks the columns {', '.join(missing)}, and this role does not own it; adopt it once "
            "as the role that does"
        )
    kind = columns.get("embedding")
    return ChunkTable(namespace, name, missing, kind if kind in _VECTORS else None)


def add_columns(connection: PostgresConnection, table: ChunkTable) -> None:
    """Add the columns of provenance that a table lacks."""
    for column in table.missing:
        sql = connection.statement("adopted/add_column").replace("{column}", quoted_name(column))
        connection.text_rows(sql.replace("{table}", table.quoted))


def count_rows(connection: PostgresConnection, table: ChunkTable) -> int:
    """How many rows a table holds."""
    return int(connection.text_rows(connection.statement("adopted/count").replace("{table}", table.quoted))[0][0])


def rows(connection: PostgresConnection, table: ChunkTable) -> Iterator[Row]:
    """Every chunk, as one read transaction sees it; fetched as it is read."""
    assert connection.raw.info.transaction_status == TransactionStatus.INTRANS
    vector = "NULL" if table.embedding is None else (
        "{vector}.vector_send(CAST(embedding AS {vector}.vector))"
    )  # fmt: skip
    sql = connection.with_vectors(connection.statement("adopted/rows").replace("{embedding}", vector))
    with connection.raw.cursor(name="hybridkb_adopted") as cursor:
        cursor.itersize = _FETCHED
        cursor.execute(for_driver(sql.replace("{table}", table.quoted)), (), binary=True)
        yield from cursor


def fill(connection: PostgresConnection, table: ChunkTable, cards: Sequence[tuple[str | None, ...]]) -> int:
    """Write the provenance of documents on their chunks; returns how many rows changed.

    ``cards``: slug, source, kind, doc_date, verdict, link.
    """
    sql = connection.statement("adopted/fill").replace("{table}", table.quoted)
    changed = 0
    for slug, *values in cards:
        connection.text_rows(sql, {"slug": slug, **dict(zip(PROVENANCE, values, strict=True))})
        changed += connection.changes()
    return changed


def vector_of(sent: bytes) -> NDArray[np.float32]:
    """A vector as pgvector sends it: how many numbers, a spare word, then big-endian float32 numbers."""
    return np.frombuffer(sent, ">f4", offset=4).astype(np.float32)
