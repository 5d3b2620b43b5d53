"""Copies to and from a server that fails in the middle, and by roles that own nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hybridkb import HybridLibrary
from hybridkb.copying import copy_library, copying
from hybridkb.errors import DatabaseError, DatabaseUnavailable, UnfinishedCopy
from hybridkb.upkeep import grant
from support.full_library import fill_with_everything
from support.own_server import OwnServer


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("full")
    fill_with_everything(folder / "full.db", folder / "documents")
    return folder / "full.db"


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "TABLES", tuple(replace(table, rows=13) for table in copying.TABLES))


def assert_same(one: str | Path, other: str | Path) -> None:
    with HybridLibrary.open(one, embedder=None) as first, HybridLibrary.open(other, embedder=None) as second:
        assert second.check().ok
        assert list(first.export()) == list(second.export())
        assert first.search("copper supply") == second.search("copper supply")


@pytest.mark.parametrize("stage", ["copying", "verifying"])
def test_a_server_that_crashes_meanwhile_loses_nothing_that_the_copy_counts_on(
    server: OwnServer, address: str, full: Path, stage: str
) -> None:
    """Batches do not wait for the disk: what the crash takes, it takes with the note of it."""

    def crash(now: str, done: int, total: int) -> None:
        if now == stage and done > total // 2 and not crashed:
            crashed.append(done)
            server.restart()

    crashed: list[int] = []
    with pytest.raises(DatabaseUnavailable):
        copy_library(full, address, progress=crash)
    with pytest.raises(UnfinishedCopy):
        HybridLibrary.open(address, embedder=None)
    assert copy_library(full, address).resumed
    assert_same(full, address)


def test_a_source_that_crashes_meanwhile_is_gone_on_with(
    server: OwnServer, address: str, full: Path, tmp_path: Path
) -> None:
    copy_library(full, address)

    def crash(now: str, done: int, total: int) -> None:
        if now == "copying" and done > total // 2 and not crashed:
            crashed.append(done)
            server.restart()

    crashed: list[int] = []
    with pytest.raises(DatabaseUnavailable):
        copy_library(address, tmp_path / "back.db", progress=crash)
    assert copy_library(address, tmp_path / "back.db").resumed
    assert_same(full, tmp_path / "back.db")


def test_a_writer_copies_into_an_empty_library_and_a_reader_out_of_it(
    server: OwnServer, address: str, full: Path, tmp_path: Path
) -> None:
    server.sql("CREATE ROLE copier LOGIN", "CREATE ROLE looker LOGIN")
    try:
        HybridLibrary.open(address, embedder=None).close()
        grant(address, writers=["copier"], readers=["looker"])
        copier, looker = (address.replace("postgres@", f"{role}@", 1) for role in ("copier", "looker"))
        with pytest.raises(DatabaseError, match="may read this library and not write to it"):
            copy_library(full, looker)
        copy_library(full, copier)
        copy_library(looker, tmp_path / "back.db")
        assert_same(full, address)
        assert_same(full, tmp_path / "back.db")
        with HybridLibrary.open(copier, embedder=None) as library:
            assert library.rebuild().records
    finally:
        for role in ("copier", "looker"):
            server.sql(f"DROP OWNED BY {role}", f"DROP ROLE {role}")
