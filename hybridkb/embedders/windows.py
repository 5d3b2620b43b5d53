"""Long texts: split into overlapping windows, and one vector averaged from theirs. Nothing is cut silently."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Span = tuple[int, int]

MAX_WINDOWS = 64

_MOST_CHARACTERS = 16
_UNIT = re.compile(r"\S{1,16}\s*")


class Window(NamedTuple):
    """A stretch of a text and how many tokens it has, at most."""

    text: str
    tokens: int


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


def cut_by_count(text: str, count: Callable[[str], int], size: int, *, overlap: int, slack: int) -> list[Window]:
    """Cut a text for a model that only tells how many tokens a text has, not where they are.

    Ends lie between words, and inside what is longer than 16 characters without a blank. What lies beyond window
    `MAX_WINDOWS + 1` is not looked at: nobody reads it.

    Args:
        text: any text; a blank one gives one window.
        count: how many tokens a text has; for what stands between blanks it does not depend on its neighbours.
        size: the most tokens in a window; more than `overlap + 2 * slack`.
        overlap: tokens that neighbours share, about.
        slack: how far in tokens an end may move to lie between units.
    """
    if len(text) <= _MOST_CHARACTERS * size and (tokens := count(text)) <= size:
        return [Window(text, tokens)]
    places, before, total = _count_units(text, count, (MAX_WINDOWS + 1) * size)
    spans = split_windows(total, size, before, overlap=overlap, slack=slack)
    starts = [places[bisect_right(before, start) - 1] if before else 0 for start, _ in spans]
    ends = [places[bisect_right(before, end) - 1] for _, end in spans[:-1]] + [len(text)]
    return [
        Window(text[first:last], end - start)
        for first, last, (start, end) in zip(starts, ends, spans, strict=True)
    ]


def _count_units(text: str, count: Callable[[str], int], most: int) -> tuple[list[int], list[int], int]:
    """Where units begin, in characters and in tokens, and how many tokens there are; it ends beyond `most`."""
    places: list[int] = []
    before: list[int] = []
    known: dict[str, int] = {}
    total = 0
    for unit in _UNIT.finditer(text):
        places.append(unit.start())
        before.append(total)
        piece = unit.group().rstrip()
        if piece not in known:
            known[piece] = count(piece)
        total += known[piece]
        if total > most:
            break
    return places, before, total


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
