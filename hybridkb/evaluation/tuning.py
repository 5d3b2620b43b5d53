"""Chooses how the legs are fused, on a gold set, and says honestly how well the choice does on queries it never saw.

Each query is searched once; what the legs ranked is then fused in every way of the grid, by the same code that answers
searches. In five folds a fusion is chosen on four parts of the queries and measured on the fifth: the *out-of-fold*
figures. A choice is the simplest fusion whose mean nDCG lies within one standard error of the best one's, the error
being that of the paired difference (the rule of Breiman et al., "Classification and Regression Trees", 1984): a
setting that is not surely better does not replace a simpler one, and nothing is simpler than what is there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridkb.errors import InvalidInput
from hybridkb.evaluation.asking import query_of
from hybridkb.evaluation.bootstrap import Interval, interval
from hybridkb.evaluation.measures import MEASURES, Values, measure
from hybridkb.evaluation.plan import Plan
from hybridkb.evaluation.report import Gate
from hybridkb.evaluation.targets import ResolvedRecord
from hybridkb.fusion import Fusion, fuse
from hybridkb.library import HybridLibrary, parts_of
from hybridkb.search.collapse import collapsed, owner_of
from hybridkb.search.legs import RankedLegs

OBJECTIVE = "ndcg"
FOLDS = 5
LEAST_QUERIES = 20
RRF_KS = (10.0, 20.0, 60.0, 120.0)
SEMANTIC_WEIGHTS = (0.25, 0.5, 1.0, 2.0, 4.0)
ALPHAS = tuple(round(0.1 * step, 1) for step in range(1, 10))
_DEFAULT = Fusion()


@dataclass(frozen=True, slots=True)
class Tuning:
    """What tuning chose.

    Attributes:
        current, chosen: the fusion that was there, and the one chosen on all queries.
        queries, folds, candidates: how many queries, parts of them, and fusions.
        objective: the measure that chooses.
        figures_current: each measure with the fusion that was there, same queries.
        out_of_fold: each measure on queries that the choice did not see: what to expect of it.
        difference: out of fold minus current, with the interval of the paired bootstrap.
        in_sample: each measure of the choice on the queries it was chosen on: too good.
        chosen_by_fold: what each fold chose.
        stored: whether the choice is the library's now.
        reason: why, or why not.
    """

    current: Mapping[str, Any]
    chosen: Mapping[str, Any]
    queries: int
    folds: int
    candidates: int
    objective: str
    figures_current: Mapping[str, float]
    out_of_fold: Mapping[str, float]
    difference: Mapping[str, Interval]
    in_sample: Mapping[str, float]
    chosen_by_fold: tuple[Mapping[str, Any], ...]
    stored: bool
    reason: str


def tune_fusion(library: HybridLibrary, resolved: Sequence[ResolvedRecord], plan: Plan, gate: Gate) -> Tuning:
    """Choose a fusion and store it with the library when it holds out of fold.

    Raises:
        InvalidInput: too few queries, or hybrid did not run.
    """
    asked = [one for one in resolved if one.record.answers]
    if len(asked) < LEAST_QUERIES:
        raise InvalidInput(
            f"tuning needs at least {LEAST_QUERIES} queries with an answer, the gold set has {len(asked)}", field="tune"
        )
    current = library.settings.fusion
    grid = fusion_grid(current)
    table = _measured(library, asked, grid, plan)
    tuning = choose(table, grid, current, resamples=plan.resamples, seed=plan.seed)
    chosen = Fusion(**tuning.chosen)
    reason = _why_not(tuning, chosen, current, gate, plan.tolerance)
    if reason is None and parts_of(library).database.read_only:
        reason = "the library is open read-only"
    if reason is not None:
        return replace(tuning, reason=reason)
    why = f"fusion tuned on {len(asked)} queries of gold set {plan.gold.digest}, which may be of a later time"
    library.change_settings(fusion=chosen, why=why)
    return replace(tuning, stored=True, reason="better out of fold, and not below what was promoted")


def fusion_grid(current: Fusion) -> list[Fusion]:
    """Every fusion that is tried, the simplest first; the one that is there is the simplest of all."""
    rrf = [
        Fusion(k=k, semantic_weight=weight, by_relevance=by_relevance)
        for by_relevance in (True, False) for k in RRF_KS for weight in SEMANTIC_WEIGHTS
    ]  # fmt: skip
    convex = [Fusion(method="convex", alpha=alpha) for alpha in ALPHAS]
    every = dict.fromkeys([current, _DEFAULT, *rrf, *convex])
    return sorted(every, key=lambda one: (one != current, _parameters(one), _distance(one)))


def choose(
    table: Mapping[str, NDArray[np.float64]],
    grid: Sequence[Fusion],
    current: Fusion,
    *,
    resamples: int,
    seed: int,
) -> Tuning:
    """Choose on all queries, and measure the way of choosing by cross-validation.

    Args:
        table: by measure, values of shape (fusions, queries).
        grid: the fusions, the simplest first.
        current: the fusion that is there; in the grid.
        resamples, seed: of the bootstrap and of the folds.
    """
    objective = table[OBJECTIVE]
    queries = objective.shape[1]
    parts = np.random.default_rng(seed).permutation(queries) % FOLDS
    picks = [simplest_good(objective[:, parts != part]) for part in range(FOLDS)]
    unseen = {name: np.choose(parts, [values[pick] for pick in picks]) for name, values in table.items()}
    there, chosen = list(grid).index(current), simplest_good(objective)
    return Tuning(
        current=asdict(current),
        chosen=asdict(grid[chosen]),
        queries=queries,
        folds=FOLDS,
        candidates=len(grid),
        objective=OBJECTIVE,
        figures_current=_means({name: values[there] for name, values in table.items()}),
        out_of_fold=_means(unseen),
        difference={
            name: interval((unseen[name] - values[there]).tolist(), resamples=resamples, seed=seed)
            for name, values in table.items()
        },
        in_sample=_means({name: values[chosen] for name, values in table.items()}),
        chosen_by_fold=tuple(asdict(grid[pick]) for pick in picks),
        stored=False,
        reason="",
    )


def simplest_good(values: NDArray[np.float64]) -> int:
    """The first row whose mean lies within one standard error, that of the difference, of the best row's."""
    best = values[int(values.mean(axis=1).argmax())]
    shortfall = best - values
    error = shortfall.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    return int(np.flatnonzero(shortfall.mean(axis=1) <= error)[0])


def _why_not(tuning: Tuning, chosen: Fusion, current: Fusion, gate: Gate, tolerance: float) -> str | None:
    if chosen == current:
        return "no other fusion is surely better than the one that is there"
    gain, recall = tuning.difference[OBJECTIVE].value, tuning.out_of_fold["recall"]
    if gain <= 0:
        return f"out of fold the choice is no better than the one that is there ({gain:+.4f} nDCG)"
    if tuning.difference["recall"].value < -tolerance:
        return f"out of fold recall falls by {-tuning.difference['recall'].value:.4f}"
    baseline = gate.baseline
    if baseline is not None and gate.mode == "hybrid" and recall < baseline.before - tolerance:
        return f"out of fold recall {recall:.4f} is below that of run {baseline.run}, the last promoted"
    return None


def _measured(
    library: HybridLibrary, asked: Sequence[ResolvedRecord], grid: Sequence[Fusion], plan: Plan
) -> dict[str, NDArray[np.float64]]:
    """By measure, the value of every fusion for every query: shape (fusions, queries)."""
    search = parts_of(library).search
    legs = [search.legs(query_of(one, "hybrid", depth=plan.depth, filters=plan.filters)) for one in asked]
    if not any(one.semantic for one in legs):
        raise InvalidInput("there is nothing to fuse: no query can be searched by meaning", field="tune")
    units = [_units(one, found) for one, found in zip(asked, legs, strict=True)]
    judged = {
        one.record.key: {target.judgement.name: target.judgement.grade for target in one.targets} for one in asked
    }
    table = {name: np.empty((len(grid), len(asked))) for name in MEASURES}
    for row, fusion in enumerate(grid):
        rankings = {
            one.record.key: _ranking(found, its, fusion, plan.depth, by_document=one.record.by_document)
            for one, found, its in zip(asked, legs, units, strict=True)
        }
        values: Values = measure(judged, rankings, k=plan.k)
        for name in MEASURES:
            table[name][row] = [values[one.record.key][name] for one in asked]
    return table


def _units(one: ResolvedRecord, legs: RankedLegs) -> dict[int, list[str]]:
    return {key: one.units_of(locator.decode()) for key, locator in legs.locators.items()}


def _ranking(
    legs: RankedLegs, units: Mapping[int, list[str]], fusion: Fusion, depth: int, *, by_document: bool
) -> list[str]:
    """What a search with this fusion would find, each document or record once."""
    fused = fuse(legs.lexical, legs.semantic, fusion=fusion, guarded=legs.guarded, names=legs.names)
    if by_document:
        owners = [owner_of(legs.locators[one.key]) for one in fused]
        fused = [one.fused for one in collapsed(fused, owners, names=legs.names, limit=depth)]
    ranked: dict[str, None] = {}
    for one in fused:
        ranked.update(dict.fromkeys(units[one.key]))
        if len(ranked) >= depth:
            break
    return list(ranked)[:depth]


def _means(values: Mapping[str, NDArray[np.float64]]) -> dict[str, float]:
    return {name: float(column.mean()) for name, column in values.items()}


def _parameters(fusion: Fusion) -> int:
    """How many numbers somebody has to believe in."""
    if fusion.method == "convex":
        return 1 + (fusion.alpha != _DEFAULT.alpha)
    weights = (fusion.lexical_weight, fusion.semantic_weight)
    differs = fusion.k != _DEFAULT.k, fusion.by_relevance != _DEFAULT.by_relevance
    return sum(differs) + (weights != (_DEFAULT.lexical_weight, _DEFAULT.semantic_weight))


def _distance(fusion: Fusion) -> tuple[float, float, float]:
    """How far from neutral it is."""
    pairs = ((fusion.semantic_weight, fusion.lexical_weight), (fusion.k, _DEFAULT.k))
    weights, k = (abs(math.log(one / other)) if one and other else math.inf for one, other in pairs)
    return abs(fusion.alpha - _DEFAULT.alpha), weights, k
