"""Record columns as arrays indexed by record id. Immutable for their readers.

New records are written behind the part that older objects can see; changed records
cost a copy of the arrays. Only the newest object may be built upon (the follower's lock
sees to that).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

NEVER = np.iinfo(np.int64).max  # unknown availability, or an interval without an end
GONE = np.iinfo(np.int64).min  # end of the interval of an id without a record

ColumnRow = Sequence[Any]  # record id, visible_from, visible_until, title words, body words, digest


@dataclass(frozen=True, slots=True)
class Columns:
    """Arrays of equal length; entry ``i`` belongs to record ``i`` (entry 0 to none).

    Attributes:
        visible_from, visible_until: the interval, microseconds since 1970 UTC (int64).
        title_words, body_words: lengths of the fields (int32).
        digest: names the record's content, for fingerprints of what is visible (uint64).
    """

    visible_from: NDArray[np.int64]
    visible_until: NDArray[np.int64]
    title_words: NDArray[np.int32]
    body_words: NDArray[np.int32]
    digest: NDArray[np.uint64]

    @classmethod
    def blank(cls, size: int) -> Columns:
        """Columns of ``size`` entries without records."""
        return cls(
            np.full(size, NEVER, np.int64),
            np.full(size, GONE, np.int64),
            np.zeros(size, np.int32),
            np.zeros(size, np.int32),
            np.zeros(size, np.uint64),
        )

    @property
    def size(self) -> int:
        """One more than the highest record id."""
        return len(self.visible_from)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The arrays, in the order of the fields."""
        return (self.visible_from, self.visible_until, self.title_words, self.body_words, self.digest)

    def until(self, size: int) -> Columns:
        """A view of the first ``size`` entries."""
        return Columns(*(array[:size] for array in self.arrays()))

    def copy(self) -> Columns:
        """The same in arrays of its own."""
        return Columns(*(array.copy() for array in self.arrays()))

    def write(self, rows: Sequence[ColumnRow]) -> None:
        """Set the entries of the given records; a row with an empty digest is a record that is gone."""
        if not rows:
            return
        where = np.array([row[0] for row in rows], np.int64)
        gone = np.array([row[5] is None for row in rows])
        begins = [NEVER if row[1] is None else row[1] for row in rows]
        ends = [NEVER if row[2] is None else row[2] for row in rows]
        self.visible_from[where] = np.where(gone, NEVER, np.array(begins, np.int64))
        self.visible_until[where] = np.where(gone, GONE, np.array(ends, np.int64))
        self.title_words[where] = [row[3] or 0 for row in rows]
        self.body_words[where] = [row[4] or 0 for row in rows]
        self.digest[where] = np.array([row[5] or 0 for row in rows], np.int64).view(np.uint64)


class GrowingColumns:
    """The buffer behind successive :class:`Columns`."""

    def __init__(self, size: int = 1) -> None:
        self._room = Columns.blank(size + 1024)
        self.now = self._room.until(size)

    def append(self, rows: Sequence[ColumnRow]) -> None:
        """Add records newer than all before; older views do not see them."""
        if not rows:
            return
        size = rows[-1][0] + 1
        if size > self._room.size:
            bigger = Columns.blank(size + size // 4 + 1024)
            for old, new in zip(self.now.arrays(), bigger.arrays(), strict=True):
                new[: len(old)] = old
            self._room = bigger
        self.now = self._room.until(size)
        self.now.write(rows)

    def change(self, rows: Sequence[ColumnRow]) -> None:
        """Set entries that older views can see, in arrays of their own."""
        rows = [row for row in rows if row[0] < self.now.size]
        if rows:
            size = self.now.size
            self._room = self._room.copy()
            self.now = self._room.until(size)
            self.now.write(rows)
