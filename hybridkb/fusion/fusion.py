"""Reciprocal rank fusion, and a convex combination as the alternative.

Reciprocal rank fusion (Cormack, Clarke, Buettcher, "Reciprocal Rank Fusion outperforms
Condorcet and individual rank learning methods", SIGIR 2009): each leg gives
``weight / (k + rank)``; it needs no common scale. Ranks alone cannot tell the first of
twenty records that hold one word of a question from the one that holds the code that was
asked for, so the words' share also counts by relevance: by how much of the most that the
query could reach the record has. The convex combination adds scores on fixed scales
(cosine clipped to 0..1; BM25 by the most the query could reach), never by the list's own
extremes, which would let one more record move every score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from hybridkb.errors import InvalidInput
from hybridkb.fusion.order import Names, in_order

EVEN_RELEVANCE = 0.25
"""With ``by_relevance``, the relevance at which a rank by words counts as much as the same rank by meaning."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """How two legs become one list; stored with the library, or given with a search.

    Attributes:
        method: ``"rrf"`` or ``"convex"``.
        k: reciprocal rank's constant; larger flattens the ranks.
        lexical_weight, semantic_weight: what each leg counts in reciprocal rank.
        alpha: the vector leg's share in the convex combination, 0 to 1.
        by_relevance: in reciprocal rank, words weigh ``lexical_weight`` times relevance over ``EVEN_RELEVANCE``;
            False: ``lexical_weight`` whatever the record holds of the query.
    """

    method: Literal["rrf", "convex"] = "rrf"
    k: float = 60.0
    lexical_weight: float = 1.0
    semantic_weight: float = 1.0
    alpha: float = 0.5
    by_relevance: bool = True

    def __post_init__(self) -> None:
        if self.method not in ("rrf", "convex"):
            raise InvalidInput(f'fusion is "rrf" or "convex", not {self.method!r}', field="fusion")
        numbers = (self.k, self.lexical_weight, self.semantic_weight, self.alpha)
        if not all(isinstance(number, int | float) for number in numbers):
            raise InvalidInput("k and the weights of a fusion are numbers", field="fusion")
        if not all(math.isfinite(number) and number >= 0 for number in numbers) or self.alpha > 1:
            raise InvalidInput(
                "k and the weights of a fusion are finite and not negative, and alpha is at most 1", field="fusion"
            )
        if not isinstance(self.by_relevance, bool):
            raise InvalidInput(f"by_relevance is True or False, not {self.by_relevance!r}", field="fusion")

    def weigh_words(self, relevance: float) -> float:
        """What a record's place by words weighs, given its relevance there (0 to 1)."""
        if self.method == "convex":
            return 1.0 - self.alpha
        return self.lexical_weight * (relevance / EVEN_RELEVANCE) if self.by_relevance else self.lexical_weight

    @property
    def meaning_weight(self) -> float:
        """What any place by meaning weighs."""
        return self.alpha if self.method == "convex" else self.semantic_weight


class LegShare(NamedTuple):
    """A record's place in one leg.

    Attributes:
        rank: from 1.
        score: raw score of the leg: BM25 with bonuses, or cosine.
        relevance: the score on the leg's fixed scale, 0 to 1.
    """

    rank: int
    score: float
    relevance: float


class Fused(NamedTuple):
    """A record in the fused list; ``key`` is what the caller ranks by."""

    key: int
    score: float
    guarded: bool


def fuse(
    lexical: Mapping[int, LegShare],
    semantic: Mapping[int, LegShare],
    *,
    fusion: Fusion,
    guarded: frozenset[int],
    names: Names,
    limit: int | None = None,
) -> list[Fused]:
    """Order all records of both legs: guarded ones first, then by fused score, then by locator.

    Guarded records are there whether a leg has them or not.

    Args:
        lexical, semantic: each leg's best, by record id.
        fusion: method and weights.
        guarded: records whose identifier or title the query names exactly.
        names: gives the locators that break ties.
        limit: how many are wanted; None for all.
    """
    scores = dict.fromkeys(guarded, 0.0)
    for leg, of_share in ((lexical, _lexical_part(fusion)), (semantic, _semantic_part(fusion))):
        for key, part in zip(leg, map(of_share, leg.values()), strict=True):
            scores[key] = scores.get(key, 0.0) + part
    return rank(scores, guarded=guarded, names=names, limit=limit)


def rank(
    scores: Mapping[int, float], *, guarded: frozenset[int], names: Names, limit: int | None = None
) -> list[Fused]:
    """Order records: guarded ones first, then by score, the largest first, then by locator."""
    keys = list(scores)
    values = [(key not in guarded, -score) for key, score in scores.items()]
    places = in_order(keys, values, names, limit)
    return [Fused(keys[place], scores[keys[place]], keys[place] in guarded) for place in places]


def _lexical_part(fusion: Fusion) -> Callable[[LegShare], float]:
    if fusion.method == "convex":
        return lambda share: (1.0 - fusion.alpha) * share.relevance
    weight, k = fusion.lexical_weight, fusion.k
    if fusion.by_relevance:
        return lambda share: weight * (share.relevance / EVEN_RELEVANCE) / (k + share.rank)
    return lambda share: weight / (k + share.rank)


def _semantic_part(fusion: Fusion) -> Callable[[LegShare], float]:
    if fusion.method == "rrf":
        return lambda share: fusion.semantic_weight / (fusion.k + share.rank)
    return lambda share: fusion.alpha * share.relevance
