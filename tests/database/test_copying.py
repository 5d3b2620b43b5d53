"""A copy is the library as one transaction saw it, whatever happens to the library meanwhile."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hybridkb import HybridLibrary
from hybridkb.database import copying
from hybridkb.database.copying import COMPANIONS, remove_database, replace_database
from hybridkb.database.sqlite_database import SqliteDatabase
from hybridkb.errors import DatabaseError
from oracles.items import note
from support.fake_embedder import HashEmbedder


def titles(path: Path) -> list[str]:
    with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
        assert library.check().ok
        return [hit.title for hit in library.search("copper", top_k=100)]


def test_a_copy_answers_as_the_library_did(tmp_path: Path) -> None:
    path, target = tmp_path / "library.db", tmp_path / "copy.db"
    with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
        library.put_many([note(number, "copper", title=f"number {number}") for number in range(20)])
        database = SqliteDatabase(path)
        steps: list[tuple[int, int]] = []
        database.copy_to(str(target), progress=lambda done, total: steps.append((done, total)))
        database.close()
        assert steps[-1][0] == steps[-1][1] > 0
        assert titles(target) == [hit.title for hit in library.search("copper", top_k=100)]


def test_a_copy_holds_nothing_that_was_written_while_it_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "_PAGES", 4)  # so that it takes many steps
    path, target = tmp_path / "library.db", tmp_path / "copy.db"
    with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
        library.put(note("first", "copper", title="before"))
        database = SqliteDatabase(path)
        left: list[int] = []

        def write(done: int, total: int) -> None:
            library.put(note(len(left), "copper", title="meanwhile"))
            left.append(total - done)

        database.copy_to(str(target), progress=write)
        database.close()
        assert left[0] > 0
        assert len(library.search("copper", top_k=100)) > 2
    assert titles(target) == ["before"]


def test_an_older_copy_is_replaced_with_all_that_belongs_to_it(tmp_path: Path) -> None:
    path, target = tmp_path / "library.db", tmp_path / "copy.db"
    for end in ("", *COMPANIONS):
        Path(f"{target}{end}").write_bytes(b"left over")
    with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
        library.put(note(1, "copper", title="only"))
    database = SqliteDatabase(path)
    database.copy_to(str(target))
    database.close()
    assert titles(target) == ["only"]
    remove_database(str(target))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["library.db"]


def test_a_replaced_database_leaves_no_log_to_the_new_one(tmp_path: Path) -> None:
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    for path, title in ((old, "old"), (new, "new")):
        with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
            library.put(note(1, "copper", title=title))
    Path(f"{old}-wal").write_bytes(b"what a killed process left")
    replace_database(str(new), str(old))
    assert titles(old) == ["new"]
    assert not new.exists()
    with pytest.raises(DatabaseError, match="cannot be written"):
        replace_database(str(new), str(old))


def test_without_room_nothing_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = SqliteDatabase(tmp_path / "library.db")
    full = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    with pytest.raises(DatabaseError, match="free some space"):
        database.copy_to(str(tmp_path / "copy.db"))
    database.close()
    assert not (tmp_path / "copy.db").exists()
