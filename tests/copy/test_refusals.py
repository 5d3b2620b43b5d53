"""What cannot be copied is refused before anything is made, in words that say how to mend it; passwords stay hidden."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from hybridkb import HybridLibrary
from hybridkb.copying import copy_library
from hybridkb.errors import DatabaseError, DatabaseUnavailable, InvalidInput, SchemaTooOld
from oracles.items import note


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with HybridLibrary.open(tmp_path / "source.db", embedder=None) as library:
        library.put_many([note(number, f"copper {number}") for number in range(50)])
    return tmp_path / "source.db"


def test_no_such_source_makes_no_target(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="there is no such library"):
        copy_library(tmp_path / "nothing.db", tmp_path / "target.db")
    assert not list(tmp_path.iterdir())


def test_a_library_is_not_copied_onto_itself(source: Path, tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(source)
    for target in (source, tmp_path / "link.db"):
        with pytest.raises(InvalidInput, match="source and target are the same"):
            copy_library(source, target)


def test_words_of_an_older_analyser_have_to_be_made_anew_first(source: Path, tmp_path: Path) -> None:
    raw = apsw.Connection(str(source))
    raw.execute("UPDATE library SET value = '0' WHERE name = 'analyser_version'")
    raw.close()
    with pytest.raises(SchemaTooOld, match="hybridkb rebuild"):
        copy_library(source, tmp_path / "target.db")
    assert not (tmp_path / "target.db").exists()


def test_a_folder_that_is_not_there_is_told(source: Path, tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="its folder does not exist"):
        copy_library(source, tmp_path / "nowhere" / "target.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_told(source: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    with pytest.raises(DatabaseError, match="the file cannot be opened"):
        copy_library(source, closed / "target.db")


def test_a_file_that_is_no_library_is_left_alone(source: Path, tmp_path: Path) -> None:
    (tmp_path / "target.db").write_bytes(b"not a database, but somebody's own file" * 100)
    with pytest.raises(DatabaseError, match="not a SQLite database"):
        copy_library(source, tmp_path / "target.db")
    assert (tmp_path / "target.db").read_bytes().startswith(b"not a database")


def test_a_full_disk_leaves_a_copy_that_goes_on(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hybridkb.database.sqlite_connection import SqliteConnection

    real = SqliteConnection.text_many

    def full(self: SqliteConnection, sql: str, rows: object) -> None:
        if "INSERT INTO record_text" in sql:
            raise apsw.FullError("FullError: database or disk is full")
        real(self, sql, rows)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(SqliteConnection, "text_many", full)
        with pytest.raises(DatabaseError, match="the disk is full; free some space"):
            copy_library(source, tmp_path / "target.db")
    assert copy_library(source, tmp_path / "target.db").resumed


def test_a_server_that_is_not_there_is_told_without_the_password(source: Path) -> None:
    pytest.importorskip("psycopg_pool")
    with pytest.raises(DatabaseUnavailable, match="no connection to the server") as told:
        copy_library(source, "postgresql://desk:geheim@127.0.0.1:1/research?connect_timeout=2")
    assert "geheim" not in str(told.value)


def test_an_address_that_cannot_be_is_told(source: Path) -> None:
    pytest.importorskip("psycopg_pool")
    with pytest.raises(InvalidInput, match="schema="):
        copy_library(source, "postgresql://desk@127.0.0.1/research?schema=pg_secret")


def test_the_report_shows_no_password(source: Path, postgres: Callable[[], str]) -> None:
    from urllib.parse import urlsplit, urlunsplit

    parts = urlsplit(postgres())
    user, _, host = parts.netloc.rpartition("@")
    address = urlunsplit(parts._replace(netloc=f"{user.partition(':')[0] or 'postgres'}:geheim@{host}"))
    report = copy_library(source, address)
    assert "geheim" not in repr(report)
    with pytest.raises(InvalidInput) as told:
        copy_library(source, address)
    assert "geheim" not in str(told.value)
