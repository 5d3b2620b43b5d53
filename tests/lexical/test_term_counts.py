"""Counting a batch at once gives what a dictionary a record gives."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.lexical.term_counts import count_terms

words = st.lists(st.integers(1, 6) | st.integers(1, 2**32 - 1), max_size=12)


@given(st.lists(st.tuples(words, words), max_size=7))
def test_it_counts_as_a_dictionary_a_record_does(records: list[tuple[list[int], list[int]]]) -> None:
    flat = [word for title, body in records for word in (*title, *body)]
    counts = count_terms(np.array(flat, np.uint32), [len(field) for record in records for field in record])
    ends = np.cumsum(counts.sizes).tolist()
    assert (len(counts.sizes), len(counts.ids)) == (len(records), counts.sizes.sum())
    for (title, body), size, end in zip(records, counts.sizes.tolist(), ends, strict=True):
        ids, in_body, in_title = (
            array[end - size : end].tolist() for array in (counts.ids, counts.body, counts.title)
        )
        assert ids == sorted({*title, *body})
        assert dict(zip(ids, in_body, strict=True)) == {word: Counter(body)[word] for word in ids}
        assert dict(zip(ids, in_title, strict=True)) == {word: Counter(title)[word] for word in ids}
