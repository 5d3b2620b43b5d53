"""Turns what the workers found into figures: measures of rankings, medians of rounds, counts of hostile texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from measure import spread
from quality import judge

from peers import hostile
from peers.prepare import Judged
from peers.shape import Mode

DEPTH = 100
_KEPT = ("ndcg_at_10", "recall_at_100")


def judge_quality(ranked: dict[str, Any], judged: Judged) -> dict[str, Any]:
    """By mode nDCG@10 and recall@100 with their intervals, and hybrid minus the better leg."""
    if "failed" in ranked:
        return ranked
    scores = judge(rankings_of(ranked, judged), judged.judgements)
    kept = {mode: {label: one[label] for label in _KEPT if label in one} for mode, one in scores.items()}
    return {"scores": kept, "queries_that_raised": ranked["queries_that_raised"]}


def rankings_of(ranked: dict[str, Any], judged: Judged) -> dict[Mode, dict[str, list[str]]]:
    """By mode and query, the documents that a worker found."""
    return {
        mode: {
            query: _documents(names, by_window=judged.by_window)
            for query, names in zip(judged.queries, answers, strict=True)
        }
        for mode, answers in ranked["rankings"].items()
    }


def _documents(names: Sequence[str], *, by_window: bool) -> list[str]:
    """Documents of a ranking of documents or windows, each once."""
    found = [name.rpartition("#")[0] if by_window else name for name in names]
    return list(dict.fromkeys(found))[:DEPTH]


def merge_rounds(rounds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """For each case the spread of the queries' medians over the rounds that went well."""
    failed = [one["failed"] for one in rounds if "failed" in one]
    well = [one for one in rounds if "failed" not in one]
    if not well:
        return {"failed": failed[0] if failed else "nothing was built"}
    cases = {name: _merged([one["cases"][name] for one in well]) for name in well[0]["cases"]}
    return {
        "rounds": len(well),
        "open_ms": float(np.median([one["open_ms"] for one in well])),
        "memory_mb": well[0]["memory_mb"],
        "cases": cases,
        **({"failed_rounds": failed} if failed else {}),
    }


def _merged(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    count = min(len(one["times_ms"]) for one in found)
    times = np.median(np.array([one["times_ms"][:count] for one in found]), axis=0)
    others = {key: value for key, value in found[0].items() if key != "times_ms"}
    if "fewest" in others:
        others["fewest"] = min(one["fewest"] for one in found)
        others["short"] = max(one["short"] for one in found)
        others["wrong"] = max(one["wrong"] for one in found)
    return {**spread(times.tolist()), "queries": count, **others}


def judge_hostile(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Counts over the hostile texts: raised in any mode, raised as typed, processes that died, wrong first hits."""
    if lines and lines[0]["place"] < 0:
        return {"failed": lines[0]["died"]}
    died = [line for line in lines if "died" in line]
    asked = [line for line in lines if "died" not in line]
    typed = [line for line in asked if line["as_typed"] is not None]
    wrong = [line["place"] for line in asked if line["careful"]["right"] is False]
    judged = [line for line in asked if line["careful"]["right"] is not None]
    raised = [line for line in asked if line["careful"]["raised"]]
    typed_raised = [line for line in typed if line["as_typed"]["raised"]]
    return {
        "texts": len(lines),
        "died": [{"kind": hostile.TEXTS[line["place"]].kind, "how": line["died"]} for line in died],
        "raised": [_named(line["place"], next(iter(line["careful"]["raised"].values()))) for line in raised],
        "as_typed": bool(typed),
        "as_typed_raised": dict(Counter(line["as_typed"]["raised"] for line in typed_raised)),
        "with_a_right_answer": len(judged),
        "not_first": [hostile.TEXTS[place].text for place in wrong],
    }


def _named(place: int, error: str) -> dict[str, str]:
    return {"kind": hostile.TEXTS[place].kind, "error": error}
