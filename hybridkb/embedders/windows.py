"""Long texts: split into overlapping windows, and one vector averaged from theirs. Nothing is cut silently."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Span = tuple[int, int]

MAX_WINDOWS = 64


def split_windows(length: int, size: int, borders: Sequence[int], *, overlap: int, slack: int) -> list[Span]:
    """Return half-open spans that together cover `length` units, none longer than `size`.

    Neighbours share about `overlap` units. Both ends of a window move back to a border (a word's first unit) when one
    lies at most `slack` units before, else they stay inside the word.

    Args:
        length: number of units (tokens or characters); 0 gives one empty span.
        size: the most units in a window; more than `overlap + 2 * slack`.
        borders: ascending positions where a window may begin or end.
        overlap: units that neighbours share.
        slack: how far an end may move.
    """
    spans: list[Span] = []
    start = 0
    while start + size < length:
        end = _back_to_border(start + size, borders, slack)
        spans.append((start, end))
        start = _back_to_border(end - overlap, borders, slack)
    return [*spans, (start, length)]


def _back_to_border(position: int, borders: Sequence[int], slack: int) -> int:
    index = bisect_right(borders, position)
    if index and position - borders[index - 1] <= slack:
        return borders[index - 1]
    return position


def average_windows(vectors: Sequence[NDArray[np.floating]], weights: Sequence[float]) -> NDArray[np.float64]:
    """Return the unit vector along the weighted mean of the unit vectors of `vectors`.

    A vector without a direction (zeros, NaN, infinity) or of another length makes the result NaN or raises
    ValueError; the checks at the door (`guard`) name it.
    """
    if len(vectors) == 1:
        return np.asarray(vectors[0], dtype=np.float64)
    rows = np.stack([np.asarray(vector, dtype=np.float64) for vector in vectors])
    with np.errstate(divide="ignore", invalid="ignore"):
        units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        mean = np.asarray(weights, dtype=np.float64) @ units
        return np.asarray(mean / np.linalg.norm(mean), dtype=np.float64)
