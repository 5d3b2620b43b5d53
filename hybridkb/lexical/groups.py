"""A group of words as one posting list: which records hold any of them, and the weighted count in each."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hybridkb.lexical.postings import FieldPostings, TermPostings
from hybridkb.lexical.ranking import RankingSettings

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GroupPostings:
    """Records that hold a word of the group in a field that counts, each once, and tf' in each (float64)."""

    records: Ids
    frequency: NDArray[np.float64]

    @property
    def nbytes(self) -> int:
        """Memory that the arrays take."""
        return int(self.records.nbytes + self.frequency.nbytes)


class _Scratch(threading.local):
    """An array as long as the library, zero between uses; one a thread."""

    def __init__(self) -> None:
        self.frequency = np.zeros(0)

    def fit(self, size: int) -> NDArray[np.float64]:
        if len(self.frequency) < size:
            self.frequency = np.zeros(size + size // 8 + 1024)
        return self.frequency


_SCRATCH = _Scratch()


def join_words(postings: Sequence[TermPostings], settings: RankingSettings) -> GroupPostings:
    """Add up the words of a group, and both fields of each, by their weights."""
    fields = [(term.body, settings.body_weight) for term in postings]
    fields += [(term.title, settings.title_weight) for term in postings]
    fields = [(field, weight) for field, weight in fields if len(field.records) and weight > 0]
    if len(fields) == 1:
        field, weight = fields[0]
        return GroupPostings(field.records, field.counts.astype(np.float64) * weight)
    try:
        return _add_up(fields)
    except BaseException:
        _SCRATCH.frequency = np.zeros(0)  # half-used, it is not zero
        raise


def _add_up(fields: Sequence[tuple[FieldPostings, float]]) -> GroupPostings:
    frequency = _SCRATCH.fit(1 + max((int(field.records.max()) for field, _ in fields), default=0))
    union: list[Ids] = []
    for field, weight in fields:
        before = frequency[field.records]
        union.append(field.records[before == 0.0])
        frequency[field.records] = before + field.counts * weight
    records = np.concatenate(union) if union else np.empty(0, np.int64)
    result = frequency[records]
    frequency[records] = 0.0
    return GroupPostings(records, result)
