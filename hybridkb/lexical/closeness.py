"""The closeness bonus: words that stand together in the text as they do in the query."""

from __future__ import annotations

from collections.abc import Sequence

from hybridkb.lexical.read_texts import Matches

REACH = 8  # words; pairs further apart earn nothing


def closeness(matches: Matches, title_words: int, unit_idfs: Sequence[float], bonus: float) -> float:
    """Add up, over neighbouring units, ``bonus * min(idf) / gap`` for the smallest gap in either field.

    Args:
        matches: where the text holds words of the query.
        title_words: how many of the text's words are the title's; no gap reaches from title to body.
        unit_idfs: idf by unit, in query order.
        bonus: the library's ``closeness_bonus``.
    """
    units = len(unit_idfs)
    smallest = _smallest_gaps(matches, title_words, units)
    total = 0.0
    for right in range(1, units):
        if smallest[right] <= REACH:
            total += bonus * min(unit_idfs[right - 1], unit_idfs[right]) / smallest[right]
    return total


def _smallest_gaps(matches: Matches, title_words: int, units: int) -> list[int]:
    """By unit u, the least number of steps from a word of unit u-1 to a later one of unit u."""
    smallest = [REACH + 1] * units
    far = -REACH - 1
    last_seen = [far] * units
    in_body = False
    for place, members in zip(matches.places, matches.units, strict=True):
        if not in_body and place >= title_words:
            last_seen, in_body = [far] * units, True
        rest = members  # from the highest unit down, so that a word of two units is not close to itself
        while rest:
            unit = rest.bit_length() - 1
            rest ^= 1 << unit
            if unit:
                gap = place - last_seen[unit - 1]
                if gap < smallest[unit]:
                    smallest[unit] = gap
            last_seen[unit] = place
    return smallest
