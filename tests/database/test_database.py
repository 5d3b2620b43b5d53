"""Files that cannot be used, locks that cannot be had, full disks: one clear error each, nothing half-written."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import apsw
import pytest

from hybridkb import HybridLibrary
from hybridkb.database import migrations
from hybridkb.database import sqlite_connection as connection_module
from hybridkb.database import sqlite_database as database_module
from hybridkb.database.sqlite_connection import APPLICATION_ID
from hybridkb.database.sqlite_database import SqliteDatabase
from hybridkb.errors import BrokenInvariant, DatabaseBusy, DatabaseError, SchemaTooNew, SchemaTooOld
from oracles.items import item_id, note
from support.fake_embedder import HashEmbedder
from support.raw_file import dump, open_raw, run

NOT_FOR_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind root")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A small whole library, closed."""
    target = tmp_path / "library.db"
    with HybridLibrary.open(target, embedder=None) as library:
        library.put(note(1, "copper"))
    return target


def refused(path: Path | str, **options: Any) -> DatabaseError:
    """The error of opening; it names the path."""
    with pytest.raises(DatabaseError) as caught:
        HybridLibrary.open(path, embedder=None, **options)
    assert caught.value.path == os.fspath(path)
    assert os.fspath(path) in str(caught.value) or "\0" in os.fspath(path) or not os.fspath(path)
    return caught.value


# What is no library


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    target = tmp_path / "notes.txt"
    target.write_bytes(b"These are notes, and no database at all. " * 100)
    before = target.read_bytes()
    assert "not a SQLite database" in str(refused(target))
    assert "not a SQLite database" in str(refused(target, read_only=True))
    assert target.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [target]


def test_the_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "other.db"
    other = sqlite3.connect(target)
    other.executescript("CREATE TABLE mine(x); INSERT INTO mine VALUES (1)")
    other.close()
    before = target.read_bytes()
    for read_only in (False, True):
        assert "not a hybridkb library" in str(refused(target, read_only=read_only))
    assert target.read_bytes() == before


@pytest.mark.parametrize("pragma", ["application_id = 12345", "user_version = 3"])
def test_an_empty_database_that_another_program_claimed_is_left_alone(tmp_path: Path, pragma: str) -> None:
    target = tmp_path / "claimed.db"
    other = sqlite3.connect(target)
    other.execute(f"PRAGMA {pragma}")
    other.close()
    before = target.read_bytes()
    assert before
    assert "not a hybridkb library" in str(refused(target))
    assert target.read_bytes() == before


def test_a_directory(tmp_path: Path) -> None:
    assert "directory" in str(refused(tmp_path))
    assert "directory" in str(refused(tmp_path, read_only=True))


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    target = tmp_path / "nowhere" / "library.db"
    assert "create the folder" in str(refused(target))
    assert not target.parent.exists()


@pytest.mark.parametrize("options", [{"create": False}, {"read_only": True}])
def test_a_file_that_is_not_there_and_may_not_be_made(tmp_path: Path, options: dict[str, bool]) -> None:
    target = tmp_path / "library.db"
    assert "no such library" in str(refused(target, **options))
    assert not target.exists()


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_a_name_that_no_file_can_have(name: str) -> None:
    assert "not a usable file name" in str(refused(name))


def test_an_empty_file_becomes_a_library(tmp_path: Path) -> None:
    target = tmp_path / "library.db"
    target.touch()
    assert "not a hybridkb library" in str(refused(target, read_only=True))
    with HybridLibrary.open(target, embedder=None) as library:
        library.put(note(1, "copper"))
        assert library.check().ok


def test_a_file_cut_short_is_damaged_in_words(path: Path) -> None:
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) // 2)
    with pytest.raises(BrokenInvariant, match="damaged"), HybridLibrary.open(path, embedder=None) as library:
        library.check()


# Versions


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_schema_is_refused_with_both_versions(path: Path, read_only: bool) -> None:
    run(path, "PRAGMA user_version = 99")
    before = path.read_bytes()
    error = refused(path, read_only=read_only)
    assert isinstance(error, SchemaTooNew)
    assert (error.found, error.supported) == (99, migrations.SCHEMA_VERSION)
    assert "upgrade" in str(error)
    assert path.read_bytes() == before


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("version", [0, -1])
def test_our_file_without_a_version_is_not_guessed_at(path: Path, version: int, read_only: bool) -> None:
    run(path, f"PRAGMA user_version = {version}")
    before = dump(path)
    error = refused(path, read_only=read_only)
    assert isinstance(error, SchemaTooOld)
    assert "no schema version" in str(error)
    assert dump(path) == before


def test_an_older_schema_is_not_migrated_by_a_reader(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrations, "SCHEMA_VERSION", migrations.SCHEMA_VERSION + 1)
    error = refused(path, read_only=True)
    assert isinstance(error, SchemaTooOld)
    assert "without read_only" in str(error)


def test_a_migration_that_fails_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, following = dump(path), migrations.SCHEMA_VERSION + 1
    for module in (migrations, database_module):
        monkeypatch.setattr(module, "SCHEMA_VERSION", following)
    monkeypatch.setattr(migrations, "migration_versions", lambda engine: tuple(range(1, following + 1)))
    steps = ("resident/clear_changes", "records/clear")
    monkeypatch.setattr(migrations, "statement_names", lambda folder, engine: steps)
    with pytest.raises(DatabaseError):  # no statement sets the version that follows
        HybridLibrary.open(path, embedder=None)
    monkeypatch.undo()
    assert dump(path) == before
    with HybridLibrary.open(path, embedder=None) as library:
        assert library.check().ok


def test_the_file_says_what_it_is(path: Path) -> None:
    head = path.read_bytes()[:100]
    assert int.from_bytes(head[68:72], "big") == APPLICATION_ID
    assert int.from_bytes(head[60:64], "big") == migrations.SCHEMA_VERSION


# Read-only


def test_a_read_only_library_writes_no_byte(path: Path) -> None:
    before = path.read_bytes()
    with HybridLibrary.open(path, embedder=None, read_only=True) as library:
        assert len(library.search("copper")) == 1
        assert library.check().ok
        for write in (
            lambda: library.put(note(2, "tin")),
            lambda: library.delete(item_id(1)),
            lambda: library.purge(item_id(1)),
            library.optimize,
            library.compact,
            library.rebuild,
        ):
            with pytest.raises(DatabaseError, match="read-only"):
                write()
    assert path.read_bytes() == before


def test_a_file_in_a_folder_that_nobody_may_write_is_read_as_unchanging(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module.os, "access", lambda folder, mode: False)
    address, flags = connection_module._address(str(path), read_only=True, create=False)
    assert address.startswith("file:")
    assert address.endswith("?immutable=1")
    assert flags & apsw.SQLITE_OPEN_READONLY
    with HybridLibrary.open(path, embedder=None, read_only=True) as library:
        assert len(library.search("copper")) == 1
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_path_with_odd_characters_is_read_as_unchanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "50 % of #1 is what? é.db"
    with HybridLibrary.open(target, embedder=None) as library:
        library.put(note(1, "copper"))
    monkeypatch.setattr(connection_module.os, "access", lambda folder, mode: False)
    with HybridLibrary.open(target, embedder=None, read_only=True) as library:
        assert len(library.search("copper")) == 1


@NOT_FOR_ROOT
def test_a_file_without_the_right_to_write(path: Path) -> None:
    path.chmod(0o444)
    with HybridLibrary.open(path, embedder=None) as library, pytest.raises(DatabaseError, match="permissions"):
        library.put(note(2, "tin"))


@NOT_FOR_ROOT
def test_a_folder_without_the_right_to_write(path: Path) -> None:
    path.parent.chmod(0o555)
    try:
        with HybridLibrary.open(path, embedder=None, read_only=True) as library:
            assert len(library.search("copper")) == 1
    finally:
        path.parent.chmod(0o755)


# A full disk


@pytest.fixture
def small_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let no connection opened from now on grow its file beyond so many pages."""

    def limit(pages: int) -> None:
        real = connection_module.open_connection

        def limited(path: str, *, read_only: bool, create: bool) -> Any:
            opened = real(path, read_only=read_only, create=create)
            opened._raw.pragma("max_page_count", pages)
            return opened

        monkeypatch.setattr(database_module, "open_connection", limited)

    return limit


def test_a_disk_that_is_full_keeps_what_was_there(path: Path, small_disk: Callable[[int], None]) -> None:
    before = dump(path)
    small_disk(os.path.getsize(path) // connection_module.PAGE_BYTES + 2)
    embedder = HashEmbedder(16)
    with HybridLibrary.open(path, embedder=embedder) as library:
        with pytest.raises(DatabaseError, match="disk is full") as caught:
            library.put_many(note(f"n{number}", f"word{number} " * 50) for number in range(500))
        assert "nothing of this write was kept" in str(caught.value)
        assert len(library.search("copper", mode="lexical")) == 1
        assert not library.search("word7", mode="lexical")
    assert dump(path) == before


def test_after_a_full_disk_the_same_library_writes_again(path: Path, small_disk: Callable[[int], None]) -> None:
    small_disk(os.path.getsize(path) // connection_module.PAGE_BYTES + 2)
    with HybridLibrary.open(path, embedder=None) as library:
        with pytest.raises(DatabaseError, match="disk is full"):
            library.put_many(note(f"n{number}", f"word{number} " * 50) for number in range(500))
        writer = library._database._writer
        assert writer is not None
        writer._raw.pragma("max_page_count", 100_000)
        library.put_many(note(f"n{number}", f"word{number} " * 50) for number in range(500))
        assert [len(library.search(f"word{number}", mode="lexical")) for number in (0, 250, 499)] == [1, 1, 1]
        assert library.check().ok


def test_a_disk_too_small_for_a_new_library(tmp_path: Path, small_disk: Callable[[int], None]) -> None:
    small_disk(3)
    target = tmp_path / "library.db"
    assert "disk is full" in str(refused(target))
    with sqlite3.connect(target) as left:
        assert left.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)


# Locks


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "BUSY_MILLISECONDS", 50)


@pytest.fixture
def held(path: Path) -> Iterator[None]:
    """Another process holds the write lock."""
    program = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN IMMEDIATE');"
        "print('held', flush=True); sys.stdin.read(); c.execute('ROLLBACK')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"held"
        yield
        process.communicate()


def test_a_lock_that_another_process_holds_is_told_in_words(path: Path, impatient: None, held: None) -> None:
    with HybridLibrary.open(path, embedder=None) as library:
        with pytest.raises(DatabaseBusy, match="another process or thread is writing"):
            library.put(note(2, "tin"))
        assert len(library.search("copper")) == 1  # readers do not wait


def test_a_busy_library_writes_when_the_lock_is_free(path: Path, impatient: None) -> None:
    with HybridLibrary.open(path, embedder=None) as library:
        other = open_raw(path)  # two copies of SQLite in one process would not see each other's locks
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseBusy):
            library.put(note(2, "tin"))
        other.execute("ROLLBACK")
        other.close()
        assert library.put(note(2, "tin")).added == 1
        assert library.check().ok


# Connections


def test_connections_come_back_after_errors(path: Path) -> None:
    database = SqliteDatabase(path)
    for _ in range(5):
        with pytest.raises(DatabaseError, match="database failed"), database.read() as connection:
            connection.text_rows("SELECT nothing FROM nowhere")
        with pytest.raises(KeyError), database.read():
            raise KeyError
        with pytest.raises(KeyError), database.write() as connection:
            raise KeyError(connection.value("state/next_generation"))
    assert len(database._idle) == 1
    with database.read() as connection:
        assert connection.row("state/get") == (1, 0)
    database.close()


def test_committed_is_called_after_the_commit_alone(path: Path) -> None:
    database = SqliteDatabase(path)
    calls: list[int] = []

    def committed() -> None:
        with database.read() as reader:
            calls.append(reader.value("state/get"))

    with database.write(committed=committed) as connection:
        connection.rows("state/next_generation")
        assert calls == []
    assert calls == [2]
    with pytest.raises(KeyError), database.write(committed=committed):
        raise KeyError
    assert calls == [2]
    database.close()


def test_a_reader_sees_one_state_while_others_write(path: Path) -> None:
    database = SqliteDatabase(path)
    with database.read() as reader:
        first = reader.row("state/get")
        writer = threading.Thread(target=_bump, args=(database, 3))
        writer.start()
        writer.join()
        assert reader.row("state/get") == first
        with database.read() as other:
            assert other.value("state/get") == first[0] + 3  # type: ignore[index]
    database.close()


def _bump(database: SqliteDatabase, times: int) -> None:
    for _ in range(times):
        with database.write() as connection:
            connection.rows("state/next_generation")


def test_threads_write_one_after_the_other(path: Path) -> None:
    database = SqliteDatabase(path)
    threads = [threading.Thread(target=_bump, args=(database, 20)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as connection:
        assert connection.value("state/get") == 1 + 80
    database.close()


def test_a_closed_library_says_so(path: Path) -> None:
    library = HybridLibrary.open(path, embedder=None)
    library.close()
    library.close()
    for use in (lambda: library.search("x"), lambda: library.put(note(2, "tin")), library.stats, library.check):
        with pytest.raises(DatabaseError, match="closed; open it again"):
            use()


def test_a_reader_may_outlive_the_library(path: Path) -> None:
    library = HybridLibrary.open(path, embedder=None)
    lines = library.export()
    first = next(lines)
    library.close()
    assert [first, *lines]


def test_a_forked_child_is_told_to_open_its_own(path: Path) -> None:
    library = HybridLibrary.open(path, embedder=None)
    library.search("copper")
    queue = get_context("fork").SimpleQueue()

    def child() -> None:
        said = []
        for use in (lambda: library.search("copper"), lambda: library.put(note(2, "tin"))):
            try:
                use()
            except DatabaseError as error:
                said.append(str(error))
        library.close()
        with HybridLibrary.open(path, embedder=None) as own:
            own.put(note(3, "zinc"))
        queue.put(said)

    held, forked = threading.Event(), threading.Event()

    def hold() -> None:
        with library._database._write_lock:  # in the child no thread is left that could give it back
            held.set()
            forked.wait(20)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(20)
    process = get_context("fork").Process(target=child)
    process.start()
    forked.set()
    holder.join()
    process.join(10)
    if process.exitcode is None:
        process.kill()
        pytest.fail("the child waits for a lock of the parent")
    said = queue.get()
    assert process.exitcode == 0
    assert ["forked" in sentence for sentence in said] == [True, True]
    library.put(note(4, "lead"))
    assert len(library.search("copper OR zinc OR lead", mode="lexical")) == 3
    assert library.check().ok
    library.close()


# Two processes, one new file


def _create(folder: str, barrier: Any, queue: Any, name: str) -> None:
    for attempt in range(20):
        barrier.wait()
        try:
            with HybridLibrary.open(Path(folder) / f"{attempt}.db", embedder=None) as library:
                library.put(note(name, f"from {name}"))
            queue.put(None)
        except Exception as error:
            queue.put(repr(error))


def test_two_processes_create_the_same_file_twenty_times(tmp_path: Path) -> None:
    context = get_context("spawn")
    barrier, queue = context.Barrier(2), context.Queue()
    processes = [
        context.Process(target=_create, args=(str(tmp_path), barrier, queue, name)) for name in ("one", "other")
    ]
    for process in processes:
        process.start()
    said = [queue.get(timeout=60) for _ in range(40)]
    for process in processes:
        process.join(20)
    assert [error for error in said if error] == []
    for attempt in range(20):
        with HybridLibrary.open(tmp_path / f"{attempt}.db", embedder=None) as library:
            assert (library.stats().items, library.check().ok) == (2, True)
