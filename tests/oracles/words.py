"""The lexical score of ARCHITECTURE.md, one record, one group and one word at a time.

Products and sums are written in the order of the formula, so that the engine can be
asked for the same bits: ``(weight * idf) * (tf' * (k1 + 1) / (tf' + norm))`` for each
group in query order, then the exact-token bonuses, then all words, then closeness.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from hybridkb.lexical.ranking import RankingSettings
from hybridkb.text import Analyser, Group, ParsedQuery, Phrase, Unit

REACH = 8
"""Words; pairs further apart are not close."""
CLOSE_CHARACTERS = 20_000
"""How far into a field closeness is looked for."""
CLOSE_MOST = 500
"""The tie class at the cut of the window is left out when it makes more than this."""
SOURCES, MOST_SOURCES = 10, 20
"""How many candidates feedback reads, and with how many tied ones at most."""
CONSIDERED, FED = 40, 10
"""How many stems feedback compares by idf, and how many it seeks."""
GRAINS = 2**30


@dataclass(frozen=True)
class Words:
    """A record's analysed words, and those of the beginning of each field, where closeness is looked for."""

    title: tuple[str, ...]
    body: tuple[str, ...]
    beginnings: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def fields(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self.title, self.body


@dataclass(frozen=True)
class Corpus:
    """What is visible, and therefore counted; N is its size."""

    records: Sequence[Words]
    average: float


def make_corpus(records: Sequence[Words], settings: RankingSettings) -> Corpus:
    """Average the weighted lengths. Weights are dyadic, so the sum is exact in any order."""
    total = math.fsum(weighted_length(words, settings) for words in records)
    return Corpus(records, total / len(records) if records else 1.0)


def weighted_length(words: Words, settings: RankingSettings) -> float:
    return settings.title_weight * len(words.title) + settings.body_weight * len(words.body)


def is_in_group(word: str, group: Group, analyser: Analyser) -> bool:
    """Whether a vocabulary word belongs to a group."""
    if group.kind == "stem":
        return analyser.stem(word) == group.stem
    if group.kind == "prefix":
        return word.startswith(group.word)
    return word == group.word


def identity(group: Group) -> tuple[str, str]:
    """What makes two groups the same: their kind, and what chooses their words."""
    return group.kind, group.stem if group.kind == "stem" else group.word


@dataclass(frozen=True)
class FedWord:
    """A stem that is sought beside the words of the query."""

    stem: str
    weight: float
    holding: int
    idf: float


class LexicalScorer:
    """Scores records for one query over one corpus.

    Attributes:
        groups: distinct groups of the scored units, in query order.
        idf: of each group.
    """

    def __init__(self, query: ParsedQuery, corpus: Corpus, settings: RankingSettings, analyser: Analyser) -> None:
        self._corpus, self._settings, self._analyser = corpus, settings, analyser
        self.units = query.units if settings.function_words == "keep" else query.scored_units
        self.groups: dict[tuple[str, str], Group] = {}
        for unit in self.units:
            for group in unit.groups:
                self.groups.setdefault(identity(group), group)
        self.idf = {name: self._idf(group) for name, group in self.groups.items()}

    def _idf(self, group: Group) -> float:
        total = len(self._corpus.records)
        holding = sum(1 for words in self._corpus.records if self._frequency(group, words) > 0)
        odds = (total - holding + 0.5) / (holding + 0.5)
        idf = math.log(1.0 + odds) if self._settings.formula == "lucene" else max(math.log(odds), 1e-6)
        return round(idf * 2.0**40) / 2.0**40

    def _frequency(self, group: Group, words: Words) -> float:
        counts = [sum(is_in_group(word, group, self._analyser) for word in field) for field in words.fields]
        return self._settings.title_weight * counts[0] + self._settings.body_weight * counts[1]

    def _weight(self, group: Group) -> float:
        asked = sum(any(identity(other) == identity(group) for other in unit.groups) for unit in self.units)
        return self._weight_alone(group) * (1.0 + self._settings.repeat_weight * (asked - 1))

    def _weight_alone(self, group: Group) -> float:
        if group.kind == "exact" and not self._is_sought_by_stem(group):
            return self._settings.stem_weight
        return {
            "stem": self._settings.stem_weight,
            "exact": self._settings.exact_weight,
            "whole": self._settings.whole_weight,
            "piece": self._settings.piece_weight,
            "prefix": self._settings.stem_weight,
        }[group.kind]

    def matches(self, words: Words) -> bool:
        """Whether a record holds anything that is looked for."""
        return any(self._frequency(group, words) > 0 for group in self.groups.values())

    def matches_unit(self, unit: Unit, words: Words) -> bool:
        return any(self._frequency(group, words) > 0 for group in unit.groups)

    def before_closeness(self, words: Words) -> float:
        """BM25, the exact-token bonuses and the bonus for all words."""
        return (self._bm25_and_tokens(words)) + self._all_words(words)

    def _bm25_and_tokens(self, words: Words) -> float:
        k1, b = self._settings.k1, self._settings.b
        norm = k1 * (1.0 - b + b * (weighted_length(words, self._settings) / self._corpus.average))
        score = 0.0
        for name, group in self.groups.items():
            frequency = self._frequency(group, words)
            if frequency > 0:
                score += (self._weight(group) * self.idf[name]) * ((frequency * (k1 + 1.0)) / (frequency + norm))
        for group in self.groups.values():
            if group.kind == "whole" and self._frequency(group, words) > 0:
                score += self._token_bonus(group)
        return score

    def _token_bonus(self, whole: Group) -> float:
        pieces = self._pieces(whole)
        return (self._settings.k1 + 1.0) * sum(self._weight(self.groups[name]) * self.idf[name] for name in pieces)

    def _is_sought_by_stem(self, group: Group) -> bool:
        unit = next(unit for unit in self.units if group in unit.groups)
        return any(other.kind == "stem" and other.stem == group.stem for other in unit.groups)

    def _pieces(self, whole: Group) -> list[tuple[str, str]]:
        """The pieces that follow a whole token in the units that hold it, each once."""
        pieces: dict[tuple[str, str], None] = {}
        for unit in self.units:
            if whole in unit.groups:
                behind = unit.groups[unit.groups.index(whole) + 1 :]
                own = itertools.takewhile(lambda group: group.kind == "piece", behind)
                pieces |= dict.fromkeys(map(identity, own))
        return list(pieces)

    def unit_idf(self, unit: Unit) -> float:
        return max(self.idf[identity(group)] for group in unit.groups)

    def _all_words(self, words: Words) -> float:
        if len(self.units) < 2 or not all(self.matches_unit(unit, words) for unit in self.units):
            return 0.0
        return self._settings.all_words_bonus * sum(self.unit_idf(unit) for unit in self.units)

    def closeness(self, words: Words) -> float:
        """Reward for neighbouring units that stand near each other, in order, in one field."""
        total = 0.0
        for left, right in zip(self.units, self.units[1:], strict=False):
            gaps = [gap for field in words.beginnings for gap in self._gaps(field, left, right)]
            if gaps:
                total += self._settings.closeness_bonus * min(self.unit_idf(left), self.unit_idf(right)) / min(gaps)
        return total

    def _gaps(self, field: Sequence[str], left: Unit, right: Unit) -> list[int]:
        first = self._places(field, left)
        second = self._places(field, right)
        return [after - before for before in first for after in second if 1 <= after - before <= REACH]

    def _places(self, field: Sequence[str], unit: Unit) -> list[int]:
        return [
            place
            for place, word in enumerate(field)
            if any(is_in_group(word, group, self._analyser) for group in unit.groups)
        ]

    def norm(self, words: Words) -> float:
        k1, b = self._settings.k1, self._settings.b
        return k1 * (1.0 - b + b * (weighted_length(words, self._settings) / self._corpus.average))

    def is_answered_whole(self, candidates: Iterable[Words]) -> bool:
        """Whether a candidate holds every unit."""
        return any(all(self.matches_unit(unit, words) for unit in self.units) for words in candidates)

    def content(self, words: Words) -> dict[str, float]:
        """Weighted counts of the stems that say something, in the beginnings of the fields."""
        counts: dict[str, float] = {}
        for field, weight in zip(
            words.beginnings, (self._settings.title_weight, self._settings.body_weight), strict=True
        ):
            for word in field:
                if word.isalpha() and len(word) >= 3 and word not in self._analyser.function_words:
                    stem = self._analyser.stem(word)
                    counts[stem] = counts.get(stem, 0.0) + weight
        own = {group.stem for unit in self.units for group in unit.groups}
        return {stem: count for stem, count in counts.items() if stem not in own and count > 0}

    def fed_words(self, sources: list[tuple[float, Words]]) -> list[FedWord]:
        """The stems that stand out in the sources (score and words), the strongest first."""
        best = max((score for score, _ in sources), default=0.0)
        if not best > 0 or self._settings.feedback_weight == 0:
            return []
        grains: dict[str, int] = {}
        holders: dict[str, int] = {}
        for score, words in sources:
            share = score / best
            for stem, count in self.content(words).items():
                part = count / (count + self.norm(words))
                grains[stem] = grains.get(stem, 0) + round(share * share * part * GRAINS)
                holders[stem] = holders.get(stem, 0) + 1
        least = 2 if len(sources) >= SOURCES else 1
        standing = [stem for stem in grains if holders[stem] >= least and grains[stem] > 0]
        standing = sorted(standing, key=lambda stem: (-grains[stem], stem))[:CONSIDERED]
        return self._weigh({stem: grains[stem] / GRAINS for stem in standing})

    def _weigh(self, shares: dict[str, float]) -> list[FedWord]:
        total, told = len(self._corpus.records), []
        for stem, share in shares.items():
            group = Group("stem", stem, stem)
            holding = sum(1 for words in self._corpus.records if self._frequency(group, words) > 0)
            if 2 <= holding <= max(2, total // 8):
                told.append((share * self._idf(group), stem, holding, self._idf(group)))
        told = sorted(told, key=lambda one: (-one[0], one[1]))[:FED]
        everything = sum(value for value, *_ in told)
        strength = self._settings.feedback_weight * sum(self.unit_idf(unit) for unit in self.units)
        return [FedWord(stem, strength * (value / everything) / idf, df, idf) for value, stem, df, idf in told]

    def fed_score(self, words: Words, fed: Sequence[FedWord]) -> tuple[float, tuple[FedWord, ...]]:
        """What these words add to a record, and which of them it holds."""
        added, held = 0.0, []
        for one in fed:
            frequency = self._frequency(Group("stem", one.stem, one.stem), words)
            if frequency > 0:
                part = (frequency * (self._settings.k1 + 1.0)) / (frequency + self.norm(words))
                added += (one.weight * one.idf) * part
                held.append(one)
        return added, tuple(held)

    def bound(self, fed: Sequence[FedWord] = ()) -> float:
        """The most that any record could reach, with words that are sought beside the query's."""
        return self._own_bound() + (self._settings.k1 + 1.0) * sum(one.weight * one.idf for one in fed)

    def _own_bound(self) -> float:
        """The most that any record could reach: every group saturated, every bonus earned."""
        most = self._settings.k1 + 1.0
        words = most * sum(self._weight(group) * self.idf[name] for name, group in self.groups.items())
        tokens = sum(self._token_bonus(group) for group in self.groups.values() if group.kind == "whole")
        idfs = [self.unit_idf(unit) for unit in self.units]
        every = self._settings.all_words_bonus * sum(idfs) if len(idfs) > 1 else 0.0
        close = self._settings.closeness_bonus * sum(map(min, idfs, idfs[1:]))
        return words + tokens + every + close


def lexical_scores(
    scorer: LexicalScorer, candidates: dict[bytes, Words], settings: RankingSettings
) -> dict[bytes, float]:
    """Score the candidates that match, by name; the best of them are read for closeness."""
    scores = {name: scorer.before_closeness(words) for name, words in candidates.items() if scorer.matches(words)}
    for name in _window(scores, settings.closeness_window):
        scores[name] += scorer.closeness(candidates[name])
    return scores


def sources_of(scores: dict[bytes, float]) -> list[bytes]:
    """The candidates that feedback reads."""
    best = sorted(scores.values(), reverse=True)[:SOURCES]
    found = [name for name, score in scores.items() if score >= best[-1]] if best else []
    return found if len(found) <= MOST_SOURCES else [name for name in found if scores[name] > best[-1]]


def leaves_open(query: ParsedQuery, units: Sequence[Unit]) -> bool:
    """Whether a query has neither quotes nor a number."""
    return not query.required and not any(sign.isdigit() for unit in units for sign in unit.text)


def _window(scores: dict[bytes, float], size: int) -> list[bytes]:
    """The best, with the whole tie class at the cut, or without it when that would be too many."""
    best = sorted(scores.values(), reverse=True)[:size]
    if not best:
        return []
    window = [name for name, score in scores.items() if score >= best[-1]]
    return window if len(window) <= CLOSE_MOST else [name for name in window if scores[name] > best[-1]]


def holds_every_word(words: Words, query: ParsedQuery, settings: RankingSettings, analyser: Analyser) -> bool:
    """Whether a record holds each scored unit in one of its ways."""
    held = {*words.title, *words.body}
    units = query.units if settings.function_words == "keep" else query.scored_units
    return all(
        any(all(any(is_in_group(word, group, analyser) for word in held) for group in way) for way in unit.ways)
        for unit in units
    )


# Required and excluded phrases.


def holds_phrase(words: Words, phrase: Phrase, same: Callable[[str], str]) -> bool:
    """Whether every word stands in the record as written and, for two or more, side by side by stem in one field."""
    everywhere = set(words.title) | set(words.body)
    if phrase.prefix:
        return any(word.startswith(phrase.words[0]) for word in everywhere)
    if not all(word in everywhere for word in phrase.words):
        return False
    wanted = [same(word) for word in phrase.words]
    return any(_stands_in([same(word) for word in field], wanted) for field in words.fields)


def _stands_in(field: list[str], wanted: list[str]) -> bool:
    return any(field[at : at + len(wanted)] == wanted for at in range(len(field) - len(wanted) + 1))


def holds_required(words: Words, query: ParsedQuery, same: Callable[[str], str]) -> bool:
    """Whether a record holds one alternative of all that is required."""
    return all(any(holds_phrase(words, phrase, same) for phrase in choice) for choice in query.required)


def holds_excluded(words: Words, query: ParsedQuery, same: Callable[[str], str]) -> bool:
    """Whether a record holds something that is excluded."""
    return any(holds_phrase(words, phrase, same) for phrase in query.excluded)


@functools.cache
def _porter() -> tuple[apsw.Connection, apsw.FTS5Tokenizer]:
    connection = apsw.Connection(":memory:")
    arguments = ["unicode61", "remove_diacritics", "0", "categories", "L* N* Co P* S* M*"]
    return connection, connection.fts5_tokenizer("porter", arguments)


@functools.cache
def porter_stem(word: str) -> str:
    """What FTS5 keeps of a word: the porter tokenizer's stem."""
    tokens: Iterable[Any] = _porter()[1](
        word.encode("utf-8", "surrogatepass"), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False
    )
    flat = [token if isinstance(token, str) else "\0".join(token) for token in tokens]
    return " ".join(flat)
