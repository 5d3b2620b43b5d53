"""The ring of vectors gives what the file holds, whatever it has room for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hybridkb.errors import BrokenInvariant
from hybridkb.vector.cache import VectorCache

DIMENSIONS = 4
STORED = np.arange(40 * DIMENSIONS, dtype=np.float16).reshape(40, DIMENSIONS)
Ids = NDArray[np.int64]


def room_for(vectors: int) -> VectorCache:
    return VectorCache(DIMENSIONS, vectors * 4 * DIMENSIONS)


@settings(max_examples=200)
@given(st.integers(1, 12), st.lists(st.lists(st.integers(1, 39), max_size=20), max_size=12))
def test_it_gives_what_the_file_holds(capacity: int, asked: list[list[int]]) -> None:
    cache = room_for(capacity)
    for ids in asked:
        wanted = np.array(ids, np.int64)
        found = cache.gather(wanted, lambda missing: STORED[missing])
        assert np.array_equal(found, STORED[wanted])


def test_what_is_at_hand_is_not_read_again() -> None:
    cache, read = room_for(8), []

    def from_file(missing: Ids) -> NDArray[np.float16]:
        read.extend(missing.tolist())
        return STORED[missing]

    cache.gather(np.array([1, 2, 3]), from_file)
    cache.gather(np.array([3, 2, 4]), from_file)
    assert read == [1, 2, 3, 4]
    cache.gather(np.arange(10, 18), from_file)  # pushes everything out
    cache.gather(np.array([4]), from_file)
    assert read[-1] == 4


def test_a_failed_read_leaves_nothing_behind() -> None:
    cache = room_for(8)

    def fail(missing: Ids) -> NDArray[np.float16]:
        raise BrokenInvariant("not there")

    with pytest.raises(BrokenInvariant):
        cache.gather(np.array([1]), fail)
    assert np.array_equal(cache.gather(np.array([1]), lambda missing: STORED[missing]), STORED[[1]])


def test_threads_share_it() -> None:
    cache = room_for(5)

    def ask(seed: int) -> bool:
        source = np.random.default_rng(seed)
        for _ in range(200):
            wanted = source.integers(1, 40, 7)
            if not np.array_equal(cache.gather(wanted, lambda missing: STORED[missing]), STORED[wanted]):
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(8)))
