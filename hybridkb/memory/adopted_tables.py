"""Tables of chunks that were adopted: which they are, and the provenance that an ingest fills in there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from hybridkb.database import Connection, Database
from hybridkb.errors import DatabaseBusy, DatabaseError, DatabaseUnavailable, HybridKBError
from hybridkb.knowledge import Provenance

if TYPE_CHECKING:
    from hybridkb.database.postgres_adopted import ChunkTable

SETTING = "adopted_tables"


def adopted_tables(connection: Connection) -> tuple[tuple[str, str], ...]:
    """Namespace and name of every table that was adopted into the library."""
    stored = connection.value("library/get", {"name": SETTING})
    return tuple((namespace, name) for namespace, name in json.loads(stored)) if stored else ()


def remember_table(connection: Connection, namespace: str, name: str) -> None:
    """Keep a table as adopted, in the caller's write transaction."""
    held = adopted_tables(connection)
    if (namespace, name) not in held:
        value = json.dumps([*held, (namespace, name)])
        connection.rows("library/set", {"name": SETTING, "value": value})


def forget_table(connection: Connection, namespace: str, name: str) -> bool:
    """Adopt a table no longer, in the caller's write transaction; tells whether it was adopted."""
    held = adopted_tables(connection)
    left = [one for one in held if one != (namespace, name)]
    connection.rows("library/set", {"name": SETTING, "value": json.dumps(left)})
    return len(left) < len(held)


class Filling:
    """Fills the provenance of cards into the adopted tables of a library, so that who reads those sees it."""

    def __init__(self, database: Database) -> None:
        """Look which tables there are; a file has none."""
        self.rows = 0
        self.notes: tuple[str, ...] = ()
        self._database = database
        self._tables = database.reading(adopted_tables) if database.engine == "postgres" else ()

    def fill(self, cards: Mapping[str, Provenance | None]) -> None:
        """Fill in the provenance of these slugs. A table that cannot be written is noted, and left from then on."""
        values = [(slug, *card.as_row()) for slug, card in cards.items() if card is not None]
        for namespace, name in self._tables if values else ():
            try:
                self.rows += self._database.writing(partial(_fill, at=(namespace, name), values=values))
            except (DatabaseBusy, DatabaseUnavailable):
                raise
            except HybridKBError as error:
                self._tables = tuple(one for one in self._tables if one != (namespace, name))
                self.notes += (f"the provenance of {namespace}.{name} was not filled in: {error}",)


def _fill(connection: Connection, *, at: tuple[str, str], values: Sequence[tuple[str | None, ...]]) -> int:
    from hybridkb.database import postgres_adopted  # the driver is an extra
    from hybridkb.database.postgres_connection import PostgresConnection

    assert isinstance(connection, PostgresConnection)
    table: ChunkTable = postgres_adopted.find_table(connection, *at)
    if table.missing:
        raise DatabaseError(f"the table {table} lacks the columns {', '.join(table.missing)}; adopt it again")
    return postgres_adopted.fill(connection, table, values)
