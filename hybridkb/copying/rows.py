"""Rows of one table: read by key a page at a time, written as they are, and named by their content."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from hybridkb.copying.tables import Table
from hybridkb.database import Connection, Row, Value

_DIGEST_BYTES = 16
_MODULUS = 1 << 8 * _DIGEST_BYTES
_MARSHAL = 2
"""The version of marshal in which equal rows of numbers, texts and bytes are always equal bytes: later ones refer back
to what was written before, and mark interned strings."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What was seen of a table: equal rows give equal tallies, in whichever order they come.

    Attributes:
        rows: how many.
        bytes: how large they are.
        digest: the sum of the hashes of all rows.
    """

    rows: int = 0
    bytes: int = 0
    digest: int = 0

    def with_rows(self, rows: Sequence[Row]) -> Tally:
        """The tally after further rows."""
        size, digest = self.bytes, self.digest
        for row in rows:
            written = marshal.dumps(row, _MARSHAL)
            size += len(written)
            digest += int.from_bytes(blake2b(written, digest_size=_DIGEST_BYTES).digest(), "little")
        return Tally(self.rows + len(rows), size, digest % _MODULUS)

    @property
    def name(self) -> str:
        """The digest as hexadecimal digits."""
        return self.digest.to_bytes(_DIGEST_BYTES, "little").hex()


def named(connection: Connection, name: str, table: Table) -> str:
    """A statement of ``sql/*/copy`` for one table. Only names from :mod:`hybridkb.copying.tables` get into the SQL."""
    return (
        connection.statement(f"copy/{name}")
        .replace("{table}", table.name)
        .replace("{columns}", ", ".join(table.columns))
        .replace("{key}", ", ".join(table.key))
        .replace("{after}", ", ".join(f":after_{place}" for place in range(len(table.key))))
        .replace("{values}", ", ".join("?" * len(table.columns)))
    )


def pages(connection: Connection, table: Table, after: Sequence[Value] | None = None) -> Iterator[list[Row]]:
    """Read a table in the order of its key, behind ``after``; the last page, and only it, is not full."""
    while True:
        if after is None:
            rows = connection.text_rows(named(connection, "first_rows", table), {"limit": table.rows})
        else:
            place = {f"after_{number}": value for number, value in enumerate(after)}
            rows = connection.text_rows(named(connection, "next_rows", table), {"limit": table.rows, **place})
        yield rows
        if len(rows) < table.rows:
            return
        after = rows[-1][: len(table.key)]


def tally_of(connection: Connection, table: Table, seen: Callable[[int], None] | None = None) -> Tally:
    """The tally of a whole table; ``seen`` is told of the rows of each page."""
    tally = Tally()
    for rows in pages(connection, table):
        tally = tally.with_rows(rows)
        if seen is not None:
            seen(len(rows))
    return tally


def insert(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Write rows as they are, inside the caller's write transaction."""
    if rows:
        connection.text_many(named(connection, "insert_row", table), _bound(connection, table, rows))


def _bound(connection: Connection, table: Table, rows: Sequence[Row]) -> Iterable[Row]:
    if "vector" not in table.columns:
        return rows
    place = table.columns.index("vector")
    return ((*row[:place], connection.vector_parameter(row[place]), *row[place + 1 :]) for row in rows)
