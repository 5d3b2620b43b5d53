"""What an evaluation says: figures, what was lost and won, and what the gate makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from hybridkb.evaluation.bootstrap import Interval

if TYPE_CHECKING:
    from hybridkb.evaluation.tuning import Tuning

Figures = Mapping[str, Mapping[str, Interval]]
"""By mode, each measure's mean over the queries with its interval."""


@dataclass(frozen=True, slots=True)
class QueryReport:
    """How one query fared.

    Attributes:
        key: names the search by a digest; what runs keep instead of its text.
        query, id: the text, and the gold record's own name.
        values: by mode, each measure.
        ranks: by mode, where the first right answer stands, from 1; None when it was not found.
        missed: by mode, the right answers that are not among the first k.
    """

    key: str
    query: str
    id: str | None
    values: Mapping[str, Mapping[str, float]]
    ranks: Mapping[str, int | None]
    missed: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class QueryChange:
    """A query that fares otherwise than in the run it is compared with.

    Attributes:
        key, query, id: see :class:`QueryReport`.
        mode: the mode compared.
        before, now: its recall at k, then and now.
        answers: the right answers that were found then and are missed now, or the other way round.
    """

    key: str
    query: str
    id: str | None
    mode: str
    before: float
    now: float
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NegativeReport:
    """How sure a mode is of queries that nothing answers. ``relevance`` is what ``min_score`` acts on.

    Attributes:
        queries: how many there are.
        without_hits: for how many nothing was found at all.
        lowest, median, highest: relevance of their best hits; None without a hit.
        threshold: the relevance that nine in ten right hits of the other queries reach; None when there is none.
        false_alarms: share of the negative queries whose best hit reaches it as well.
    """

    queries: int
    without_hits: int
    lowest: float | None
    median: float | None
    highest: float | None
    threshold: float | None
    false_alarms: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The same queries in an earlier run and now, in one mode.

    Attributes:
        run: the earlier run.
        mode: the mode.
        before, now: recall at k.
        difference: now minus before, with the interval of the paired bootstrap.
        lost, won: queries whose recall fell, and rose.
    """

    run: int
    mode: str
    before: float
    now: float
    difference: Interval
    lost: tuple[QueryChange, ...] = ()
    won: tuple[QueryChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether what was evaluated may be promoted.

    Attributes:
        promote: True, False, or None: nothing was promoted yet that it could be compared with.
        mode: the mode the gate looks at.
        tolerance: by how much recall at k may fall.
        baseline: the last promoted run of the same gold set, k, mode and filters; None without one.
        best: the highest recall that any promoted run of the same kind had, so that many small losses show.
        reasons: why not, or what has to be done first.
        obstacles: those of them that have nothing to do with recall.
    """

    promote: bool | None
    mode: str
    tolerance: float
    baseline: Comparison | None = None
    best: float | None = None
    reasons: tuple[str, ...] = ()
    obstacles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """What an evaluation found.

    Attributes:
        run: its number in the library; None when it was not recorded.
        target: ``"serving"`` or ``"candidate"``.
        gold, gold_digest: the gold set.
        k: how many hits count. depth: how many were looked at.
        queries, negatives: how many queries have an answer, and how many have none.
        modes: what was asked.
        skipped: modes that could not be asked, and why.
        figures: by mode, each measure's mean over the queries that have an answer, with its interval.
        hybrid_minus_best: for each measure, hybrid minus the better leg; empty unless all three modes ran.
        best_leg: for each measure, which leg was the better one.
        ceiling: the best recall at k that any ranking could reach.
        by_query: how each query fared.
        by_kind: for each kind of question, how many there are and the mean recall at k of each mode.
        negative: by mode, how sure it was of queries that nothing answers.
        gate: whether what was evaluated may be promoted.
        against: the comparison with another run that was asked for.
        absent: answers that cannot be found; they count as missed.
        notes: what else a reader should know: degraded answers, a library that changed meanwhile, easy queries.
        fingerprint: names the index.
        tuning: what a tuning chose, if one was asked for.
        seconds: time taken.
    """

    run: int | None
    target: str
    gold: str
    gold_digest: str
    k: int
    depth: int
    queries: int
    negatives: int
    modes: tuple[str, ...]
    skipped: Mapping[str, str]
    figures: Figures
    hybrid_minus_best: Mapping[str, Interval]
    best_leg: Mapping[str, str]
    ceiling: float
    by_query: tuple[QueryReport, ...]
    by_kind: Mapping[str, Mapping[str, float]]
    negative: Mapping[str, NegativeReport]
    gate: Gate
    against: Comparison | None = None
    absent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    fingerprint: str = ""
    tuning: Tuning | None = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def promote(self) -> bool | None:
        """Whether it may be promoted; None when there is nothing to compare with."""
        return self.gate.promote

    @property
    def lost(self) -> tuple[QueryChange, ...]:
        """Queries that fare worse than in the run compared with."""
        compared = self.against or self.gate.baseline
        return compared.lost if compared else ()

    @property
    def won(self) -> tuple[QueryChange, ...]:
        """Queries that fare better than in the run compared with."""
        compared = self.against or self.gate.baseline
        return compared.won if compared else ()

    def recall(self, mode: str) -> float:
        """Mean recall at k of a mode.

        Raises:
            KeyError: the mode was not asked.
        """
        return self.figures[mode]["recall"].value

    def as_dict(self) -> dict[str, Any]:
        """Everything, as JSON holds it. It names queries: see ``public_export`` for what may leave the house."""
        return {**asdict(self), "promote": self.promote}
