"""The closeness bonus: words that stand together in the text as they do in the query."""

from __future__ import annotations

from collections.abc import Callable, Sequence

REACH = 8  # words; pairs further apart earn nothing


class UnitsOf(dict[str, int]):
    """Bit set of the units that a word belongs to; asks once for each word."""

    def __init__(self, ask: Callable[[str], int]) -> None:
        super().__init__()
        self._ask = ask

    def __missing__(self, word: str) -> int:
        self[word] = units = self._ask(word)
        return units


def closeness(
    fields: Sequence[Sequence[str]], units_of: UnitsOf, unit_idfs: Sequence[float], bonus: float
) -> float:
    """Add up, over neighbouring units, ``bonus * min(idf) / gap`` for the smallest gap in any field.

    Args:
        fields: the words of each field, in reading order.
        units_of: which units a word belongs to.
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


def _gaps(words: Sequence[str], units_of: UnitsOf, units: int) -> list[tuple[int, int]]:
    """For each word of a unit that follows a word of the unit before it: (that unit, words between + 1)."""
    found: list[tuple[int, int]] = []
    last_seen: dict[int, int] = {}
    members = list(map(units_of.__getitem__, words))
    for position in [place for place, bits in enumerate(members) if bits]:
        here = [unit for unit in range(units) if members[position] >> unit & 1]
        for unit in here:
            before = last_seen.get(unit - 1)
            if before is not None and position - before <= REACH:
                found.append((unit - 1, position - before))
        for unit in here:
            last_seen[unit] = position
    return found
