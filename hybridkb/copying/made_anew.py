"""What each engine keeps in its own way, made from rows that were copied: the word index, and SQLite's int8 tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hybridkb.copying.tables import Table
from hybridkb.database import Connection, Row
from hybridkb.lexical.index import create_words_table
from hybridkb.store.settings import LibrarySettings
from hybridkb.text import Analyser
from hybridkb.vector.index import attach_records, records_without_row
from hybridkb.vector.spaces import create_vector_table, stored_spaces


def make_words_table(connection: Connection, settings: LibrarySettings) -> None:
    """Make an empty word index in the language of the source, inside the caller's write transaction."""
    connection.rows("lexical/drop_words")
    create_words_table(connection, stemmed=settings.language == "english")
    if connection.value("copy/owns_words_index"):
        connection.rows("copy/drop_words_index")


def complete(connection: Connection) -> None:
    """Make what is made at once when all rows are there, inside the caller's write transaction."""
    if connection.value("copy/owns_words_index"):
        connection.rows("copy/take_time")
        connection.rows("copy/make_words_index")


def follow(connection: Connection, table: Table, rows: Sequence[Row], analyser: Analyser) -> None:
    """Make what follows rows that were written just now, in the same transaction."""
    if table.name == "space":
        _make_vector_tables(connection, {row[0] for row in rows})
    elif table.name == "record_text" and rows:
        _index(connection, rows, analyser)


def missing(connection: Connection) -> Iterator[str]:
    """Name what should have been made and is not there, as far as counting tells."""
    for name in ("record_without_words", "words_without_record"):
        found = connection.rows(f"checks/{name}")
        if found:
            yield f"table record_words: {found[0][0]}: {found[0][1]} ({len(found):,} in all)"
    for stored in stored_spaces(connection):
        lacking = records_without_row(connection, stored) if stored.state != "retired" else []
        if lacking:
            yield f"table record_vector_{stored.number}: {len(lacking):,} records have no row, the first {lacking[0]}"


def _make_vector_tables(connection: Connection, numbers: set[int]) -> None:
    for stored in stored_spaces(connection):
        if stored.number in numbers:
            create_vector_table(connection, stored)


def _index(connection: Connection, rows: Sequence[Row], analyser: Analyser) -> None:
    connection.many(
        "lexical/insert_words",
        (
            connection.words_row(record_id, analyser.words(title), analyser.words(body))
            for record_id, title, body in rows
        ),
    )
    for stored in stored_spaces(connection):
        if stored.state != "retired":  # one that is used again gets its rows then
            attach_records(connection, stored, [row[0] for row in rows])
