"""A full day of an operator, while a thread and another process search: no answer fails, none is mixed."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.evaluation import list_runs

pytestmark = pytest.mark.sqlite_only("the example keeps a file")

EXAMPLE = Path(__file__).parents[2] / "examples" / "operator_cycle.py"
READER = """
import json, runpy, sys, threading
from pathlib import Path
day = runpy.run_path(sys.argv[1])
reader, stop = day["Reader"](Path(sys.argv[2])), threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), stop.set()), daemon=True).start()
print("reading", flush=True)
reader.run(stop)
print(json.dumps({
    "searches": reader.searches, "failures": reader.failures, "mixed": reader.mixed,
    "answers": [[*key, sorted(map(list, found))] for key, found in reader.answers.items()],
}))
"""


@pytest.fixture(scope="module")
def day() -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLE))


def answers(day: dict[str, Any], path: Path) -> dict[tuple[str, str], set[tuple[str, ...]]]:
    """What a fresh reader gets, alone."""
    reader = day["Reader"](path)
    with HybridLibrary.open(path, read_only=True) as library:
        for question in day["QUESTIONS"]:
            reader.ask(library, question)
    assert not reader.failures
    found: dict[tuple[str, str], set[tuple[str, ...]]] = reader.answers
    return found


def test_readers_go_on_while_models_come_and_go(day: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    day["make_library"](path)
    before = answers(day, path)
    process = subprocess.Popen(
        [sys.executable, "-c", READER, str(EXAMPLE), str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "reading\n"
    with day["reading"](path) as thread:
        assert day["cycle"](path) == (False, True)
        seen = thread.searches
        deadline = time.monotonic() + 60
        while thread.searches < seen + 2 * len(day["QUESTIONS"]) and time.monotonic() < deadline:
            time.sleep(0.01)  # both readers answer from the new index at least once
        after = answers(day, path)
    out, _ = process.communicate(timeout=120)
    said = json.loads(out)
    other = {(fingerprint, question): {tuple(one) for one in found} for fingerprint, question, found in said["answers"]}

    assert (thread.failures, said["failures"]) == ([], [])
    assert (thread.mixed, said["mixed"]) == (0, 0)
    expected = before | after
    assert len(expected) == 2 * len(day["QUESTIONS"])
    for found in (thread.answers, other):
        assert found.keys() <= expected.keys(), "an answer of an index that never served"
        assert all(found[key] == expected[key] for key in found)
    assert thread.answers.keys() == expected.keys()
    assert before.keys() <= other.keys()

    with HybridLibrary.open(path, read_only=True) as library:
        assert [run.promote for run in list_runs(library, kind="evaluate")] == [True, False, None]
        assert [run.target for run in list_runs(library, promoted=True)] == ["candidate", "serving"]
        assert library.check().ok
