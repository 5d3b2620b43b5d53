"""Passages to documents: at most one hit for each item or document, ranked by its two best passages.

The best passage alone cannot tell a document about what is asked from one that mentions it once, and a sum over all of
them prefers whatever is long. The second best speaks for a document by a quarter of its score; what comes after it
changed little or harmed (docs/ranking.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hybridkb.fusion import Fused, Names, rank

SECOND = 0.25
"""What the score of the second best passage counts."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A record to show.

    Attributes:
        fused: the record.
        others: how many further passages of its document it stands for.
        added: what these add to its score.
    """

    fused: Fused
    others: int = 0
    added: float = 0.0


def owner_of(locator: bytes) -> bytes:
    """The item or artifact that a record belongs to."""
    return locator.partition(b"#")[0]


def collapsed(fused: Sequence[Fused], owners: Sequence[bytes], *, names: Names, limit: int) -> list[Chosen]:
    """The best passage of each owner, the best owner first.

    Args:
        fused: all passages in their order.
        owners: to what each belongs.
        names: gives the locators that break ties.
        limit: how many owners are wanted.
    """
    passages: dict[bytes, list[Fused]] = {}
    for one, owner in zip(fused, owners, strict=True):
        passages.setdefault(owner, []).append(one)
    found = {several[0].key: _chosen(several) for several in passages.values()}
    scores = {key: one.fused.score + one.added for key, one in found.items()}
    guarded = frozenset(key for key, one in found.items() if one.fused.guarded)
    return [found[one.key] for one in rank(scores, guarded=guarded, names=names, limit=limit)]


def _chosen(passages: Sequence[Fused]) -> Chosen:
    second = passages[1].score if len(passages) > 1 else 0.0
    return Chosen(passages[0], len(passages) - 1, SECOND * max(0.0, second))
