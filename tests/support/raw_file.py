"""The file as another program sees it: every row by hand, with FTS5 and sqlite-vec at hand."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import apsw
import sqlite_vec

CANONICAL = ("item", "revision", "withdrawal", "tombstone")


def open_raw(path: Path) -> apsw.Connection:
    """Open a library's file without hybridkb; foreign keys are off, as they are by default."""
    connection = apsw.Connection(str(path))
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    return connection


def run(path: Path, *statements: str) -> None:
    """Run statements in one transaction; each must change or make something."""
    connection = open_raw(path)
    try:
        with connection:
            for statement in statements:
                before = connection.total_changes()
                connection.execute(statement).fetchall()
                made = statement.lstrip().upper().startswith(("CREATE", "PRAGMA", "DROP"))
                assert made or connection.total_changes() > before, statement
    finally:
        connection.close()


def ask(path: Path, statement: str) -> list[Any]:
    """All rows of a question."""
    connection = open_raw(path)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def dump(path: Path, tables: Iterable[str] | None = None) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the named tables; of every table that is not virtual when none is named."""
    connection = open_raw(path)
    try:
        names = tables or [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
            ).fetchall()
        ]
        return {name: sorted(connection.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr) for name in names}
    finally:
        connection.close()
