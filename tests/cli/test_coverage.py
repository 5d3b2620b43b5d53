"""``hybridkb coverage``: a table for people, JSON for programs, an exit code for a scheduler."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hybridkb import HybridLibrary
from hybridkb.cli.root import cli
from hybridkb.knowledge import Provenance
from hybridkb.memory import KnowledgeCard, collect_article_sources, ingest_sources
from oracles.items import day
from support.fake_embedder import HashEmbedder


def run(database: Path, *arguments: object, code: int = 0) -> Result:
    words = ["--database", str(database), "--embedder", "none", "coverage", *map(str, arguments)]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == code, result.output
    return result


def told(database: Path, *arguments: object, code: int = 0) -> Any:
    return json.loads(run(database, "--json", *arguments, code=code).stdout)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four articles, one of them a draft."""
    root = tmp_path / "articles"
    root.mkdir()
    for name, text in {"a": "one", "b": "two", "c": "three", "d": "---\nstatus: draft\n---\nfour"}.items():
        (root / f"{name}.md").write_text(text)
    return root


@pytest.fixture
def database(tmp_path: Path, folder: Path) -> Path:
    """The articles are in, and a card that nobody expects."""
    path = tmp_path / "memory.db"
    with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
        ingest_sources(library, collect_article_sources(folder))
        ingest_sources(library, [KnowledgeCard("extra", "five", Provenance("scout"), available_at=day(1))])
    return path


def test_full_coverage_is_code_zero(database: Path, folder: Path) -> None:
    output = run(database, folder).output
    assert "100.0 % covered: 3 of 3 are in" in output
    for words in ("orphans", "extra", "upcoming", "without availability"):
        assert words in output
    assert "truncated was not counted" in output


def test_missing_and_stale_are_code_one(database: Path, folder: Path) -> None:
    (folder / "e.md").write_text("new")
    assert "not good enough: less than 100 %" in run(database, folder, code=1).output
    assert "75.0 % covered" in run(database, folder, "--min", "75").output
    (folder / "a.md").write_text("changed")
    output = run(database, folder, "--min", "75", code=1).output
    assert "not good enough: stale" in output
    run(database, folder, "--min", "75", "--fail-on", "unreadable")


def test_any_gap_may_be_made_to_fail(database: Path, folder: Path) -> None:
    for gap in ("orphans", "without_availability"):
        report = told(database, folder, "--fail-on", gap, code=1)
        assert (report["ok"], report["failed_on"]) == (False, [gap])
    for gap in ("without_vectors", "without_provenance", "truncated", "unreadable", "stale"):
        assert told(database, folder, "--fail-on", gap)["ok"] is True
    (folder / "bad.md").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert told(database, folder, code=1)["failed_on"] == ["unreadable"]


def test_json_holds_everything(database: Path, folder: Path) -> None:
    report = told(database, folder)
    assert (report["coverage_pct"], report["expected"], report["covered"]) == (100.0, 3, 3)
    assert report["orphans"] == ["extra"]
    assert report["upcoming"] == ["d"]
    assert report["chunk_counts"] == {"a": 1, "b": 1, "c": 1, "extra": 1}
    assert report["indexed_slugs"] == ["a", "b", "c", "extra"]
    assert report["not_counted"]["truncated"]


def test_classes_narrow_it(database: Path, folder: Path) -> None:
    assert told(database, folder, "--source", "article")["orphans"] == []


def test_all_lists_every_slug(database: Path, folder: Path) -> None:
    assert "chunks" in run(database, folder, "--all").output


def test_a_manifest_or_sources_may_be_named(database: Path, folder: Path, tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.csv"
    manifest.write_text("slug,status\na,\nb,\nz,upcoming\n")
    assert told(database, manifest)["upcoming"] == ["z"]
    assert told(database, "--articles", folder)["coverage_pct"] == 100.0


def test_nothing_expected_is_not_success(database: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "nothing is expected" in run(database, tmp_path / "empty", code=1).output


@pytest.mark.parametrize(
    "arguments", [(), ("nowhere",), ("nowhere.csv",), ("x.csv", "--articles", "y"), (".", "--min", "101")]
)
def test_what_cannot_be_is_refused(database: Path, arguments: tuple[str, ...]) -> None:
    run(database, *arguments, code=2)


def test_a_folder_kept_in_step_is_compared_file_by_file(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "desk.db"
    with HybridLibrary.open(path, embedder=None) as library:
        library.sync(folder)
    assert told(path, folder)["indexed_slugs"] == ["a.md", "b.md", "c.md", "d.md"]
    (folder / "new.txt").write_text("new")
    assert told(path, folder, code=1)["missing"] == ["new.txt"]
