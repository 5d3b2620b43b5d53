"""The gate lets pass what finds no less than what was promoted, like with like, and says why it does not."""

from __future__ import annotations

from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidInput, PromotionRefused
from hybridkb.evaluation import gold_set_of, list_runs, promote
from hybridkb.fusion import Fusion
from oracles.items import EPOCH, item_id
from support.judged_library import BETTER, BY_RANK, FAIR, WORSE, evaluate, fill, gold, records

WORDS_ALONE = Fusion(semantic_weight=0.0)
MEANING_ALONE = Fusion(lexical_weight=0.0)


@pytest.fixture
def library(open_library: Any) -> HybridLibrary:
    return fill(open_library(embedder=FAIR))


def promoted(library: HybridLibrary, **arguments: Any) -> int:
    """Evaluate and make it the baseline; the run's number."""
    report = evaluate(library, **{"k": 3, **arguments})
    return promote(library, run=report.run, baseline=report.promote is None).run


def test_the_first_baseline_must_be_said_to_be_one(library: HybridLibrary) -> None:
    assert evaluate(library, k=3).promote is None
    with pytest.raises(PromotionRefused, match="baseline") as caught:
        promote(library)
    assert caught.value.report.gate.promote is None  # type: ignore[attr-defined]
    assert promote(library, baseline=True, note="first").baseline
    (run,) = list_runs(library, promoted=True)
    assert run.note == "first"


def test_promoting_the_baseline_once_more_says_that_it_is_promoted(library: HybridLibrary) -> None:
    first = promoted(library)
    with pytest.raises(PromotionRefused, match=f"run {first} is promoted already") as caught:
        promote(library)
    assert "nothing was promoted" not in str(caught.value.report)
    assert "--baseline" not in str(caught.value)
    assert promote(library, baseline=True).run == first


def test_equal_recall_passes_and_needs_no_word(library: HybridLibrary) -> None:
    first = promoted(library)
    report = evaluate(library, k=3)
    assert report.promote is True
    assert report.gate.baseline is not None
    assert report.gate.baseline.run == first
    assert report.gate.baseline.difference.value == 0
    assert not promote(library).baseline


def test_lower_recall_is_refused_and_the_lost_queries_are_told(library: HybridLibrary) -> None:
    promoted(library)
    before = {one.key: one for one in evaluate(library, k=3).by_query}
    library.change_settings(fusion=MEANING_ALONE, why="worse on purpose")
    report = evaluate(library, k=3)
    assert report.promote is False
    assert "recall@3 fell" in report.gate.reasons[0]
    compared = report.gate.baseline
    assert compared is not None
    assert compared.now < compared.before
    assert compared.difference.value == pytest.approx(compared.now - compared.before)
    now = {one.key: one for one in report.by_query}
    fell = {key for key in now if now[key].values["hybrid"]["recall"] < before[key].values["hybrid"]["recall"]}
    assert {one.key for one in report.lost} == fell
    assert fell
    for one in report.lost:
        assert one.query == now[one.key].query
        assert set(one.answers) == set(now[one.key].missed["hybrid"]) - set(before[one.key].missed["hybrid"])
    with pytest.raises(PromotionRefused) as caught:
        promote(library, gold=gold())
    refused = caught.value.report
    assert [one.key for one in refused.lost] == [one.key for one in report.lost]  # type: ignore[attr-defined]
    assert {one.query for one in refused.lost} == {one.query for one in report.lost}  # type: ignore[attr-defined]


def test_lost_queries_of_a_gold_set_that_is_gone_are_told_by_their_digest(library: HybridLibrary) -> None:
    promoted(library)
    library.change_settings(fusion=MEANING_ALONE, why="worse on purpose")
    evaluate(library, k=3)
    with pytest.raises(PromotionRefused) as caught:
        promote(library)
    lost = caught.value.report.lost  # type: ignore[attr-defined]
    assert lost
    assert {one.query for one in lost} == {""}


def test_the_tolerance_is_stated_and_kept_with_the_run(library: HybridLibrary) -> None:
    promoted(library)
    library.change_settings(fusion=MEANING_ALONE, why="worse on purpose")
    fall = evaluate(library, k=3).gate.baseline
    assert fall is not None
    lost = fall.before - fall.now
    assert evaluate(library, k=3, tolerance=lost - 0.001).promote is False
    report = evaluate(library, k=3, tolerance=lost)
    assert report.promote is True
    promote(library)
    assert list_runs(library, promoted=True)[0].tolerance == lost
    again = evaluate(library, k=3)
    assert again.promote is True
    assert again.gate.best == pytest.approx(fall.before)


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        ({"k": 4}, "k (then 3, now 4)"),
        ({"given": gold(29)}, "gold set (then"),
        ({"filters": {"item_types": "note"}}, "filters (then {}, now"),
        ({"depth": 40}, "depth (then 20, now 40)"),
        ({"gate_mode": "lexical"}, "mode (then hybrid, now lexical)"),
    ],
)
def test_unlike_runs_are_not_compared_and_it_says_what_differs(
    library: HybridLibrary, other: dict[str, Any], difference: str
) -> None:
    promoted(library)
    report = evaluate(library, **{"k": 3, **other})
    assert report.promote is None
    assert difference in report.gate.reasons[0]
    with pytest.raises(PromotionRefused, match="differs in"):
        promote(library)


def test_each_kind_has_its_own_baseline(library: HybridLibrary) -> None:
    first = promoted(library)
    second = promoted(library, k=5)
    for k, run in ((3, first), (5, second)):
        baseline = evaluate(library, k=k).gate.baseline
        assert baseline is not None
        assert baseline.run == run


def test_the_gate_looks_at_the_mode_of_the_baseline(library: HybridLibrary) -> None:
    promoted(library, gate_mode="lexical")
    library.change_settings(fusion=MEANING_ALONE, why="worse for hybrid, the same for words")
    report = evaluate(library, k=3)
    assert (report.gate.mode, report.promote) == ("lexical", True)


def test_a_mode_that_did_not_run_is_refused(library: HybridLibrary) -> None:
    promoted(library)
    with HybridLibrary.open(library.path, embedder=None) as words:
        report = evaluate(words, k=3)
    assert report.promote is False
    assert report.gate.reasons[0].startswith("hybrid did not run")
    with pytest.raises(PromotionRefused, match="hybrid did not run"):
        promote(library)


def test_a_run_of_other_settings_is_not_the_baseline_of_what_serves(library: HybridLibrary) -> None:
    evaluate(library, k=3)
    library.change_settings(fusion=WORDS_ALONE, why="another")
    with pytest.raises(PromotionRefused, match="other settings"):
        promote(library, baseline=True)
    with HybridLibrary.open(library.path, embedder=BETTER) as other:
        run = evaluate(other, k=3).run
        other.embed_pending()
        with pytest.raises(PromotionRefused, match="better .* serves; evaluate again"):
            promote(other, run=run, baseline=True)


def test_without_an_evaluation_there_is_nothing_to_promote(library: HybridLibrary) -> None:
    with pytest.raises(PromotionRefused, match="no evaluation"):
        promote(library)
    with pytest.raises(PromotionRefused, match="number 77"):
        promote(library, run=77)


def test_a_baseline_is_judged_again_when_another_came_first(library: HybridLibrary) -> None:
    weak = HybridLibrary.open(library.path, embedder=FAIR)
    library.change_settings(fusion=MEANING_ALONE, why="worse on purpose")
    early = evaluate(weak, k=3).run
    library.change_settings(fusion=Fusion(), why="back")
    promoted(library)
    library.change_settings(fusion=MEANING_ALONE, why="worse again")
    with pytest.raises(PromotionRefused, match="fell"):
        promote(library, run=early, baseline=True)
    weak.close()


def test_another_run_can_be_compared_with(library: HybridLibrary) -> None:
    first = evaluate(library, k=3).run
    library.change_settings(fusion=MEANING_ALONE, why="worse on purpose")
    report = evaluate(library, k=3, against=first)
    assert report.against is not None
    assert report.against.run == first
    assert report.lost == report.against.lost != ()
    library.change_settings(fusion=Fusion(), why="back")
    assert evaluate(library, k=3, against=report.run).won
    with pytest.raises(InvalidInput, match="differs in k"):
        evaluate(library, k=4, against=first)


def test_what_is_won_is_told_too(open_library: Any) -> None:
    library = fill(open_library(embedder=WORSE, settings=BY_RANK))
    promoted(library)
    library.change_settings(fusion=WORDS_ALONE, why="better for this model")
    report = evaluate(library, k=3)
    assert report.promote is True
    assert report.won
    assert not report.lost
    assert all(one.now > one.before for one in report.won)


def test_absent_answers_count_against_it(library: HybridLibrary) -> None:
    given = gold_set_of(records())
    promoted(library, given=given)
    library.delete(item_id(3))
    report = evaluate(library, given, k=3, absent_share=0.1)
    assert report.promote is False
    assert any(str(item_id(3)) in one.answers for one in report.lost)


def test_a_baseline_that_found_nothing_could_never_be_missed_and_is_refused(library: HybridLibrary) -> None:
    lost = [{"query": f"zzz{number}", "relevant": [str(item_id(number))]} for number in range(5)]
    report = evaluate(library, lost, k=1, gate_mode="lexical")
    assert (report.promote, report.recall("lexical")) == (None, 0)
    with pytest.raises(PromotionRefused, match="found no answer at all"):
        promote(library, baseline=True)
    assert list_runs(library, promoted=True) == []


def test_what_was_said_of_a_run_stays_when_it_is_promoted(library: HybridLibrary) -> None:
    evaluate(library, k=3, note="monday")
    promote(library, baseline=True)
    assert list_runs(library)[0].note == "monday"
    evaluate(library, k=3, note="tuesday")
    promote(library, note="agreed")
    assert list_runs(library)[0].note == "tuesday; agreed"


def test_the_last_promoted_is_the_baseline_whatever_the_clock_says(open_library: Any) -> None:
    hours = iter((*[12] * 6, *[9] * 60))  # the clock is put back after the first promotion
    library = fill(open_library("late.db", embedder=FAIR, clock=lambda: EPOCH.replace(hour=next(hours, 9))))
    first = promoted(library)
    second = promoted(library)
    assert [run.number for run in list_runs(library, promoted=True)] == [second, first]
    promote(library, run=first)
    assert [run.number for run in list_runs(library, promoted=True)] == [first, second]


def test_no_run_has_a_number_beyond_what_is_counted(library: HybridLibrary) -> None:
    promoted(library)
    assert list_runs(library, number=10**20) == []
    with pytest.raises(PromotionRefused, match="no evaluation with number"):
        promote(library, run=10**20)
