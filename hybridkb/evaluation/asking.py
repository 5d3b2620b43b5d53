"""Asks a library every query of a gold set, in one mode, and notes what was found where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hybridkb.errors import EmbedderUnavailable
from hybridkb.evaluation.targets import ResolvedRecord, combined
from hybridkb.filters import Filters
from hybridkb.search import SearchQuery, SearchResults
from hybridkb.search.meaning import NO_VECTORS
from hybridkb.search.request import Mode

Progress = Callable[[int, int | None], None]
Searcher = Callable[[SearchQuery], SearchResults]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one query found.

    Attributes:
        units: the best documents or records, each once, to the depth searched.
        best: relevance of the first hit; None without a hit.
        right: relevance of the first right hit; None when nothing right was found.
    """

    units: tuple[str, ...]
    best: float | None
    right: float | None

    def rank_of(self, name: str) -> int | None:
        """Where a target was found, from 1."""
        return self.units.index(name) + 1 if name in self.units else None


@dataclass(slots=True)
class Answers:
    """What all queries found in one mode.

    Attributes:
        mode: what was asked for.
        by_key: answers by the query's key.
        fallen_back: why, and how often, another mode than that answered.
        degraded: what answers said was missing, and how often.
    """

    mode: Mode
    by_key: dict[str, Answer] = field(default_factory=dict)
    fallen_back: Counter[str] = field(default_factory=Counter)
    degraded: Counter[str] = field(default_factory=Counter)


def ask_all(
    search: Searcher,
    resolved: Sequence[ResolvedRecord],
    mode: Mode,
    *,
    depth: int,
    filters: Filters | None = None,
    progress: Callable[[], None] | None = None,
) -> Answers:
    """Ask every query.

    Args:
        search: answers a whole search.
        resolved: the queries with their targets.
        mode: lexical, semantic or hybrid.
        depth: how many documents or records are looked at.
        filters: narrow every query further.
        progress: called after each query.

    Raises:
        EmbedderUnavailable: ``mode`` is semantic, and a query cannot be embedded. Where a query sees no vectors, as
            at an early cutoff, it found nothing.
    """
    answers = Answers(mode)
    for one in resolved:
        try:
            found = search(query_of(one, mode, depth=depth, filters=filters))
        except EmbedderUnavailable as error:
            _pass_over(answers, one, error)
            continue
        if found.mode != mode:
            answers.fallen_back[found.degraded or f"{found.mode} answered"] += 1
        if found.degraded:
            answers.degraded[found.degraded] += 1
        answers.by_key[one.record.key] = read_answer(one, found, depth)
        if progress is not None:
            progress()
    return answers


def _pass_over(answers: Answers, one: ResolvedRecord, error: EmbedderUnavailable) -> None:
    """Note that a query found nothing since what it can see has no vectors, as at an early cutoff; else raise."""
    if NO_VECTORS not in str(error):
        raise error
    answers.fallen_back[NO_VECTORS] += 1
    answers.by_key[one.record.key] = Answer((), None, None)


def query_of(one: ResolvedRecord, mode: Mode, *, depth: int, filters: Filters | None = None) -> SearchQuery:
    """The search that a query is asked with: at most one hit a document where whole documents are judged."""
    arguments: dict[str, Any] = {"collapse": "item"} if one.record.by_document else {}
    asked = combined(one.record.filters, filters)
    return SearchQuery(one.record.query, mode=mode, top_k=depth, filters=asked, **arguments)


def read_answer(one: ResolvedRecord, found: SearchResults, depth: int) -> Answer:
    """Hits as units: a document counts once, at its best passage."""
    right = {target.judgement.name for target in one.targets if target.judgement.grade > 0}
    units: dict[str, float] = {}
    for hit in found:
        for unit in one.units_of(str(hit.locator)):
            units.setdefault(unit, hit.relevance)
    best = next(iter(units.values()), None)
    return Answer(
        units=tuple(units)[:depth],
        best=best,
        right=next((relevance for unit, relevance in units.items() if unit in right), None),
    )


def can_search_by_meaning(search: Searcher, resolved: Sequence[ResolvedRecord]) -> str | None:
    """Why no query can be answered by meaning; None when one can. Queries that find nothing say nothing of it."""
    trouble = None
    for one in resolved:
        try:
            if search(query_of(one, "semantic", depth=1)):
                return None
        except EmbedderUnavailable as error:
            trouble = trouble or search(query_of(one, "hybrid", depth=1)).degraded or str(error)
            if NO_VECTORS not in str(error):
                break
    return trouble
