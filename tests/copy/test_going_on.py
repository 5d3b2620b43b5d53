"""A copy that ended half-way is no library, says so, and goes on where it was; but not with another state."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hybridkb import HybridLibrary
from hybridkb.copying import CopyReport, copy_library, copying
from hybridkb.copying.tables import TABLES
from hybridkb.database import open_database
from hybridkb.errors import BrokenInvariant, DatabaseBusy, DatabaseError, InvalidInput, UnfinishedCopy
from oracles.items import note
from support.full_library import embedder, fill_with_everything

TESTS = Path(__file__).parents[1]

COPIER = """
import os, signal, sys
from dataclasses import replace
from hybridkb.copying import copying, copy_library

copying.TABLES = tuple(replace(table, rows=13) for table in copying.TABLES)

def move(stage, done, total):
    print(stage, done, flush=True)
    if stage == sys.argv[3] and done >= int(sys.argv[4]):
        os.kill(os.getpid(), signal.SIGKILL)

print(copy_library(sys.argv[1], sys.argv[2], progress=move).resumed, flush=True)
"""


class Enough(Exception):
    pass


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table takes several batches, so that a copy ends in the middle of one."""
    monkeypatch.setattr(copying, "TABLES", tuple(replace(table, rows=13) for table in TABLES))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("full")
    fill_with_everything(folder / "full.db", folder / "documents")
    return folder / "full.db"


@pytest.fixture
def source(made: Path, tmp_path: Path) -> Path:
    """A library with something of everything, which a test may change."""
    shutil.copy(made, tmp_path / "source.db")
    return tmp_path / "source.db"


@pytest.fixture(params=["file", "server"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        return str(tmp_path / "target.db")
    fresh: Callable[[], str] = request.getfixturevalue("postgres")
    return fresh()


def half(source: Path, target: str, *, after: int = 300, stage: str = "copying") -> None:
    """Copy until so many rows are done, then fail."""

    def move(now: str, done: int, total: int) -> None:
        if now == stage and done >= after:
            raise Enough

    with pytest.raises(Enough):
        copy_library(source, target, progress=move)


def killed(source: Path, target: str, stage: str, after: int) -> None:
    copier = subprocess.run(
        [sys.executable, "-c", COPIER, str(source), target, stage, str(after)], cwd=TESTS, capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip
    assert copier.returncode == -signal.SIGKILL, copier.stderr


def assert_whole(source: Path, target: str) -> None:
    with HybridLibrary.open(source, embedder=embedder()) as one, HybridLibrary.open(target, embedder=embedder()) as two:
        assert two.check().ok
        assert list(one.export()) == list(two.export())
        for mode in ("lexical", "semantic", "hybrid"):
            assert one.search("copper supply", mode=mode) == two.search("copper supply", mode=mode)


@pytest.mark.parametrize(("stage", "after"), [("copying", 150), ("verifying", 1)])
def test_a_killed_copy_goes_on_where_it_was(source: Path, target: str, stage: str, after: int) -> None:
    killed(source, target, stage, after)
    with pytest.raises(UnfinishedCopy, match="unfinished copy of .*source.db; finish it") as told:
        HybridLibrary.open(target, embedder=None)
    assert told.value.source == str(source)
    seen: list[tuple[str, int]] = []
    report = copy_library(source, target, progress=lambda stage, done, total: seen.append((stage, done)))
    assert report.resumed
    assert seen[0] == ("copying", seen[0][1])
    assert seen[0][1] >= after or stage == "verifying"
    assert_whole(source, target)


@pytest.mark.slow
def test_killed_again_and_again_it_comes_to_an_end(source: Path, target: str) -> None:
    for after in (0, 60, 250, 600, 900):
        killed(source, target, "copying", after)
    assert copy_library(source, target).resumed
    assert_whole(source, target)


def test_nothing_is_copied_twice(source: Path, target: str) -> None:
    half(source, target, after=500)
    done: list[int] = []
    report = copy_library(source, target, progress=lambda stage, at, _: done.append(at) if stage == "copying" else None)
    assert done[0] >= 500
    assert report.rows == done[-1]


def test_an_unfinished_copy_opens_for_nothing(source: Path, target: str) -> None:
    half(source, target)
    for read_only in (False, True):
        with pytest.raises(UnfinishedCopy, match="--restart"):
            HybridLibrary.open(target, embedder=None, read_only=read_only)
    with pytest.raises(UnfinishedCopy):
        copy_library(target, source.with_name("onward.db"))
    assert not source.with_name("onward.db").exists()


@pytest.mark.parametrize("change", ["put", "purge", "run", "settings"])
def test_a_source_that_changed_since_is_refused_until_it_is_copied_anew(
    source: Path, target: str, change: str
) -> None:
    half(source, target)
    with HybridLibrary.open(source, embedder=embedder()) as library:
        if change == "put":
            library.put(note("meanwhile", "copper"))
        elif change == "purge":
            library.purge(library.list_items(limit=1).items[0].item_id)
        elif change == "settings":
            library.change_settings(ranking=library.settings.ranking.__class__(k1=0.9), why="a test")
        else:
            open_run(source)
    with pytest.raises(UnfinishedCopy, match="another state .* Give --restart"):
        copy_library(source, target)
    report = copy_library(source, target, restart=True)
    assert not report.resumed
    assert_whole(source, target)


def open_run(path: Path) -> None:
    """Note something in the book of runs, which makes no new generation."""
    database = open_database(path)
    with database.write() as connection:
        connection.rows("runs/promote", {"run_no": 1, "now": 7, "note": "meanwhile"})
    database.close()


def test_an_unfinished_copy_of_another_library_is_refused(source: Path, target: str, tmp_path: Path) -> None:
    half(source, target)
    with HybridLibrary.open(tmp_path / "other.db", embedder=None) as library:
        library.put(note("other", "wheat"))
    with pytest.raises(UnfinishedCopy, match=r"unfinished copy of .*source\.db, in another state than .*other\.db"):
        copy_library(tmp_path / "other.db", target)
    assert copy_library(source, target).resumed


def test_a_source_may_be_written_while_it_is_copied(source: Path, target: str) -> None:
    """The copy is the state in which the source was when it began."""
    shutil.copy(source, source.with_name("before.db"))

    def write(stage: str, done: int, total: int) -> None:
        if stage == "copying" and done and not written:
            written.append(done)
            with HybridLibrary.open(source, embedder=None) as library:
                library.put(note("meanwhile", "copper"))

    written: list[int] = []
    copy_library(source, target, progress=write)
    assert written
    assert_whole(source.with_name("before.db"), target)


def test_a_row_that_arrived_otherwise_names_its_table_and_the_copy_stays_unfinished(source: Path, target: str) -> None:
    half(source, target, stage="verifying", after=1)
    alter(target)
    with pytest.raises(BrokenInvariant, match="table artifact_lineage: 3 rows were read .*--restart") as told:
        copy_library(source, target)
    assert len(told.value.findings) == 1
    with pytest.raises(UnfinishedCopy):
        HybridLibrary.open(target, embedder=None)
    copy_library(source, target, restart=True)
    assert_whole(source, target)


def alter(target: str) -> None:
    """Change one row of an unfinished copy by hand."""
    database = open_database(target)
    with database.write() as connection:
        connection.text_rows("UPDATE artifact_lineage SET ancestor_id = 'x' WHERE position = 0 AND item_no = "
                             "(SELECT max(item_no) FROM artifact_lineage)")  # fmt: skip
    database.close()


def test_words_that_are_not_there_are_noticed(source: Path, target: str) -> None:
    half(source, target, stage="verifying", after=1)
    database = open_database(target)
    with database.write() as connection:
        connection.rows("lexical/delete_words", {"ids": "[1]"})
    database.close()
    with pytest.raises(BrokenInvariant, match="table record_words"):
        copy_library(source, target)


def test_two_copies_into_one_target_are_not_at_work_at_once(source: Path, target: str) -> None:
    def again(stage: str, done: int, total: int) -> None:
        if stage == "copying" and 0 < done < total and not told:
            with pytest.raises(DatabaseBusy, match="job 'copy'") as refused:
                copy_library(source, target)
            told.append(refused)

    told: list[object] = []
    copy_library(source, target, progress=again)
    assert told
    assert_whole(source, target)


def test_somebody_else_at_the_unfinished_copy_is_noticed(source: Path, target: str) -> None:
    def meddle(stage: str, done: int, total: int) -> None:
        if stage == "copying" and 0 < done < total:
            database = open_database(target)
            with database.write() as connection:
                connection.rows("library/set", {"name": "unfinished_copy", "value": json.dumps({"source": "x"})})
            database.close()

    with pytest.raises(DatabaseError, match="somebody else changed this unfinished copy"):
        copy_library(source, target, progress=meddle)


@pytest.mark.parametrize("restart", [False, True])
def test_a_library_in_the_target_is_left_alone(source: Path, target: str, restart: bool) -> None:
    with HybridLibrary.open(target, embedder=None) as library:
        library.put(note("mine", "copper"))
    with pytest.raises(InvalidInput, match="holds a library already .*name a new") as told:
        copy_library(source, target, restart=restart)
    assert told.value.field == "target"
    with HybridLibrary.open(target, embedder=None) as library:
        assert library.stats().items == 1


def test_restart_without_an_unfinished_copy_is_a_copy(source: Path, target: str) -> None:
    assert isinstance(copy_library(source, target, restart=True), CopyReport)
    assert_whole(source, target)


def test_every_table_is_counted_in_the_report(source: Path, target: str) -> None:
    report = copy_library(source, target)
    assert list(report.tables) == [table.name for table in TABLES] == list(report.digests)
    assert report.rows == sum(report.tables.values())
