"""kill -9 while papers go in: each is there with all that was made of it and every byte, or not at all."""

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
from support.fake_embedder import HashEmbedder
from support.papers import make_result

TESTS = Path(__file__).parents[1]
KILLS = 12

WRITER = """
import sys
from hybridkb import HybridLibrary
from support.fake_embedder import HashEmbedder
from support.papers import make_result

library = HybridLibrary.open(sys.argv[1], embedder=HashEmbedder(8))
print("ready", flush=True)
for number in range(int(sys.argv[2]), 10_000):
    name = f"paper {number}"
    first = make_result(name, title=name)
    library.put_paper(first)
    print("put", number, flush=True)
    library.put_paper(make_result(name, title=name, blocks_per_chunk=2, summary="Again."))
    print("split", number, flush=True)
    if number % 3 == 1:
        library.make_current(first.chunk_set.id)
        print("chosen", number, flush=True)
    if number % 5 == 2:
        library.purge(first.source.id)
        print("purged", number, flush=True)
"""


def run_and_kill(path: Path, start: int, delay: float) -> dict[str, set[int]]:
    """Let a writer work for a while after it is ready; return what it said it had done."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(start)], cwd=TESTS, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert writer.stdout is not None
    assert writer.stderr is not None
    assert writer.stdout.readline().startswith("ready"), writer.stderr.read()
    time.sleep(delay)
    writer.send_signal(signal.SIGKILL)
    output, errors = writer.stdout.read(), writer.stderr.read()  # communicate() would lose what readline() read ahead
    writer.wait(30)
    assert writer.returncode == -signal.SIGKILL, errors
    done: dict[str, set[int]] = {"put": set(), "split": set(), "chosen": set(), "purged": set()}
    for line in output.splitlines():
        word, space, number = line.partition(" ")
        if space and number:
            done[word].add(int(number))
    return done


def parts(library: HybridLibrary, number: int) -> tuple[int, int]:
    """How many artifacts a paper has and how many are current; none of a paper that is not there."""
    source = make_result(f"paper {number}", title=f"paper {number}").source
    try:
        paper = library.get_paper(source.id)
    except NotFound:
        return 0, 0
    assert all(library.get_blob(name) for name in paper.source.blobs)
    return len(paper.artifacts), sum(one.current for one in paper.artifacts)


@pytest.mark.slow
def test_kill_during_put_paper_leaves_whole_papers(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    source = random.Random(5)
    start = finished = 0
    for _ in range(KILLS):
        done = run_and_kill(path, start, source.uniform(0.0, 0.15))
        last = max((*done["put"], start - 1))
        with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
            library.check().raise_if_broken()
            for number in range(start, last + 2):
                held = parts(library, number)
                if number in done["purged"]:
                    assert held == (0, 0)
                elif number % 5 != 2 or number not in done["split"]:
                    assert held in {(0, 0), (3, 3), (5, 3)}
                    assert held != (0, 0) or number not in done["put"]
                    assert held == (5, 3) or number not in done["split"]
            stats = library.stats()
            assert stats.blobs == 4 * stats.papers, "no bytes are left of what was not stored"
            calls = HashEmbedder(8)
        with HybridLibrary.open(path, embedder=calls) as library:  # the same put again does what is left, once
            again = make_result(f"paper {last + 1}", title=f"paper {last + 1}")
            library.put_paper(again)
            assert library.put_paper(again).effect == "unchanged"
            assert parts(library, last + 1) in {(3, 3), (5, 3)}
        start, finished = last + 2, finished + len(done["put"])
    assert finished, "the writer got something done between the kills"
