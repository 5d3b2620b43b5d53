"""Codes are compared by counting bits; plain loops say what should come out."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.vector import codes
from hybridkb.vector.codes import QueryPlanes, encode, hamming, nearest_within


def plain_distance(one: np.ndarray, other: np.ndarray) -> int:
    return sum((int(a) ^ int(b)).bit_count() for a, b in zip(one, other, strict=True))


@given(st.integers(1, 9), st.integers(0, 40), st.integers(0, 2**32))
def test_distances_count_differing_bits(words: int, records: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    stored = random.integers(0, 2**64, (records, words), dtype=np.uint64)
    stored[: records // 4] = 0
    query = random.integers(0, 2**64, words, dtype=np.uint64) if seed % 3 else np.full(words, 2**64 - 1, np.uint64)
    expected = [plain_distance(row, query) for row in stored]
    assert hamming(np.ascontiguousarray(stored.T), query).tolist() == expected


@given(st.lists(st.integers(0, 385), min_size=1, max_size=300), st.data(), st.integers(1, 64))
def test_the_cut_is_the_least_distance_with_enough(distances: list[int], data: st.DataObject, sample: int) -> None:
    within = [one for one in distances if one <= 384]
    wanted = data.draw(st.integers(1, max(1, len(within))))
    kept, codes._SAMPLE = codes._SAMPLE, sample
    try:
        cut = nearest_within(np.array(distances, np.uint16), wanted, 384)
    finally:
        codes._SAMPLE = kept
    assert cut == min((d for d in range(385) if sum(one <= d for one in within) >= wanted), default=384)


@given(st.integers(1, 130), st.integers(0, 2**32))
def test_products_add_the_rounded_query_where_bits_are_set(dimensions: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(12, dimensions)).astype(np.float16)
    planes = QueryPlanes.of(random.normal(size=dimensions))
    values = [sum((int(planes.planes[p, i // 64]) >> (i % 64) & 1) << p for p in range(4)) for i in range(dimensions)]
    expected = [sum(planes.low + planes.step * values[i] for i in range(dimensions) if row[i] > 0) for row in vectors]
    np.testing.assert_allclose(planes.products(np.ascontiguousarray(encode(vectors).T)), expected, atol=1e-9)
