"""The stored vectors that were read last, kept in memory: reading a row costs ten times as much as comparing it.

A vector never changes under its embedding id, and no id is given twice, so nothing here can be out of date.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

CACHE_BYTES = 96 * 2**20
COLD_ASKS = 2  # a process that asks once or twice does not pay for filling the ring

Ids = NDArray[np.int64]
Vectors = NDArray[np.float32]


class VectorCache:
    """A ring of vectors by embedding id; the oldest make room. Thread-safe.

    float32 holds every float16 value, and becomes float64 six times as fast.
    """

    def __init__(self, dimensions: int, most_bytes: int = CACHE_BYTES) -> None:
        self.capacity = max(1, most_bytes // (4 * dimensions))
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._slot_of = np.zeros(0, np.int32)  # by embedding id; 0 where it is not kept
        self._vectors = np.empty((1, dimensions), np.float32)  # by slot; slot 0 is nobody's
        self._owner = np.zeros(1, np.int64)
        self._next = 1
        self._cold_asks = 0

    def pays(self, embedding_ids: Ids) -> bool:
        """Whether comparing these vectors here is cheaper than asking the sqlite-vec table.

        They must fit, and most be at hand already; where they are not, only a process that goes on asking is
        better off filling the ring.
        """
        if len(embedding_ids) > self.capacity // 2:
            return False
        with self._lock:
            if 2 * np.count_nonzero(self._slots(embedding_ids)) >= len(embedding_ids):
                return True
            self._cold_asks += 1
            return self._cold_asks > COLD_ASKS

    def gather(self, embedding_ids: Ids, read: Callable[[Ids], NDArray[np.float16]]) -> Vectors:
        """Return the vectors in the order of the ids, shape (n, dimensions); what is not at hand is read and kept.

        Args:
            embedding_ids: each greater than 0.
            read: gives the vectors of such ids from the file; what it raises comes through.
        """
        with self._lock:
            slots = self._slots(embedding_ids)
            found = self._vectors.take(slots, axis=0)  # a third quicker than indexing
        missing = np.flatnonzero(slots == 0)
        if len(missing):
            fresh = read(embedding_ids[missing]).astype(np.float64).astype(np.float32)  # numpy's short way from float16
            found[missing] = fresh
            with self._lock:
                self._keep(embedding_ids[missing], fresh)
        return found

    def _slots(self, embedding_ids: Ids) -> NDArray[np.int32]:
        highest = int(embedding_ids.max(initial=0))
        if highest >= len(self._slot_of):
            grown = np.zeros(highest + highest // 4 + 1024, np.int32)
            grown[: len(self._slot_of)] = self._slot_of
            self._slot_of = grown
        return self._slot_of[embedding_ids]

    def _keep(self, embedding_ids: Ids, vectors: Vectors) -> None:
        fresh, first = np.unique(embedding_ids, return_index=True)
        new = self._slot_of[fresh] == 0  # another thread may have been quicker
        fresh, first = fresh[new][: self.capacity], first[new][: self.capacity]
        slots = (self._next - 1 + np.arange(len(fresh))) % self.capacity + 1
        self._next = (self._next - 1 + len(fresh)) % self.capacity + 1
        self._make_room(int(slots.max(initial=0)))
        self._slot_of[self._owner[slots]] = 0
        self._slot_of[0] = 0
        self._owner[slots] = fresh
        self._slot_of[fresh] = slots
        self._vectors[slots] = vectors[first]

    def _make_room(self, highest: int) -> None:
        if highest < len(self._owner):
            return
        room = min(self.capacity + 1, highest + highest // 2 + 1024)
        vectors = np.empty((room, self._dimensions), np.float32)
        vectors[: len(self._vectors)] = self._vectors
        owner = np.zeros(room, np.int64)
        owner[: len(self._owner)] = self._owner
        self._vectors, self._owner = vectors, owner
