"""What a run of quality.py is expected to find, and how a run compares with it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import expectations
import pytest
import render
from expectations import Figure


@pytest.fixture
def results() -> dict[str, Any]:
    def one(value: float) -> dict[str, dict[str, float]]:
        return {measure: {"value": value} for measure in expectations.MEASURES}

    return {
        "dataset": "tiny", "judgements": "test", "documents": 40, "queries": 3, "vectors": "model",
        "scores": {"hybridkb": {"lexical": one(0.4), "semantic": one(0.5), "hybrid": one(0.6)}},
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, results: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tiny.toml").write_text(expectations.written(results), encoding="utf-8")
    monkeypatch.setattr(expectations, "FOLDER", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (0.4, "OK"), (0.4005, "OK"), (0.3995, "OK"), (0.4006, "near"), (0.405, "near"), (0.395, "near"),
        (0.4051, "off"), (0.3949, "off"), (0.9, "off"), (None, "off"),
    ],
)  # fmt: skip
def test_a_figure_is_ok_near_or_off_also_upwards(found: float | None, verdict: str) -> None:
    assert Figure("lexical", "mrr", 0.4, found).verdict == verdict


def test_what_is_accepted_is_what_was_found(results: dict[str, Any]) -> None:
    text = expectations.written(results)
    expected = tomllib.loads(text)
    assert {name: expected[name] for name in expectations.CONDITIONS} == {
        "judgements": "test", "documents": 40, "queries": 3, "vectors": "model",
    }  # fmt: skip
    assert expected["hybrid"] == dict.fromkeys(expectations.MEASURES, 0.6)
    assert {figure.verdict for figure in expectations.compare(expected, results)} == {"OK"}
    assert len(expectations.compare(expected, results)) == 12


def test_a_run_that_is_off_is_said_and_fails(
    folder: Path, results: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert expectations.report(results) == 0
    assert capsys.readouterr().err == "tiny: OK\n"
    results["scores"]["hybridkb"]["hybrid"]["mrr"]["value"] = 0.603
    assert expectations.report(results) == 0
    results["scores"]["hybridkb"]["lexical"]["ndcg_at_10"]["value"] = 0.3
    assert expectations.report(results) == 1
    said = capsys.readouterr().err
    assert "tiny: near" in said
    assert "near: hybrid mrr 0.6030, expected 0.6000" in said
    assert "off: lexical ndcg_at_10 0.3000, expected 0.4000" in said


def test_a_mode_that_was_not_run_is_off(folder: Path, results: dict[str, Any]) -> None:
    del results["scores"]["hybridkb"]["semantic"]
    assert expectations.report(results) == 1


@pytest.mark.parametrize("name", expectations.CONDITIONS)
def test_another_run_is_not_compared(
    folder: Path, results: dict[str, Any], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    was, results[name] = results[name], "another"
    results["scores"]["hybridkb"]["lexical"]["mrr"]["value"] = 0.0
    assert expectations.report(results) == 0
    assert f"{name} another, not {was}" in capsys.readouterr().err
    assert f"{name} another, not {was}" in expectations.render_expected([results])


def test_nothing_is_expected_of_a_new_collection(
    folder: Path, results: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    results["dataset"] = "new"
    assert expectations.report(results) == 0
    assert "nothing is expected" in capsys.readouterr().err
    assert expectations.render_expected([results]) == ""


def test_the_table_shows_what_was_found_and_marks_what_is_not_ok(folder: Path, results: dict[str, Any]) -> None:
    results["scores"]["hybridkb"]["semantic"]["recall_at_100"]["value"] = 0.75
    table = expectations.render_expected([results])
    assert "| tiny | lexical | 0.400 OK | 0.400 OK | 0.400 OK | 0.400 OK |" in table
    assert "| tiny | semantic | 0.500 OK | 0.500 OK | 0.750, expected 0.500: **off** | 0.500 OK |" in table


def test_accepting_writes_the_stored_figures(
    folder: Path, results: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(expectations, "RESULTS", folder)
    results["scores"]["hybridkb"]["hybrid"]["mrr"]["value"] = 0.7
    (folder / "quality-tiny.json").write_text(json.dumps(results), encoding="utf-8")
    assert expectations.main([]) == 1
    assert expectations.main(["--accept", "tiny"]) == 0
    assert expectations.main([]) == 0
    with pytest.raises(SystemExit):
        expectations.main(["--accept", "absent"])
    assert "there is no stored result of absent" in capsys.readouterr().err


def test_stored_results_are_what_is_expected_of_them() -> None:
    stored = expectations.stored()
    assert {path.stem.removeprefix("quality-") for path in render.FOLDER.glob("quality-*.json")} <= set(stored)
    how = "run: python bench/expectations.py --accept NAME"
    assert {path.stem for path in expectations.FOLDER.glob("*.toml")} == set(stored), how
    assert expectations.main([]) == 0, how
    for name, found in stored.items():
        assert expectations.compare(expectations.read(name) or {}, found)
