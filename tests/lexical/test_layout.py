"""Term counts and postings come back as they went in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.errors import BrokenInvariant
from hybridkb.lexical.layout import decode_posting, decode_terms, encode_posting, encode_terms


def encoded(body: dict[int, int], title: dict[int, int]) -> bytes:
    """Term counts given by term id."""
    return encode_terms(body, title, {term: term for term in (*body, *title)})

counts = st.integers(1, 255) | st.integers(1, 100_000)
bags = st.dictionaries(st.integers(1, 2**32 - 1), counts, max_size=40)


@given(bags, bags)
def test_term_counts_round_trip(body: dict[int, int], title: dict[int, int]) -> None:
    ids, in_body, in_title = decode_terms(encoded(body, title))
    assert len(set(ids.tolist())) == len(ids)
    assert {i: n for i, n in zip(ids.tolist(), in_body.tolist(), strict=True) if n} == body
    assert {i: n for i, n in zip(ids.tolist(), in_title.tolist(), strict=True) if n} == title
    assert set(ids.tolist()) == body.keys() | title.keys()


@given(st.dictionaries(st.integers(0, 65_535), counts, max_size=60))
def test_postings_round_trip(posting: dict[int, int]) -> None:
    offsets = np.array(sorted(posting), np.uint16)
    numbers = np.array([posting[offset] for offset in sorted(posting)], np.uint32)
    held, found = decode_posting(encode_posting(offsets, numbers))
    assert dict(zip(held.tolist(), found.tolist(), strict=True)) == posting


@pytest.mark.parametrize(("largest", "width"), [(255, 1), (256, 4)])
def test_a_count_takes_one_byte_until_one_exceeds_255(largest: int, width: int) -> None:
    assert len(encoded({1: 1, 2: largest}, {3: 1})) == 3 * (4 + 2 * width) + 1
    assert len(encoded({1: 1, 2: 3}, {2: largest})) == 2 * (4 + 2 * width) + 1
    assert len(encode_posting(np.array([0, 9], np.uint16), np.array([1, largest], np.uint32))) == 2 * (2 + width) + 1


@pytest.mark.parametrize("blob", [b"", b"\x00", b"\x02", b"123\x01", b"1234567\x04"])
def test_damage_is_told_and_not_read(blob: bytes) -> None:
    with pytest.raises(BrokenInvariant, match="rebuild"):
        decode_terms(blob)
    if blob != b"123\x01":  # one offset and one count: a good posting
        with pytest.raises(BrokenInvariant, match="rebuild"):
            decode_posting(blob)
