"""Which embedding each record has, and its 1-bit code, as arrays indexed by record id."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hybridkb.vector.cache import VectorCache
from hybridkb.vector.codes import encode, words_per_code
from hybridkb.vector.index import matrix_of

VectorRow = tuple[int, int, bytes]  # record id, embedding id, float16 vector


class VectorColumns:
    """Immutable for readers in the same way as :class:`~hybridkb.resident.columns.Columns`.

    Attributes:
        embedding_ids: by record id; 0 where the record's text has no vector (int64).
        codes: word by word, shape (words, size) (uint64).
        cache: the vectors read last, shared by all states of the library.
    """

    def __init__(self, space_no: int, dimensions: int, size: int = 1, cache: VectorCache | None = None) -> None:
        self.cache = cache or VectorCache(dimensions)
        self.space_no = space_no
        self.dimensions = dimensions
        self._ids_room = np.zeros(size + 1024, np.int64)
        self._codes_room = np.zeros((words_per_code(dimensions), size + 1024), np.uint64)
        self._size = size

    @property
    def embedding_ids(self) -> NDArray[np.int64]:
        """By record id; 0 where there is no vector."""
        return self._ids_room[: self._size]

    @property
    def codes(self) -> NDArray[np.uint64]:
        """Word by word, shape (words, size)."""
        return self._codes_room[:, : self._size]

    def grown(self, size: int) -> VectorColumns:
        """The same columns with room for more records; entries behind the old size are zero."""
        result = self._twin(max(size, self._size))
        if result._size > len(self._ids_room):
            room = result._size + result._size // 4 + 1024
            result._ids_room = np.zeros(room, np.int64)
            result._codes_room = np.zeros((len(self._codes_room), room), np.uint64)
            result._ids_room[: self._size] = self.embedding_ids
            result._codes_room[:, : self._size] = self.codes
        return result

    def copied(self) -> VectorColumns:
        """The same in arrays of its own, so that entries may be changed."""
        result = self._twin(self._size)
        result._ids_room = self._ids_room.copy()
        result._codes_room = self._codes_room.copy()
        return result

    def write(self, rows: Sequence[VectorRow]) -> None:
        """Set the entries of records that have a vector."""
        if not rows:
            return
        where = np.array([row[0] for row in rows], np.int64)
        matrix = matrix_of([row[2] for row in rows], self.dimensions)
        self._ids_room[where] = [row[1] for row in rows]
        self._codes_room[:, where] = encode(matrix).T

    def write_packed(self, first: int, embedding_ids: NDArray[np.int64], codes: NDArray[np.uint64]) -> None:
        """Set a whole packed range; ``codes`` has shape (words, n)."""
        span = slice(first, first + len(embedding_ids))
        self._ids_room[span] = embedding_ids
        self._codes_room[:, span] = codes

    def _twin(self, size: int) -> VectorColumns:
        twin = object.__new__(VectorColumns)
        twin.space_no, twin.dimensions, twin._size = self.space_no, self.dimensions, size
        twin._ids_room, twin._codes_room, twin.cache = self._ids_room, self._codes_room, self.cache
        return twin
