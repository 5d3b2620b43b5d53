"""``evaluate``: ask a library what a gold set asks, measure, compare with what was promoted, and keep a record."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hybridkb.errors import EmbedderUnavailable, InvalidInput
from hybridkb.evaluation.asking import Answers, Progress, ask_all, can_search_by_meaning
from hybridkb.evaluation.bootstrap import RESAMPLES, SEED
from hybridkb.evaluation.cannot_fail import refuse_unfailing, refuse_unfit
from hybridkb.evaluation.figures import (
    kind_figures,
    mean_figures,
    negative_report,
    outcomes_of,
    query_reports,
    rows_of,
    values_of,
)
from hybridkb.evaluation.gate import Baselines, compare, judge
from hybridkb.evaluation.gold_reading import GoldArgument
from hybridkb.evaluation.gold_set import GoldSet
from hybridkb.evaluation.index_state import IndexState, index_state, versions
from hybridkb.evaluation.measures import Values, ceiling, require_ir_measures
from hybridkb.evaluation.plan import MODES, Plan, plan_of
from hybridkb.evaluation.report import Comparison, EvaluationReport, Gate
from hybridkb.evaluation.stamping import is_stale
from hybridkb.evaluation.targets import ResolvedRecord, resolve_targets
from hybridkb.evaluation.tuning import tune_fusion
from hybridkb.library import HybridLibrary, parts_of
from hybridkb.search.request import Mode
from hybridkb.store.runs import Outcomes, Run, Target, add_run, find_runs, load_outcomes


@dataclass(frozen=True, slots=True)
class _Found:
    """What asking gave: queries with targets, answers and values by mode, modes not asked, what is absent or easy."""

    resolved: list[ResolvedRecord]
    answers: dict[str, Answers]
    values: dict[str, Values]
    skipped: dict[str, str]
    absent: tuple[str, ...]
    easy: tuple[str, ...]


def evaluate(
    library: HybridLibrary,
    gold: GoldArgument = None,
    *,
    k: int = 10,
    modes: Sequence[Mode] = MODES,
    tune: bool = False,
    filters: Mapping[str, Any] | None = None,
    depth: int | None = None,
    absent_share: float = 0.0,
    tolerance: float = 0.0,
    gate_mode: Mode | None = None,
    against: int | None = None,
    record: bool = True,
    note: str = "",
    collection: str = "",
    resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress | None = None,
) -> EvaluationReport:
    """Measure how well a library finds what a gold set says it should, and compare with what was promoted.

    Args:
        library: what is evaluated; every evaluation is a row in it, unless it was opened read-only.
        gold: a gold set, its path, records as mappings, or None for the default (:func:`resolve_gold_set`).
        k: how many hits count, 1 to 1,000.
        modes: which rankings are measured. A library that cannot search by meaning is measured by words alone, and
            the report says why.
        tune: also choose the fusion by cross-validation on the gold set, and store the choice with the library when
            it holds on queries it was not chosen on. What is tuned on later data is look-ahead.
        filters: narrow every query further, by the names that searches take.
        depth: how many documents or records are looked at for the reciprocal rank; at least k, 100 by default.
        absent_share: which share of the answers may be absent from the index; they count as missed.
        tolerance: by how much recall at k may fall below the last promoted run's.
        gate_mode: the ranking that the gate looks at; the baseline's, else hybrid, else what ran.
        against: the number of another run to list lost and won queries against.
        record: keep a row of it.
        note: a word to go with the row.
        collection: of a BEIR folder, the ``--collection`` its documents were added with.
        resamples, seed: of the bootstrap.
        progress: called with (queries asked, queries in all).

    Raises:
        InvalidGoldSet: the gold set is not there, or the evaluation would prove nothing.
        InvalidInput: another argument is wrong.
        MissingExtra: ir-measures is not installed (extra ``evaluation``).
    """
    plan = plan_of(
        library, gold, k=k, modes=modes, filters=filters, depth=depth, absent_share=absent_share, tolerance=tolerance,
        gate_mode=gate_mode, against=against, note=note, collection=collection, resamples=resamples, seed=seed,
    )  # fmt: skip
    return run_plan(plan, library, library, record=record, tune=tune, progress=progress)


def run_plan(
    plan: Plan,
    index: HybridLibrary,
    ledger: HybridLibrary,
    *,
    target: Target = "serving",
    record: bool = True,
    tune: bool = False,
    progress: Progress | None = None,
) -> EvaluationReport:
    """Evaluate one index and keep the row in another library, or the same.

    Args:
        plan: how.
        index: what is evaluated.
        ledger: where runs are kept and looked up.
        target: what the index is.
        record, tune, progress: see :func:`evaluate`.
    """
    started, began = parts_of(ledger).ingest.clock(), time.monotonic()
    require_ir_measures()
    refuse_unfit(plan.gold)
    state = index_state(index)
    found = _ask(plan, index, progress)
    figures, differences, best = mean_figures(found.values, resamples=plan.resamples, seed=plan.seed)
    outcomes = outcomes_of(found.values, found.answers, found.resolved, k=plan.k)
    gate, against = _gate(plan, ledger, found, outcomes)
    tuning = tune_fusion(index, found.resolved, plan, gate) if tune else None
    resolved, answers = found.resolved, found.answers
    report = EvaluationReport(
        run=None,
        target=target,
        gold=plan.gold.name,
        gold_digest=plan.gold.digest,
        k=plan.k,
        depth=plan.depth,
        queries=len(plan.gold.positive),
        negatives=len(plan.gold.negative),
        modes=tuple(found.values),
        skipped=found.skipped,
        figures=figures,
        hybrid_minus_best=differences,
        best_leg=best,
        ceiling=ceiling(_judged(plan.gold), plan.k),
        by_query=query_reports(found.values, answers, resolved, k=plan.k),
        by_kind=kind_figures(found.values, resolved),
        negative={mode: one for mode in answers if (one := negative_report(answers[mode], resolved))},
        gate=gate,
        against=against,
        absent=found.absent,
        notes=tuple(_notes(found, state, index_state(index) if tuning is None else state)),
        fingerprint=state.fingerprint,
        tuning=tuning,
        seconds=time.monotonic() - began,
    )
    if not record or parts_of(ledger).database.read_only:
        return report
    run = _run(plan, report, state, started, parts_of(ledger).ingest.clock())
    with parts_of(ledger).database.write() as connection:
        return replace(report, run=add_run(connection, run, outcomes))


def _ask(plan: Plan, index: HybridLibrary, progress: Progress | None) -> _Found:
    resolved = resolve_targets(index, plan.gold, k=plan.k, filters=plan.filters)
    said = refuse_unfailing(plan.gold, resolved, k=plan.k, absent_share=plan.absent_share)
    modes, skipped = _possible(plan.modes, can_search_by_meaning(index.search, resolved))
    move = _counter(progress, len(modes) * len(resolved))
    answers: dict[str, Answers] = {
        mode: ask_all(index.search, resolved, mode, depth=plan.depth, filters=plan.filters, progress=move)
        for mode in modes
    }
    values = {mode: values_of(one, resolved, k=plan.k) for mode, one in answers.items()}
    return _Found(resolved, answers, values, skipped, said.absent, said.easy)


def _possible(modes: tuple[Mode, ...], trouble: str | None) -> tuple[tuple[Mode, ...], dict[str, str]]:
    """The modes that can be asked: without meaning only words, and hybrid would be words under another name.

    Raises:
        EmbedderUnavailable: words were not asked for.
    """
    if trouble is None or modes == ("lexical",):
        return modes, {}
    if "lexical" not in modes:
        raise EmbedderUnavailable(trouble)
    return ("lexical",), {str(mode): trouble for mode in modes if mode != "lexical"}


def _gate(
    plan: Plan, ledger: HybridLibrary, found: _Found, outcomes: Outcomes
) -> tuple[Gate, Comparison | None]:
    """What the gate says, and the comparison with another run that was asked for."""
    with parts_of(ledger).database.read() as connection:
        baselines = Baselines(find_runs(connection, promoted=True))
        mode = baselines.mode_for(plan.kind, plan.gate_mode, tuple(found.values))
        like = baselines.like(plan.kind, mode)
        other = find_runs(connection, number=plan.against) if plan.against is not None else []
        kept = {run.number: load_outcomes(connection, run.number) for run in (*like[:1], *other) if run.number}
    if plan.against is not None:
        _refuse_unlike(plan, other)
    comparison, against = (
        compare(runs[0].number, kept[runs[0].number].get(mode), outcomes.get(mode), plan.gold, mode)
        if runs and runs[0].number
        else None
        for runs in (like, other)
    )
    obstacles = _obstacles(found, mode)
    gate = judge(baselines, plan.kind, comparison, mode=mode, tolerance=plan.tolerance, obstacles=obstacles)
    return gate, against


def _refuse_unlike(plan: Plan, other: Sequence[Run]) -> None:
    if not other:
        raise InvalidInput(f"there is no run {plan.against}; `hybridkb runs` lists them", field="against")
    differences = plan.kind.differences(other[0])
    if other[0].gold_digest is None or differences:
        raise InvalidInput(
            f"run {plan.against} cannot be compared with: it differs in {'; '.join(differences)}", field="against"
        )


def _obstacles(found: _Found, mode: str) -> list[str]:
    """What forbids a promotion whatever recall says."""
    if mode not in found.values:
        return [f"{mode} did not run: {found.skipped.get(mode, 'it was not asked for')}"]
    fallen = found.answers[mode].fallen_back
    if not fallen:
        return []
    why, _ = fallen.most_common(1)[0]
    return [f"{fallen.total():,} of {len(found.resolved):,} queries were not answered in {mode} mode: {why}"]


def _notes(found: _Found, before: IndexState, after: IndexState) -> list[str]:
    notes = [*found.easy]
    stale = sum(is_stale(target) for one in found.resolved for target in one.targets)
    if stale:
        notes.append(f"{stale:,} answers no longer hold the text that was judged; see `hybridkb gold check`")
    notes += [
        f"{mode}: {count:,} of {len(found.resolved):,} answers: {why}"
        for mode, one in found.answers.items()
        for why, count in one.degraded.most_common()
    ]
    if before.fingerprint != after.fingerprint:
        notes.append("the library changed while it was evaluated; evaluate it again when it rests")
    return notes


def _run(plan: Plan, report: EvaluationReport, state: IndexState, started: int, finished: int) -> Run:
    return Run(
        kind="evaluate" if report.tuning is None else "tune",
        target="candidate" if report.target == "candidate" else "serving",
        started_at=started,
        finished_at=finished,
        gold_digest=report.gold_digest,
        gold_name=report.gold,
        k=report.k,
        mode=report.gate.mode,
        protocol=plan.kind.protocol,
        queries=report.queries,
        negatives=report.negatives,
        tolerance=plan.tolerance,
        promote=report.promote,
        reasons=report.gate.reasons,
        obstacles=report.gate.obstacles,
        note=plan.note,
        figures=rows_of(report.figures, report.hybrid_minus_best),
        **{**state.row(), "versions": versions() | {"bootstrap": f"{plan.resamples} draws, seed {plan.seed}"}},
    )


def _judged(gold: GoldSet) -> dict[str, dict[str, int]]:
    return {record.key: {one.name: one.grade for one in record.judgements} for record in gold.positive}


def _counter(progress: Progress | None, total: int) -> Callable[[], None] | None:
    if progress is None:
        return None
    done = iter(range(1, total + 1))
    return lambda: progress(next(done), total)
