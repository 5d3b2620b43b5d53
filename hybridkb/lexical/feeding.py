"""From the best candidates to what their words add to every candidate, inside one read transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection
from hybridkb.lexical.feedback import Feedback, choose, source_places, standing_out
from hybridkb.lexical.grouping import GroupReader
from hybridkb.lexical.ranking import RankingSettings, Statistics
from hybridkb.lexical.read_texts import TextReader
from hybridkb.lexical.record_texts import read_records
from hybridkb.lexical.scorer import ScoredGroup, score_groups, scores_at

MOST_COUNTED = 50_000  # stems whose df is remembered

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Corpus:
    """What records are scored against: as the arguments of :meth:`hybridkb.lexical.search.LexicalLeg.search`.

    Attributes:
        holding: remembers df of stems among what is visible, while the library stays as it is.
    """

    visible: NDArray[np.bool_] | None
    norms: NDArray[np.float64]
    statistics: Statistics
    beyond: NDArray[np.bool_] | None
    holding: dict[str, int]


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
        holding = self._holding([one.stem for one in standing], corpus)
        words = choose(standing, holding, corpus.statistics, strength, self._settings)
        if not words:
            return None
        postings = self._groups.of_stems([word.stem for word in words])
        groups = [
            ScoredGroup("stem", 1 << place, word.weight, covered=False, pieces=(), postings=postings[word.stem])
            for place, word in enumerate(words)
        ]
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

    def _holding(self, stems: Sequence[str], corpus: Corpus) -> dict[str, int]:
        """How many visible records hold each stem; what was counted before in this state is not counted again.

        Most of what the best candidates share is frequent, and is only counted to be left out.
        """
        found = {stem: holding for stem in stems if (holding := corpus.holding.get(stem)) is not None}
        missing = [stem for stem in stems if stem not in found]
        if not missing:
            return found
        for stem, postings in self._groups.of_stems(missing).items():
            seen = postings.records if corpus.visible is None else corpus.visible[postings.records]
            found[stem] = len(seen) if corpus.visible is None else int(np.count_nonzero(seen))
        if len(corpus.holding) > MOST_COUNTED:
            corpus.holding.clear()
        corpus.holding.update((stem, found[stem]) for stem in missing)
        return found
