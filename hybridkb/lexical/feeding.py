"""From the best candidates to what their words add to every candidate, inside one read transaction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection
from hybridkb.lexical.feedback import Feedback, choose, source_places, standing_out
from hybridkb.lexical.grouping import GroupReader
from hybridkb.lexical.ranking import RankingSettings, Statistics
from hybridkb.lexical.read_texts import TextReader
from hybridkb.lexical.record_texts import read_records
from hybridkb.lexical.scorer import score_groups, scores_at

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Corpus:
    """What records are scored against: as the arguments of :meth:`hybridkb.lexical.search.LexicalLeg.search`."""

    visible: NDArray[np.bool_] | None
    norms: NDArray[np.float64]
    statistics: Statistics
    beyond: NDArray[np.bool_] | None


@dataclass(frozen=True, slots=True)
class Fed:
    """What words of the best candidates add.

    Attributes:
        feedback: which words.
        scores: added to each candidate's score.
        held: bit set of the words that each candidate holds.
        bound: the most that they could add to any record.
    """

    feedback: Feedback
    scores: NDArray[np.float64]
    held: NDArray[np.uint64]
    bound: float


class Feeder:
    """Seeks words of the best candidates for one query.

    Args:
        connection: inside the transaction.
        groups: reads the postings of stems.
        texts: reads the words of texts.
        settings: how words are scored.
    """

    def __init__(
        self, connection: Connection, groups: GroupReader, texts: TextReader, settings: RankingSettings
    ) -> None:
        self._connection = connection
        self._groups = groups
        self._texts = texts
        self._settings = settings
        self._alone = replace(settings, all_words_bonus=0.0, closeness_bonus=0.0)

    def feed(
        self, records: Ids, scores: NDArray[np.float64], own: Iterable[str], strength: float, corpus: Corpus
    ) -> Fed | None:
        """Take words from the best candidates and score all of them by these; None when there are no such words.

        Args:
            records, scores: the candidates, all bonuses counted.
            own: stems that the query seeks itself.
            strength: the sum of the idf of the query's units.
            corpus: what counts in df, N and average length.
        """
        sources = source_places(scores)
        if not self._settings.feedback_weight or not len(sources) or not scores[sources].max() > 0:
            return None
        source_ids = records[sources]
        texts = read_records(self._connection, self._texts, source_ids.tolist())
        norms = corpus.norms[source_ids]
        standing = standing_out(texts, self._texts, scores[sources], norms, self._settings, own)
        postings = self._groups.of_stems([one.stem for one in standing])
        words, groups = choose(
            standing, postings, corpus.visible, corpus.statistics, strength, self._settings
        )
        if not words:
            return None
        found = score_groups(
            groups,
            visible=corpus.visible,
            norms=corpus.norms,
            statistics=corpus.statistics,
            settings=self._alone,
            beyond=corpus.beyond,
        )
        added, held = scores_at(found, records)
        return Fed(Feedback(tuple(words), tuple(sorted(source_ids.tolist()))), added, held, found.bound)
