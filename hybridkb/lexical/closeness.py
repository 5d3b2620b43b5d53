"""The closeness bonus: words that stand together in the text as they do in the query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

REACH = 8  # words; pairs further apart earn nothing


def closeness(
    fields: Sequence[Sequence[str]], units_of: Mapping[str, int], unit_idfs: Sequence[float], bonus: float
) -> float:
    """Add up, over neighbouring units, ``bonus * min(idf) / gap`` for the smallest gap in any field.

    Args:
        fields: the words of each field, in reading order.
        units_of: bit set of the units that a word belongs to; words of none are not there.
        unit_idfs: idf by unit, in query order.
        bonus: the library's ``closeness_bonus``.
    """
    smallest: dict[int, int] = {}
    for words in fields:
        for left, gap in _gaps(words, units_of, len(unit_idfs)):
            if gap < smallest.get(left, REACH + 1):
                smallest[left] = gap
    total = 0.0
    for left in sorted(smallest):
        total += bonus * min(unit_idfs[left], unit_idfs[left + 1]) / smallest[left]
    return total


def _gaps(words: Sequence[str], units_of: Mapping[str, int], units: int) -> list[tuple[int, int]]:
    """For each word of a unit that follows a word of the unit before it: (that unit, words between + 1)."""
    found: list[tuple[int, int]] = []
    last_seen: dict[int, int] = {}
    for position in [place for place, word in enumerate(words) if word in units_of]:
        members = units_of[words[position]]
        here = [unit for unit in range(units) if members >> unit & 1]
        for unit in here:
            before = last_seen.get(unit - 1)
            if before is not None and position - before <= REACH:
                found.append((unit - 1, position - before))
        for unit in here:
            last_seen[unit] = position
    return found
