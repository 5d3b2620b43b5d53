"""Gold sets are read strictly: whatever is not understood is refused with its line, and nothing stands in silently."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hybridkb.errors import HybridKBError, InvalidGoldSet, InvalidInput, UnreadableDocument
from hybridkb.evaluation import gold_set_of, load_gold_set, read_gold_set, resolve_gold_set
from hybridkb.evaluation.gold_beir import beir_item_id
from hybridkb.evaluation.gold_reading import ENVIRONMENT
from hybridkb.knowledge.card import card_id, chunk_locator
from oracles.items import item_id

LOCATOR = f"item:{item_id(1)}#risk"


def write(path: Path, *lines: Any) -> Path:
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def names(*relevant: Any) -> list[tuple[str, int]]:
    (record,) = gold_set_of([{"query": "copper", "relevant": list(relevant)}])
    return [(one.name, one.grade) for one in record.judgements]


def test_every_way_to_name_an_answer() -> None:
    chunk = str(chunk_locator("rates/basis", 3))
    assert names(LOCATOR, str(item_id(2))) == [(LOCATOR, 1), (f"item:{item_id(2)}", 1)]
    assert names(["rates/basis", 3], {"slug": "other"}) == [(chunk, 1), (f"item:{card_id('other')}", 1)]
    assert names({"slug": "rates/basis", "chunk": 3, "grade": 2}) == [(chunk, 2)]
    assert names({"locator": LOCATOR, "grade": 0}) == [(LOCATOR, 0)]
    assert names({"item": str(item_id(2)).upper()}) == [(f"item:{item_id(2)}", 1)]
    assert names({"document": "./notes\\copper.md"}, {"path": "b.md"}) == [
        ("document:notes/copper.md", 1),
        ("document:b.md", 1),
    ]
    assert names({"path": "b.md", "quote": "ore … gap"}) == [("document:b.md 'ore … gap'", 1)]


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ("copper.md", "neither a locator nor a UUID"),
        ("item:copper", "not a locator"),
        (["rates"], "no answer"),
        (["rates", "3"], "whole number from 0"),
        (["rates", -1], "whole number from 0"),
        (7, "no answer"),
        ({}, "one address"),
        ({"slug": "a", "item": str(item_id(1))}, "one address"),
        ({"item": "copper"}, "a UUID"),
        ({"item": str(item_id(1)), "chunk": 1}, 'goes with "slug"'),
        ({"slug": "a", "chunk": 1, "quote": "x"}, "not both"),
        ({"slug": "a", "quote": " … "}, "quote"),
        ({"slug": "a", "grade": 1.5}, "grade"),
        ({"slug": "a", "grade": True}, "grade"),
        ({"slug": "a", "grade": -1}, "grade"),
        ({"slug": "a", "text_hash": "short"}, "32 hexadecimal digits"),
        ({"slugg": "a"}, "did you mean 'slug'"),
        ({"document": ""}, "is text"),
    ],
)
def test_an_answer_that_is_not_understood_is_refused(entry: Any, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        names(entry)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"relevant": []}, '"query"'),
        ({"query": " ", "relevant": []}, '"query"'),
        ({"query": "x"}, '"relevant"'),
        ({"query": "x", "relevant": "all"}, "is a list"),
        ({"query": "x", "relevant": {}}, "is a list"),
        ({"query": "x", "relevant": ""}, "is a list"),
        ({"query": "x", "relevant": False}, "is a list"),
        ({"query": "x", "candidates": {}}, "is a list"),
        ({"query": "x", "candidates": ["y"]}, "JSON object"),
        ({"query": "x", "relevant": [], "filters": ""}, "is an object"),
        ({"query": "x\ud800", "relevant": []}, "half a character"),
        ({"query": "x", "relevant": [{"document": "\udfff.md"}]}, "half a character"),
        ({"query": "x", "relevent": []}, "did you mean 'relevant'"),
        ({"query": "x", "relevant": [LOCATOR, {"locator": LOCATOR, "grade": 2}]}, "judged twice"),
        ({"query": "x", "relevant": [LOCATOR, str(item_id(1))]}, "judge the document or its parts"),
        ({"query": "x", "relevant": [], "filters": {"tag": "a"}}, "did you mean 'tags'"),
        ({"query": "x", "relevant": [], "filters": ["a"]}, "is an object"),
        ({"query": "x", "relevant": [], "cutoff": "yesterday"}, "yesterday"),
        ({"query": "x", "relevant": [], "cutoff": 5}, "as text"),
        (
            {"query": "x", "relevant": [], "cutoff": "2024-01-01",
             "filters": {"available_at_before": "2024-01-01T00:00Z"}},
            "once",
        ),
        ({"query": "x", "candidates": [{"locator": LOCATOR, "judgement": None}]}, "1 of 1 candidates are not judged"),
        (["query"], "JSON object"),
    ],
)  # fmt: skip
def test_a_record_that_is_not_understood_is_refused(fields: Any, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        gold_set_of([fields])


def test_candidates_count_once_they_are_judged() -> None:
    fields = {
        "query": "copper",
        "candidates": [
            {"locator": LOCATOR, "judgement": 2, "title": "t", "snippet": "s", "found": {"lexical": 1}},
            {"locator": f"item:{item_id(3)}", "judgement": 0, "text_hash": "0" * 32},
        ],
    }
    (record,) = gold_set_of([fields])
    assert [(one.name, one.grade) for one in record.judgements] == [(LOCATOR, 2), (f"item:{item_id(3)}", 0)]
    assert [one.name for one in record.answers] == [LOCATOR]


def test_a_day_alone_is_a_cutoff_in_the_library_zone() -> None:
    fields = {"query": "x", "relevant": [], "cutoff": "2024-03-01"}
    (utc,), (tokyo,) = gold_set_of([fields]), gold_set_of([fields], zone="Asia/Tokyo")
    assert utc.filters.cutoff is not None
    assert tokyo.filters.cutoff == utc.filters.cutoff - 9 * 3_600_000_000


def test_the_digest_names_what_is_judged_and_nothing_else() -> None:
    plain = [{"query": "a", "relevant": [LOCATOR]}, {"query": "b", "relevant": []}]
    dressed = [
        {"query": "b", "relevant": [], "id": "2", "kind": "code"},
        {"query": "a", "relevant": [{"locator": LOCATOR, "text_hash": "0" * 32, "grade": 1}], "note": "sure"},
    ]
    digest = gold_set_of(plain).digest
    assert gold_set_of(dressed).digest == digest
    for other in (
        {"query": "a", "relevant": [{"locator": LOCATOR, "grade": 2}]},
        {"query": "a", "relevant": [str(item_id(1))]},
        {"query": "A", "relevant": [LOCATOR]},
        {"query": "a", "relevant": [LOCATOR], "filters": {"tags": "x"}},
        {"query": "a", "relevant": [LOCATOR], "cutoff": "2024-01-01"},
    ):
        assert gold_set_of([other, plain[1]]).digest != digest


def test_bad_lines_are_all_counted_and_named(tmp_path: Path) -> None:
    path = write(
        tmp_path / "gold.jsonl",
        {"query": "a", "relevant": []}, "", "not JSON", {"query": "b"}, '{"query": "c", "query": "d", "relevant": []}',
        '{"query": "e", "relevant": [NaN]}',
    )  # fmt: skip
    with pytest.raises(UnreadableDocument) as caught:
        read_gold_set(path)
    error = caught.value
    assert error.place == 3
    told = ("line 3: this is not JSON", "line 4: a record needs", "line 5: the key 'query' stands twice", "line 6")
    assert all(part in str(error) for part in told)


@pytest.mark.parametrize("data", [b'{"query": "caf\xe9", "relevant": []}\n', b"[" * 200_000 + b"\n"])
def test_bytes_that_are_no_record_are_an_error_of_ours(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_bytes(data)
    with pytest.raises(UnreadableDocument, match="line 1"):
        read_gold_set(path)


def test_a_mark_and_windows_line_ends_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"query": "a", "relevant": []}\r\n\r\n{"query": "b", "relevant": []}')
    gold = read_gold_set(path)
    assert [(record.query, record.line) for record in gold] == [("a", 1), ("b", 3)]


def test_the_explicit_path_comes_first_then_the_environment_then_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    packaged = resolve_gold_set()
    assert len(read_gold_set(packaged)) >= 30
    mine, theirs = (write(tmp_path / name, {"query": "a", "relevant": []}) for name in ("mine.jsonl", "theirs.jsonl"))
    monkeypatch.setenv(ENVIRONMENT, str(theirs))
    assert resolve_gold_set() == theirs
    assert resolve_gold_set(mine) == mine


def test_what_is_named_and_not_there_is_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = write(tmp_path / "theirs.jsonl", {"query": "a", "relevant": []})
    monkeypatch.setenv(ENVIRONMENT, str(theirs))
    with pytest.raises(InvalidGoldSet, match=r"nowhere\.jsonl") as caught:
        resolve_gold_set(tmp_path / "nowhere.jsonl")
    assert caught.value.tried == (str(tmp_path / "nowhere.jsonl"),)
    assert str(theirs) in str(caught.value)
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path / "gone.jsonl"))
    with pytest.raises(InvalidGoldSet, match=rf"gone\.jsonl.*{ENVIRONMENT}"):
        resolve_gold_set()


def beir(folder: Path) -> Path:
    (folder / "qrels").mkdir(parents=True)
    write(folder / "queries.jsonl", {"_id": "1", "text": "wing flow"}, {"_id": "2", "text": "heat"})
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\t184\t2\n1\t29\t0\n")
    (folder / "qrels" / "wide.tsv").write_text("1\t184\t1\r\n2\t7\t-1\r\n")
    return folder


def qrels(folder: Path, lines: str) -> Path:
    (folder / "qrels" / "test.tsv").write_text(lines)
    return folder


def test_a_heading_may_follow_blank_lines_and_the_same_judgement_counts_once(tmp_path: Path) -> None:
    (record,) = load_gold_set(qrels(beir(tmp_path / "wings"), "\r\nquery-id\tcorpus-id\tscore\r\n1\t7\t1\n1\t7\t1\n"))
    assert [one.grade for one in record.judgements] == [1]


def test_a_beir_folder_is_a_gold_set(tmp_path: Path) -> None:
    folder = beir(tmp_path / "wings")
    (record,) = load_gold_set(folder)
    assert (record.query, record.id) == ("wing flow", "1")
    assert [(one.name, one.grade) for one in record.judgements] == [
        (f"item:{beir_item_id('184')}", 2),
        (f"item:{beir_item_id('29')}", 0),
    ]
    wide = load_gold_set(f"{folder}:wide", collection="aero")
    assert [len(record.answers) for record in wide] == [1, 0]
    assert wide.records[0].judgements[0].name == f"item:{beir_item_id('184', 'aero')}"


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda folder: folder / "nothing", "there is no gold set"),
        (lambda folder: f"{folder}:narrow", "test, wide"),
        (lambda folder: write(folder / "qrels" / "test.tsv", "1\t184\t1", "9\t184\t1") and folder, "no query '9'"),
        (lambda folder: write(folder / "qrels" / "test.tsv", "1\t184\t1", "1 184 1") and folder, "line 2"),
        (lambda folder: qrels(folder, "1\t184\t1.0\n1\t29\t1\n"), "line 1"),
        (lambda folder: qrels(folder, "1\t0\t184\t1\n"), "line 1"),
        (lambda folder: qrels(folder, "1\t184\t1\n1\t184\t0\n"), "line 2: '184' is judged twice"),
        (lambda folder: qrels(folder, "\n1 184 x\n\nq\td\tscore\n"), "line 4"),
        (lambda folder: write(folder / "queries.jsonl", {"_id": "1"}) and folder, '"text"'),
        (lambda folder: write(folder / "queries.jsonl", {"_id": "1", "text": " "}) and folder, '"text"'),
        (
            lambda folder: write(folder / "queries.jsonl", *({"_id": "1", "text": text} for text in "ab")) and folder,
            "line 2: the query '1' stands there twice",
        ),
        (lambda folder: write(folder / "queries.jsonl", {"_id": "1", "text": "\ud800"}) and folder, "half a character"),
        (lambda folder: (folder / "queries.jsonl").unlink() or folder, "queries.jsonl"),
    ],
)
def test_a_spoilt_beir_folder_is_refused(tmp_path: Path, spoil: Any, complaint: str) -> None:
    folder = beir(tmp_path / "wings")
    with pytest.raises(HybridKBError, match=complaint):
        load_gold_set(spoil(folder))
