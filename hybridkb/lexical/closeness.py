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
    units = len(unit_idfs)
    smallest = [REACH + 1] * units
    for words in fields:
        _shrink_gaps(smallest, words, units_of)
    total = 0.0
    for right in range(1, units):
        if smallest[right] <= REACH:
            total += bonus * min(unit_idfs[right - 1], unit_idfs[right]) / smallest[right]
    return total


def _shrink_gaps(smallest: list[int], words: Sequence[str], units_of: Mapping[str, int]) -> None:
    """Lower ``smallest[u]`` to the least number of steps from a word of unit u-1 to a later one of unit u."""
    last_seen = [-REACH - 1] * len(smallest)
    for position, members in [(place, units_of[word]) for place, word in enumerate(words) if word in units_of]:
        rest = members  # from the highest unit down, so that a word of two units is not close to itself
        while rest:
            unit = rest.bit_length() - 1
            rest ^= 1 << unit
            if unit:
                gap = position - last_seen[unit - 1]
                if gap < smallest[unit]:
                    smallest[unit] = gap
            last_seen[unit] = position
