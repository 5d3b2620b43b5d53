"""What to say when nothing is found: what was searched, which filter kept how many out, what to try.

Every number and every suggestion comes from what is visible at the cutoff; nothing later shows. What
documents say (tags, folders) stays in fields of its own, never inside the advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from hybridkb.search import SearchResults
from hybridkb.search.contents import LISTABLE
from hybridkb.search.counting import FilterCount, FilterCounts
from hybridkb.tools.cards import name, time_text
from hybridkb.tools.desk import View
from hybridkb.tools.filter_parameters import BEFORE
from hybridkb.tools.safe_text import serialised

MOST_KNOWN = 5_000
SUGGESTED = 5
_SYNTAX = re.compile(r'"|(?:^|\s)-\S')


def nothing_found(
    view: View, results: SearchResults, asked: dict[str, Any], *, min_score: float | None, cutoff_is_fixed: bool
) -> dict[str, Any]:
    """Explain an answer without hits.

    Args:
        view: what was asked.
        results: the empty answer.
        asked: the filters as they were given, the cutoff among them.
        min_score: the least relevance that was asked for.
        cutoff_is_fixed: whether the caller cannot change the cutoff.
    """
    counts = view.count(**asked)
    near, known = _suggestions(view, counts, asked)
    advice: dict[str, Any] = {
        "searched": {"records": counts.records, "items": counts.items, "cutoff": time_text(counts.cutoff)},
        "pass_all_filters": counts.passing,
        "filters": [_filter_card(one) for one in counts.filters],
    }
    advice |= {key: values for key, values in (("did_you_mean", near), ("known_values", known)) if values}
    advice["try"] = list(_steps(counts, results, min_score, cutoff_is_fixed, tuple(advice)))
    return advice


def fit_advice(head: dict[str, Any], advice: dict[str, Any], max_chars: int) -> dict[str, Any]:
    """Put the advice under the head of an answer; what does not fit is left out, the longest first."""
    advice = dict(advice)
    left_out: list[str] = []
    while True:
        answer = {**head, "count": 0, "truncated": {"left_out": left_out} if left_out else None, "hits": [],
                  "nothing_found": advice}  # fmt: skip
        if serialised(answer) <= max_chars or not advice:
            return answer
        longest = max(advice, key=lambda key: serialised(advice[key]))
        if isinstance(advice[longest], list) and len(advice[longest]) > 1:
            advice[longest] = advice[longest][:-1]
        else:
            del advice[longest]
        left_out = sorted({*left_out, longest})


def _filter_card(count: FilterCount) -> dict[str, Any]:
    value = _value(count.value)
    return {"filter": count.name, "value": value, "pass_alone": count.alone, "pass_without": count.without}


def _value(value: Any) -> Any:
    if isinstance(value, datetime):
        return time_text(value)
    return [name(text, 60) for text in value[:10]] if isinstance(value, tuple) else name(str(value), 60)


def _suggestions(
    view: View, counts: FilterCounts, asked: dict[str, Any]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """For each filter that nothing visible passes: the values near to what was asked, or else the most frequent."""
    cutoff = {BEFORE: asked[BEFORE]} if asked.get(BEFORE) is not None else {}
    near: dict[str, list[str]] = {}
    usual: dict[str, list[str]] = {}
    for count in counts.filters:
        if count.alone or count.name not in LISTABLE or count.name == "exclude_tags":
            continue
        known = [one.value for one in view.list_values(count.name, limit=MOST_KNOWN, **cutoff).values]
        known = sorted(_folders(known)) if count.name == "path_prefix" else known
        wanted = count.value if isinstance(count.value, tuple) else (count.value,)
        found = list(dict.fromkeys(value for text in wanted for value in _nearest(text, known)))
        if found or known:
            (near if found else usual)[count.name] = [name(value, 80) for value in (found or known)[:SUGGESTED]]
    return near, usual


def _nearest(wanted: str, known: Iterable[str]) -> Iterator[str]:
    """Known values that are spelled almost alike, or of which one holds the other; case does not matter."""
    by_key = {value.casefold(): value for value in known}
    key = wanted.casefold()
    alike = get_close_matches(key, by_key, n=3, cutoff=0.6)
    holding = [value for value in by_key if len(value) > 2 and (value in key or key in value)]
    yield from (by_key[one] for one in dict.fromkeys([*alike, *holding[:3]]))


def _folders(paths: Iterable[str]) -> set[str]:
    """Every folder above and at the given ones."""
    parts = [path.split("/") for path in paths if path]
    return {"/".join(path[:depth]) for path in parts for depth in range(1, len(path) + 1)} - {""}


def _steps(
    counts: FilterCounts,
    results: SearchResults,
    min_score: float | None,
    cutoff_is_fixed: bool,
    told: tuple[str, ...],
) -> Iterator[str]:
    if not counts.records:
        yield "nothing is visible here at all" + (f" at the cutoff {time_text(counts.cutoff)}" if counts.cutoff else "")
        if counts.cutoff is not None and not cutoff_is_fixed:
            yield f"a later {BEFORE}, if you may know what came later"
        return
    if not counts.passing:
        yield from (f"one of the values under {key}" for key in ("did_you_mean", "known_values") if key in told)
        freeing = sorted((one for one in counts.filters if one.without), key=lambda one: -one.without)
        yield from (f"leave out {one.name}: {one.without:,} records pass the other filters" for one in freeing[:3])
        if not freeing and len(counts.filters) > 1:
            yield "fewer filters: leaving out one of them is not enough"
        return
    if min_score is not None:
        yield "a lower min_score"
    if not results.query.strip():
        yield "some words to look for"
        return
    if _SYNTAX.search(results.query):
        yield 'the query without quotation marks and without -words, which "must" and "must not" occur'
    yield "fewer or other words, or words as a document would write them"
    if results.mode == "lexical" and results.degraded is None:
        yield 'mode="hybrid", which also finds by meaning'
    if results.mode == "semantic":
        yield 'mode="hybrid" or "lexical"'
