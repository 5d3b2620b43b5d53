"""BM25 over the records visible at a cutoff, vectorised (formula: ``ranking.py``; ARCHITECTURE.md).

N, document frequencies and the average length are those of the visible records, so no
later record can move a score. Filters narrow the candidates, never these statistics.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hybridkb.lexical.groups import GroupPostings
from hybridkb.lexical.ranking import RankingSettings, Statistics, inverse_document_frequency, saturated

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ScoredGroup:
    """A group of words as the scorer needs it.

    Attributes:
        kind: as in ``hybridkb.text.Group``.
        units: bit set of the units that the group belongs to.
        weight: what a match is worth.
        covered: every holder is known already: a word as written, after its stem.
        pieces: for a whole token, the places of its pieces among the groups.
        postings: its words together.
    """

    kind: str
    units: int
    weight: float
    covered: bool
    pieces: tuple[int, ...]
    postings: GroupPostings


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """What a group turned out to be among the visible records."""

    holding: int
    idf: float


@dataclass(frozen=True, slots=True)
class Scores:
    """Every visible record that holds a word of the query.

    Attributes:
        records: record ids, in no particular order.
        scores: BM25 plus the exact-token and all-words bonuses, float64.
        units: bit set of the units that the record matches, uint64.
        facts: for each group, in order.
        unit_idfs: for each unit, in query order.
        bound: the most that any record could reach, closeness included.
    """

    records: Ids
    scores: NDArray[np.float64]
    units: NDArray[np.uint64]
    facts: tuple[GroupFacts, ...]
    unit_idfs: tuple[float, ...]
    bound: float


class _Scratch(threading.local):
    """Arrays as long as the library, zero between uses; one set a thread."""

    def __init__(self) -> None:
        self.score = np.zeros(0)
        self.units = np.zeros(0, np.uint64)

    def fit(self, size: int) -> None:
        if len(self.score) < size:
            room = size + size // 8 + 1024
            self.score, self.units = np.zeros(room), np.zeros(room, np.uint64)

    def forget(self) -> None:
        self.__init__()  # type: ignore[misc]


_SCRATCH = _Scratch()


def score_groups(
    groups: Sequence[ScoredGroup],
    *,
    visible: NDArray[np.bool_] | None,
    norms: NDArray[np.float64],
    statistics: Statistics,
    settings: RankingSettings,
    beyond: NDArray[np.bool_] | None = None,
) -> Scores:
    """Score every visible record that holds a word of any group.

    Args:
        groups: in query order; at most 64 units in all.
        visible: by record id, whether the record is visible at the cutoff; None when all are.
        norms: by record id, BM25's length norm (:func:`~hybridkb.lexical.ranking.length_norms`).
        statistics: N and average length of the visible records.
        settings: weights, formula, bonuses.
        beyond: further records to score, which are not visible and count in no statistic.
    """
    _SCRATCH.fit(len(norms))
    try:
        return _score(groups, visible, norms, statistics, settings, beyond)
    except BaseException:
        _SCRATCH.forget()  # half-used arrays are not zero
        raise


def _score(
    groups: Sequence[ScoredGroup],
    visible: NDArray[np.bool_] | None,
    norms: NDArray[np.float64],
    statistics: Statistics,
    settings: RankingSettings,
    beyond: NDArray[np.bool_] | None,
) -> Scores:
    scored = visible if visible is None or beyond is None else visible | beyond
    score, units = _SCRATCH.score, _SCRATCH.units
    touched: list[Ids] = []
    facts: list[GroupFacts] = []
    holders: list[Ids] = []
    for group in groups:
        records, frequency = _seen(group.postings, scored)
        holding = len(records) if scored is visible or visible is None else int(np.count_nonzero(visible[records]))
        idf = inverse_document_frequency(statistics.records, holding, settings.formula)
        part = saturated(frequency, norms[records], settings)
        score[records] += (group.weight * idf) * part
        if not group.covered:
            before = units[records]
            touched.append(records[before == 0])
            units[records] = before | np.uint64(group.units)
        facts.append(GroupFacts(holding, idf))
        holders.append(records)
    _reward_whole_tokens(groups, facts, holders, settings)
    records = np.concatenate(touched) if touched else np.empty(0, np.int64)
    result, matched = score[records], units[records]
    score[records] = 0.0
    units[records] = 0
    unit_idfs = _unit_idfs(groups, facts)
    if len(unit_idfs) > 1:
        bonus = settings.all_words_bonus * sum(unit_idfs)
        result[matched == np.uint64(2 ** len(unit_idfs) - 1)] += bonus
    bound = _bound(groups, facts, unit_idfs, settings)
    return Scores(records, result, matched, tuple(facts), unit_idfs, bound)


def scores_at(scores: Scores, records: Ids) -> tuple[NDArray[np.float64], NDArray[np.uint64]]:
    """Of each of these records, what it scored and which units it matched; nothing for those without a match."""
    if not len(scores.records) or not len(records):
        return np.zeros(len(records)), np.zeros(len(records), np.uint64)
    _SCRATCH.fit(1 + int(max(scores.records.max(), records.max())))
    try:
        _SCRATCH.score[scores.records] = scores.scores
        _SCRATCH.units[scores.records] = scores.units
        result = _SCRATCH.score[records], _SCRATCH.units[records]
        _SCRATCH.score[scores.records] = 0.0
        _SCRATCH.units[scores.records] = 0
    except BaseException:
        _SCRATCH.forget()  # half-used arrays are not zero
        raise
    return result


def _seen(
    postings: GroupPostings, visible: NDArray[np.bool_] | None
) -> tuple[Ids, NDArray[np.float64]]:
    """What is visible of a group's postings."""
    if visible is None:
        return postings.records, postings.frequency
    seen = visible[postings.records]
    return postings.records[seen], postings.frequency[seen]


def _reward_whole_tokens(
    groups: Sequence[ScoredGroup], facts: Sequence[GroupFacts], holders: Sequence[Ids], settings: RankingSettings
) -> None:
    """A record with the whole token outranks any that only has its pieces, however often."""
    for group, records in zip(groups, holders, strict=True):
        if group.kind == "whole":
            _SCRATCH.score[records] += _token_bonus(group, groups, facts, settings)


def _token_bonus(
    group: ScoredGroup, groups: Sequence[ScoredGroup], facts: Sequence[GroupFacts], settings: RankingSettings
) -> float:
    return (settings.k1 + 1.0) * sum(groups[place].weight * facts[place].idf for place in group.pieces)


def _unit_idfs(groups: Sequence[ScoredGroup], facts: Sequence[GroupFacts]) -> tuple[float, ...]:
    """The largest idf of each unit's groups."""
    units = max((group.units.bit_length() for group in groups), default=0)
    largest = [0.0] * units
    for group, fact in zip(groups, facts, strict=True):
        for unit in range(units):
            if group.units >> unit & 1:
                largest[unit] = max(largest[unit], fact.idf)
    return tuple(largest)


def _bound(
    groups: Sequence[ScoredGroup],
    facts: Sequence[GroupFacts],
    unit_idfs: Sequence[float],
    settings: RankingSettings,
) -> float:
    # Products and sums of idf are exact (multiples of a small power of two): no order of adding can matter.
    words = (settings.k1 + 1.0) * sum(group.weight * fact.idf for group, fact in zip(groups, facts, strict=True))
    tokens = sum(_token_bonus(group, groups, facts, settings) for group in groups if group.kind == "whole")
    close = sum(min(pair) for pair in pairwise(unit_idfs))
    everything = sum(unit_idfs) if len(unit_idfs) > 1 else 0.0
    return words + tokens + settings.all_words_bonus * everything + settings.closeness_bonus * close
