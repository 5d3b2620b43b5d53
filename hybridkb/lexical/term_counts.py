"""How often the records of a batch hold each term: one sort takes the place of a dictionary for every record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TermCounts:
    """The terms of records that follow each other, each once a record.

    Attributes:
        ids: term ids, ascending within a record.
        body, title: how often the record holds the term in that field.
        sizes: how many terms each record holds.
    """

    ids: NDArray[np.uint32]
    body: NDArray[np.uint32]
    title: NDArray[np.uint32]
    sizes: NDArray[np.int64]


def count_terms(words: NDArray[np.uint32], lengths: Sequence[int]) -> TermCounts:
    """Count words given by term id.

    Args:
        words: those of every record in turn, its title before its body.
        lengths: how many words each title and each body has, in the same order.
    """
    records = len(lengths) // 2
    field_of = np.repeat(np.arange(2 * records), lengths)  # of a record twice its place, and one more for the body
    # Sorted by record, then term, then field: the three share one number, so that sorting is quick.
    keys = np.sort((field_of >> 1) << 33 | words.astype(np.int64) << 1 | field_of & 1)
    if not len(keys):
        none = np.empty(0, np.uint32)
        return TermCounts(none, none, none, np.zeros(records, np.int64))
    pairs = keys >> 1
    starts = np.flatnonzero(np.concatenate(([True], pairs[1:] != pairs[:-1])))
    total = np.diff(starts, append=len(keys))
    body = np.add.reduceat(keys & 1, starts)
    first = pairs[starts]
    return TermCounts(
        (first & 0xFFFFFFFF).astype(np.uint32),
        body.astype(np.uint32),
        (total - body).astype(np.uint32),
        np.bincount(first >> 32, minlength=records),
    )
