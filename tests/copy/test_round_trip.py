"""A copy answers every question as its source does, to the last bit, whichever way it went, and lives on from there."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from hybridkb import HybridLibrary
from hybridkb.copying import copy_library
from hybridkb.database import open_database
from hybridkb.store.settings import LibrarySettings
from oracles.items import day, item_id, note
from support.full_library import CUTOFFS, embedder, everything_said, fill_with_everything


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with something of everything; tests do not write to it."""
    folder = tmp_path_factory.mktemp("full")
    fill_with_everything(folder / "full.db", folder / "documents")
    return folder / "full.db"


@pytest.fixture(scope="module")
def said(full: Path) -> dict[str, Any]:
    return ask(full)


def ask(place: str | Path) -> dict[str, Any]:
    with HybridLibrary.open(place, embedder=embedder()) as library:
        report = library.check()
        assert report.ok, report.findings
        return everything_said(library)


def different(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return [name for name in one.keys() | other.keys() if one.get(name) != other.get(name)]


def test_the_library_has_something_of_everything(full: Path) -> None:
    with HybridLibrary.open(full, embedder=embedder()) as library:
        stats = library.stats()
        assert {one.state for one in stats.spaces} == {"serving", "retired"}
        assert stats.pending
        assert stats.papers == 2
        assert 0 < stats.unpacked < stats.records
    copied = copy_library(full, full.with_name("counted.db"))
    assert not [name for name, rows in copied.tables.items() if not rows]


def test_from_a_file_to_a_server_and_back_nothing_changes(
    full: Path, said: dict[str, Any], tmp_path: Path, postgres: Callable[[], str]
) -> None:
    address = postgres()
    there = copy_library(full, address)
    assert not different(said, ask(address))
    back = copy_library(address, tmp_path / "back.db")
    assert not different(said, ask(tmp_path / "back.db"))
    assert there.digests == back.digests
    assert (there.rows, there.bytes) == (back.rows, back.bytes)


def test_from_a_server_to_a_server_and_from_a_file_to_a_file_nothing_changes(
    full: Path, said: dict[str, Any], tmp_path: Path, postgres: Callable[[], str]
) -> None:
    one, other = postgres(), postgres()
    copy_library(full, one)
    copy_library(one, other)
    assert not different(said, ask(other))
    copy_library(full, tmp_path / "other.db")
    assert not different(said, ask(tmp_path / "other.db"))


@pytest.mark.parametrize("way", ["to a server", "to a file"])
def test_a_copy_lives_on_as_its_source_would(
    full: Path, tmp_path: Path, postgres: Callable[[], str], way: str
) -> None:
    """The same writes give the same numbers, answers and audit; none is given twice."""
    original, copied = tmp_path / "original.db", postgres() if way == "to a server" else tmp_path / "copied.db"
    shutil.copy(full, original)
    copy_library(full, copied)
    told = []
    for place in (original, copied):
        with HybridLibrary.open(place, embedder=embedder(), clock=lambda: day(900)) as library:
            library.put(note("after", "copper batteries after the copy", available_at=day(40)))
            library.put(note("note 7", "copper, revised after the copy", available_at=day(50)))
            library.delete(item_id("note 8"), at=day(60))
            library.purge(item_id("note 9"))
            library.embed_pending()
            library.optimize()
        with closing(open_database(place)) as database, database.read() as connection:
            numbers = dict(connection.rows("copy/numbers"))
            told.append((
                {name: numbers[name] for name in ("item", "revision", "record", "journal", "embedding")},
                connection.rows("canonical/all_revisions", {"after": 0, "limit": 1000}),
            ))  # fmt: skip
    assert told[0] == told[1]
    assert not different(ask(original), ask(copied))


def test_a_snapshot_of_the_copy_names_the_same_state(full: Path, postgres: Callable[[], str]) -> None:
    address = postgres()
    copy_library(full, address)
    with HybridLibrary.open(full, embedder=None) as one, HybridLibrary.open(address, embedder=None) as other:
        for cutoff in CUTOFFS:
            if cutoff is not None:
                assert one.snapshot(at=cutoff).fingerprint == other.snapshot(at=cutoff).fingerprint


def test_vectors_stay_as_they_are(full: Path, postgres: Callable[[], str]) -> None:
    address = postgres()
    copy_library(full, address)
    vectors = []
    for place in (full, address):
        with closing(open_database(place, read_only=True)) as database, database.read() as connection:
            vectors.append([
                connection.rows("vector/embeddings_after", {"space_no": space, "after": 0, "limit": 1000})
                for space in (1, 2)
            ])  # fmt: skip
    assert vectors[0] == vectors[1]
    assert min(map(len, vectors[0])) > 50


def test_another_language_comes_along(tmp_path: Path, postgres: Callable[[], str]) -> None:
    settings = LibrarySettings(language="german", zone="Europe/Berlin")
    with HybridLibrary.open(tmp_path / "a.db", embedder=None, settings=settings) as library:
        library.put(note("a", "die Kupferpreise steigen"))
    address = postgres()
    copy_library(tmp_path / "a.db", address)
    with HybridLibrary.open(address, embedder=None) as library:
        assert library.settings == settings
        assert len(library.search('"Kupferpreise steigen"')) == 1
        assert library.check().ok


def test_an_empty_library_can_be_copied(tmp_path: Path, postgres: Callable[[], str]) -> None:
    HybridLibrary.open(tmp_path / "a.db", embedder=None).close()
    address = postgres()
    assert copy_library(tmp_path / "a.db", address).rows == 0
    with HybridLibrary.open(address, embedder=None) as library:
        library.put(note("a", "copper"))
        assert library.check().ok


def test_a_library_made_empty_before_takes_the_copy_and_its_settings(full: Path, postgres: Callable[[], str]) -> None:
    address = postgres()
    HybridLibrary.open(address, embedder=None, settings=LibrarySettings(language="none")).close()
    copy_library(full, address)
    with HybridLibrary.open(address, embedder=None) as library:
        assert library.settings.language == "english"
        assert library.check().ok


def test_item_types_that_nobody_here_knows_come_along(tmp_path: Path) -> None:
    with HybridLibrary.open(tmp_path / "a.db", embedder=None) as library:
        library.put(note("a", "copper"))
    raw = apsw.Connection(str(tmp_path / "a.db"))
    raw.execute("UPDATE item SET item_type = 'stranger'; UPDATE record SET item_type = 'stranger'")
    raw.close()
    copy_library(tmp_path / "a.db", tmp_path / "b.db")
    with HybridLibrary.open(tmp_path / "b.db", embedder=None) as library:
        assert [hit.item_type for hit in library.search("copper")] == ["stranger"]
