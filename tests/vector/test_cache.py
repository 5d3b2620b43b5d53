"""The ring of vectors gives what the file holds, whatever it has room for."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hybridkb.errors import BrokenInvariant
from hybridkb.vector import cache as cache_module
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


@contextmanager
def small_steps(step: int, stretch: int, moved: int) -> Iterator[None]:
    kept = {name: getattr(cache_module, name) for name in ("STEP", "STRETCH", "TAKEN", "MOST_MOVED")}
    for name, value in zip(kept, (step, stretch, 2, moved), strict=True):
        setattr(cache_module, name, value)
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(cache_module, name, value)


asks = st.lists(st.tuples(st.booleans(), st.lists(st.integers(1, 39), max_size=20)), max_size=12)


@settings(max_examples=300)
@given(st.integers(4, 40), asks, st.integers(1, 6), st.integers(1, 5), st.integers(1, 4))
def test_products_are_those_of_the_file(
    capacity: int, asked: list[tuple[bool, list[int]]], step: int, stretch: int, moved: int
) -> None:
    cache, query = room_for(capacity), np.arange(1, DIMENSIONS + 1, dtype=np.float32)
    with small_steps(step, stretch, moved):
        for multiplied, ids in asked:
            wanted = np.array(ids, np.int64)
            if multiplied:
                found = cache.products(wanted, query, lambda missing: STORED[missing])
                assert found.tolist() == (STORED[wanted].astype(np.float32) @ query).tolist()  # whole numbers: exact
            else:
                gathered = cache.gather(wanted, lambda missing: STORED[missing])
                assert np.array_equal(gathered, STORED[wanted])


def test_what_is_picked_again_and_again_comes_to_stand_in_a_row() -> None:
    vectors = np.random.default_rng(1).integers(-9, 9, (4000, DIMENSIONS)).astype(np.float16)
    query, wanted = np.ones(DIMENSIONS, np.float32), np.arange(7, 4000, 13)
    cache = room_for(5000)
    with small_steps(100, 64, 64):
        cache.gather(np.arange(1, 4000), lambda missing: vectors[missing])
        picked = []
        for _ in range(10):
            found = cache.products(wanted, query, lambda missing: vectors[missing])
            assert found.tolist() == vectors[wanted].sum(axis=1).tolist()
            slots = cache._slots(wanted)
            picked.append(len(cache._multiply(slots, query, np.empty(len(slots), np.float32))))
    assert picked[0] > 200
    assert picked[-1] < 64  # fewer than pay for moving


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
    cache, query = room_for(5), np.ones(DIMENSIONS, np.float32)

    def ask(seed: int) -> bool:
        source = np.random.default_rng(seed)
        for _ in range(200):
            wanted = source.integers(1, 40, 7)
            if not np.array_equal(cache.gather(wanted, lambda missing: STORED[missing]), STORED[wanted]):
                return False
            products = cache.products(wanted, query, lambda missing: STORED[missing])
            if not np.array_equal(products, STORED[wanted].sum(axis=1, dtype=np.float32)):
                return False
        return True

    with ThreadPoolExecutor(4) as pool, small_steps(3, 2, 2):
        assert all(pool.map(ask, range(8)))
