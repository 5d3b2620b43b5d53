"""Many threads and processes on one file: nobody reads half a write, and nobody reads yesterday's answer."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from oracles.items import day, filing, item_id, note
from support.fake_embedder import HashEmbedder
from support.raw_rows import address_of

TESTS = Path(__file__).parents[1]

PRELUDE = """
import sys
from hybridkb import HybridLibrary
from oracles.items import filing, item_id, note, day
from support.fake_embedder import HashEmbedder

def open_library(**options):
    return HybridLibrary.open(sys.argv[1], embedder=HashEmbedder(16), **options)
"""


def start(path: Path, program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PRELUDE + program, address_of(path), *arguments],
        cwd=TESTS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(*processes: subprocess.Popen[str]) -> list[str]:
    outputs = [process.communicate(timeout=90) for process in processes]
    for process, (_, errors) in zip(processes, outputs, strict=True):
        assert process.returncode == 0, errors
    return [output for output, _ in outputs]


def in_threads(*works: Callable[[], None]) -> None:
    """Run all at once; the first failure is raised here."""
    failures: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def tree(number: int) -> Any:
    """Every node of one tree says the same number, so that half a write would show."""
    return filing("tree", [f"copper version{number}"] * 6, title=f"version{number}", root=f"copper version{number}")


def test_threads_read_whole_writes_while_one_writes(library: HybridLibrary) -> None:
    library.put(tree(0))
    done = threading.Event()

    def write() -> None:
        try:
            for number in range(1, 25):
                library.put(tree(number))
        finally:
            done.set()

    def read(mode: str) -> Callable[[], None]:
        def work() -> None:
            newest = -1
            while not done.is_set():
                hits = library.search("copper", mode=mode, top_k=20)
                versions = {hit.matched_text.rpartition("version")[2] for hit in hits}
                assert len(hits) == 7
                assert len(versions) == 1, versions
                seen = int(versions.pop())
                assert seen >= newest, "an answer went back in time"
                newest = seen

        return work

    in_threads(write, *(read(mode) for mode in ("lexical", "semantic", "hybrid")))
    assert library.search("version24", mode="lexical")


def test_threads_write_together(library: HybridLibrary) -> None:
    def write(worker: int) -> Callable[[], None]:
        def work() -> None:
            for number in range(15):
                library.put(note(f"{worker} {number}", f"copper {worker} {number}"))

        return work

    in_threads(*(write(worker) for worker in range(4)))
    assert len(library.search("copper", top_k=100)) == 60


def test_processes_write_together(tmp_path: Path, open_library: Any) -> None:
    program = """
with open_library() as library:
    for number in range(15):
        library.put(note(f"{sys.argv[2]} {number}", f"copper {sys.argv[2]} {number}"))
"""
    open_library("shared.db")
    finish(*(start(tmp_path / "shared.db", program, str(worker)) for worker in range(3)))
    library = open_library("shared.db")
    for mode in ("lexical", "semantic", "hybrid"):
        assert len(library.search("copper", mode=mode, top_k=100)) == 45


@pytest.mark.parametrize("attempt", range(3))
def test_two_processes_create_the_same_file(tmp_path: Path, open_library: Any, attempt: int) -> None:
    program = """
sys.stdin.readline()
with open_library() as library:
    library.put(note(sys.argv[2], "copper " + sys.argv[2]))
"""
    path = tmp_path / "new.db"
    processes = [start(path, program, name) for name in ("one", "two")]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    finish(*processes)
    found = open_library("new.db").search("copper", mode="lexical")
    assert {hit.item_id for hit in found} == {item_id("one"), item_id("two")}


def test_no_answer_is_older_than_another_processs_commit(tmp_path: Path, open_library: Any) -> None:
    program = """
with open_library() as library:
    for line in sys.stdin:
        exec(line)
        print("done", flush=True)
"""
    library = open_library("shared.db")
    library.put_many(note(name, f"wheat {name}") for name in range(30))
    writer = start(tmp_path / "shared.db", program)

    def elsewhere(statement: str) -> None:
        assert writer.stdin is not None
        assert writer.stdout is not None
        writer.stdin.write(statement + "\n")
        writer.stdin.flush()
        assert writer.stdout.readline() == "done\n"

    def found(text: str, **options: Any) -> list[set[Any]]:
        return [
            {hit.item_id for hit in library.search(text, mode=mode, tags=["fresh"], **options)}
            for mode in ("lexical", "semantic", "hybrid")
        ]

    for number in range(8):
        elsewhere(f'library.put(note("n{number}", "copper number{number}", tags=("fresh",)))')
        assert found("copper") == [{item_id(f"n{before}") for before in range(number + 1)}] * 3
    elsewhere('library.put(note("n0", "copper corrected", tags=("fresh",)))')
    assert library.search("corrected", mode="lexical")[0].item_id == item_id("n0")
    assert not library.search("number0", mode="lexical")
    elsewhere('library.delete(item_id("n1"), at=day(5))')
    assert item_id("n1") not in found("copper")[2]
    assert item_id("n1") in found("copper", available_at_before=day(4))[2]
    elsewhere('library.purge(item_id("n1"))')
    assert item_id("n1") not in found("copper", available_at_before=day(4))[2]
    for statement in ("library.optimize()", "library.rebuild()"):
        elsewhere(statement)
        assert [len(names) for names in found("copper")] == [7, 7, 7]
    finish(writer)


def test_a_reader_beside_a_writer_sees_the_past_unchanged(library: HybridLibrary) -> None:
    library.put_many(note(name, f"copper {name}") for name in range(40))
    expected = {mode: list(library.search("copper 7", mode=mode, available_at_before=day(1))) for mode in MODES}
    done = threading.Event()

    def write() -> None:
        try:
            for number in range(20):
                library.put(note(f"later {number}", "copper 7 " * number + "x", available_at=day(2)))
        finally:
            done.set()

    def read() -> None:
        while not done.is_set():
            for mode in MODES:
                assert list(library.search("copper 7", mode=mode, available_at_before=day(1))) == expected[mode]

    in_threads(write, read, read)


MODES = ("lexical", "semantic", "hybrid")


def test_a_library_may_be_used_from_the_thread_that_did_not_open_it(open_library: Any) -> None:
    libraries: list[HybridLibrary] = []
    in_threads(lambda: libraries.append(open_library(embedder=HashEmbedder(8))))
    libraries[0].put(note(1, "copper"))
    in_threads(lambda: libraries[0].close())
