"""The example of a backtest: its rule of availability, and the same output to the byte."""

from __future__ import annotations

import gzip
import json
import runpy
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from hybridkb import HybridLibrary

EXAMPLE = runpy.run_path(str(Path(__file__).resolve().parents[2] / "examples" / "backtest.py"), run_name="example")


@pytest.mark.parametrize(
    ("doc_type", "day", "moment"),
    [
        ("statement", date(2020, 1, 29), "2020-01-29T19:00:00+00:00"),
        ("statement", date(2010, 6, 23), "2010-06-23T18:15:00+00:00"),
        ("press_conference", date(2020, 7, 29), "2020-07-29T19:30:00+00:00"),
        ("minutes", date(2020, 1, 29), "2020-02-19T19:00:00+00:00"),
        ("minutes", date(2020, 3, 3), "2020-03-24T18:00:00+00:00"),
        ("minutes", date(2001, 1, 31), "2001-04-01T18:00:00+00:00"),
        ("speech", date(2020, 1, 16), "2020-01-17T04:59:59.999999+00:00"),
    ],
)
def test_rule_of_availability(doc_type: str, day: date, moment: str) -> None:
    assert EXAMPLE["available_at"](day, doc_type).astimezone(UTC) == datetime.fromisoformat(moment)


def test_both_runs_are_equal_to_the_byte(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert EXAMPLE["main"]([]) == 0
    first = capfdbinary.readouterr().out
    assert b"identical" in first
    assert first.count(b"balance") == 14
    assert len({line.split(b"balance")[1].split()[0] for line in first.splitlines() if b"balance" in line}) > 3
    assert EXAMPLE["main"]([]) == 0
    assert capfdbinary.readouterr().out == first


def test_a_corpus_may_be_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "corpus.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(document) + "\n" for document in EXAMPLE["invented_documents"]())
    assert EXAMPLE["main"]([]) == 0
    built_in = capsys.readouterr().out
    assert EXAMPLE["main"]([str(path)]) == 0
    assert capsys.readouterr().out == built_in


def test_a_back_filled_document_changes_the_study_and_is_said(tmp_path: Path) -> None:
    notes = EXAMPLE["read_corpus"](None)
    moments = list(EXAMPLE["months"](notes[0].available_at, notes[39].available_at))
    with HybridLibrary.open(tmp_path / "bank.db", embedder=None) as library:
        library.put_many(notes[1:40])
        held = library.snapshot(at=moments[3])
        before = EXAMPLE["study"](library, moments)
        library.put(notes[0])
        assert EXAMPLE["study"](library, moments) != before
        assert held.changed
