"""Nothing that a library keeps is forgotten: every table and column is carried over, made anew, or set at the end."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from hybridkb import HybridLibrary
from hybridkb.copying.tables import AT_THE_END, LEFT_OUT, MADE_ANEW, TABLES
from hybridkb.database.statements import statement

CARRIED = {(table.name, column) for table in TABLES for column in table.columns} | LEFT_OUT
KEYS = {table.name: table.key for table in TABLES}
OWN_WAYS = re.compile(r"sqlite_.*|record_words(_.*)?|record_vector_\d+(_.*)?")
"""Tables of SQLite, FTS5 and sqlite-vec."""


def test_every_column_of_a_file_is_carried_over(tmp_path: Path) -> None:
    HybridLibrary.open(tmp_path / "a.db", embedder=None).close()
    raw = apsw.Connection(str(tmp_path / "a.db"), flags=apsw.SQLITE_OPEN_READONLY)
    tables = [name for (name,) in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    rows = {
        name: raw.execute("SELECT name, pk FROM pragma_table_info(?)", (name,)).fetchall()
        for name in tables if name not in AT_THE_END and not OWN_WAYS.fullmatch(name)
    }  # fmt: skip
    assert {(name, column) for name, columns in rows.items() for column, _ in columns} == CARRIED
    keys = {name: [one for one in columns if one[1]] for name, columns in rows.items()}
    assert {name: tuple(c for c, _ in sorted(key, key=lambda one: one[1])) for name, key in keys.items()} == KEYS
    raw.close()


def test_every_column_of_a_namespace_is_carried_over(postgres: Callable[[], str]) -> None:
    psycopg = pytest.importorskip("psycopg")
    address = postgres()
    HybridLibrary.open(address, embedder=None).close()
    schema = re.search(r"schema=(\w+)", address)
    assert schema is not None
    with psycopg.connect(address.split("?schema=")[0].split("&schema=")[0]) as raw:
        found = set(
            raw.execute(
                "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = %s", (schema[1],)
            ).fetchall()
        )
    assert {one for one in found if one[0] not in AT_THE_END | MADE_ANEW} == CARRIED


def test_the_index_of_words_is_made_as_the_migrations_make_it() -> None:
    def said(name: str) -> str:
        return re.sub(r"--[^\n]*\n", "", statement(name, "postgres")).replace("IF NOT EXISTS ", "").strip()

    assert said("copy/make_words_index") == said("migrations/0004/123_record_words_by_word")
