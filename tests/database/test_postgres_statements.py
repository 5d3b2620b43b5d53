"""Every statement that PostgreSQL may be sent is one that it understands, over the tables that are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from database.test_statements import names
from hybridkb import HybridLibrary
from hybridkb.database.statements import statement
from support.postgres import Namespaces

WITHOUT_CONDITION = ("filters/candidates", "filters/confirm", "filters/listed", "filters/ids/")
PREPARED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")
FILLED = {
    "{conditions}": "r.current = 1", "{ids}": "SELECT record_id FROM record", "{space_no}": "1", "{dimensions}": "3",
    "{lists}": "100", "{name}": "x", "{schema}": "x",
    "{table}": "item", "{columns}": "item_no", "{key}": "item_no", "{after}": "0", "{values}": "?",
}  # fmt: skip
NAMES = sorted(names("postgres") | names("shared"))


@pytest.fixture(scope="module")
def prepare(all_namespaces: Namespaces) -> Iterator[Any]:
    """Prepares a statement as the server hears it."""
    library = HybridLibrary.open(all_namespaces.fresh(), embedder=None)
    with library, library._database.outside_transaction() as connection:
        namespace = re.search(r'("\w+")\.halfvec', connection.statement("hnsw/nearest"))
        assert namespace is not None

        def run(sql: str) -> None:
            text = sql.replace("{vector}", namespace[1])
            connection.raw.execute(f"PREPARE tried AS {text}".encode())
            connection.raw.execute(b"DEALLOCATE tried")

        yield run


def numbered(sql: str) -> str:
    """The statement with its bindings as the server counts them."""
    from hybridkb.database.postgres_text import for_driver

    places: dict[str, int] = {}

    def place(found: re.Match[str]) -> str:
        return f"${places.setdefault(found[1] or f'at {found.start()}', len(places) + 1)}"

    return re.sub(r"%\((\w+)\)s|%s", place, for_driver(sql)).replace("%%", "%")


@pytest.mark.parametrize("name", NAMES)
def test_the_server_understands_it(name: str, prepare: Any) -> None:
    sql = statement(name, "postgres")
    if name.startswith("filters/") and not name.startswith(WITHOUT_CONDITION):
        sql = f"SELECT r.record_id FROM record AS r WHERE {sql}"
    for template, text in FILLED.items():
        sql = sql.replace(template, text)
    text = numbered(sql)
    if text and text.split()[0].upper() in PREPARED:
        assert not re.search(r"\{(?!vector)\w+\}", text), "a template that this test does not know"
        prepare(text)


def test_only_statements_about_tables_sessions_and_transactions_cannot_be_prepared() -> None:
    rooms = {
        name.partition("/")[0]
        for name in NAMES
        if (text := numbered(statement(name, "postgres"))) and text.split()[0].upper() not in PREPARED
    }
    assert rooms <= {"copy", "filters", "grants", "hnsw", "schema", "transaction", "upkeep"}
