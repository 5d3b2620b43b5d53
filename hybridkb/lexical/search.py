"""The lexical leg: a parsed query to its best records, scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection, ids_parameter
from hybridkb.errors import BrokenInvariant
from hybridkb.lexical.closeness import closeness
from hybridkb.lexical.groups import GroupPostings, join_words
from hybridkb.lexical.phrases import side_by_side
from hybridkb.lexical.postings import ByteBoundCache, PostingReader
from hybridkb.lexical.ranking import RankingSettings, Statistics
from hybridkb.lexical.read_texts import ReadText, TextReader
from hybridkb.lexical.scorer import ScoredGroup, Scores, score_groups
from hybridkb.lexical.vocabulary import Key, Terms, terms_of_keys, terms_of_prefix, terms_of_word
from hybridkb.text import Analyser, Group, ParsedQuery, Phrase, Unit

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
    """

    records: Ids
    scores: NDArray[np.float64]
    units: NDArray[np.uint64]
    bound: float
    statistics: Statistics
    frequencies: tuple[tuple[str, int], ...]
    members: Mapping[str, int]
    everything: tuple[Ids, NDArray[np.float64]]

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
        self._known = known
        self._texts = texts
        self._connection = connection
        self._postings = postings
        self._analyser = analyser
        self._settings = settings

    def allowed_by_syntax(self, query: ParsedQuery, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Narrow the candidates to what the query requires and does not exclude."""
        result = allowed
        for alternatives in query.required:
            held = [self._holding(phrase, len(allowed)) for phrase in alternatives]
            result = result & np.logical_or.reduce(held)
        for phrase in query.excluded:
            result = result & ~self._holding(phrase, len(allowed))
        return result

    def holding_every_word(self, query: ParsedQuery, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Narrow the candidates to those that hold every scored unit of the query, in one of its ways."""
        units = self._units(query)
        terms = terms_of_keys(self._connection, {_key(group) for unit in units for way in unit.ways for group in way})
        holding = {key: self._mask_of(its_terms, len(allowed)) for key, its_terms in terms.items()}
        result = allowed
        for unit in units:
            ways = [np.logical_and.reduce([holding[_key(group)] for group in way]) for way in unit.ways]
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
    ) -> LexicalHits:
        """Score what is visible (None: all) and return the best ``depth`` of what is allowed (None: all of that).

        ``beyond`` is scored as well, but counts in no statistic.
        """
        units = self._units(query)
        groups, members = self._groups(units)
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
        if self._settings.closeness_window > depth:  # else the bonus moves nothing into the best or out of it
            best = best[best_places(values[best], depth)]
        frequencies = _frequencies(units, groups, scores)
        return LexicalHits(
            records[best],
            values[best],
            matched[best],
            scores.bound,
            statistics,
            frequencies,
            members,
            (records, values),
        )

    def members(self, query: ParsedQuery) -> dict[str, int]:
        """Every word of the vocabulary that the query matches, and the bit set of the units it matches."""
        belongs: dict[Key, int] = {}
        for number, unit in enumerate(self._units(query)):
            for group in unit.groups:
                key = _key(group)
                belongs[key] = belongs.get(key, 0) | 1 << number
        return _members(belongs, terms_of_keys(self._connection, belongs))

    def _units(self, query: ParsedQuery) -> tuple[Unit, ...]:
        units = query.units if self._settings.function_words == "keep" else query.scored_units
        return units[:64]

    def _groups(self, units: Sequence[Unit]) -> tuple[list[ScoredGroup], dict[str, int]]:
        """Distinct groups in query order, and the units that each word of the vocabulary matches."""
        belongs: dict[Key, int] = {}
        first: dict[Key, tuple[Group, float]] = {}
        pieces: dict[Key, list[Key]] = {}
        for number, unit in enumerate(units):
            whole: list[Key] = []
            for group in unit.groups:
                key = _key(group)
                belongs[key] = belongs.get(key, 0) | 1 << number
                first.setdefault(key, (group, self._weight(group, unit)))
                if group.kind == "whole":
                    whole = pieces.setdefault(key, [])
                elif group.kind == "piece" and key not in whole:
                    whole.append(key)
        terms = terms_of_keys(self._connection, belongs)
        postings = self._joined(terms)
        places = {key: place for place, key in enumerate(first)}
        groups = []
        for key, (group, weight) in first.items():
            by_stem = belongs.get(("stem", group.stem), 0) if group.kind == "exact" else 0
            groups.append(
                ScoredGroup(
                    kind=key[0],
                    units=belongs[key],
                    weight=weight * self._settings.repeated(belongs[key].bit_count()),
                    covered=by_stem & belongs[key] == belongs[key],
                    pieces=tuple(places[piece] for piece in pieces.get(key, ())),
                    postings=postings[key],
                )
            )
        return groups, _members(belongs, terms)

    def _joined(self, terms: Mapping[Key, Terms]) -> dict[Key, GroupPostings]:
        """Each group's words as one posting list."""
        joined = {key: found for key in terms if (found := self._known.get(key)) is not None}
        rest = [key for key in terms if key not in joined]
        postings = iter(self._postings.read([term_id for key in rest for term_id, _ in terms[key]]))
        for key in rest:
            joined[key] = join_words([next(postings) for _ in terms[key]], self._settings)
            self._known.put(key, joined[key])
        return joined

    def _weight(self, group: Group, unit: Unit) -> float:
        if group.kind == "exact":
            # A word that is not sought by its stem too (CJK pairs) counts as much as one that is.
            stemmed = any(other.kind == "stem" and other.stem == group.stem for other in unit.groups)
            return self._settings.exact_weight if stemmed else self._settings.stem_weight
        return {
            "stem": self._settings.stem_weight,
            "whole": self._settings.whole_weight,
            "piece": self._settings.piece_weight,
            "prefix": self._settings.stem_weight,
        }[group.kind]

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
        texts = self._read_texts(records[places].tolist())
        found = self._texts.matches(texts, members)
        values[places] += [
            closeness(matches, text.title_words, scores.unit_idfs, bonus)
            for text, matches in zip(texts, found, strict=True)
        ]
        return values

    def _read_texts(self, record_ids: list[int]) -> list[ReadText]:
        known = {record_id: self._texts.known(record_id) for record_id in record_ids}
        missing = [record_id for record_id, text in known.items() if text is None]
        rows = self._connection.rows("records/texts_of", ids_parameter(missing)) if missing else []
        if len(rows) != len(missing):
            raise BrokenInvariant("the word index names records that have no text; run check(), then rebuild()")
        known.update((record_id, self._texts.read(record_id, title, body)) for record_id, title, body in rows)
        return [text for text in known.values() if text is not None]


def _key(group: Group) -> Key:
    """What makes two groups the same: their kind, and what chooses their words."""
    return group.kind, group.stem if group.kind == "stem" else group.word


def _members(belongs: Mapping[Key, int], terms: Mapping[Key, Terms]) -> dict[str, int]:
    members: dict[str, int] = {}
    for key, its_units in belongs.items():
        for _, word in terms[key]:
            members[word] = members.get(word, 0) | its_units
    return members


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
