"""``reindex``: build another index beside the one that serves, and evaluate it. Nobody who searches notices.

One at a time, under a lock; safe to kill: the copy counts only when it is whole, a rebuild is one transaction, and
vectors stay in committed steps.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from hybridkb.embedders import load_embedder
from hybridkb.embedders.guard import space_of
from hybridkb.embedders.space import Embedder
from hybridkb.errors import InvalidInput
from hybridkb.evaluation.build import apply_settings, ready_candidate, refuse_another
from hybridkb.evaluation.candidate import Candidate, Recipe, StageProgress, candidate_place, open_candidate
from hybridkb.evaluation.evaluating import run_plan
from hybridkb.evaluation.gold_reading import GoldArgument
from hybridkb.evaluation.index_state import IndexState, index_state
from hybridkb.evaluation.plan import Plan, plan_of, refuse_early
from hybridkb.evaluation.report import EvaluationReport
from hybridkb.fusion import Fusion
from hybridkb.lexical.ranking import RankingSettings
from hybridkb.library import HybridLibrary, parts_of
from hybridkb.store.runs import Run, add_run, finish_run
from hybridkb.text import shared_analyser
from hybridkb.upkeep.candidate_copy import LOCK, carry_purges


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What a reindex made.

    Attributes:
        run: its number in the library.
        candidate: the file, or the address without a password.
        changes: in what it differs from what serves, in words.
        resumed: whether a candidate that was begun earlier was gone on with.
        records: records made anew; 0 where that was not needed or done before.
        embedded: texts embedded now. failed: (locator, reason) of texts the model could not embed.
        pending: texts without a vector.
        evaluation: how well it finds, compared with what was promoted.
        seconds: time taken.
    """

    run: int
    candidate: str
    changes: str
    resumed: bool
    records: int
    embedded: int
    failed: tuple[tuple[str, str], ...]
    pending: int
    evaluation: EvaluationReport
    seconds: float = field(default=0.0, compare=False)

    @property
    def promote(self) -> bool | None:
        """Whether it may be promoted."""
        return self.evaluation.promote

    def as_dict(self) -> dict[str, Any]:
        """Everything, as JSON holds it; it names queries."""
        return {**asdict(self), "evaluation": self.evaluation.as_dict(), "promote": self.promote}


def reindex(
    library: HybridLibrary,
    *,
    embedder: Embedder | str | None = None,
    language: str | None = None,
    fusion: Fusion | None = None,
    ranking: RankingSettings | None = None,
    gold: GoldArgument = None,
    restart: bool = False,
    wait_seconds: float = 0.0,
    progress: StageProgress | None = None,
    **how: Any,
) -> ReindexReport:
    """Build a candidate beside the index that serves, and evaluate it; ``promote`` lets it serve.

    Without any change everything derived is made anew, as after an upgrade that analyses or projects otherwise.

    Args:
        library: the library that serves; open for writing.
        embedder: another model: an embedder, ``"local"``, ``"multilingual"`` or ``"openai:MODEL"``.
        language: another language of its words.
        fusion, ranking: another way of ranking.
        gold: as in ``evaluate``; it is checked before anything is built.
        restart: throw away a candidate that is there.
        wait_seconds: how long to wait for another reindex or promotion.
        progress: called with (stage, done, in all); stages are copying, rebuilding, embedding, evaluating.
        **how: ``k``, ``modes``, ``filters``, ``depth``, ``absent_share``, ``tolerance``, ``gate_mode``, ``note`` and
            ``collection``, as in ``evaluate``.

    Raises:
        InvalidInput, InvalidGoldSet: an argument or the gold set is wrong; nothing was built.
        DatabaseBusy: another reindex or promotion is at work.
        DatabaseError: there is no room for a copy, or this role may not make namespaces on the server.
        EmbedderError: the model fails; what was embedded stays.
    """
    started = time.monotonic()
    plan = plan_of(library, gold, **how)
    chosen = None if embedder is None else load_embedder(embedder, stored=None)[0]
    with parts_of(library).database.job_lock(LOCK, wait_seconds=wait_seconds):
        state = index_state(library)
        recipe = recipe_of(state, chosen, language, fusion, ranking)
        refuse_early(plan, library)
        if not restart:
            refuse_another(library, recipe)
        candidate_place(library).require_room()
        number = _begin(library, state, plan, recipe)
        candidate, resumed = ready_candidate(library, recipe, state, restart=restart, progress=progress)
        made = _build(library, candidate, chosen, plan, number, progress)
    return replace(made, resumed=resumed, seconds=time.monotonic() - started)


def recipe_of(
    state: IndexState,
    embedder: Embedder | None,
    language: str | None,
    fusion: Fusion | None,
    ranking: RankingSettings | None,
) -> Recipe:
    """What differs from what serves; without any difference everything is made anew.

    Raises:
        InvalidInput: the language is not known, or a setting is of another kind.
        EmbedderError: the embedder cannot say what its space is.
    """
    if language is not None:
        shared_analyser(language)
    Recipe(fusion, ranking, language).settings(state.settings)  # refuses settings that are none
    space = None if embedder is None else space_of(embedder)
    if space is not None and state.space is not None and space.fingerprint == state.space.fingerprint:
        space = None
    recipe = Recipe(
        fusion=None if fusion == state.settings.fusion else fusion,
        ranking=None if ranking == state.settings.ranking else ranking,
        language=None if language == state.settings.language else language,
        space=space,
    )
    return replace(recipe, rebuild=recipe == Recipe() or recipe.language is not None)


def _begin(library: HybridLibrary, state: IndexState, plan: Plan, recipe: Recipe) -> int:
    """Note that a reindex began; it stays unfinished when it is killed."""
    run = Run(
        kind="reindex",
        target="candidate",
        started_at=parts_of(library).ingest.clock(),
        finished_at=None,
        note=f"{recipe}; {plan.note}" if plan.note else str(recipe),
        **state.row(),
    )
    with parts_of(library).database.write() as connection:
        return add_run(connection, run)


def _build(
    library: HybridLibrary,
    candidate: Candidate,
    embedder: Embedder | None,
    plan: Plan,
    number: int,
    progress: StageProgress | None,
) -> ReindexReport:
    with open_candidate(embedder, library) as index:
        candidate, records = apply_settings(index, candidate, progress)
        embedded, failed, pending = _embed(index, candidate, progress)
        carry_purges(parts_of(library).database, parts_of(index).database)  # what was purged while it was copied
        _finish(library, index_state(index), number, embedded)
        evaluated = run_plan(
            plan,
            index,
            library,
            target="candidate",
            progress=None if progress is None else (lambda done, total: progress("evaluating", done, total)),
        )
        carry_purges(parts_of(library).database, parts_of(index).database)
    return ReindexReport(
        run=number,
        candidate=candidate.path,
        changes=str(candidate.recipe),
        resumed=False,
        records=records,
        embedded=embedded,
        failed=failed,
        pending=pending,
        evaluation=evaluated,
    )


def _embed(
    index: HybridLibrary, candidate: Candidate, progress: StageProgress | None
) -> tuple[int, tuple[tuple[str, str], ...], int]:
    if candidate.recipe.space is None:
        return 0, (), 0
    report = index.embed_pending(
        progress=None if progress is None else (lambda done, total: progress("embedding", done, total))
    )
    if not report.serving:
        raise InvalidInput(
            f"{report.pending:,} texts still have no vector of {report.space}; reindex again to go on", field="embedder"
        )
    return report.embedded, report.failed, report.pending


def _finish(library: HybridLibrary, state: IndexState, number: int, embedded: int) -> None:
    parts = parts_of(library)
    row: Mapping[str, Any] = {name: value for name, value in state.row().items() if name != "versions"}
    run = Run(
        kind="reindex", target="candidate", started_at=0, finished_at=parts.ingest.clock(), number=number,
        embedded=embedded, versions={}, **row,
    )  # fmt: skip
    with parts.database.write() as connection:
        finish_run(connection, run)
