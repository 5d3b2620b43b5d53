"""Term counts and postings come back as they went in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.errors import BrokenInvariant
from hybridkb.lexical.layout import decode_posting, decode_terms, encode_posting, encode_terms
from support.term_counts import encoded

Bags = list[tuple[dict[int, int], dict[int, int]]]  # body and title of each record

counts = st.integers(1, 255) | st.integers(1, 100_000)
bags = st.dictionaries(st.integers(1, 2**32 - 1), counts, max_size=40)


@given(st.lists(st.tuples(bags, bags), max_size=8))
def test_term_counts_round_trip(records: Bags) -> None:
    ids, in_body, in_title, sizes = decode_terms([encoded(body, title) for body, title in records])
    for body, title in records:
        held, ids = ids[: sizes[0]].tolist(), ids[sizes[0] :]
        assert held == sorted(body.keys() | title.keys())
        assert {i: n for i, n in zip(held, in_body.tolist(), strict=False) if n} == body
        assert {i: n for i, n in zip(held, in_title.tolist(), strict=False) if n} == title
        in_body, in_title, sizes = in_body[sizes[0] :], in_title[sizes[0] :], sizes[1:]
    assert (len(ids), len(sizes)) == (0, 0)


@given(st.lists(st.tuples(bags, bags), min_size=1, max_size=8))
def test_records_laid_out_together_are_those_laid_out_alone(records: Bags) -> None:
    alone = [encoded(body, title) for body, title in records]
    ids, in_body, in_title, sizes = decode_terms(alone)
    assert encode_terms(ids, in_body, in_title, sizes) == alone


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
        decode_terms([blob])
    if blob != b"123\x01":  # one offset and one count: a good posting
        with pytest.raises(BrokenInvariant, match="rebuild"):
            decode_posting(blob)
