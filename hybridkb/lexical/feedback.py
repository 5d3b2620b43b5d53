"""Words that the best hits share and the searcher did not write: pseudo-relevance feedback.

What answers a question often says it in other words. When nothing that may be found holds every word of the query, the
best ``SOURCES`` candidates are read, and ``WORDS`` words that stand out in them are sought too, each for a little; as
relevance models do it (Lavrenko and Croft, "Relevance-based language models", SIGIR 2001; in the form that Abdul-Jaleel
et al. call RM3, TREC 2004). It moves candidates, it never adds one: a hit by words holds a word of the query.

A query with a number or with quotes says exactly what it wants; that of the best candidates would lead away from it.

All of it comes from what is visible: the sources, N and df. Shares are counted in whole grains, so that no order of
adding can matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hybridkb.lexical.ranking import RankingSettings, Statistics, inverse_document_frequency
from hybridkb.lexical.read_texts import ReadText, TextReader
from hybridkb.text import ParsedQuery, Unit

SOURCES = 10  # records that are read
MOST_SOURCES = 20  # a larger tie class at their cut is left out
CONSIDERED = 40  # words whose df is looked up
WORDS = 10  # words that are sought
LEAST_HOLDING = 2  # records that hold the word, at least
FREQUENT = 8  # a word that more than one in so many records holds tells nothing
GRAINS = float(2**30)

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class FeedbackWord:
    """A word that was sought beside those of the query.

    Attributes:
        stem: the stem by which it is found.
        weight: what a match is worth; a word of the query is worth 1 by its stem.
        holding: how many visible records hold it.
    """

    stem: str
    weight: float
    holding: int


@dataclass(frozen=True, slots=True)
class Feedback:
    """What was sought beside the words of the query.

    Attributes:
        words: the words, the strongest first.
        records: record ids of what they were taken from, ascending.
    """

    words: tuple[FeedbackWord, ...]
    records: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """A stem that stands out in the best candidates.

    Attributes:
        stem: the stem.
        grains: its share in their texts, in 2^-30.
    """

    stem: str
    grains: int


def is_open(query: ParsedQuery, units: Sequence[Unit]) -> bool:
    """Whether a query leaves open in which words it may be answered: no number in it, and no quotes."""
    return not query.required and not any(map(str.isdigit, "".join(unit.text for unit in units)))


def source_places(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Places of the candidates that are read: the best, ties included unless there are too many."""
    if len(values) <= SOURCES:
        return np.arange(len(values))
    cut = np.partition(values, len(values) - SOURCES)[len(values) - SOURCES]
    places = np.flatnonzero(values >= cut)
    return places if len(places) <= MOST_SOURCES else np.flatnonzero(values > cut)


def standing_out(
    texts: Sequence[ReadText],
    reader: TextReader,
    scores: NDArray[np.float64],
    norms: NDArray[np.float64],
    settings: RankingSettings,
    own: Iterable[str],
) -> list[Standing]:
    """The stems that fill the sources most, the strongest first.

    Args:
        texts: of the sources; only their beginnings are read.
        reader: that read them.
        scores: of the sources; a source counts by the square of its share of the best one's.
        norms: BM25's length norms of the sources.
        settings: weights of title and body.
        own: stems that the query seeks itself.
    """
    stems, frequency = _frequencies(texts, reader, settings, set(own))
    held = frequency > 0
    part = np.divide(frequency, frequency + norms[:, np.newaxis], out=np.zeros_like(frequency), where=held)
    share = scores / scores.max()
    grains = np.rint((share * share)[:, np.newaxis] * part * GRAINS).astype(np.int64).sum(axis=0)
    # What stands in one text of many is that text's own matter.
    least = 2 if len(texts) >= SOURCES else 1
    kept = np.flatnonzero((held.sum(axis=0) >= least) & (grains > 0))
    found = sorted((-int(grains[place]), stems[place]) for place in kept.tolist())
    return [Standing(stem, -negative) for negative, stem in found[:CONSIDERED]]


def choose(
    standing: Sequence[Standing],
    holding: Mapping[str, int],
    statistics: Statistics,
    strength: float,
    settings: RankingSettings,
) -> list[FeedbackWord]:
    """The words that are sought, the strongest first.

    Args:
        standing: what stands out.
        holding: df of each of these stems.
        statistics: N and average length of the visible records.
        strength: the sum of the idf of the query's units.
        settings: formula and weight.
    """
    most = max(LEAST_HOLDING, statistics.records // FREQUENT)
    told = []
    for one in standing:
        if LEAST_HOLDING <= holding[one.stem] <= most:
            idf = inverse_document_frequency(statistics.records, holding[one.stem], settings.formula)
            told.append((one.grains / GRAINS * idf, one.stem, idf))
    told = sorted(told, key=lambda word: (-word[0], word[1]))[:WORDS]
    total = sum(value for value, *_ in told)
    return [
        FeedbackWord(stem, settings.feedback_weight * strength * (value / total) / idf, holding[stem])
        for value, stem, idf in told
    ]


def _frequencies(
    texts: Sequence[ReadText], reader: TextReader, settings: RankingSettings, own: set[str]
) -> tuple[list[str], NDArray[np.float64]]:
    """Stems, and how often each stands in each text, by the weights of the fields: shape (texts, stems)."""
    sizes = [len(text.words) for text in texts]
    numbers, inverse = np.unique(np.concatenate([text.words for text in texts]), return_inverse=True)
    places = {"": 0}  # words that are not sought
    of_number = [reader.content_stem(number) for number in numbers.tolist()]
    place_of = np.array([places.setdefault("" if stem in own else stem, len(places)) for stem in of_number], np.int64)
    weights = np.concatenate([_field_weights(text, settings) for text in texts])
    cells = np.repeat(np.arange(len(texts)) * len(places), sizes) + place_of[inverse]
    counted = np.bincount(cells, weights, minlength=len(texts) * len(places))
    frequency = np.asarray(counted, np.float64).reshape(len(texts), len(places))
    frequency[:, 0] = 0.0
    return list(places), frequency


def _field_weights(text: ReadText, settings: RankingSettings) -> NDArray[np.float64]:
    weights = np.full(len(text.words), settings.body_weight)
    weights[: text.title_words] = settings.title_weight
    return weights
