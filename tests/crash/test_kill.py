"""kill -9 while a process writes: what was committed is whole, what was not has left nothing."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import NotFound
from oracles.items import item_id
from support.fake_embedder import HashEmbedder

TESTS = Path(__file__).parents[1]
KILLS = 20
SIZE = 40

WRITER = """
import sys
from hybridkb import HybridLibrary
from oracles.items import day, filing, item_id, note
from support.fake_embedder import HashEmbedder

start, size = int(sys.argv[2]), int(sys.argv[3])
library = HybridLibrary.open(sys.argv[1], embedder=HashEmbedder(8))

def tell(word, number):
    print(word, number, flush=True)

tell("ready", start)
for number in range(start, start + 1000):
    tags = (f"batch{number}",)
    flat = [note(f"{number} {place}", f"copper batch{number} {place}", tags=tags) for place in range(size - 1)]
    library.put_many([*flat, filing(f"{number} tree", [f"copper batch{number}"] * 5, root=f"batch{number}", tags=tags)])
    tell("put", number)
    if number % 3 == 1:
        library.put(note(f"{number} 0", f"copper batch{number} revised", available_at=day(5), tags=tags))
        tell("revised", number)
    if number % 4 == 2:
        library.delete(item_id(f"{number} 1"), at=day(7))
        tell("deleted", number)
    if number % 5 == 3:
        library.purge(item_id(f"{number} 2"))
        tell("purged", number)
    if number % 4 == 3:
        library.optimize()
        tell("optimized", number)
"""


def run_and_kill(path: Path, start: int, delay: float) -> list[tuple[str, int]]:
    """Let a writer work for a while after it is ready; return what it said it had done."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(start), str(SIZE)],
        cwd=TESTS,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    assert writer.stdout.readline().startswith("ready"), writer.stderr.read()
    time.sleep(delay)
    writer.send_signal(signal.SIGKILL)
    output, errors = writer.stdout.read(), writer.stderr.read()  # communicate() would lose what readline() read ahead
    writer.wait(30)
    assert writer.returncode == -signal.SIGKILL, errors
    words = [line.split() for line in output.splitlines() if line.count(" ") == 1]
    return [(word, int(number)) for word, number in words]


def batch_size(library: HybridLibrary, number: int) -> int:
    """How many items of a batch there are; with history, so that withdrawn ones count."""
    names = [f"{number} {place}" for place in range(SIZE - 1)] + [f"{number} tree"]
    found = 0
    for name in names:
        try:
            library.history(item_id(name))
        except NotFound:
            continue
        found += 1
    return found


@pytest.mark.slow
def test_kill_during_puts_leaves_whole_batches_and_a_clean_library(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    source = random.Random(9)
    start = 0
    interrupted: set[int] = set()
    for _ in range(KILLS):
        done = run_and_kill(path, start, source.uniform(0.0, 0.08))
        with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
            report = library.check()
            assert report.ok, report.findings
            last = max((number for word, number in done if word == "put"), default=start - 1)
            for number in range(start, last + 2):
                assert_whole(library, number, done, committed=number <= last)
            interrupted.add(last + 1)
        start = last + 2
    with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
        library.rebuild()
        assert library.check().ok
    assert start > KILLS, "the writer got something done between the kills"
    assert interrupted


def assert_whole(library: HybridLibrary, number: int, done: list[tuple[str, int]], *, committed: bool) -> None:
    size = batch_size(library, number)
    if not committed:
        assert size in (0, SIZE)
        if size == 0:
            assert not library.search(f"batch{number}", mode="lexical")
        return
    assert size == SIZE or (size == SIZE - 1 and number % 5 == 3)
    if ("purged", number) in done:
        assert size == SIZE - 1
    if ("revised", number) in done:
        assert len(library.history(item_id(f"{number} 0"))) == 2
    if ("deleted", number) in done:
        with pytest.raises(NotFound):
            library.get(item_id(f"{number} 1"))
    words = library.search(f"batch{number}", mode="lexical", top_k=200)
    assert len(words) in (size + 5, size + 4)
    found = library.search("copper", mode="semantic", top_k=200, tags=[f"batch{number}"])
    assert {hit.locator for hit in words} == {hit.locator for hit in found}
