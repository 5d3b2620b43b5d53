"""Several clients of one library on a server: what one writes the others see at once, and jobs take turns."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import DatabaseBusy
from oracles.items import day, item_id, note
from support.fake_embedder import HashEmbedder

TESTS = Path(__file__).parents[1]
START = """
import sys, time
from hybridkb import HybridLibrary
from oracles.items import day, item_id, note
from support.fake_embedder import HashEmbedder
library = HybridLibrary.open(sys.argv[1], embedder=HashEmbedder(8))
def tell(*words):
    print(*words, flush=True)
"""


@contextmanager
def client(address: str, script: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Another process with the library open, which runs a script; killed at the end of the block."""
    path = os.pathsep.join([str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")])
    running = subprocess.Popen(
        [sys.executable, "-c", START + script, address, *map(str, arguments)], cwd=TESTS, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


def said(running: subprocess.Popen[str]) -> str:
    assert running.stdout is not None
    line = running.stdout.readline().strip()
    assert line, "the other process said nothing"
    return line


@pytest.fixture
def address(postgres: Callable[[], str]) -> str:
    return postgres()


def library_at(address: str) -> HybridLibrary:
    return HybridLibrary.open(address, embedder=HashEmbedder(8))


def test_what_one_process_puts_the_other_finds_at_once(address: str) -> None:
    script = """
library.put_many([note(n, "copper", title=f"Note {n}") for n in range(30)])
tell("ready")
for line in sys.stdin:
    word, number = line.split()
    if word == "put":
        library.put(note(f"new {number}", f"zinc{number} supply {number}"))
    elif word == "revise":
        library.put(note(f"new {number}", f"tin{number} supply", available_at=day(1)))
    else:
        library.delete(item_id(f"new {number}"), at=day(2))
    tell(word, number)
"""
    with client(address, script) as other, library_at(address) as library:
        assert said(other) == "ready"
        assert other.stdin is not None

        def ask(word: str, number: int) -> None:
            assert other.stdin is not None
            other.stdin.write(f"{word} {number}\n")
            other.stdin.flush()
            assert said(other) == f"{word} {number}"

        for number in range(8):
            ask("put", number)
            hits = library.search(f"zinc{number} supply", mode="hybrid")
            assert hits[0].item_id == item_id(f"new {number}")
            assert hits[0].explanation.semantic is not None
            assert hits.pending == 0
            ask("revise", number)
            assert len(library.search(f"zinc{number}", mode="lexical")) == 0
            assert library.search(f"tin{number}", mode="hybrid")[0].item_id == item_id(f"new {number}")
            assert library.search(f"zinc{number}", mode="lexical", available_at_before=day(0))
            ask("delete", number)
            assert len(library.search(f"tin{number}", mode="lexical")) == 0


def test_threads_of_readers_beside_a_writer_never_see_a_stale_answer(address: str) -> None:
    """Readers look at what the writer said it had done before they ask: they must find at least that."""
    done, faults, stop = [0], [], threading.Event()

    def read(library: HybridLibrary, mode: str) -> None:
        while not stop.is_set():
            number = done[0]
            try:
                hits = library.search(f"word{number} copper", mode=mode, top_k=5)  # type: ignore[arg-type]
                if number and not any(hit.item_id == item_id(f"w{number}") for hit in hits):
                    faults.append((number, mode))
                if hits.pending:
                    faults.append((number, "pending"))
            except BaseException as error:
                faults.append((number, repr(error)))
                return

    with library_at(address) as writer, library_at(address) as other:
        writer.put_many([note(n, f"copper gap {n}") for n in range(40)])
        threads = [
            threading.Thread(target=read, args=(library, mode))
            for library in (writer, other) for mode in ("lexical", "hybrid")
        ]  # fmt: skip
        for thread in threads:
            thread.start()
        for number in range(1, 41):
            writer.put(note(f"w{number}", f"word{number} copper", title=f"word{number} copper"))
            done[0] = number
            if number % 10 == 0:
                writer.optimize()
            if number % 15 == 0:
                other.rebuild()
        stop.set()
        for thread in threads:
            thread.join()
        assert faults == []
        assert writer.check().ok


@pytest.mark.parametrize("job", ["sync", "embed", "reindex", "ingest"])
def test_job_of_a_client_that_was_killed_is_free_at_once(address: str, job: str) -> None:
    script = """
with library._database.job_lock(sys.argv[2], wait_seconds=0):
    tell("held")
    time.sleep(600)
"""
    with library_at(address) as library, client(address, script, job) as other:
        assert said(other) == "held"
        with pytest.raises(DatabaseBusy, match=f"another client is at the job '{job}'"):
            library._database.job_lock(job, wait_seconds=0).__enter__()
        with library._database.job_lock("another", wait_seconds=0):
            pass
        other.send_signal(signal.SIGKILL)
        with library._database.job_lock(job, wait_seconds=20) as waited:
            assert waited < 20


def test_jobs_of_two_libraries_on_one_server_are_two(postgres: Callable[[], str], tmp_path: Path) -> None:
    with library_at(postgres()) as one, library_at(postgres()) as another:
        held = one._database.job_lock("sync", wait_seconds=0)
        assert held.__enter__() < 5
        assert another.sync(tmp_path, wait_seconds=0).indexed == 0
        assert another.put(note(1, "copper")).added == one.put(note(1, "copper")).added == 1
        held.__exit__(None, None, None)


def test_clients_killed_while_they_write_leave_whole_batches(address: str) -> None:
    script = """
for number in range(int(sys.argv[2]), 1000):
    tell("begin", number)
    library.put_many([note(f"{number} {place}", f"copper batch{number}") for place in range(30)])
    tell("put", number)
"""
    put: list[int] = []
    for kill in range(5):
        with client(address, script, kill * 100) as other:
            for _ in range(2 * kill + 2):
                word, number = said(other).split()
                if word == "put":
                    put.append(int(number))
            other.send_signal(signal.SIGKILL)
    with library_at(address) as library:
        assert put
        for number in put:
            assert len(library.search(f"batch{number}", mode="lexical", top_k=50)) == 30
        assert library.stats().items % 30 == 0
        assert library.put(note("after", "zinc")).added == 1
        report = library.check()
        assert report.ok, report.findings


def test_processes_that_make_one_library_at_once_make_one(address: str) -> None:
    script = """
library.put(note(sys.argv[2], f"copper {sys.argv[2]}"))
tell("made", library._database.created)
"""
    with client(address, script, 1) as one, client(address, script, 2) as two, client(address, script, 3) as three:
        made = [said(other) for other in (one, two, three)]
    assert sorted(made) == ["made False", "made False", "made True"]
    with library_at(address) as library:
        assert library.stats().items == 3
        assert library.check().ok


def test_two_processes_that_refresh_one_folder_take_turns(address: str, tmp_path: Path) -> None:
    for number in range(25):
        (tmp_path / f"{number}.md").write_text(f"# Note {number}\n\ncopper gap {number}\n")
    script = """
tell("ready")
sys.stdin.readline()
counts = library.sync(sys.argv[2], wait_seconds=60)
tell(counts.indexed, counts.removed)
"""
    library_at(address).close()
    with client(address, script, tmp_path) as one, client(address, script, tmp_path) as another:
        for other in (one, another):
            assert said(other) == "ready"
        for other in (one, another):
            assert other.stdin is not None
            other.stdin.write("go\n")
            other.stdin.flush()
        indexed = [int(said(other).split()[0]) for other in (one, another)]
    assert sorted(indexed) == [0, 25], "each file is read by one of them"
    with library_at(address) as library:
        assert library.stats().items == 25
        assert len(library.history(library.search("copper gap 7")[0].item_id)) == 1  # type: ignore[arg-type]
        assert library.check().ok


def test_writers_of_many_clients_lose_nothing(address: str) -> None:
    script = """
tell("ready")
sys.stdin.readline()
for number in range(10):
    library.put(note(f"{sys.argv[2]} {number}", f"copper {sys.argv[2]} {number}"))
    library.put(note(f"shared {number}", f"shared {number} by {sys.argv[2]}", available_at=day(int(sys.argv[2]))))
tell("done")
"""
    library_at(address).close()
    with client(address, script, 1) as one, client(address, script, 2) as two, client(address, script, 3) as three:
        for other in (one, two, three):
            assert said(other) == "ready"
        for other in (one, two, three):
            assert other.stdin is not None
            other.stdin.write("go\n")
            other.stdin.flush()
        for other in (one, two, three):
            assert said(other) == "done"
    with library_at(address) as library:
        assert library.stats().items == 40
        assert all(len(library.history(item_id(f"shared {number}"))) == 3 for number in range(10))
        assert library.stats().generation >= 60
        assert library.check().ok
