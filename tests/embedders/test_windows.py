"""Splitting long texts: everything is read, nothing is too long, words stay whole where they can."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hybridkb.embedders.token_estimate import estimate_tokens, split_text
from hybridkb.embedders.windows import average_windows, cut_by_count, split_windows


@given(
    length=st.integers(0, 3000),
    size=st.integers(70, 300),
    borders=st.lists(st.integers(0, 3000), max_size=400).map(lambda places: sorted(set(places))),
)
def test_windows_cover_everything_and_are_never_too_long(length: int, size: int, borders: list[int]) -> None:
    spans = split_windows(length, size, borders, overlap=32, slack=16)
    assert spans[0][0] == 0
    assert spans[-1][1] == length
    assert all(end - start <= size for start, end in spans)
    assert all(start < after < end for (start, end), (after, _) in pairwise(spans))


def test_a_text_that_fits_is_one_window() -> None:
    assert split_windows(254, 254, [0], overlap=32, slack=16) == [(0, 254)]
    assert split_windows(0, 254, [], overlap=32, slack=16) == [(0, 0)]
    assert len(split_windows(255, 254, [], overlap=32, slack=16)) == 2


def test_windows_end_and_begin_at_words_when_one_is_near() -> None:
    borders = list(range(0, 1000, 7))
    spans = split_windows(1000, 254, borders, overlap=32, slack=16)
    assert all(start % 7 == 0 for start, _ in spans)
    assert all(end % 7 == 0 for _, end in spans[:-1])


def test_the_average_weighs_by_tokens_and_is_a_unit_vector() -> None:
    average = average_windows([np.array([2.0, 0.0]), np.array([0.0, 5.0])], [3, 4])
    np.testing.assert_allclose(average, [0.6, 0.8])
    np.testing.assert_array_equal(average_windows([np.array([2.0, 0.0])], [9]), [2.0, 0.0])


def test_windows_that_cancel_out_have_no_direction() -> None:
    assert not np.isfinite(average_windows([np.array([1.0, 0.0]), np.array([-1.0, 0.0])], [1, 1])).any()


def test_estimates_err_high() -> None:
    # Counts of OpenAI's cl100k vocabulary are at most: one token a digit triple, a word of prose, a UTF-8 byte.
    assert estimate_tokens("") == 0
    assert estimate_tokens("the company reported higher revenue") >= 6
    assert estimate_tokens("1234567890") == 10
    assert estimate_tokens("苹果公司") == 8


@given(st.text(min_size=1, max_size=2000), st.integers(16, 200))
@example("000000000\u0800\u0800\u0800\u0800", 16)
def test_parts_of_a_text_hold_all_of_it(text: str, limit: int) -> None:
    parts = split_text(text, limit)
    assert all(estimate_tokens(part) <= limit for part in parts)
    place = 0
    for part in parts:
        start = text.find(part, 0 if place == 0 else max(0, place - len(part)))
        assert 0 <= start <= place
        place = max(place, start + len(part))
    assert text.endswith(parts[-1])


@pytest.mark.parametrize("text", ["word " * 500, "x" * 5000, "财报" * 2000, "1,234.5 " * 400])
def test_long_texts_of_any_kind_are_split(text: str) -> None:
    parts = split_text(text, 100)
    assert len(parts) > 5
    assert sum(map(len, parts)) >= len(text)


@given(
    words=st.lists(st.text("ab铜\n", min_size=1, max_size=60), max_size=120),
    size=st.integers(80, 200),
)
def test_what_is_cut_by_count_is_read_whole_and_is_never_too_long(words: list[str], size: int) -> None:
    text = " ".join(words)
    windows = cut_by_count(text, _letters, size, overlap=20, slack=16)
    assert all(_letters(window.text) <= size for window in windows)
    assert text.rstrip().endswith(windows[-1].text.rstrip())
    place = 0
    for window in windows:
        found = text.find(window.text, max(0, place - 200))
        assert not text[place:found].strip()
        place = max(place, found + len(window.text))
    assert not text[place:].strip()


def _letters(text: str) -> int:
    return sum(not letter.isspace() for letter in text)


def test_text_between_blanks_is_cut_where_it_is_too_long_and_not_counted_to_the_end() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text.split())

    windows = cut_by_count("ab " * 3_000_000, count, 100, overlap=20, slack=16)
    assert len(windows) > 64
    assert counted == ["ab"]
    assert {len(window.text.split()) for window in windows[:64]} == {100}
    whole = cut_by_count("ab " * 80, count, 100, overlap=20, slack=16)
    assert whole == [("ab " * 80, 80)]
