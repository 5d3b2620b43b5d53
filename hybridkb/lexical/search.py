"""The lexical leg: a parsed query to its best records, scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection
from hybridkb.lexical.closeness import closeness
from hybridkb.lexical.feedback import Feedback, is_open
from hybridkb.lexical.feeding import Corpus, Feeder
from hybridkb.lexical.grouping import GroupReader, key_of, words_of
from hybridkb.lexical.groups import GroupPostings
from hybridkb.lexical.phrases import side_by_side
from hybridkb.lexical.postings import ByteBoundCache, PostingReader
from hybridkb.lexical.ranking import RankingSettings, Statistics
from hybridkb.lexical.read_texts import TextReader
from hybridkb.lexical.record_texts import read_records
from hybridkb.lexical.scorer import ScoredGroup, Scores, score_groups
from hybridkb.lexical.vocabulary import Key, Terms, terms_of_keys, terms_of_prefix, terms_of_word
from hybridkb.text import Analyser, ParsedQuery, Phrase, Unit

CLOSENESS_MOST = 500  # records; a larger tie class at the cut of the window is left out

_FEW = 32  # look-ups one by one are faster up to here

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LexicalHits:
    """The leg's best records, in no particular order; the whole tie class at the cut is there.

    Attributes:
        records: record ids.
        scores: BM25 and bonuses.
        units: bit set of the matched units of each record.
        bound: the most that any record could score.
        statistics: N and average length that were used.
        frequencies: for each unit's text, the largest df of its groups.
        members: every word of the vocabulary that matches, and the bit set of the units it matches.
        everything: record ids and scores of all candidates, not only the best.
        feedback: what was sought beside the words of the query, if anything was.
        held: bit set of the feedback's words that each record holds.
    """

    records: Ids
    scores: NDArray[np.float64]
    units: NDArray[np.uint64]
    bound: float
    statistics: Statistics
    frequencies: tuple[tuple[str, int], ...]
    members: Mapping[str, int]
    everything: tuple[Ids, NDArray[np.float64]]
    feedback: Feedback | None
    held: NDArray[np.uint64]

    def scores_of(self, record_ids: Sequence[int]) -> dict[int, float]:
        """Scores of these records, whether they are among the best or not; records without a match are left out."""
        records, scores = self.everything
        if len(record_ids) <= _FEW:
            found = [np.flatnonzero(records == record_id) for record_id in record_ids]
            places = np.concatenate(found) if found else np.empty(0, np.int64)
        else:
            places = np.flatnonzero(np.isin(records, np.array(record_ids, np.int64)))
        return dict(zip(records[places].tolist(), scores[places].tolist(), strict=True))


class LexicalLeg:
    """Answers one query inside one read transaction."""

    def __init__(
        self,
        connection: Connection,
        postings: PostingReader,
        analyser: Analyser,
        settings: RankingSettings,
        known: ByteBoundCache[Key, GroupPostings],
        texts: TextReader,
    ) -> None:
        """Keep what the leg reads; ``known`` remembers groups of this very state of the library."""
        self._groups = GroupReader(connection, postings, settings, known)
        self._feeder = Feeder(connection, self._groups, texts, settings)
        self._texts = texts
        self._connection = connection
        self._postings = postings
        self._analyser = analyser
        self._settings = settings

    def without_excluded(self, query: ParsedQuery, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Narrow the candidates to those that hold nothing that the query excludes."""
        result = allowed
        for phrase in query.excluded:
            result = result & ~self._holding(phrase, len(allowed))
        return result

    def holding_phrases(self, query: ParsedQuery, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Narrow the candidates to those that hold what the query quotes."""
        result = allowed
        for alternatives in query.required:
            held = [self._holding(phrase, len(allowed)) for phrase in alternatives]
            result = result & np.logical_or.reduce(held)
        return result

    def holding_every_word(self, query: ParsedQuery, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Narrow the candidates to those that hold every scored unit of the query, in one of its ways."""
        units = self._units(query)
        terms = terms_of_keys(self._connection, {key_of(group) for unit in units for way in unit.ways for group in way})
        holding = {key: self._mask_of(its_terms, len(allowed)) for key, its_terms in terms.items()}
        result = allowed
        for unit in units:
            ways = [np.logical_and.reduce([holding[key_of(group)] for group in way]) for way in unit.ways]
            result = result & np.logical_or.reduce(ways)
        return result

    def search(
        self,
        query: ParsedQuery,
        *,
        visible: NDArray[np.bool_] | None,
        allowed: NDArray[np.bool_] | None,
        norms: NDArray[np.float64],
        statistics: Statistics,
        depth: int,
        beyond: NDArray[np.bool_] | None = None,
        feedback: dict[str, int] | None = None,
    ) -> LexicalHits:
        """Score what is visible (None: all) and return the best ``depth`` of what is allowed (None: all of that).

        ``beyond`` is scored as well, but counts in no statistic. With ``feedback``, words of the best candidates may be
        sought too; it remembers df of stems among what is visible, while the library stays as it is.
        """
        units = self._units(query)
        groups, members = self._groups.of_units(units)
        scores = score_groups(
            groups, visible=visible, norms=norms, statistics=statistics, settings=self._settings, beyond=beyond
        )
        records, values, matched = scores.records, scores.scores, scores.units
        if allowed is not None:
            candidates = allowed[records]
            records, values, matched = records[candidates], values[candidates], matched[candidates]
        best = best_places(values, max(depth, self._settings.closeness_window))
        values = values.copy()
        values[best] = self._with_closeness(records[best], values[best], matched[best], members, scores)
        fed = None
        if feedback is not None and is_open(query, units) and not _any_whole(matched, scores):
            own = {group.stem for unit in units for group in unit.groups}
            corpus = Corpus(visible, norms, statistics, beyond, feedback)
            fed = self._feeder.feed(records, values, own, sum(scores.unit_idfs), corpus)
        if fed is not None:
            values = values + fed.scores
            best = best_places(values, depth)
        elif self._settings.closeness_window > depth:  # else the bonus moves nothing into the best or out of it
            best = best[best_places(values[best], depth)]
        return LexicalHits(
            records[best],
            values[best],
            matched[best],
            scores.bound + (fed.bound if fed else 0.0),
            statistics,
            _frequencies(units, groups, scores),
            members,
            (records, values),
            fed.feedback if fed else None,
            fed.held[best] if fed else np.zeros(len(best), np.uint64),
        )

    def members(self, query: ParsedQuery) -> dict[str, int]:
        """Every word of the vocabulary that the query matches, and the bit set of the units it matches."""
        belongs: dict[Key, int] = {}
        for number, unit in enumerate(self._units(query)):
            for group in unit.groups:
                key = key_of(group)
                belongs[key] = belongs.get(key, 0) | 1 << number
        return words_of(belongs, terms_of_keys(self._connection, belongs))

    def _units(self, query: ParsedQuery) -> tuple[Unit, ...]:
        units = query.units if self._settings.function_words == "keep" else query.scored_units
        return units[:64]

    def _holding(self, phrase: Phrase, size: int) -> NDArray[np.bool_]:
        """By record id, whether it holds the words as written and, for several, side by side."""
        if phrase.prefix:
            return self._mask_of(terms_of_prefix(self._connection, phrase.words[0]), size)
        masks = [self._mask_of(terms_of_word(self._connection, word), size) for word in dict.fromkeys(phrase.words)]
        held: NDArray[np.bool_] = np.logical_and.reduce(masks)
        if len(phrase.words) == 1 or not held.any():
            return held
        return side_by_side(self._connection, self._analyser, phrase.words, held)

    def _mask_of(self, terms: Terms, size: int) -> NDArray[np.bool_]:
        mask = np.zeros(size, bool)
        for term in self._postings.read([term_id for term_id, _ in terms]):
            mask[term.body.records] = True
            mask[term.title.records] = True
        return mask

    def _with_closeness(
        self,
        records: Ids,
        values: NDArray[np.float64],
        matched: NDArray[np.uint64],
        members: Mapping[str, int],
        scores: Scores,
    ) -> NDArray[np.float64]:
        bonus, window = self._settings.closeness_bonus, self._settings.closeness_window
        if len(scores.unit_idfs) < 2 or bonus == 0 or window == 0 or not len(records):
            return values
        places = closeness_places(values, window)
        places = places[(matched[places] & (matched[places] >> np.uint64(1))) > 0]  # only pairs can be close
        texts = read_records(self._connection, self._texts, records[places].tolist())
        found = self._texts.matches(texts, members)
        values[places] += [
            closeness(matches, text.title_words, scores.unit_idfs, bonus)
            for text, matches in zip(texts, found, strict=True)
        ]
        return values


def _any_whole(matched: NDArray[np.uint64], scores: Scores) -> bool:
    """Whether a candidate matches every unit."""
    return bool((matched == np.uint64(2 ** len(scores.unit_idfs) - 1)).any())


def best_places(values: NDArray[np.float64], depth: int) -> NDArray[np.int64]:
    """Places of the ``depth`` largest values and of all that equal the last of them."""
    if len(values) <= depth:
        return np.arange(len(values))
    cut = np.partition(values, len(values) - depth)[len(values) - depth]
    return np.flatnonzero(values >= cut)


def closeness_places(values: NDArray[np.float64], window: int) -> NDArray[np.int64]:
    """Places whose texts are read for closeness: the best ``window``, ties included unless there are too many."""
    places = best_places(values, window)
    if len(places) > CLOSENESS_MOST:
        places = places[values[places] > values[places].min()]
    return places


def _frequencies(units: Sequence[Unit], groups: Sequence[ScoredGroup], scores: Scores) -> tuple[tuple[str, int], ...]:
    largest = [0] * len(units)
    for group, fact in zip(groups, scores.facts, strict=True):
        for number in range(len(units)):
            if group.units >> number & 1:
                largest[number] = max(largest[number], fact.holding)
    return tuple((unit.text, holding) for unit, holding in zip(units, largest, strict=True))
