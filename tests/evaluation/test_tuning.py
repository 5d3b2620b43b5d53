"""Tuning chooses the simplest fusion that is not surely worse, tells what to expect, and stores only what holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidInput
from hybridkb.evaluation import list_runs, promote
from hybridkb.evaluation.asking import query_of, read_answer
from hybridkb.evaluation.targets import resolve_targets
from hybridkb.evaluation.tuning import FOLDS, _ranking, _units, choose, fusion_grid, simplest_good
from hybridkb.fusion import Fusion
from hybridkb.library import parts_of
from oracles.items import day, filing, item_id
from support.judged_library import BY_RANK, FAIR, WORSE, documents, evaluate, fill, gold, records

QUERIES = 60


@pytest.fixture
def library(open_library: Any) -> HybridLibrary:
    """A library whose model is nearly blind, so that words should count for more."""
    return fill(open_library(embedder=WORSE, settings=BY_RANK))


def test_a_blind_leg_loses_its_weight_and_the_choice_is_stored(library: HybridLibrary) -> None:
    before = evaluate(library, gold(QUERIES), k=3)
    report = evaluate(library, gold(QUERIES), k=3, tune=True)
    tuning = report.tuning
    assert tuning is not None
    assert tuning.stored, tuning.reason
    assert library.settings.fusion == Fusion(**tuning.chosen)
    assert report.figures == before.figures
    assert tuning.figures_current["ndcg"] == pytest.approx(before.figures["hybrid"]["ndcg"].value)
    after = evaluate(library, gold(QUERIES), k=3)
    for measure, value in tuning.in_sample.items():
        assert after.figures["hybrid"][measure].value == pytest.approx(value), measure
    assert after.recall("hybrid") > before.recall("hybrid")
    assert list_runs(library, number=report.run)[0].kind == "tune"


def test_the_audit_says_that_tuned_weights_are_look_ahead(library: HybridLibrary) -> None:
    evaluate(library, gold(QUERIES), k=3, tune=True)
    told = str(library.audit(cutoffs=[day(1)]).to_dict())
    assert f"fusion tuned on 60 queries of gold set {gold(QUERIES).digest}" in told


@pytest.mark.parametrize("by_document", [False, True])
def test_fusing_again_is_what_a_search_with_that_fusion_finds(open_library: Any, by_document: bool) -> None:
    library = open_library(embedder=FAIR)
    library.put_many([filing(n, [text[:60], text[60:]], title=f"word{n}") for n, text in enumerate(
        item.body for item in documents(40))])  # fmt: skip
    name = item_id(3) if by_document else f"item:{item_id(3)}#s1"
    given = [{"query": text, "relevant": [str(name)]} for text in ("word3", "word4 word5 word7", "word1 OR word9")]
    from hybridkb.evaluation import gold_set_of

    search = parts_of(library).search
    for one in resolve_targets(library, gold_set_of(given), k=3):
        legs = search.legs(query_of(one, "hybrid", depth=50))
        for fusion in fusion_grid(library.settings.fusion):
            arguments: dict[str, Any] = {"collapse": "item"} if by_document else {}
            found = library.search(one.record.query, top_k=50, fusion=fusion, **arguments)
            ranking = _ranking(legs, _units(one, legs), fusion, 50, by_document=by_document)
            assert ranking == list(read_answer(one, found, 50).units)


def test_the_one_that_is_there_stays_unless_another_is_surely_better() -> None:
    noise = np.random.default_rng(1).random((10, 50))
    assert simplest_good(noise) == 0
    noise[7] += 0.5
    assert simplest_good(noise) == 7
    noise[4] = noise[7] - 0.001 * np.random.default_rng(2).random(50)
    assert simplest_good(noise) == 7
    noise[4] = noise[7]
    assert simplest_good(noise) == 4


def test_the_grid_begins_with_what_is_there_and_then_with_the_simplest() -> None:
    current = Fusion(k=33.0, semantic_weight=3.0)
    grid = fusion_grid(current)
    assert grid[:2] == [current, Fusion()]
    assert len(set(grid)) == len(grid)
    assert grid.index(Fusion(semantic_weight=2.0)) < grid.index(Fusion(k=10.0, semantic_weight=2.0))
    assert grid.index(Fusion("convex")) < grid.index(Fusion("convex", alpha=0.1))
    assert fusion_grid(Fusion(lexical_weight=0.0, k=0.0))[0].k == 0.0


def test_out_of_fold_figures_come_from_queries_the_choice_did_not_see() -> None:
    """A fusion that is right by chance on some queries must not look good out of fold."""
    draw = np.random.default_rng(7)
    grid = fusion_grid(Fusion())
    luck = (draw.random((len(grid), 40)) > 0.5).astype(float)
    tuning = choose({"ndcg": luck, "recall": luck}, grid, Fusion(), resamples=200, seed=1)
    best = luck.mean(axis=1).max()
    assert tuning.out_of_fold["ndcg"] < best
    assert len(tuning.chosen_by_fold) == FOLDS
    assert tuning.difference["ndcg"].low <= tuning.difference["ndcg"].value <= tuning.difference["ndcg"].high


def test_the_same_seed_chooses_the_same() -> None:
    values = np.random.default_rng(3).random((len(fusion_grid(Fusion())), 40))
    table = {"ndcg": values, "recall": values}
    first, second = (choose(table, fusion_grid(Fusion()), Fusion(), resamples=100, seed=5) for _ in range(2))
    assert first == second


def test_nothing_is_stored_when_nothing_is_better(library: HybridLibrary) -> None:
    evaluate(library, gold(QUERIES), k=3, tune=True)
    generation = library.stats().generation
    again = evaluate(library, gold(QUERIES), k=3, tune=True).tuning
    assert again is not None
    assert not again.stored
    assert again.chosen == again.current
    assert library.stats().generation == generation


def test_nothing_is_stored_below_what_was_promoted(library: HybridLibrary) -> None:
    library.change_settings(fusion=Fusion("convex", alpha=0.0), why="words alone, the best there is")
    evaluate(library, gold(QUERIES), k=3)
    promote(library, baseline=True)
    library.change_settings(fusion=Fusion(semantic_weight=50.0), why="as bad as can be")
    report = evaluate(library, gold(QUERIES), k=3, tune=True)
    assert report.promote is False
    tuning = report.tuning
    assert tuning is not None
    if not tuning.stored:
        assert "last promoted" in tuning.reason or "no better" in tuning.reason
        assert library.settings.fusion.semantic_weight == 50.0
    else:
        assert tuning.out_of_fold["recall"] >= (report.gate.baseline.before if report.gate.baseline else 1)


def test_a_read_only_library_is_told_the_choice(library: HybridLibrary) -> None:
    with HybridLibrary.open(library.path, embedder=WORSE, read_only=True) as reader:
        tuning = evaluate(reader, gold(QUERIES), k=3, tune=True).tuning
    assert tuning is not None
    assert not tuning.stored
    assert "read-only" in tuning.reason


def test_too_few_queries_and_words_alone_are_refused(library: HybridLibrary, open_library: Any) -> None:
    with pytest.raises(InvalidInput, match="at least 20"):
        evaluate(library, records(19), k=3, tune=True)
    words = fill(open_library("words.db", embedder=None))
    with pytest.raises(InvalidInput, match="nothing to fuse"):
        evaluate(words, gold(), k=3, tune=True)
