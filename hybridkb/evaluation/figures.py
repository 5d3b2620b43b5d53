"""From what was found to figures: means with intervals, hybrid minus the best leg, negative queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hybridkb.evaluation.asking import Answer, Answers
from hybridkb.evaluation.bootstrap import Interval, intervals
from hybridkb.evaluation.gate import answer_names
from hybridkb.evaluation.gold_set import GoldRecord
from hybridkb.evaluation.measures import MEASURES, Values, measure
from hybridkb.evaluation.report import NegativeReport, QueryReport
from hybridkb.evaluation.targets import ResolvedRecord
from hybridkb.store.runs import Figure, Outcomes

LEGS = ("lexical", "semantic")
DIFFERENCE = "hybrid_minus_best"
_KEPT_HITS = 0.1  # the threshold that would lose one right hit in ten


def values_of(answers: Answers, resolved: Sequence[ResolvedRecord], *, k: int) -> Values:
    """Measure the queries that have an answer."""
    positive = [one for one in resolved if one.record.answers]
    judged = {
        one.record.key: {target.judgement.name: target.judgement.grade for target in one.targets} for one in positive
    }
    return measure(judged, {key: answers.by_key[key].units for key in judged}, k=k)


def mean_figures(
    values: Mapping[str, Values], *, resamples: int, seed: int
) -> tuple[dict[str, dict[str, Interval]], dict[str, Interval], dict[str, str]]:
    """Means of every mode, hybrid minus the better leg, and which leg that is; all queries drawn together."""
    keys = sorted(next(iter(values.values())))
    columns = {
        (mode, name): np.array([found[key][name] for key in keys])
        for mode, found in values.items()
        for name in MEASURES
    }
    best: dict[str, str] = {}
    if {"hybrid", *LEGS} <= values.keys():
        best = {name: max(LEGS, key=lambda leg, name=name: columns[leg, name].mean()) for name in MEASURES}  # type: ignore[misc]
        columns |= {(DIFFERENCE, name): columns["hybrid", name] - columns[leg, name] for name, leg in best.items()}
    drawn = intervals(np.column_stack(list(columns.values())), resamples=resamples, seed=seed)
    by_mode: dict[str, dict[str, Interval]] = {}
    for (mode, name), one in zip(columns, drawn, strict=True):
        by_mode.setdefault(mode, {})[name] = one
    return by_mode, by_mode.pop(DIFFERENCE, {}), best


def rows_of(figures: Mapping[str, Mapping[str, Interval]], differences: Mapping[str, Interval]) -> tuple[Figure, ...]:
    """Figures as a run keeps them."""
    every = {**figures, DIFFERENCE: differences} if differences else figures
    return tuple(
        Figure(mode, name, one.value, one.low, one.high) for mode, found in every.items() for name, one in found.items()
    )


def found_answers(record: GoldRecord, answer: Answer, k: int) -> list[int]:
    """Which right answers are among the first k: places in :func:`answer_names`."""
    first = set(answer.units[:k])
    return [place for place, name in enumerate(answer_names(record)) if name in first]


def outcomes_of(
    values: Mapping[str, Values], answers: Mapping[str, Answers], resolved: Sequence[ResolvedRecord], *, k: int
) -> Outcomes:
    """What a run keeps of each query: its values and which answers were found, under the query's digest."""
    records = {one.record.key: one.record for one in resolved}
    return {
        mode: {
            key: {**found, "found": found_answers(records[key], answers[mode].by_key[key], k)}
            for key, found in by_key.items()
        }
        for mode, by_key in values.items()
    }


def query_reports(
    values: Mapping[str, Values], answers: Mapping[str, Answers], resolved: Sequence[ResolvedRecord], *, k: int
) -> tuple[QueryReport, ...]:
    """How each query with an answer fared."""
    return tuple(
        _query_report(one, {mode: found[one.record.key] for mode, found in values.items()}, answers, k)
        for one in resolved
        if one.record.answers
    )


def _query_report(
    one: ResolvedRecord, values: Mapping[str, Mapping[str, float]], answers: Mapping[str, Answers], k: int
) -> QueryReport:
    record = one.record
    its = {mode: found.by_key[record.key] for mode, found in answers.items()}
    right = {answer.name: answer.written or answer.name for answer in record.answers}
    ranks = {mode: [rank for name in right if (rank := answer.rank_of(name))] for mode, answer in its.items()}
    return QueryReport(
        key=record.key,
        query=record.query,
        id=record.id,
        values=values,
        ranks={mode: min(found, default=None) for mode, found in ranks.items()},
        missed={
            mode: tuple(written for name, written in right.items() if name not in answer.units[:k])
            for mode, answer in its.items()
        },
    )


def kind_figures(values: Mapping[str, Values], resolved: Sequence[ResolvedRecord]) -> dict[str, dict[str, float]]:
    """For each kind of question: how many there are, and the mean recall of each mode."""
    by_kind: dict[str, list[str]] = {}
    for one in resolved:
        if one.record.answers and one.record.kind:
            by_kind.setdefault(one.record.kind, []).append(one.record.key)
    return {
        kind: {
            "queries": float(len(keys)),
            **{mode: sum(found[key]["recall"] for key in keys) / len(keys) for mode, found in values.items()},
        }
        for kind, keys in sorted(by_kind.items())
    }


def negative_report(answers: Answers, resolved: Sequence[ResolvedRecord]) -> NegativeReport | None:
    """How sure a mode was of queries that nothing answers; None when there are none."""
    wrong = [answers.by_key[one.record.key].best for one in resolved if not one.record.answers]
    if not wrong:
        return None
    right = [found for one in resolved if (found := answers.by_key[one.record.key].right) is not None]
    sure = sorted(found for found in wrong if found is not None)
    threshold = float(np.quantile(right, _KEPT_HITS)) if right else None
    return NegativeReport(
        queries=len(wrong),
        without_hits=len(wrong) - len(sure),
        lowest=sure[0] if sure else None,
        median=float(np.median(sure)) if sure else None,
        highest=sure[-1] if sure else None,
        threshold=threshold,
        false_alarms=None if threshold is None else sum(found >= threshold for found in sure) / len(wrong),
    )
