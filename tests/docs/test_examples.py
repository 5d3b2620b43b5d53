"""The example knowledge is valid and varied, and every example runs offline."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from hybridkb.cli.root import cli
from hybridkb.errors import HybridKBError
from hybridkb.knowledge import KnowledgeItem, TreeKnowledge, read_items, registered_types

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = [
    pytest.param(path, id=path.name, marks=[pytest.mark.slow] if path.name == "demo.py" else [])
    for path in sorted(EXAMPLES.glob("*.py"))
]


@pytest.fixture(scope="module")
def desk() -> list[KnowledgeItem]:
    items = []
    for file in sorted((EXAMPLES / "items").glob("*.jsonl")):
        for _, entry in read_items(file):
            assert not isinstance(entry, HybridKBError), entry
            assert isinstance(entry, KnowledgeItem)
            items.append(entry)
    return items


def test_desk_has_at_least_forty_items_of_every_type(desk: list[KnowledgeItem]) -> None:
    assert len({item.id for item in desk}) >= 40
    counts = Counter(item.item_type for item in desk)
    assert counts.keys() >= {"note", "news", "earnings", "factor", "thesis", "filing", "transcript"}
    assert min(counts.values()) >= 4


def test_desk_tells_apart_what_is_about_and_when_it_was_known(desk: list[KnowledgeItem]) -> None:
    known = [item for item in desk if item.available_at is not None]
    assert len(desk) - len(known) >= 2
    assert all(item.available_at and item.available_at >= item.as_of for item in known)
    assert len({item.available_at for item in known}) > 40
    assert sum(item.available_at != item.as_of for item in known) > 40


def test_desk_holds_a_restatement(desk: list[KnowledgeItem]) -> None:
    states = defaultdict(list)
    for item in desk:
        states[item.id].append(item)
    (restated,) = (several for several in states.values() if len(several) > 1)
    first, second = restated
    assert isinstance(first, TreeKnowledge)
    assert first.as_of == second.as_of
    assert first.available_at
    assert second.available_at
    assert first.available_at < second.available_at


def test_desk_uses_built_in_types_only(desk: list[KnowledgeItem]) -> None:
    assert {item.item_type for item in desk} <= registered_types().keys()


@pytest.mark.parametrize("script", SCRIPTS)
def test_example_runs_offline(script: Path, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if "HYBRIDKB" not in name and "OPENAI" not in name}
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_demo_names_commands_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "demo.py"))["say_what_next"]("examples/desk", 1.0)
    named = re.findall(r"bin/hybridkb -d \S+ (\S+)", capsys.readouterr().out)
    assert len(named) > 4
    assert set(named) <= cli.commands.keys()
