"""What a newcomer types first: paths where ids are asked for, filters with a slip, folders that are not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hybridkb import HybridLibrary
from hybridkb.cli import exit_codes
from hybridkb.cli.root import cli

FRONT = "---\navailable_at: 2024-03-01\ntype: rule\ntags: margin\nsource: https://example.org/handbook\n---\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "docs"
    (place / "rules").mkdir(parents=True)
    (place / "rules" / "margin.md").write_text(FRONT + "# Margin\n\nCalls are due at noon.\n", encoding="utf-8")
    (place / "other.md").write_text("# Halts\n\nTrading stops.\n", encoding="utf-8")
    return place


def run(database: Path, *arguments: str | Path, expect: int = 0, given: str | None = None) -> Result:
    result = CliRunner().invoke(
        cli, ["--database", str(database), "--embedder", "none", *map(str, arguments)], input=given
    )
    assert result.exit_code == expect, result.output
    return result


@pytest.fixture
def database(tmp_path: Path, folder: Path) -> Path:
    path = tmp_path / "desk.db"
    run(path, "sync", folder, "--no-embed")
    return path


def test_an_item_may_be_named_by_its_path(database: Path) -> None:
    assert "Calls are due at noon." in run(database, "get", "rules/margin.md").output
    assert "2024-03-01" in run(database, "history", "rules/margin.md").output
    run(database, "delete", "rules/margin.md")
    assert "no item that is visible now" in run(database, "get", "rules/margin.md", expect=2).output
    run(database, "purge", "other.md", given="y\n")
    assert "Halts" not in run(database, "search", "halts", expect=exit_codes.FINDINGS).output


@pytest.mark.parametrize("name", ["rules", "nothing.md", "", "../margin.md"])
def test_what_names_no_item_is_refused_in_words(database: Path, name: str) -> None:
    for command in ("get", "history", "delete", "purge"):
        output = run(database, command, name, *(["-y"] if command == "purge" else []), expect=2).output
        assert "path or slug" in output
    with HybridLibrary.open(database, embedder=None) as library:
        assert library.stats().items == 2


def test_one_wrong_name_withdraws_nothing(database: Path) -> None:
    run(database, "delete", "other.md", "gone.md", expect=2)
    assert "Halts" in run(database, "search", "halts").output


def test_a_hit_says_where_to_look(database: Path) -> None:
    output = run(database, "search", "calls noon").output
    assert "rules/margin.md, https://example.org/handbook" in output


def test_an_empty_answer_says_what_to_try(database: Path) -> None:
    output = run(database, "search", "calls", "--type", "rul", expect=exit_codes.FINDINGS).output
    assert "--type: did you mean rule" in output
    assert "searched 2 records of 2 items" in output
    facts = json.loads(run(database, "--json", "search", "calls", "--tag", "margn", expect=exit_codes.FINDINGS).output)
    assert facts["nothing_found"]["did_you_mean"] == {"tags": ["margin"]}
    assert "nothing_found" not in json.loads(run(database, "--json", "search", "calls").output)


def test_a_suggestion_never_comes_from_after_the_cutoff(database: Path) -> None:
    output = run(
        database, "search", "calls", "--type", "rul", "--available-before", "2024-01-01", expect=exit_codes.FINDINGS
    ).output
    assert "did you mean" not in output
    assert "rule" not in output


def test_a_folder_that_is_not_there_makes_no_library(tmp_path: Path, database: Path) -> None:
    path = tmp_path / "typo.db"
    assert "there is no folder" in run(path, "sync", tmp_path / "dcos", expect=2).output
    assert not path.exists()
    assert "leave out --folder" in run(database, "mcp", "--folder", tmp_path / "dcos", expect=2).output


def test_without_a_gold_set_of_its_own_it_says_to_name_one(database: Path) -> None:
    output = run(database, "evaluate", expect=exit_codes.INVALID).output
    assert "no gold set was named" in output
    assert len(output) < 600


@pytest.mark.parametrize(
    ("arguments", "idle"),
    [
        (["--rrf-k", "20", "--alpha", "0.2"], "--alpha means nothing to the fusion rrf"),
        (["--fusion", "convex", "--rrf-k", "20"], "--rrf-k means nothing to the fusion convex"),
    ],
)
def test_a_setting_of_the_other_fusion_is_not_passed_over(database: Path, arguments: list[str], idle: str) -> None:
    assert idle in run(database, "reindex", *arguments, expect=exit_codes.INVALID).output
