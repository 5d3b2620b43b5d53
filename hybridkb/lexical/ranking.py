"""The settings and the arithmetic of the lexical score.

BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
2009) with weighted fields. Every constant is a dyadic fraction where it meets a count,
so that weighted counts and lengths are exact and do not depend on the order of adding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hybridkb.errors import InvalidInput

_IDF_GRID = float(2**40)
_FTS5_LEAST_IDF = 1e-6
_WEIGHT_GRID = 1024.0


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """How words are scored; stored with the library.

    Attributes:
        k1, b: BM25's saturation and length normalisation.
        title_weight, body_weight: what one occurrence in the field counts, and one word of length.
        stem_weight, exact_weight: what a match by stem, and by the word as written, is worth.
        whole_weight, piece_weight: the same for a whole token (``BRK.B``) and its pieces.
        repeat_weight: what each further occurrence in the query adds, as a share of the first.
        all_words_bonus: share of the units' idf given to records that match every unit.
        closeness_bonus: share of a pair's smaller idf given to words side by side.
        closeness_window: how many of the best records are read for closeness.
        feedback: when words of the best candidates are sought too (:mod:`hybridkb.lexical.feedback`): ``"alone"``
            where words alone rank, ``"always"`` also where they are fused with meaning, or ``"never"``.
        feedback_weight: what these words are worth together, as a share of the query's own.
        formula: ``"lucene"`` keeps idf positive; ``"fts5"`` is SQLite's own.
        function_words: ``"drop"`` leaves articles and the like out when the query has other words.
    """

    k1: float = 1.2
    b: float = 0.75
    title_weight: float = 2.0
    body_weight: float = 1.0
    stem_weight: float = 1.0
    exact_weight: float = 0.25
    whole_weight: float = 1.0
    piece_weight: float = 0.25
    repeat_weight: float = 0.5
    all_words_bonus: float = 0.125
    closeness_bonus: float = 0.25
    closeness_window: int = 32
    feedback: Literal["alone", "always", "never"] = "alone"
    feedback_weight: float = 0.25
    formula: Literal["lucene", "fts5"] = "lucene"
    function_words: Literal["drop", "keep"] = "drop"

    def __post_init__(self) -> None:
        counts = (self.title_weight, self.body_weight)
        weights = (
            self.k1, self.b, self.title_weight, self.body_weight, self.stem_weight, self.exact_weight,
            self.whole_weight, self.piece_weight, self.repeat_weight, self.all_words_bonus, self.closeness_bonus,
            self.feedback_weight,
        )
        if not all(isinstance(weight, int | float) for weight in weights):
            raise InvalidInput("ranking weights are numbers", field="ranking")
        if not all(math.isfinite(weight) and weight >= 0 for weight in weights) or self.b > 1:
            raise InvalidInput("ranking weights are finite and not negative, and b is at most 1", field="ranking")
        if not all((weight * _WEIGHT_GRID).is_integer() for weight in counts):
            # Weighted counts and lengths must be exact in any order of adding.
            raise InvalidInput("title_weight and body_weight are multiples of 1/1024", field="ranking")
        if isinstance(self.closeness_window, bool) or not isinstance(self.closeness_window, int):
            raise InvalidInput("closeness_window is a whole number", field="ranking")
        if self.closeness_window < 0:
            raise InvalidInput("closeness_window is not negative", field="ranking")
        if self.feedback not in ("alone", "always", "never"):
            raise InvalidInput(f"feedback is alone, always or never, not {self.feedback!r}", field="ranking")
        if self.formula not in ("lucene", "fts5") or self.function_words not in ("drop", "keep"):
            raise InvalidInput("formula is lucene or fts5; function_words is drop or keep", field="ranking")

    def repeated(self, units: int) -> float:
        """How many times what it is worth alone a group counts that the query asks for in so many units."""
        return 1.0 + self.repeat_weight * (units - 1)


@dataclass(frozen=True, slots=True)
class Statistics:
    """What BM25 knows of the corpus: the records visible at the cutoff, or now.

    Attributes:
        records: N.
        average_length: mean weighted length of a record, in words; 1.0 when there is none.
    """

    records: int
    average_length: float


def inverse_document_frequency(records: int, holding: int, formula: str) -> float:
    """Weigh a group of words by how few of the ``records`` hold it (``holding`` of them)."""
    odds = (records - holding + 0.5) / (holding + 0.5)
    if formula == "fts5":
        idf = math.log(odds)
        idf = idf if idf > 0 else _FTS5_LEAST_IDF
    else:
        idf = math.log(1.0 + odds)
    # The grid takes away the last bits, in which C libraries differ.
    return round(idf * _IDF_GRID) / _IDF_GRID


def length_norms(
    lengths: NDArray[np.float64], statistics: Statistics, settings: RankingSettings
) -> NDArray[np.float64]:
    """BM25's norm of each record: k1 times its share of the average length, tempered by b."""
    norms: NDArray[np.float64] = settings.k1 * (
        1.0 - settings.b + settings.b * (lengths / statistics.average_length)
    )
    return norms


def saturated(
    frequency: NDArray[np.float64], norm: NDArray[np.float64], settings: RankingSettings
) -> NDArray[np.float64]:
    """BM25's term part: between 0 and k1 + 1, growing ever slower with the frequency."""
    result: NDArray[np.float64] = (frequency * (settings.k1 + 1.0)) / (frequency + norm)
    return result
