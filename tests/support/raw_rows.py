"""The rows of a library as another program sees them, whichever engine keeps it.

What tests write by hand is SQLite's dialect. On a server the few words of it that PostgreSQL says otherwise are put in
its own: bytes (``x'00'``), ``zeroblob``, ``rowid``.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

import hybridkb.library
from hybridkb.database import Database
from support import postgres, raw_file
from support.raw_file import CANONICAL

if TYPE_CHECKING:
    import psycopg

__all__ = ["CANONICAL", "address_of", "ask", "copy_library", "dump", "job_lock", "may_be_written",
           "open_tables", "run", "said", "vocabulary"]  # fmt: skip

_SCHEMA = re.compile(r"[?&]schema=(\w+)")
_LIBRARY_LOCK = 0x68796B62
_FIELDS = ("title", "body")
_DIALECT = (
    (re.compile(r"\bx'([0-9a-fA-F]*)'"), r"'\\x\1'::bytea"),
    (re.compile(r"\bzeroblob\(((?:[^()]|\([^()]*\))*)\)"), r"decode(repeat('00', \1::integer), 'hex')"),
    (re.compile(r"\browid\b"), "record_id"),
)


def open_tables(path: str | os.PathLike[str]) -> Database:
    """The tables of the library of that path, as the library itself opens them."""
    return hybridkb.library.open_database(path)


@contextmanager
def job_lock(path: str | os.PathLike[str], name: str, *, wait_seconds: float) -> Iterator[float]:
    """Hold the lock of a job on the library of that path, as another process would."""
    database = open_tables(Path(path) if "://" not in str(path) else str(path))
    try:
        with database.job_lock(name, wait_seconds=wait_seconds) as waited:
            yield waited
    finally:
        database.close()


def may_be_written(path: Path) -> bool:
    """Whether nobody is writing to the library of that path just now."""
    if postgres.namespaces_here() is not None:
        lock = f"pg_try_advisory_xact_lock({_LIBRARY_LOCK}, hashtext('{_schema_of(path)}'))"
        return bool(ask(path, f"SELECT {lock}")[0][0])
    connection = raw_file.open_raw(path)
    try:
        connection.set_busy_timeout(0)
        connection.execute("BEGIN IMMEDIATE; ROLLBACK")
    except apsw.BusyError:
        return False
    finally:
        connection.close()
    return True


def address_of(path: Path) -> str:
    """What another process opens to see the library of that path."""
    here = postgres.namespaces_here()
    return str(path) if here is None else here.of_path(path)


def said(sqlite: str, postgres_too: str | None = None) -> str:
    """A statement as the engine of the moment says it; without its own words for PostgreSQL what is SQLite's goes."""
    if postgres.namespaces_here() is None:
        return sqlite
    return _in_postgres(sqlite) if postgres_too is None else postgres_too


def run(path: Path, *statements: str) -> None:
    """Run statements in one transaction; each must change or make something."""
    if postgres.namespaces_here() is None:
        raw_file.run(path, *statements)
        return
    with _raw(path) as raw:
        for statement in statements:
            done = raw.execute(_in_postgres(statement).encode())
            made = statement.lstrip().upper().startswith(("CREATE", "DROP", "ALTER"))
            assert made or done.rowcount > 0, statement
        for table, number in (("item", "item_no"), ("revision", "revision_no"), ("record", "record_id")):
            raw.execute(
                f"UPDATE highest SET number = greatest(number, (SELECT max({number}) FROM {table}))"
                f" WHERE name = '{table}'".encode()
            )  # as SQLite's own counter follows every row


def ask(path: Path, statement: str) -> list[Any]:
    """All rows of a question."""
    if postgres.namespaces_here() is None:
        return raw_file.ask(path, statement)
    with _raw(path) as raw:
        return raw.execute(_in_postgres(statement).encode()).fetchall()


def dump(path: Path, tables: Iterable[str] | None = None) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the named tables; of every table of ours when none is named."""
    if postgres.namespaces_here() is None:
        return raw_file.dump(path, tables)
    with _raw(path) as raw:
        return {
            name: sorted(raw.execute(f'SELECT * FROM "{name}"'.encode()).fetchall(), key=repr)
            for name in tables or _tables(raw)
        }


def vocabulary(path: Path) -> list[str]:
    """The words of the engine's own word index, which any SQL user can list."""
    if postgres.namespaces_here() is not None:
        fields = " UNION ".join(f"SELECT word FROM ts_stat('SELECT {field} FROM record_words')" for field in _FIELDS)
        return sorted(word for (word,) in ask(path, fields))
    connection = raw_file.open_raw(path)
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'record_words', 'row')")
        return [term for (term,) in connection.execute("SELECT term FROM words ORDER BY term").fetchall()]
    finally:
        connection.close()


def copy_library(source: Path, target: Path) -> None:
    """Another library with the same rows under the same numbers."""
    if postgres.namespaces_here() is None:
        shutil.copy(source, target)
        return
    open_tables(target).close()
    theirs = _schema_of(source)
    with _raw(target) as raw:
        names = _tables(raw)
        raw.execute(f"TRUNCATE {', '.join(names)}".encode())
        for name in names:
            raw.execute(f'INSERT INTO "{name}" SELECT * FROM "{theirs}"."{name}"'.encode())
        numbered = raw.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND is_identity = 'YES'"
        ).fetchall()
        for table, column in numbered:
            raw.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), s.last_value, s.is_called) FROM "
                f'"{theirs}"."{table}_{column}_seq" AS s'.encode()
            )


@contextmanager
def _raw(path: Path) -> Iterator[psycopg.Connection[Any]]:
    """A connection that knows nothing of hybridkb; keys between tables and triggers are off, as in a raw file."""
    import psycopg

    here = postgres.namespaces_here()
    assert here is not None
    with psycopg.connect(here.address) as raw:
        raw.execute("SET session_replication_role = replica")
        raw.execute(f'SET search_path = "{_schema_of(path)}", public'.encode())
        yield raw


def _schema_of(path: Path) -> str:
    found = _SCHEMA.search(str(path)) or _SCHEMA.search(address_of(path))
    assert found is not None
    return found[1]


def _tables(raw: psycopg.Connection[Any]) -> list[str]:
    found = raw.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").fetchall()
    return [name for (name,) in found]


def _in_postgres(statement: str) -> str:
    for pattern, theirs in _DIALECT:
        statement = pattern.sub(theirs, statement)
    return statement
