"""Several processes on one folder, and processes that are killed: the work is done once, and goes on where it was."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from folder.desk import Desk
from hybridkb import HybridLibrary
from support.raw_rows import address_of, job_lock

TESTS = Path(__file__).parents[1]
KNOWN = "---\navailable_at: 2024-03-05T00:00:00Z\n---\n"

REFRESHER = """
import json, sys, time
from hybridkb import KnowledgeBase
from support.fake_embedder import HashEmbedder

embedder = HashEmbedder(16)
knowledge = KnowledgeBase(sys.argv[1], sys.argv[2], embedder=embedder, wait_seconds=60)
knowledge.library
print("ready", flush=True)
sys.stdin.readline()
counts = knowledge.refresh()
hits = knowledge.search("copper", 1000, mode="lexical")
print(json.dumps({"indexed": counts.indexed, "texts": len(embedder.document_texts), "hits": len(hits)}))
"""


def start(desk: Desk) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", REFRESHER, str(desk.folder), address_of(desk.index)],
        cwd=TESTS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "ready\n", process.stderr.read()
    return process


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return dict(json.loads(output))


def fill(desk: Desk, count: int) -> None:
    for number in range(count):
        desk.write(f"sub{number % 7}/{number}.md", f"{KNOWN}# Part\n\ncopper word{number}\n")


def test_two_processes_that_refresh_at_once_do_the_work_once(desk: Desk) -> None:
    count = 300
    fill(desk, count)
    processes = [start(desk), start(desk)]
    for process in processes:
        go(process)
    answers = [answer(process) for process in processes]
    assert sorted(one["indexed"] for one in answers) == [0, count]
    assert sum(one["texts"] for one in answers) == count
    assert [one["hits"] for one in answers] == [count, count]
    with HybridLibrary.open(desk.index, embedder=None) as library:
        assert library.stats().revisions == count


def test_who_cannot_wait_answers_from_the_index_as_it_is_and_says_so(desk: Desk) -> None:
    desk.write("a.md", "copper")
    desk.refresh()
    desk.write("b.md", "copper")
    base = desk.base(wait_seconds=0.01)
    with job_lock(desk.index, "sync", wait_seconds=0):
        hits = base.search("copper", mode="lexical")
        assert [hit.path for hit in hits] == ["a.md"]
        assert "is at the job 'sync'" in (hits.degraded or "")
        assert hits.counts is not None
        assert hits.counts.busy is not None
        assert hits.counts.waited >= 0.01
    assert sorted(hit.path for hit in base.search("copper", mode="lexical")) == ["a.md", "b.md"]
    base.close()


def test_an_unchanged_folder_waits_for_nobody(desk: Desk, settled: None) -> None:
    desk.write("a.md", "copper")
    desk.refresh()
    with job_lock(desk.index, "sync", wait_seconds=0):
        counts = desk.refresh()
    assert (counts.busy, counts.waited) == (None, 0)


class Stop(BaseException):
    """What no code of ours catches."""


@pytest.mark.parametrize("after", range(3))
def test_an_interrupt_between_batches_keeps_what_was_committed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.setattr("hybridkb.folder.batch.BATCH_FILES", 10)
    fill(desk, 40)

    def stop(done: int, _total: int | None) -> None:
        if done == 10 * (after + 1):
            raise Stop

    with pytest.raises(Stop):
        desk.refresh(progress=stop)
    assert desk.library.stats().items == 10 * (after + 1)
    assert desk.library.check().ok
    assert desk.refresh().indexed == 40 - 10 * (after + 1)
    assert len(desk.found("copper")) == 40


def test_an_error_within_a_batch_leaves_nothing_of_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("a.md", KNOWN + "copper")
    desk.refresh()
    past = desk.answers(0, "copper")
    desk.move("a.md", "b.md")
    with monkeypatch.context() as patch:
        patch.setattr("hybridkb.folder.apply.save_files", lambda *_: (_ for _ in ()).throw(Stop()))
        with pytest.raises(Stop):
            desk.refresh(days=1)
    assert [hit.path for hit in desk.library.search("copper")] == ["a.md"]
    assert desk.refresh(days=1).renamed == 1
    assert (desk.found("copper"), desk.answers(0, "copper")) == (["b.md"], past)


CHANGER = """
import os, random, sys
from datetime import UTC, datetime
from pathlib import Path
from hybridkb import KnowledgeBase
from hybridkb.folder import apply, batch
from support.fake_embedder import HashEmbedder

batch.BATCH_FILES, apply.BATCH_REMOVALS = 5, 5
knowledge = KnowledgeBase(sys.argv[1], sys.argv[2], embedder=HashEmbedder(16), wait_seconds=60)
knowledge.library
print("ready", flush=True)
while True:
    knowledge.refresh()
    print("refreshed", flush=True)
"""


@pytest.mark.slow
def test_kills_at_any_point_leave_a_library_that_the_next_refresh_brings_in_step(desk: Desk) -> None:
    source = random.Random(5)
    fill(desk, 60)
    for step in range(12):
        process = subprocess.Popen(
            [sys.executable, "-c", CHANGER, str(desk.folder), address_of(desk.index)],
            cwd=TESTS, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(source.uniform(0, 0.15))
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        with HybridLibrary.open(desk.index, embedder=None) as library:
            report = library.check()
            assert report.ok, report.findings
        shuffle(desk, source, step)
    desk.refresh()
    expected = sorted(path.relative_to(desk.folder).as_posix() for path in desk.folder.rglob("*.md"))
    assert sorted(desk.found("copper", limit=1000)) == expected


def shuffle(desk: Desk, source: random.Random, step: int) -> None:
    """Move, edit, delete and add a few files."""
    paths = sorted(desk.folder.rglob("*.md"))
    for path in source.sample(paths, 12):
        match source.randrange(4):
            case 0:
                path.rename(path.with_name(f"moved{step}-{path.name}"))
            case 1:
                path.write_text(f"{KNOWN}copper edited {step}")
            case 2:
                path.unlink()
            case _:
                path.with_name(f"new{step}-{path.name}").write_text(f"{KNOWN}copper new {step}")
