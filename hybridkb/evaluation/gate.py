"""The gate: may what was evaluated take the place of what serves?

Only when its recall at k is not below that of the last promoted run, on the same gold set, k, mode, filters and depth;
by how much it may fall all the same is the tolerance, 0 unless somebody says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybridkb.evaluation.bootstrap import interval
from hybridkb.evaluation.gold_set import GoldRecord, GoldSet
from hybridkb.evaluation.report import Comparison, Gate, QueryChange
from hybridkb.store.runs import Run

PROTOCOL_VERSION = 1
_ROUNDING = 1e-9

ByQuery = Mapping[str, Mapping[str, Any]]
"""What a run keeps of each query, under its digest."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What must be equal for two evaluations to be compared.

    Attributes:
        gold_digest: the judgements. k: how many hits count.
        protocol: version of the protocol, depth, filters of the whole evaluation.
    """

    gold_digest: str
    k: int
    protocol: Mapping[str, Any]

    def differences(self, run: Run, mode: str | None = None) -> list[str]:
        """In what a run is not of this kind; nothing when it is."""
        found = []
        if run.gold_digest != self.gold_digest:
            found.append(f"gold set (then {run.gold_name}, {run.gold_digest}; now {self.gold_digest})")
        if run.k != self.k:
            found.append(f"k (then {run.k}, now {self.k})")
        names = sorted(run.protocol.keys() | self.protocol.keys())
        found += [
            f"{name} (then {run.protocol.get(name)!r}, now {self.protocol.get(name)!r})"
            for name in names
            if run.protocol.get(name) != self.protocol.get(name)
        ]
        if mode is not None and run.mode != mode:
            found.append(f"mode (then {run.mode}, now {mode})")
        return found


@dataclass(frozen=True, slots=True)
class Baselines:
    """Promoted runs, the last promoted first."""

    runs: Sequence[Run]

    def mode_for(self, kind: Kind, wished: str | None, ran: Sequence[str]) -> str:
        """The mode the gate looks at: the one asked for, else the baseline's, else the best that ran."""
        if wished is not None:
            return wished
        like = next((run for run in self.runs if not kind.differences(run)), None)
        if like is not None and like.mode is not None:
            return like.mode
        return next(mode for mode in ("hybrid", "lexical", "semantic", *ran) if mode in ran)

    def like(self, kind: Kind, mode: str) -> list[Run]:
        """Runs of the same kind and mode, the last promoted first."""
        return [run for run in self.runs if not kind.differences(run, mode)]


def compare(
    number: int, then: ByQuery | None, now: ByQuery | None, gold: GoldSet | None, mode: str
) -> Comparison | None:
    """Compare each query's recall with what an earlier run found; None when either kept nothing of the mode.

    Args:
        number: the earlier run.
        then, now: by query, its recall and which answers were found (places in :func:`answer_names`).
        gold: the judgements of both; without them queries stay nameless.
        mode: the mode compared.
    """
    keys = sorted((then or {}).keys() & (now or {}).keys())
    if then is None or now is None or not keys:
        return None
    before, after = ([float(found[key]["recall"]) for key in keys] for found in (then, now))
    records = {record.key: record for record in gold.positive} if gold is not None else {}
    changes = [
        _change(key, records.get(key), mode, then[key], now[key])
        for key, old, new in zip(keys, before, after, strict=True)
        if abs(new - old) > _ROUNDING
    ]
    return Comparison(
        run=number,
        mode=mode,
        before=sum(before) / len(before),
        now=sum(after) / len(after),
        difference=interval([new - old for old, new in zip(before, after, strict=True)]),
        lost=tuple(sorted((one for one in changes if one.now < one.before), key=_by_size)),
        won=tuple(sorted((one for one in changes if one.now > one.before), key=_by_size)),
    )


def judge(
    baselines: Baselines,
    kind: Kind,
    comparison: Comparison | None,
    *,
    mode: str,
    tolerance: float,
    obstacles: Sequence[str] = (),
) -> Gate:
    """Decide.

    Args:
        baselines: what was promoted so far.
        kind: of this evaluation.
        comparison: with the last promoted run of this kind and mode; None when there is none.
        mode: the mode looked at.
        tolerance: by how much recall may fall.
        obstacles: what forbids a promotion whatever recall says.
    """
    reasons, forbidden = list(obstacles), tuple(obstacles)
    like = baselines.like(kind, mode)
    highest = max((figure.value for run in like if (figure := run.figure(mode, "recall"))), default=None)
    if comparison is not None and comparison.now < comparison.before - tolerance - _ROUNDING:
        reasons.append(
            f"{mode} recall@{kind.k} fell from {comparison.before:.4f} (run {comparison.run}) to {comparison.now:.4f}, "
            f"more than the tolerance of {tolerance:g}"
        )
    if reasons:
        return Gate(False, mode, tolerance, comparison, highest, tuple(reasons), forbidden)
    if comparison is None:
        return Gate(None, mode, tolerance, None, highest, (_nothing_like(baselines, kind, mode),))
    return Gate(True, mode, tolerance, comparison, highest)


def answer_names(record: GoldRecord) -> list[str]:
    """The right answers of a query in a fixed order; runs name them by their places in it."""
    return sorted(answer.name for answer in record.answers)


def _nothing_like(baselines: Baselines, kind: Kind, mode: str) -> str:
    if not baselines.runs:
        return "nothing was promoted yet: promote a run of the index that serves as the baseline first"
    last = baselines.runs[0]
    differences = "; ".join(kind.differences(last, mode))
    return (
        f"no promoted run is like this one; run {last.number}, the last promoted, differs in: {differences}. Evaluate "
        "the index that serves in the same way, and promote that as the baseline"
    )


def _change(
    key: str, record: GoldRecord | None, mode: str, then: Mapping[str, Any], now: Mapping[str, Any]
) -> QueryChange:
    """What changed for one query, and which answers make the difference."""
    before, after = float(then["recall"]), float(now["recall"])
    if record is None:
        return QueryChange(key, "", None, mode, before, after, ())
    names, found, earlier = answer_names(record), set(now.get("found", ())), set(then.get("found", ()))
    places = earlier - found if after < before else found - earlier
    written = {answer.name: answer.written or answer.name for answer in record.answers}
    answers = tuple(written[names[place]] for place in sorted(places) if place < len(names))
    return QueryChange(key, record.query, record.id, mode, before, after, answers)


def _by_size(change: QueryChange) -> tuple[float, str]:
    return -abs(change.now - change.before), change.key
