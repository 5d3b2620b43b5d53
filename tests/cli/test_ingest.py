"""``hybridkb ingest`` and ``hybridkb backfill``: sources in, everything that was left out said, a code for scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hybridkb import HybridLibrary
from hybridkb.cli.root import cli
from oracles.items import day, note

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "memory"


def run(database: Path, *arguments: object, code: int = 0) -> Result:
    words = ["--database", str(database), "--embedder", "none", *map(str, arguments)]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == code, result.output
    return result


def told(database: Path, *arguments: object, code: int = 0) -> Any:
    return json.loads(run(database, "--json", *arguments, code=code).stdout)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def test_all_kinds_of_sources_go_in_at_once(database: Path) -> None:
    sources = ("--articles", EXAMPLES / "articles", "--scouts", EXAMPLES / "scouts", "--lineage", EXAMPLES / "lineage",
               "--cards", EXAMPLES / "deep_research.jsonl")  # fmt: skip
    report = told(database, "ingest", *sources)
    assert report["by_source"] == {"article": 12, "lineage": 22, "scout": 7, "deep_research": 2}
    assert report["skipped"] == []
    again = run(database, "ingest", *sources).output
    assert "40 unchanged; 0 chunks written" in again
    assert "upcoming: fx/carry-unwinds (draft)" in again


def test_what_was_left_out_is_told_and_the_code_says_so(database: Path, tmp_path: Path) -> None:
    root = tmp_path / "articles"
    root.mkdir()
    (root / "good.md").write_text("words")
    (root / "bad.md").write_bytes(b"\x89PNG\r\n\x1a\n")
    result = run(database, "ingest", "--articles", root, code=1)
    assert "1 added; 1 chunks written" in result.output
    assert "skipped: bad.md: is a PNG image" in result.output


def test_names_and_words_of_strangers_command_no_terminal(database: Path, tmp_path: Path) -> None:
    root = tmp_path / "articles"
    root.mkdir()
    (root / "\x1b[31mred.md").write_bytes(b"\x89PNG\r\n\x1a\n")
    (root / "b.md").write_text('---\nstatus: "\\e[2Jclear"\n---\nwords')
    assert "\x1b" not in run(database, "ingest", "--articles", root, code=1).output
    assert "\x1b" not in run(database, "coverage", root, "--min", "0", code=1).output


def test_sizes_prefix_and_classes_are_options(database: Path, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.md").write_text("one two three four five")
    options = ("--deep-research", tmp_path / "deep", "--prefix", "web/", "--words-per-chunk", 2, "--overlap", 1)
    report = told(database, "ingest", *options)
    assert (report["slugs"], report["chunks_written"], report["by_source"]) == (["web/a"], 4, {"deep_research": 4})


def test_a_library_s_zone_reads_the_days(database: Path, tmp_path: Path) -> None:
    run(database, "init", "--zone", "Asia/Tokyo")
    card = {"slug": "a", "text": "words", "source": "scout", "available_at": "2024-03-01"}
    (tmp_path / "cards.jsonl").write_text(json.dumps(card))
    run(database, "ingest", "--cards", tmp_path / "cards.jsonl")
    with HybridLibrary.open(database, embedder=None) as library:
        (hit,) = library.search("words")
    assert hit.available_at is not None
    assert hit.available_at.isoformat() == "2024-03-01T14:59:59.999999+00:00"


def test_bad_lines_of_cards_are_told(database: Path, tmp_path: Path) -> None:
    lines = [
        '{"slug": "a", "text": "words", "provenance": {"source": "scout"}}', "{nope", "[]", '{"slug": "b"}',
        '{"slug": "c", "text": "words", "source": "gossip"}', '{"slug": "a", "text": "again", "source": "scout"}',
    ]  # fmt: skip
    (tmp_path / "cards.jsonl").write_text("\n".join(lines))
    report = told(database, "ingest", "--cards", tmp_path / "cards.jsonl", code=1)
    assert report["slugs"] == ["a"]
    assert [one["place"] for one in report["skipped"]] == [f"cards.jsonl, line {line}" for line in (2, 3, 4, 5, 6)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "which sources"),
        (("--articles", "nowhere"), "neither a folder nor a file"),
        (("--cards", "nowhere.jsonl"), "cannot be read"),
        (("--articles", ".", "--overlap", "900"), "overlap"),
        (("--articles", ".", "--words-per-chunk", "0"), "words-per-chunk"),
    ],
)
def test_what_cannot_be_is_refused(database: Path, arguments: tuple[str, ...], words: str) -> None:
    assert words in run(database, "ingest", *arguments, code=2).output


def test_backfill_gives_cards_once(database: Path) -> None:
    with HybridLibrary.open(database, embedder=None) as library:
        library.put_many([note("a", "copper", available_at=day(1)), note("b", "tin", available_at=None)])
    options = ("backfill", "--source", "scout", "--kind", "memo")
    assert "2 items would get a provenance card, in 2 states" in run(database, *options, "--dry-run").output
    assert told(database, *options)["revisions"] == 2
    assert told(database, *options)["revisions"] == 0
    hits = told(database, "search", "copper", "--source", "scout")["hits"]
    assert len(hits) == 1
    assert "gossip" in run(database, "backfill", "--source", "gossip", code=2).output
    run(database, "backfill", code=2)
