"""``hybridkb paper`` on what a library may hold: parts withdrawn, no passages, hostile titles."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hybridkb import HybridLibrary
from hybridkb.cli.root import cli
from oracles.items import day
from support.papers import make_result, make_source, make_tree, result_of

HOSTILE = "\u202eevil\x1b[31m\u2028two\nid  forged\x07"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "papers.db"


def run(path: Path, *arguments: str) -> str:
    result = CliRunner().invoke(cli, ["--database", str(path), *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def listed(path: Path) -> list[dict[str, Any]]:
    papers: list[dict[str, Any]] = json.loads(run(path, "paper", "list", "--json"))["papers"]
    return papers


def test_a_paper_without_passages_is_listed_while_anything_of_it_is_seen(path: Path) -> None:
    result = make_result(available_at=day(1))
    with HybridLibrary.open(path, embedder=None) as library:
        library.put_paper(result)
        source, blobs = make_source("empty", pages=((),), title="Empty", available_at=day(1))
        empty = result_of(source, blobs, summary=None, tree=False)
        library.put_paper(replace(empty, tree=make_tree(source, (("Only", 1),))))
        library.delete(result.chunk_set.id, at=day(3))
    assert {one["title"]: one["chunks"] for one in listed(path)} == {"Empty": 0, "Attention in Tests": 0}
    with HybridLibrary.open(path, embedder=None) as library:
        for artifact in (result.summary, result.tree):
            assert artifact is not None
            library.delete(artifact.id, at=day(4))
    assert [one["title"] for one in listed(path)] == ["Empty"]


def test_a_title_is_one_line_that_commands_nothing(path: Path) -> None:
    result = make_result(title=HOSTILE, authors=(HOSTILE,), summary="Words \u202e and \x1b[2J more.")
    with HybridLibrary.open(path, embedder=None) as library:
        library.put_paper(result)
    shown = run(path, "paper", "show", str(result.source.id))
    outputs = [shown, run(path, "paper", "list"), run(path, "search", "attention"), run(path, "audit")]
    assert not any(sign in output for output in outputs for sign in "\u202e\x1b\x07")
    heads = [line.split("  ")[0] for line in shown.splitlines() if line.startswith(("id ", "title "))]
    assert heads == ["title", "id"]
    assert len(run(path, "paper", "list").splitlines()) == 2
    heads = [line for line in run(path, "search", "attention").splitlines() if line.startswith(("two", "id "))]
    assert heads == []
