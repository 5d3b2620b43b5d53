"""Runs are kept as they were given, are found again, and change no answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hybridkb.database import Database
from hybridkb.errors import BrokenInvariant
from hybridkb.store.runs import Figure, Run, add_run, find_runs, finish_run, load_outcomes, mark_promoted
from support.raw_rows import open_tables, said

OLD_FILE = Path(__file__).parents[1] / "formats" / "schema-3.db"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = open_tables(tmp_path / "library.db")
    yield made
    made.close()


def a_run(**changes: object) -> Run:
    base = Run(
        kind="evaluate", target="serving", started_at=10, finished_at=20, fingerprint="f", settings_digest="s",
        settings={"language": "english", "fusion": {"k": 60.0}}, space=None, versions={"hybridkb": "1"}, items=3,
        records=4, pending=0, gold_digest="g", gold_name="gold.jsonl", k=10, mode="hybrid", protocol={"depth": 100},
        queries=2, negatives=1, tolerance=0.0, promote=None, reasons=("nothing to compare with",),
        figures=(Figure("hybrid", "ndcg", 0.5, 0.25, 0.75), Figure("hybrid", "recall", 1 / 3, 0.0, 1.0)),
    )  # fmt: skip
    return replace(base, **changes)  # type: ignore[arg-type]


def test_a_run_comes_back_as_it_was_given(database: Database) -> None:
    outcomes = {"hybrid": {"abcd": {"recall": 1 / 3, "found": [0, 2]}}}
    with database.write() as connection:
        number = add_run(connection, a_run(), outcomes)
    with database.read() as connection:
        (found,) = find_runs(connection)
        assert found == a_run(number=number)
        assert found.figure("hybrid", "recall") == Figure("hybrid", "recall", 1 / 3, 0.0, 1.0)
        assert found.figure("lexical", "recall") is None
        assert load_outcomes(connection, number) == outcomes


def test_the_newest_comes_first_and_promoted_ones_by_promotion(database: Database) -> None:
    with database.write() as connection:
        numbers = [add_run(connection, a_run(started_at=at)) for at in (1, 2, 3)]
        mark_promoted(connection, numbers[2], now=100, note="")
        mark_promoted(connection, numbers[0], now=200, note="back again")
    with database.read() as connection:
        assert [run.number for run in find_runs(connection)] == numbers[::-1]
        promoted = find_runs(connection, promoted=True)
        assert [(run.number, run.promoted_at, run.note) for run in promoted] == [
            (numbers[0], 200, "back again"),
            (numbers[2], 100, ""),
        ]
        assert [run.number for run in find_runs(connection, limit=1)] == [numbers[2]]
        assert find_runs(connection, number=numbers[1])[0].started_at == 2
        assert find_runs(connection, kind="reindex") == []


def test_a_job_that_was_killed_stays_unfinished(database: Database) -> None:
    begun = a_run(kind="reindex", target="candidate", finished_at=None, figures=(), gold_digest=None, k=None)
    with database.write() as connection:
        killed, done = add_run(connection, begun), add_run(connection, begun)
        finish_run(connection, replace(begun, number=done, finished_at=99, embedded=7, records=8, fingerprint="new"))
    with database.read() as connection:
        by_number = {run.number: run for run in find_runs(connection)}
    assert by_number[killed].finished_at is None
    finished = by_number[done]
    assert (finished.finished_at, finished.embedded, finished.records, finished.fingerprint) == (99, 7, 8, "new")


def test_a_run_changes_no_answer(database: Database) -> None:
    with database.read() as connection:
        before = connection.row("state/get")
    with database.write() as connection:
        add_run(connection, a_run())
    with database.read() as connection:
        assert connection.row("state/get") == before


def test_damage_is_named(database: Database) -> None:
    with database.write() as connection:
        number = add_run(connection, a_run(), {"hybrid": {}})
        connection.text_rows(said("UPDATE run SET outcomes = x'00', versions = 'not JSON'"))
    with database.read() as connection:
        with pytest.raises(BrokenInvariant, match=f"outcomes of run {number}"):
            load_outcomes(connection, number)
        with pytest.raises(BrokenInvariant, match=f"run {number} is stored damaged"):
            find_runs(connection)


@pytest.mark.sqlite_only("opens a file of an older format")
def test_a_run_of_the_first_release_can_be_read(tmp_path: Path) -> None:
    copy = tmp_path / "library.db"
    copy.write_bytes(OLD_FILE.read_bytes())
    database = open_tables(copy)
    with database.read() as connection:
        (run,) = find_runs(connection, promoted=True)
        assert (run.k, run.promote, run.note) == (5, True, "first")
        assert load_outcomes(connection, run.number or 0)["hybrid"]
    database.close()
