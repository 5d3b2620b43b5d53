"""Experiment logs: a row, a card; figures as written; what is wrong with a row said in its place."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from conftest import Opener
from hybridkb.errors import InvalidInput
from hybridkb.knowledge import Provenance
from hybridkb.memory import CollectedCards, UpcomingCard, collect_lineage_sources, ingest_sources


def log(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


ROW = {"run": "momentum", "experiment": "e07", "verdict": "keep", "date": "2024-03-01", "hypothesis": "Skip a month",
       "sharpe": 1.20, "tags": ["momentum", "us"], "params": {"lookback": 12, "windows": [3, 6]}}  # fmt: skip


def collect(path: Path, **options: Any) -> CollectedCards:
    return collect_lineage_sources(path, **options)


def test_a_row_that_says_two_things_under_one_name_is_skipped(tmp_path: Path) -> None:
    twice = '{"run": "r", "experiment": "e1", "verdict": "keep", "verdict": "discard"}'
    found = collect(log(tmp_path / "log.jsonl", twice, ROW))
    assert [one.slug for one in found] == ["momentum/e07"]
    (skipped,) = found.skipped
    assert skipped.place == "log.jsonl, line 1"
    assert "'verdict' stands twice" in skipped.reason


def test_a_row_becomes_a_card_that_loses_nothing(tmp_path: Path) -> None:
    (card,) = collect(log(tmp_path / "log.jsonl", ROW))
    assert (card.slug, card.title) == ("momentum/e07", "momentum e07")
    assert card.text.split("\n") == [
        "Run: momentum", "Experiment: e07", "Verdict: keep", "Hypothesis: Skip a month", "Sharpe: 1.2",
        "Params: lookback=12, windows=3, 6",
    ]  # fmt: skip
    assert card.provenance == Provenance("lineage", "experiment", "2024-03-01", "keep", None)
    assert card.tags == ("momentum", "us")
    assert card.available_at == datetime(2024, 3, 1, 23, 59, 59, 999_999, tzinfo=UTC)
    assert card.source is not None
    assert card.source.uri == "log.jsonl"


def test_a_table_gives_the_same_card_as_lines(tmp_path: Path) -> None:
    cells = {name: value for name, value in ROW.items() if name not in ("tags", "params")} | {"sharpe": "1.2"}
    log(tmp_path / "a.jsonl", cells)
    log(tmp_path / "b.csv", ",".join(cells), ",".join(map(str, cells.values())))
    log(tmp_path / "c.tsv", "\t".join(cells).title(), "\t".join(map(str, cells.values())))
    found = [collect(tmp_path / name)[0] for name in ("a.jsonl", "b.csv", "c.tsv")]
    assert len({(card.slug, card.text, card.provenance, card.content_hash) for card in found}) == 1


def test_figures_keep_their_digits(tmp_path: Path) -> None:
    (card,) = collect(log(tmp_path / "a.jsonl", '{"id": 7, "verdict": "keep", "loss": 0.99790, "n": 1e3, "ok": true}'))
    assert card.text == "Run: a\nExperiment: 7\nVerdict: keep\nLoss: 0.99790\nN: 1e3\nOk: yes"


def test_other_names_for_the_cells_are_understood(tmp_path: Path) -> None:
    log(tmp_path / "results.tsv", "Commit\tval bpb\tmemory-gb\tstatus\tdescription", "a1b2\t0.99\t44.0\tdiscard\twider")
    (card,) = collect(tmp_path)
    assert (card.slug, card.provenance.verdict) == ("results/a1b2", "discard")
    assert "Val bpb: 0.99" in card.text
    assert "Memory gb: 44.0" in card.text


def test_rows_are_named_by_run_and_experiment_wherever_they_stand(tmp_path: Path) -> None:
    first = collect(log(tmp_path / "log.jsonl", ROW, {**ROW, "experiment": "e08"}))
    second = collect(log(tmp_path / "log.jsonl", {**ROW, "experiment": "e06"}, {**ROW, "experiment": "e08"}, ROW))
    assert {card.slug: card for card in first}.items() <= {card.slug: card for card in second}.items()


def test_a_row_that_is_still_running_is_listed(tmp_path: Path) -> None:
    collected = collect(log(tmp_path / "a.jsonl", {"id": "e1"}, {"id": "e2", "verdict": " "}))
    assert collected.upcoming == (UpcomingCard("a/e1", "running"), UpcomingCard("a/e2", "running"))


def test_bad_rows_are_named_by_line_and_the_rest_is_read(tmp_path: Path) -> None:
    wrong = {
        "[1]": "object", "{nope": "JSON", '{"run": "r"}': "experiment", '{"id": "x", "verdict": "maybe"}': "maybe",
        json.dumps(ROW): "line 1", '{"id": "a", "ID": "b", "verdict": "keep"}': "twice",
        '{"id": "../x", "verdict": "keep"}': "slug", '{"id": "x", "a": ' + "[" * 900 + "]" * 900 + "}": "deeply",
    }  # fmt: skip
    collected = collect(log(tmp_path / "a.jsonl", ROW, "", *wrong, {**ROW, "experiment": "last"}))
    assert [card.slug for card in collected] == ["momentum/e07", "momentum/last"]
    assert [one.place for one in collected.skipped] == [f"a.jsonl, line {line}" for line in range(3, 11)]
    for one, word in zip(collected.skipped, wrong.values(), strict=True):
        assert word in one.reason


def test_bad_tables_are_named_by_line(tmp_path: Path) -> None:
    log(tmp_path / "a.csv", "id,verdict,note", 'e1,keep,"two\nlines"', "e2,keep,a,b", "e3,keep", 'e4,keep,"open')
    collected = collect(tmp_path / "a.csv")
    assert [card.slug for card in collected] == ["a/e1", "a/e3"]
    assert [one.place for one in collected.skipped] == ["a.csv, line 4", "a.csv, line 6"]
    log(tmp_path / "b.csv", "id,id", "1,2")
    assert "header" in collect(tmp_path / "b.csv").skipped[0].reason
    log(tmp_path / "c.csv", "")
    assert collect(tmp_path / "c.csv") == CollectedCards()


def test_verdicts_may_be_widened(tmp_path: Path) -> None:
    path = log(tmp_path / "a.jsonl", {"id": "e1", "verdict": "crash"})
    assert len(collect(path)) == 0
    assert collect(path, verdicts=("keep", "discard", "crash"))[0].provenance.verdict == "crash"


def test_a_folder_of_logs_is_read_in_order(tmp_path: Path) -> None:
    log(tmp_path / "b.csv", "id,verdict", "e1,keep")
    log(tmp_path / "a.jsonl", {"id": "e1", "verdict": "discard"})
    log(tmp_path / "notes.md", "not a log")
    (tmp_path / "broken.csv").write_bytes(b"\x89PNG\r\n\x1a\n")
    collected = collect(tmp_path, prefix="lineage/")
    assert [card.slug for card in collected] == ["lineage/a/e1", "lineage/b/e1"]
    assert [one.place for one in collected.skipped] == ["broken.csv"]
    with pytest.raises(InvalidInput):
        collect(tmp_path / "none")


def test_experiments_are_found_by_what_was_decided(tmp_path: Path, open_library: Opener) -> None:
    library = open_library()
    path = log(tmp_path / "a.jsonl", ROW, {**ROW, "experiment": "e08", "verdict": "discard"})
    assert ingest_sources(library, collect(path)).by_source == {"lineage": 2}
    for verdict in ("keep", "discard"):
        (hit,) = library.search("skip a month", verdicts=[verdict], sources=["lineage"], mode="lexical")
        assert hit.provenance is not None
        assert hit.provenance.verdict == verdict
    assert ingest_sources(library, collect(path)).chunks_written == 0
