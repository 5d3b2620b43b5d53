"""Figures, comparisons and verdicts of evaluations, for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from hybridkb.cli.output import print_table, print_text

if TYPE_CHECKING:
    from hybridkb.evaluation import EvaluationReport
    from hybridkb.evaluation.bootstrap import Interval
    from hybridkb.evaluation.report import Comparison, Gate, QueryChange
    from hybridkb.evaluation.tuning import Tuning

SHOWN = 20
_HEADS = ("recall", "precision", "ndcg", "mrr", "success")


def print_evaluation(report: EvaluationReport, *, queries: bool = False) -> None:
    """Print what an evaluation found."""
    what = f"{report.queries:,} queries" + (f", {report.negatives:,} without an answer" if report.negatives else "")
    print_text(f"{report.gold} ({report.gold_digest}): {what}; k = {report.k}, 95 % intervals\n")
    _print_figures(report)
    _print_kinds(report)
    if queries:
        _print_queries(report)
    _print_negatives(report)
    for mode, why in report.skipped.items():
        print_text(f"not asked: {mode}: {why}")
    for absent in report.absent[:SHOWN]:
        print_text(f"absent, counted as missed: {absent}")
    for note in report.notes:
        print_text(f"note: {note}")
    if report.tuning is not None:
        print_tuning(report.tuning)
    if report.against is not None:
        print_comparison(report.against)
    print_gate(report.gate)
    if report.run is not None:
        print_text(f"run {report.run}")


def print_gate(gate: Gate) -> None:
    """Print what the gate says, and which queries were lost and won."""
    if gate.baseline is not None:
        print_comparison(gate.baseline)
    if gate.best is not None and gate.baseline is not None and gate.best > gate.baseline.before:
        print_text(f"the best promoted run of this kind had {gate.best:.4f}")
    verdict = {True: "may be promoted", False: "not to be promoted", None: "nothing to compare with"}[gate.promote]
    print_text(f"\ngate ({gate.mode}, tolerance {gate.tolerance:g}): {verdict}")
    for reason in gate.reasons:
        print_text(f"  {reason}")


def print_comparison(compared: Comparison) -> None:
    """Print recall then and now, and the queries that make the difference."""
    one = compared.difference
    print_text(
        f"\nagainst run {compared.run}, {compared.mode} recall: {compared.before:.4f} then, {compared.now:.4f} now; "
        f"difference {one.value:+.4f} [{one.low:+.4f}, {one.high:+.4f}]"
    )
    _print_changes("lost", compared.lost)
    _print_changes("won", compared.won)


def print_tuning(tuning: Tuning) -> None:
    """Print what a tuning chose, and how it does on queries it did not see."""
    print_text(
        f"\ntuning: {tuning.candidates} fusions, {tuning.queries:,} queries in {tuning.folds} folds, "
        f"by {tuning.objective}"
    )
    rows = [
        (name, f"{tuning.figures_current[name]:.4f}", f"{tuning.out_of_fold[name]:.4f}", _interval(one, "+.4f"),
         f"{tuning.in_sample[name]:.4f}")
        for name, one in tuning.difference.items()
    ]  # fmt: skip
    print_table(("measure", "there", "chosen, out of fold", "difference", "in sample"), rows)
    print_text(f"there:  {fusion_text(tuning.current)}\nchosen: {fusion_text(tuning.chosen)}")
    print_text(f"{'stored' if tuning.stored else 'not stored'}: {tuning.reason}")


def fusion_text(fusion: Mapping[str, object]) -> str:
    """A fusion in words."""
    if fusion["method"] == "convex":
        return f"convex, alpha {fusion['alpha']}"
    words = f"{fusion['lexical_weight']} (words{', by relevance' if fusion['by_relevance'] else ''})"
    return f"rrf, k {fusion['k']}, weights {words} and {fusion['semantic_weight']} (meaning)"


def _print_figures(report: EvaluationReport) -> None:
    heads = [f"{name}@{report.k}" if name != "mrr" else "mrr" for name in _HEADS]
    rows = [(mode, *(_interval(found[name], ".3f") for name in _HEADS)) for mode, found in report.figures.items()]
    if report.hybrid_minus_best:
        differences = (_interval(report.hybrid_minus_best[name], "+.3f") for name in _HEADS)
        rows.append(("hybrid minus best leg", *differences))
    print_table(("mode", *heads), rows)
    if report.ceiling < 1:
        print_text(f"no ranking can reach a recall@{report.k} above {report.ceiling:.3f}: queries have more answers")


def _print_kinds(report: EvaluationReport) -> None:
    if report.by_kind:
        print_text("")
        rows = [
            (kind, int(found["queries"]), *(f"{found[mode]:.3f}" for mode in report.modes))
            for kind, found in report.by_kind.items()
        ]
        print_table(("kind", "queries", *(f"{mode} recall@{report.k}" for mode in report.modes)), rows)


def _print_queries(report: EvaluationReport) -> None:
    print_text("")
    rows = [
        (one.query, *(f"{one.values[mode]['recall']:.2f} ({_rank(one.ranks[mode])})" for mode in report.modes),
         "; ".join(one.missed.get(report.gate.mode, ())))
        for one in report.by_query
    ]  # fmt: skip
    print_table(("query", *(f"{mode} (first)" for mode in report.modes), "missed"), rows)


def _print_negatives(report: EvaluationReport) -> None:
    for mode, one in report.negative.items():
        if one.threshold is None or one.false_alarms is None:
            continue
        print_text(
            f"{mode}: of {one.queries:,} queries without an answer {one.false_alarms:.0%} find something at least as "
            f"sure as nine in ten right hits (relevance {one.threshold:.2f})"
        )


def _print_changes(what: str, changes: Sequence[QueryChange]) -> None:
    if not changes:
        return
    print_text(f"{what}: {len(changes):,}")
    print_table(("query", "then", "now", "answers"), _change_rows(changes[:SHOWN]))
    if len(changes) > SHOWN:
        print_text(f"and {len(changes) - SHOWN:,} more; --json lists all")


def _change_rows(changes: Iterable[QueryChange]) -> list[tuple[str, str, str, str]]:
    return [
        (one.query or one.key, f"{one.before:.2f}", f"{one.now:.2f}", "; ".join(one.answers)) for one in changes
    ]


def _interval(one: Interval, form: str) -> str:
    return f"{one.value:{form}} [{one.low:{form}}, {one.high:{form}}]"


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)
