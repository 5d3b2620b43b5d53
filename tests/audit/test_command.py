"""``hybridkb audit``: a table for people, JSON for programs, and an exit code for scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hybridkb import HybridLibrary
from hybridkb.cli.root import cli
from hybridkb.knowledge import ExtractionRef
from oracles.items import day, item_id, note
from support.fake_embedder import HashEmbedder

OLD = day(-200)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Seven items of unknown availability, one back-filled, one of a model, one purged."""
    path = tmp_path / "desk.db"
    with HybridLibrary.open(path, embedder=HashEmbedder(8), clock=lambda: day(10)) as library:
        library.put_many(note(number, "copper", available_at=None) for number in range(7))
        library.put(note("old", "copper", available_at=OLD))
        library.put(note("written", "copper", available_at=OLD, extraction=ExtractionRef(model="gpt-4o")))
        library.put(note("purged", "copper", available_at=day(10)))
        library.purge(item_id("purged"), reason="licence ended")
    return path


def run(database: Path, *arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, ["--database", str(database), "audit", *arguments])
    assert result.exit_code == code, result.output
    return result


def told(database: Path, *arguments: str, code: int = 0) -> Any:
    return json.loads(run(database, "--json", *arguments, code=code).stdout)


def test_notes_alone_are_no_failure(database: Path) -> None:
    text = run(database).output
    for words in ("unknown_availability", "note 7; manual 7", "and 2 more", "licence ended", "back_filled"):
        assert words in text
    assert "nothing severe in 9 items, 9 revisions" in text
    assert "model fake (embedding" in text


def test_since_makes_edits_severe(database: Path) -> None:
    assert "severe" in run(database, "--since", "2024-01-11", code=1).output
    report = told(database, "--since", "2024-01-11", code=1)
    assert report["since"] == "2024-01-11T00:00:00+00:00"
    assert {one["kind"]: one["severity"] for one in report["findings"]} == {
        "back_filled": "severe", "purge": "severe", "unknown_availability": "note",
    }  # fmt: skip
    assert {one["kind"] for one in told(database, "--since", "2024-01-12")["findings"]} == {"unknown_availability"}


def test_cutoffs_are_compared_with_models(database: Path) -> None:
    report = told(database, "--cutoff", "2023-12-31", "--cutoff", "2024-12-31", code=1)
    (severe,) = [one for one in report["findings"] if one["severity"] == "severe"]
    assert (severe["kind"], severe["count"], severe["examples"][0]["subject"]) == (
        "written_by_newer_model", 1, str(item_id("written")),
    )  # fmt: skip
    assert (report["cutoffs"], report["first_cutoff"]) == (2, "2023-12-31T00:00:00+00:00")
    assert {model["model"] for model in report["models"]} == {"fake", "gpt-4o"}
    told(database, "--cutoff", "2024-12-31")


def test_an_empty_library_is_fine(tmp_path: Path) -> None:
    HybridLibrary.open(tmp_path / "empty.db", embedder=None).close()
    assert "nothing severe in 0 items" in run(tmp_path / "empty.db").output
    assert told(tmp_path / "empty.db")["ok"] is True


def test_a_wrong_day_is_refused(database: Path) -> None:
    assert "not" in run(database, "--since", "yesterday", code=2).output


def test_history_and_get_show_the_past(database: Path) -> None:
    with HybridLibrary.open(database, embedder=None, clock=lambda: day(20)) as library:
        library.put(note("old", "copper revised", available_at=day(19)))
    name = str(item_id("old"))
    runner = CliRunner()
    history = runner.invoke(cli, ["--database", str(database), "history", name]).output
    assert history.count("\n") >= 3
    assert "current" in history
    then = runner.invoke(cli, ["--database", str(database), "get", name, "--at", "2024-01-02"]).output
    assert "copper revised" not in then
    assert "copper" in then
    assert "copper revised" in runner.invoke(cli, ["--database", str(database), "get", name]).output
    asked = ["--database", str(database), "--embedder", "none", "search", "copper", "--available-before", "2024-01-02"]
    hits = json.loads(runner.invoke(cli, [*asked, "--json"]).stdout)["hits"]
    (hit,) = [one for one in hits if one["item_id"] == name]
    assert (hit["revision"], hit["recorded_at"]) == (1, "2024-01-11T00:00:00+00:00")
    assert "revision 1, recorded 2024-01-11" in runner.invoke(cli, [*asked, "--explain"]).output


def test_compact_takes_the_bytes_out(database: Path) -> None:
    with HybridLibrary.open(database, embedder=None) as library:
        library.put(note("secret", "xyzzysecret", available_at=OLD))
    CliRunner().invoke(cli, ["--database", str(database), "purge", "--yes", str(item_id("secret"))])
    assert CliRunner().invoke(cli, ["--database", str(database), "compact"]).exit_code == 0
    assert not any(b"xyzzysecret" in file.read_bytes() for file in database.parent.glob("desk.db*"))
