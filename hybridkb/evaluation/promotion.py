"""``promote``: let what was evaluated serve, or make an evaluation of what serves the baseline. The gate decides.

A candidate takes over in one transaction: readers of every process answer from the old index until then and from the
new one after it. What arrived in the library since the candidate was copied stays; new texts are embedded first, and
what still arrives in between waits for its vector, and is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from hybridkb.database import Connection
from hybridkb.embedders.space import Embedder
from hybridkb.errors import DatabaseError, HybridKBError, PromotionRefused
from hybridkb.evaluation.arrivals import embed_arrivals, embedder_for
from hybridkb.evaluation.candidate import (
    Candidate,
    change_of,
    failures_of,
    live_candidate,
    note_taken_over,
    open_candidate,
    remove_candidate,
    vectors_of,
)
from hybridkb.evaluation.gate import Baselines, Kind, compare, judge
from hybridkb.evaluation.gold_reading import GoldArgument, load_gold_set
from hybridkb.evaluation.gold_set import GoldSet
from hybridkb.evaluation.index_state import IndexState, index_state
from hybridkb.evaluation.report import Gate, QueryChange
from hybridkb.library import HybridLibrary, parts_of
from hybridkb.store.runs import Run, find_runs, load_outcomes, mark_promoted
from hybridkb.store.settings import load_settings
from hybridkb.upkeep.candidate_copy import LOCK, carry_purges
from hybridkb.upkeep.take_over import TakenOver, take_over
from hybridkb.vector.spaces import serving_space


@dataclass(frozen=True, slots=True)
class PromotionReport:
    """What a promotion did, or why it was refused.

    Attributes:
        run: the run that was promoted, or would have been.
        target: what it evaluated: ``"serving"`` or ``"candidate"``.
        changes: in what the candidate differs; empty for what serves.
        gate: what the gate said, with the comparison and the queries that were lost and won.
        promoted: whether it was promoted.
        baseline: whether it is the first of its kind, so that later runs are compared with it.
        records: records made anew. vectors: vectors taken over.
        embedded: texts embedded that had arrived since the candidate was made.
        pending: texts without a vector in the space that serves now.
        notes: what else a reader should know.
    """

    run: int
    target: str
    changes: str
    gate: Gate
    promoted: bool = False
    baseline: bool = False
    records: int = 0
    vectors: int = 0
    embedded: int = 0
    pending: int = 0
    notes: tuple[str, ...] = ()

    @property
    def lost(self) -> tuple[QueryChange, ...]:
        """Queries that fare worse than in the last promoted run."""
        return self.gate.baseline.lost if self.gate.baseline else ()

    def as_dict(self) -> dict[str, Any]:
        """Everything, as JSON holds it; it names queries."""
        return asdict(self)


def promote(
    library: HybridLibrary,
    *,
    run: int | None = None,
    baseline: bool = False,
    embedder: Embedder | str | None = None,
    gold: GoldArgument = None,
    note: str = "",
    wait_seconds: float = 0.0,
) -> PromotionReport:
    """Promote the candidate beside the library; or, without one, the newest evaluation of what serves.

    Args:
        library: the library that serves; open for writing.
        run: promote this evaluation instead of the newest.
        baseline: say that it is the first of its gold set, k, mode and filters, so that there is nothing to compare
            with. Only an evaluation of what serves can be.
        embedder: the candidate's model, for texts that arrived since; found by itself for the local model, services and
            registered embedders.
        gold: the gold set, so that lost queries are told by their text; that of the run when it is still there.
        note: a word to go with the promotion.
        wait_seconds: how long to wait for a reindex or another promotion.

    Raises:
        PromotionRefused: the gate said no, or there is nothing that could be promoted; its ``report`` says what was
            compared and which queries were lost. What serves goes on as it was.
        DatabaseBusy: a reindex or another promotion is at work.
    """
    with parts_of(library).database.job_lock(LOCK, wait_seconds=wait_seconds):
        state = index_state(library)
        candidate = live_candidate(library)
        chosen = _choose(library, run, candidate, state)
        gate = _judge(library, chosen, gold)
        report = PromotionReport(chosen.number or 0, chosen.target, "", gate)
        if chosen.target == "serving" or candidate is None:
            return _promote_serving(library, chosen, report, state, baseline, note)
        return _promote_candidate(library, chosen, report, candidate, state, embedder, note)


def _choose(library: HybridLibrary, number: int | None, candidate: Candidate | None, state: IndexState) -> Run:
    """The evaluation to promote."""
    target = "candidate" if candidate is not None else "serving"
    with parts_of(library).database.read() as connection:
        every = [one for one in find_runs(connection, number=number) if one.gold_digest is not None]
    fitting = every if number is not None else [one for one in every if one.target == target]
    if not fitting:
        what = "of the candidate" if candidate is not None else "of what serves"
        which = what if number is None else f"with number {number}"
        raise _refused(None, f"there is no evaluation {which}; make one first")
    chosen = fitting[0]
    if chosen.target == "candidate" and candidate is None:
        raise _refused(None, f"run {chosen.number} evaluated a candidate that is not there any more; reindex again")
    if chosen.target == "serving" and chosen.settings_digest != state.settings.digest():
        raise _refused(None, f"run {chosen.number} evaluated other settings than those that serve; evaluate again")
    space = None if state.space is None else str(state.space)
    if chosen.target == "serving" and chosen.space != space:
        raise _refused(None, f"run {chosen.number} evaluated {chosen.space}, {space} serves; evaluate again")
    return chosen


def _judge(library: HybridLibrary, run: Run, gold: GoldArgument) -> Gate:
    """Ask the gate anew: another run may have been promoted since this one was made."""
    assert run.gold_digest is not None
    assert run.k is not None
    assert run.mode is not None
    kind, mode = Kind(run.gold_digest, run.k, run.protocol), run.mode
    with parts_of(library).database.read() as connection:
        promoted = [one for one in find_runs(connection, promoted=True) if one.number != run.number]
        baselines = Baselines(promoted)
        numbers = [one.number for one in (run, *baselines.like(kind, mode)[:1]) if one.number is not None]
        kept = [load_outcomes(connection, number).get(mode) for number in numbers]
    comparison = None
    if len(numbers) == 2:
        comparison = compare(numbers[1], kept[1], kept[0], _known_gold(library, run, gold), mode)
    gate = judge(
        baselines, kind, comparison, mode=mode, tolerance=run.tolerance or 0.0, obstacles=tuple(run.obstacles)
    )
    if gate.promote is None and run.promoted_at is not None:
        return replace(gate, reasons=(_already(run),))
    return gate


def _already(run: Run) -> str:
    return (
        f"run {run.number} is promoted already, as the baseline of its kind, and no other run of its kind is; evaluate "
        "again, or reindex, and promote that"
    )


def _known_gold(library: HybridLibrary, run: Run, gold: GoldArgument) -> GoldSet | None:
    """The gold set of a run, when it can still be read and is still the same."""
    try:
        found = load_gold_set(gold if gold is not None else run.gold_name, zone=library.settings.zone)
    except HybridKBError:
        return None
    return found if found.digest == run.gold_digest else None


def _promote_serving(
    library: HybridLibrary, run: Run, report: PromotionReport, state: IndexState, baseline: bool, note: str
) -> PromotionReport:
    gate = report.gate
    if gate.promote is False or (gate.promote is None and not baseline):
        first = gate.promote is None and run.promoted_at is None
        how = "; or say that it is the baseline (--baseline)" if first else ""
        raise _refused(report, "; ".join(gate.reasons) + how)
    recall = run.figure(run.mode, "recall")
    if gate.promote is None and (recall is None or recall.value <= 0):
        raise _refused(report, f"run {run.number} found no answer at all, so that nothing could ever be below it")
    notes = []
    if run.fingerprint != state.fingerprint:
        notes.append("the library has changed since it was evaluated; the figures are those of then")
    _mark(library, run, note)
    return _done(report, baseline=gate.promote is None, notes=notes)


def _promote_candidate(
    library: HybridLibrary,
    run: Run,
    report: PromotionReport,
    candidate: Candidate,
    state: IndexState,
    embedder: Embedder | str | None,
    note: str,
) -> PromotionReport:
    report = replace(report, changes=str(candidate.recipe))
    outdated = candidate.outdated(state)
    if outdated:
        what = " and ".join(outdated)
        raise _refused(report, f"since the candidate was made the library changed {what}; reindex again")
    if report.gate.promote is not True:
        raise _refused(report, "; ".join(report.gate.reasons))
    chosen, trouble = embedder_for(candidate, embedder)
    with open_candidate(chosen, library) as index:
        carry_purges(parts_of(library).database, parts_of(index).database)
        seen = index_state(index)
        if not candidate.rebuilt or seen.fingerprint != run.fingerprint:
            raise _refused(
                report,
                f"the candidate is not what run {run.number} evaluated (it was changed, or something was purged "
                "since); reindex again, which keeps its vectors",
            )
        embedded = embed_arrivals(library, index, candidate, chosen) if chosen is not None else 0
        made = _take_over(library, index, candidate, run, note)
    notes = [one for one in (trouble, _tidy(library)) if one]
    if made.pending:
        notes.append(f"{made.pending:,} texts have no vector yet; run embed_pending() (hybridkb embed)")
    return _done(report, made=made, embedded=embedded, notes=notes)


def _take_over(library: HybridLibrary, index: HybridLibrary, candidate: Candidate, run: Run, note: str) -> TakenOver:
    parts, space = parts_of(library), candidate.recipe.space
    why = f"promoted by run {run.number} on gold set {run.gold_digest}, which may be of a later time"

    def finish(connection: Connection) -> None:
        mark_promoted(connection, run.number or 0, now=parts.ingest.clock(), note=note)
        note_taken_over(connection, candidate)

    there = parts_of(index).database
    return take_over(
        parts.ingest,
        change_of(candidate, library.settings, why=why),
        vectors=vectors_of(there, space) if space is not None else (),
        failures=failures_of(there, space) if space is not None else (),
        first=lambda connection: _require_unchanged(connection, candidate),
        last=finish,
    )


def _tidy(library: HybridLibrary) -> str | None:
    """Remove the candidate, which serves now; why that must wait, when it must."""
    try:
        remove_candidate(library)
    except DatabaseError as error:
        return f"the candidate has taken over, and could not be removed yet ({error}); the next reindex removes it"
    return None


def _require_unchanged(connection: Connection, candidate: Candidate) -> None:
    """Look once more, inside the transaction: somebody may have changed settings in between."""
    serving = serving_space(connection)
    space = None if serving is None else serving.space.fingerprint
    if (load_settings(connection).digest(), space) != (candidate.settings_digest, candidate.space):
        raise _refused(None, "the library changed how it ranks just now; reindex again")


def _mark(library: HybridLibrary, run: Run, note: str) -> None:
    parts = parts_of(library)
    with parts.database.write() as connection:
        mark_promoted(connection, run.number or 0, now=parts.ingest.clock(), note=note)


def _done(
    report: PromotionReport,
    *,
    made: TakenOver | None = None,
    embedded: int = 0,
    baseline: bool = False,
    notes: Sequence[str] = (),
) -> PromotionReport:
    made = made or TakenOver(0, 0, 0)
    return replace(
        report, promoted=True, baseline=baseline, records=made.records, vectors=made.vectors, embedded=embedded,
        pending=made.pending, notes=tuple(notes),
    )  # fmt: skip


def _refused(report: PromotionReport | None, reason: str) -> PromotionRefused:
    return PromotionRefused(f"not promoted: {reason}; what serves goes on", reasons=[reason], report=report)
