"""An evaluation says how well each mode finds what it should, keeps a row, and names what it could not do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import EmbedderUnavailable, InvalidFilter, InvalidInput
from hybridkb.evaluation import gold_set_of, list_runs, stamp_gold_set
from hybridkb.evaluation.history import run_as_dict
from oracles.items import day, filing, item_id, note
from support.fake_embedder import HashEmbedder
from support.judged_library import BETTER, BY_RANK, FAIR, WORSE, documents, evaluate, fill, gold, records


@pytest.fixture
def filled(open_library: Any) -> HybridLibrary:
    return fill(open_library(embedder=FAIR))


def by_hand(library: HybridLibrary, mode: Any, k: int) -> float:
    """Mean recall of single answers, with nothing but searches."""
    found = 0
    for record in gold():
        (answer,) = record.answers
        hits = library.search(record.query, mode=mode, top_k=k)
        found += any(str(hit.locator) == answer.name for hit in hits)
    return found / len(gold())


@pytest.mark.parametrize("k", [1, 5])
def test_recall_is_what_searches_find(filled: HybridLibrary, k: int) -> None:
    report = evaluate(filled, gold(), k=k)
    assert report.modes == ("lexical", "semantic", "hybrid")
    for mode in report.modes:
        assert report.recall(mode) == pytest.approx(by_hand(filled, mode, k)), mode
        figure = report.figures[mode]["recall"]
        assert figure.low <= figure.value <= figure.high
    assert 0 < report.recall("semantic") < report.recall("lexical")


def test_hybrid_minus_the_best_leg_is_paired(filled: HybridLibrary) -> None:
    report = evaluate(filled, gold(), k=3)
    assert report.best_leg["recall"] == "lexical"
    one = report.hybrid_minus_best["recall"]
    assert one.value == pytest.approx(report.recall("hybrid") - report.recall("lexical"))
    assert one.low <= one.value <= one.high
    alone = evaluate(filled, gold(), k=3, modes=["hybrid", "lexical"])
    assert alone.hybrid_minus_best == {}


def test_how_each_query_fared_is_told(filled: HybridLibrary) -> None:
    report = evaluate(filled, gold(), k=1)
    for one in report.by_query:
        for mode in report.modes:
            rank, missed = one.ranks[mode], one.missed[mode]
            assert (one.values[mode]["recall"] == 1) == (rank == 1) == (missed == ())
            assert one.values[mode]["mrr"] == pytest.approx(1 / rank if rank else 0)


def test_a_document_counts_once_by_its_best_passage(library: HybridLibrary) -> None:
    library.put_many([filing(n, [f"steel {n} part {m}" for m in range(8)], title=f"Report {n}") for n in range(6)])
    whole = [{"query": "steel 3", "relevant": [str(item_id(3)), str(item_id(4))]}]
    report = evaluate(library, whole, k=2, modes=["lexical"])
    assert report.by_query[0].ranks["lexical"] == 1
    part = [{"query": "steel 3 part 5", "relevant": [f"item:{item_id(3)}#s5"]}]
    assert evaluate(library, part, k=2, modes=["lexical"]).recall("lexical") == 1


def test_a_quote_finds_its_passage_wherever_it_is_cut(library: HybridLibrary) -> None:
    sections = ["Ore is scarce.", "Smelters compete for   scarce ore | and pay.", "Nothing."]
    library.put_many([filing("f", sections), *documents(10)])
    given = [{"query": "smelters compete", "relevant": [{"item": str(item_id("f")), "quote": "compete … ore and pay"}]}]
    report = evaluate(library, given, k=3)
    assert report.recall("lexical") == 1
    library.put(filing("f", ["Smelters compete for scarce ore and pay.", "Ore is scarce."], available_at=day(5)))
    assert evaluate(library, given, k=3).recall("lexical") == 1


def test_grades_weigh_in_ndcg(library: HybridLibrary) -> None:
    library.put_many([note("one", "copper copper gap"), note("other", "copper gap"), *documents(10)])

    def ndcg(one: int, other: int) -> float:
        graded = [{"item": str(item_id(name)), "grade": grade} for name, grade in (("one", one), ("other", other))]
        given = [{"query": "copper gap", "relevant": graded}]
        return evaluate(library, given, k=5, modes=["lexical"], record=False).figures["lexical"]["ndcg"].value

    worse, better = sorted((ndcg(3, 1), ndcg(1, 3)))
    assert better == 1.0
    assert worse == pytest.approx((1 + 3 / 1.5849625) / (3 + 1 / 1.5849625))


def test_filters_and_cutoffs_of_a_query_are_the_engine_s_own(library: HybridLibrary) -> None:
    library.put_many([*documents(20), note("early", "copper gap", available_at=day(1))])
    library.put_many([note(f"late{n}", "copper gap gap", available_at=day(50)) for n in range(6)])
    asked = {"query": "copper gap", "relevant": [str(item_id("early"))]}
    now, then = (
        evaluate(library, [one], k=3, modes=["lexical"], record=False).by_query[0].ranks["lexical"]
        for one in (asked, {**asked, "cutoff": "2024-01-20"})
    )
    assert (now, then) == (7, 1)
    report = evaluate(library, [asked], k=3, modes=["lexical"], filters={"available_at_before": "2024-01-20T00:00:00Z"})
    assert report.recall("lexical") == 1
    with pytest.raises(InvalidFilter):
        evaluate(library, [asked], filters={"nonsense": 1})


def test_negative_queries_are_reported_apart(filled: HybridLibrary) -> None:
    given = [*records(), {"query": "absent nowhere", "relevant": []}, {"query": "word1", "relevant": []}]
    report = evaluate(filled, given, k=5)
    assert (report.queries, report.negatives) == (30, 2)
    assert report.figures == evaluate(filled, gold(), k=5).figures
    lexical = report.negative["lexical"]
    assert (lexical.queries, lexical.without_hits) == (2, 1)
    assert lexical.lowest == lexical.highest == filled.search("word1", mode="lexical")[0].relevance
    assert lexical.false_alarms == 0.5 * (lexical.highest >= (lexical.threshold or 0))
    assert report.negative["semantic"].without_hits == 0


def test_kinds_of_questions_are_told_apart(filled: HybridLibrary) -> None:
    given = [{**one, "kind": "easy" if number < 10 else "hard"} for number, one in enumerate(records())]
    report = evaluate(filled, given, k=3)
    assert report.by_kind["easy"]["queries"] == 10
    shares = [report.by_kind[kind]["hybrid"] * report.by_kind[kind]["queries"] for kind in ("easy", "hard")]
    assert sum(shares) / 30 == pytest.approx(report.recall("hybrid"))


def test_without_a_model_words_alone_are_measured_and_it_says_why(open_library: Any) -> None:
    library = fill(open_library(embedder=None))
    report = evaluate(library, gold(), k=5)
    assert report.modes == ("lexical",)
    assert set(report.skipped) == {"semantic", "hybrid"}
    assert report.gate.mode == "lexical"
    with pytest.raises(EmbedderUnavailable):
        evaluate(library, gold(), modes=["semantic"])


def test_answers_that_fell_back_forbid_a_promotion(filled: HybridLibrary) -> None:
    class Sometimes(HashEmbedder):
        def _embed(self, texts: Any) -> Any:
            if "word7 word8" in texts:
                raise ConnectionError("gone")
            return super()._embed(texts)

    with HybridLibrary.open(filled.path, embedder=Sometimes(16, "fair")) as shaky:
        report = evaluate(shaky, [*records(), {"query": "word7 word8", "relevant": [str(item_id(5))]}], k=5,
                          modes=["lexical", "hybrid"])  # fmt: skip
    assert report.promote is False
    assert "1 of 31 queries were not answered in hybrid mode" in report.gate.reasons[0]
    assert any("gone" in note for note in report.notes)


def test_what_waits_for_vectors_is_told(filled: HybridLibrary) -> None:
    filled.put_many([note("waits", "something else")], embed=False)
    report = evaluate(filled, gold(), k=5)
    assert any("1 candidates have no vector yet" in one for one in report.notes)
    (run,) = list_runs(filled)
    assert run.pending == 1


def test_a_library_that_changes_meanwhile_is_noticed(filled: HybridLibrary) -> None:
    asked: list[int] = []

    def change(done: int, total: int | None) -> None:
        asked.append(done)
        if done == 20:
            filled.put(note("meanwhile", "word1 word2"))

    report = evaluate(filled, gold(), k=5, progress=change)
    assert asked == list(range(1, 91))
    assert any("changed while it was evaluated" in one for one in report.notes)


@pytest.mark.sqlite_only("reads the bytes of the file")
def test_every_evaluation_is_a_row_that_holds_no_query(filled: HybridLibrary) -> None:
    given = [{**one, "id": f"id{number}"} for number, one in enumerate(records())]
    report = evaluate(filled, given, k=4, note="nightly", filters={"item_types": ["note"]})
    (run,) = list_runs(filled)
    assert run.number == report.run
    assert (run.kind, run.target, run.k, run.note) == ("evaluate", "serving", 4, "nightly")
    assert (run.queries, run.negatives) == (30, 0)
    assert run.gold_digest == gold_set_of(given).digest
    assert run.protocol == {"version": 1, "depth": 20, "filters": {"item_types": ["note"]}}
    assert (run.items, run.records, run.pending) == (80, 80, 0)
    assert run.space == str(FAIR.space)
    assert run.settings_digest == filled.settings.digest()
    assert run.versions["hybridkb"]
    assert run.versions["bootstrap"] == "200 draws, seed 20260101"
    recall = run.figure("hybrid", "recall")
    assert recall is not None
    assert recall.value == report.recall("hybrid")
    assert run.figure("hybrid_minus_best", "ndcg") is not None
    everything = Path(filled.path).read_bytes() + Path(f"{filled.path}-wal").read_bytes()
    assert given[0]["query"].encode() not in everything
    assert json.dumps(run_as_dict(run))
    assert json.dumps(report.as_dict())


def test_no_row_is_kept_where_none_is_wanted_or_none_can_be(filled: HybridLibrary) -> None:
    assert evaluate(filled, gold(), record=False).run is None
    with HybridLibrary.open(filled.path, embedder=FAIR, read_only=True) as reader:
        assert evaluate(reader, gold()).run is None
    assert list_runs(filled) == []


def test_the_same_evaluation_gives_the_same_figures_in_every_process(filled: HybridLibrary) -> None:
    first = evaluate(filled, gold(), k=3)
    with HybridLibrary.open(filled.path, embedder=HashEmbedder(16, "fair")) as other:
        second = evaluate(other, gold(), k=3)
    assert replace(first, run=None) == replace(second, run=None)


def test_the_fingerprint_names_the_index_and_not_the_run(filled: HybridLibrary) -> None:
    first, second = evaluate(filled, gold()), evaluate(filled, gold(), k=3)
    assert first.fingerprint == second.fingerprint
    filled.put(note("more", "word1"))
    assert evaluate(filled, gold()).fingerprint != first.fingerprint


def test_better_models_find_more(open_library: Any) -> None:
    found = {}
    for embedder in (WORSE, FAIR, BETTER):
        library = fill(open_library(f"{embedder.space.model}.db", embedder=embedder, settings=BY_RANK))
        found[embedder.space.model] = evaluate(library, gold(), k=3).recall("hybrid")
    assert found["worse"] < found["fair"] < found["better"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"k": 0}, {"k": 2.5}, {"modes": []}, {"modes": "hybrid"}, {"modes": ["fuzzy"]}, {"tolerance": -1},
        {"tolerance": True}, {"absent_share": 2}, {"depth": 0}, {"gate_mode": "fuzzy"}, {"against": 99},
        {"resamples": 0},
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(filled: HybridLibrary, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        evaluate(filled, gold(), **arguments)
    assert list_runs(filled) == []


@pytest.mark.parametrize(
    "arguments",
    [{"seed": "x"}, {"seed": -1}, {"absent_share": "x"}, {"filters": ["tags"]}, {"against": "x"}, {"against": 10**20}],
)
def test_arguments_of_another_kind_are_an_error_of_ours(filled: HybridLibrary, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        evaluate(filled, gold(), **arguments)


@pytest.mark.parametrize("given", [5, b"gold.jsonl", 1.5])
def test_what_is_no_gold_set_is_an_error_of_ours(filled: HybridLibrary, given: Any) -> None:
    with pytest.raises(InvalidInput, match="a gold set is"):
        evaluate(filled, given)


@pytest.mark.parametrize("first", [{"query": "???"}, {"query": "word1", "cutoff": "1999-01-01"}])
def test_a_first_query_that_finds_nothing_says_nothing_of_the_model(open_library: Any, first: dict[str, Any]) -> None:
    given = [{**first, "relevant": []}, *records()]
    with_words = evaluate(fill(open_library("words.db", embedder=None)), given, k=3)
    assert (with_words.modes, set(with_words.skipped)) == (("lexical",), {"semantic", "hybrid"})
    assert evaluate(fill(open_library("both.db", embedder=FAIR)), given, k=3).modes == ("lexical", "semantic", "hybrid")


def test_a_query_at_a_cutoff_without_vectors_is_not_the_end(filled: HybridLibrary) -> None:
    filled.put_many([note(f"old {n}", f"zinc{n} old", available_at=day(-400)) for n in range(9)], embed=False)
    early = {"query": "zinc1", "relevant": [str(item_id("old 1"))], "cutoff": str(day(-300).date())}
    for given in ([early, *records()], [*records(), early]):
        report = evaluate(filled, given, k=3)
        assert report.modes == ("lexical", "semantic", "hybrid")
        (query,) = [one for one in report.by_query if one.query == "zinc1"]
        assert (query.values["lexical"]["recall"], query.values["semantic"]["recall"]) == (1, 0)
        refused = evaluate(filled, given, k=3, gate_mode="semantic")
        assert refused.promote is False
        assert "1 of 31 queries were not answered" in refused.gate.reasons[0]


def test_answers_whose_text_changed_since_they_were_judged_are_told(filled: HybridLibrary, tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records()))
    stamp_gold_set(filled, path)
    assert not [one for one in evaluate(filled, path, k=3).notes if "judged" in one]
    filled.put(note(0, "another text altogether"))
    assert [one for one in evaluate(filled, path, k=3).notes if one.startswith("1 answers no longer hold")]
