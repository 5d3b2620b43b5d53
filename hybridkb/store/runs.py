"""Runs: what was evaluated or built, when, with which settings and versions, and what it measured.

Bookkeeping beside the knowledge. Writing a run changes no answer, so the generation stays. Queries are named by
digests; no query text is kept.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from hybridkb.database import Connection, ids_parameter
from hybridkb.errors import BrokenInvariant

Kind = Literal["evaluate", "tune", "reindex"]
Target = Literal["serving", "candidate"]
MOST_NUMBERED = 2**63 - 1  # what both engines can count to
KINDS: tuple[Kind, ...] = ("evaluate", "tune", "reindex")
TARGETS: tuple[Target, ...] = ("serving", "candidate")
_JSON = ("protocol", "settings", "versions", "reasons", "obstacles")
_COLUMNS = (
    "number", "kind", "target", "started_at", "finished_at", "gold_digest", "gold_name", "k", "mode", "queries",
    "negatives", "protocol", "settings_digest", "settings", "space", "versions", "fingerprint", "items", "records",
    "pending", "embedded", "tolerance", "promote", "reasons", "obstacles",
    "note", "promoted_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure's mean over the queries of a run.

    Attributes:
        mode: ``"lexical"``, ``"semantic"``, ``"hybrid"``, or ``"hybrid_minus_best"``.
        measure: ``"recall"``, ``"precision"``, ``"ndcg"``, ``"mrr"`` or ``"success"``.
        value: the mean, or the mean difference.
        low, high: bounds of its 95 % interval.
    """

    mode: str
    measure: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Run:
    """One run. Times are microseconds since 1970 UTC.

    Attributes:
        kind: ``"evaluate"``, ``"tune"`` (an evaluation that chose a fusion) or ``"reindex"``.
        target: the index that serves, or the candidate beside it.
        started_at, finished_at: None while it runs, and for ever when it was killed.
        fingerprint: names the index, as searches do.
        settings, settings_digest: language, ranking and fusion.
        space: the embedding space that served; None without one.
        versions: of hybridkb and of what it rests on.
        items, records: how much there was; pending: records without a vector; embedded: texts embedded by a reindex.
        gold_digest, gold_name: the judgements.
        k: how many hits count. mode: the ranking the gate looks at.
        protocol: what else must be equal for two runs to be compared.
        queries, negatives: how many queries have an answer, and how many have none.
        tolerance: by how much recall may fall.
        promote: what the gate said; None when there was nothing to compare with. reasons: why not.
        obstacles: what forbids a promotion whatever recall says.
        promoted_at: since when later runs are compared with it.
        note: what a person said of it.
        figures: what it measured.
        number: its number in the library; None before it is stored.
    """

    kind: Kind
    target: Target
    started_at: int
    finished_at: int | None
    fingerprint: str
    settings_digest: str
    settings: Mapping[str, Any]
    space: str | None
    versions: Mapping[str, str | None]
    items: int
    records: int
    pending: int
    embedded: int = 0
    gold_digest: str | None = None
    gold_name: str | None = None
    k: int | None = None
    mode: str | None = None
    protocol: Mapping[str, Any] = field(default_factory=dict)
    queries: int | None = None
    negatives: int | None = None
    tolerance: float | None = None
    promote: bool | None = None
    reasons: Sequence[str] = ()
    obstacles: Sequence[str] = ()
    promoted_at: int | None = None
    note: str = ""
    figures: Sequence[Figure] = ()
    number: int | None = None

    def figure(self, mode: str | None, measure: str) -> Figure | None:
        """One of its figures."""
        return next((one for one in self.figures if (one.mode, one.measure) == (mode, measure)), None)


Outcomes = Mapping[str, Mapping[str, Any]]
"""By mode and by query (named by its digest): what was measured and which answers were found."""


def add_run(connection: Connection, run: Run, outcomes: Outcomes | None = None) -> int:
    """Store a run with its figures, inside the caller's write transaction; returns its number."""
    row = {name: getattr(run, name) for name in _COLUMNS if name != "number"}
    row |= {name: json.dumps(row[name], sort_keys=True) for name in _JSON}
    row["promote"] = None if run.promote is None else int(run.promote)
    row["outcomes"] = None if outcomes is None else zlib.compress(json.dumps(outcomes, sort_keys=True).encode())
    number = int(connection.value("runs/insert", row))
    connection.many(
        "runs/insert_figure", ((number, one.mode, one.measure, one.value, one.low, one.high) for one in run.figures)
    )
    return number


def finish_run(connection: Connection, run: Run) -> None:
    """Store what a job that was begun has made, inside the caller's write transaction."""
    names = ("finished_at", "settings_digest", "space", "fingerprint", "items", "records", "pending", "embedded")
    row = {name: getattr(run, name) for name in names}
    settings = json.dumps(run.settings, sort_keys=True)
    connection.rows("runs/finish", {**row, "settings": settings, "run_no": run.number})


def mark_promoted(connection: Connection, number: int, *, now: int, note: str) -> None:
    """Make a run the one that later ones are compared with, inside the caller's write transaction."""
    connection.rows("runs/promote", {"run_no": number, "now": now, "note": note})


def find_runs(
    connection: Connection,
    *,
    number: int | None = None,
    kind: Kind | None = None,
    target: Target | None = None,
    promoted: bool = False,
    limit: int = MOST_NUMBERED,
) -> list[Run]:
    """Runs with their figures, the newest first; promoted ones the last promoted first.

    Raises:
        BrokenInvariant: a row cannot be read.
    """
    if number is not None and not 0 < number <= MOST_NUMBERED:
        return []
    wanted = {"run_no": number, "kind": kind, "target": target, "promoted": int(promoted), "limit": limit}
    runs = [_run(row) for row in connection.rows("runs/listed", wanted)]
    figures: dict[int, list[Figure]] = {}
    for run_no, *values in connection.rows("runs/figures", ids_parameter(_numbers(runs))):
        figures.setdefault(run_no, []).append(Figure(*values))
    return [replace(run, figures=tuple(figures.get(run.number or 0, ()))) for run in runs]


def load_outcomes(connection: Connection, number: int) -> Outcomes:
    """By mode and query, what a run found; empty when nothing was kept.

    Raises:
        BrokenInvariant: it cannot be read.
    """
    packed = connection.value("runs/outcomes", {"run_no": number})
    if packed is None:
        return {}
    try:
        found: Outcomes = json.loads(zlib.decompress(packed))
    except (zlib.error, TypeError, ValueError) as error:
        raise BrokenInvariant(f"the outcomes of run {number} are stored damaged ({error}); evaluate again") from error
    return found


def _numbers(runs: Iterable[Run]) -> list[int]:
    return [run.number for run in runs if run.number is not None]


def _run(row: Sequence[Any]) -> Run:
    values = dict(zip(_COLUMNS, row, strict=True))
    try:
        values |= {name: json.loads(values[name]) for name in _JSON}
    except (TypeError, ValueError) as error:
        raise BrokenInvariant(f"run {values['number']} is stored damaged ({error}); evaluate again") from error
    values |= {name: tuple(values[name]) for name in ("reasons", "obstacles")}
    values["promote"] = None if values["promote"] is None else bool(values["promote"])
    return Run(**values)
