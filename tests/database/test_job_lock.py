"""One job of a name at a time, in threads and processes; a killed holder holds nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hybridkb import HybridLibrary
from hybridkb.database.job_lock import file_lock
from hybridkb.errors import DatabaseBusy, DatabaseError, InvalidInput
from oracles.items import note

HOLDER = """
import sys
from hybridkb.database.job_lock import file_lock

with file_lock(sys.argv[1], sys.argv[2], wait_seconds=0):
    print("holding", flush=True)
    sys.stdin.readline()
print("freed", flush=True)
sys.stdin.readline()
"""


@contextmanager
def holder(path: Path, name: str = "sync") -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until it gets a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "holding\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def is_free(path: Path, name: str = "sync") -> bool:
    try:
        with file_lock(path, name, wait_seconds=0):
            return True
    except DatabaseBusy:
        return False


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "desk.db"


def test_a_second_process_is_refused_in_words(path: Path) -> None:
    with holder(path):
        expected = pytest.raises(DatabaseBusy, match=r"desk\.db-job-sync: .*'sync' .* within 0 s; try again")
        with expected as caught, file_lock(path, "sync", wait_seconds=0):
            raise AssertionError("both at once")
        assert caught.value.path == f"{os.path.realpath(path)}-job-sync"


def test_the_lock_is_free_when_its_block_ends(path: Path) -> None:
    with holder(path) as process:
        assert not is_free(path)
        process.stdin.write("\n")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
        assert process.stdout.readline() == "freed\n"  # type: ignore[union-attr]
        assert is_free(path)


def test_who_waits_gets_it_when_the_holder_is_killed(path: Path) -> None:
    with holder(path) as process:
        assert not is_free(path)
        process.send_signal(signal.SIGKILL)
        with file_lock(path, "sync", wait_seconds=30) as waited:
            assert 0 <= waited < 30
    assert is_free(path)


def test_an_error_in_the_block_frees_it(path: Path) -> None:
    with pytest.raises(KeyError), file_lock(path, "sync", wait_seconds=0):
        raise KeyError
    assert is_free(path)


def test_threads_take_turns(path: Path) -> None:
    inside, most, lock = 0, 0, threading.Lock()

    def work() -> None:
        nonlocal inside, most
        for _ in range(5):
            with file_lock(path, "sync", wait_seconds=30):
                with lock:
                    inside += 1
                    most = max(most, inside)
                with lock:
                    inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_jobs_of_other_names_do_not_wait(path: Path) -> None:
    with holder(path, "sync"):
        assert is_free(path, "embed")
        assert not is_free(path, "sync")


def test_every_path_to_the_file_means_one_lock(path: Path, tmp_path: Path) -> None:
    path.touch()
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with file_lock(link, "sync", wait_seconds=0):
        assert not is_free(path)


def test_the_library_is_read_and_written_meanwhile(path: Path) -> None:
    with HybridLibrary.open(path, embedder=None) as library, holder(path):
        library.put(note(1, "copper"))
        assert len(library.search("copper")) == 1


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    expected = pytest.raises(DatabaseError, match="cannot be made or opened")
    with expected, file_lock(tmp_path / "nowhere" / "desk.db", "sync", wait_seconds=0):
        raise AssertionError("no lock, no work")


@pytest.mark.parametrize("name", ["", "Sync", "../x", "a b", "x" * 40])
def test_a_name_that_no_job_may_have(path: Path, name: str) -> None:
    with pytest.raises(InvalidInput), file_lock(path, name, wait_seconds=0):
        raise AssertionError
    assert not list(path.parent.iterdir())
