"""A total order whose names are asked for only where they decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

Names: TypeAlias = Callable[[Sequence[int]], Mapping[int, bytes]]
"""Gives the UTF-8 bytes of the locators of some records; they break ties."""


def in_order(keys: Sequence[int], values: Sequence[Any], names: Names, limit: int | None = None) -> list[int]:
    """The places of ``keys`` by value, the smallest first, equal ones by name; at most ``limit`` of them.

    Names are asked for once, and only those of keys that are tied within the limit or across it.
    """
    order = sorted(range(len(keys)), key=values.__getitem__)
    end = len(order) if limit is None else min(limit, len(order))
    runs = list(_runs(order, values, end))
    if runs:
        known = names([keys[place] for start, stop in runs for place in order[start:stop]])
        for start, stop in runs:
            order[start:stop] = sorted(order[start:stop], key=lambda place: known[keys[place]])
    return order[:end]


def _runs(order: Sequence[int], values: Sequence[Any], end: int) -> Iterator[tuple[int, int]]:
    """Stretches of two or more equal values that begin before ``end``."""
    start = 0
    while start < end:
        stop = start + 1
        while stop < len(order) and values[order[stop]] == values[order[start]]:
            stop += 1
        if stop > start + 1:
            yield start, stop
        start = stop
