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
STEP = 4096  # vectors compared at once; others that need the ring wait some tenths of a millisecond
TAKEN = 512  # vectors copied at once; they stay in the processor's cache
STRETCH = 64  # slots: a stretch of which a third is wanted is read whole, which costs less than picking
MOST_MOVED = 512  # vectors brought together by one query that picks many

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
        self._vectors = np.zeros((1, dimensions), np.float32)  # by slot; slot 0 is nobody's
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

    def products(
        self, embedding_ids: Ids, query: NDArray[np.float32], read: Callable[[Ids], NDArray[np.float16]]
    ) -> NDArray[np.float32]:
        """The float32 products of vectors with a query, in the order of the ids; else as :meth:`gather`.

        Memory is read several times as fast in a row as here and there, so vectors that stand side by side in the
        ring are multiplied where they stand, and a query that has to pick many brings some of them together: the
        next that asks for the same finds them in a row.
        """
        found = np.empty(len(embedding_ids), np.float32)
        picked: list[Ids] = []
        for start in range(0, len(embedding_ids), STEP):
            wanted, result = embedding_ids[start : start + STEP], found[start : start + STEP]
            with self._lock:
                slots = self._slots(wanted)
                picked.append(wanted[self._multiply(slots, query, result)])
            missing = np.flatnonzero(slots == 0)
            if len(missing):
                fresh = read(wanted[missing]).astype(np.float64).astype(np.float32)
                result[missing] = np.vecdot(fresh, query)
                with self._lock:
                    self._keep(wanted[missing], fresh)
        if len(embedding_ids) >= STEP:
            self._bring_together(np.concatenate(picked))
        return found

    def _multiply(
        self, slots: NDArray[np.int32], query: NDArray[np.float32], result: NDArray[np.float32]
    ) -> NDArray[np.intp]:
        """Write the products of these slots into ``result``; returns the places of those that had to be picked."""
        stretches = slots // STRETCH
        dense = 3 * np.bincount(stretches) >= STRETCH
        in_row = dense[stretches]
        by_slot = np.empty(STRETCH * len(dense), np.float32)
        borders = np.flatnonzero(np.diff(np.concatenate(([False], dense, [False])))) * STRETCH
        for first, end in zip(borders[::2].tolist(), borders[1::2].tolist(), strict=True):
            row = self._vectors[first:end]  # the last stretch may be shorter
            np.vecdot(row, query, out=by_slot[first : first + len(row)])
        result[in_row] = by_slot[slots[in_row]]
        places = np.flatnonzero(~in_row)
        for start in range(0, len(places), TAKEN):
            some = places[start : start + TAKEN]
            result[some] = np.vecdot(self._vectors.take(slots[some], axis=0), query)
        return places

    def _bring_together(self, embedding_ids: Ids) -> None:
        """Let some of these vectors stand side by side, if they are many; those that stood there take their places.

        As the newest of the ring they are the last to make room.
        """
        with self._lock:
            slots = np.unique(self._slots(embedding_ids))
            slots = slots[slots > 0][:MOST_MOVED]
            if len(slots) == MOST_MOVED:  # a few are picked quicker than moved
                self._swap(slots)

    def _swap(self, slots: NDArray[np.int32]) -> None:
        first = self._next if self._next + len(slots) <= self.capacity + 1 else 1
        row = np.arange(first, first + len(slots))
        self._make_room(first + len(slots) - 1)
        self._next = (first - 1 + len(slots)) % self.capacity + 1
        coming, going = np.setdiff1d(slots, row, assume_unique=True), np.setdiff1d(row, slots, assume_unique=True)
        for column in (self._vectors, self._owner):
            column[coming], column[going] = column[going], column[coming]
        self._slot_of[self._owner[coming]] = coming
        self._slot_of[self._owner[going]] = going
        self._slot_of[0] = 0

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
        vectors = np.zeros((room, self._dimensions), np.float32)  # what nobody wrote is multiplied too
        vectors[: len(self._vectors)] = self._vectors
        owner = np.zeros(room, np.int64)
        owner[: len(self._owner)] = self._owner
        self._vectors, self._owner = vectors, owner
