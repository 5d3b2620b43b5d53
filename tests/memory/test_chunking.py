"""Chunks: every word in one, each begins where it must, each a slice of the text, in any script."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.errors import InvalidInput
from hybridkb.memory.chunking import LONGEST_WORD, Chunk, count_chunks, split_chunks, word_spans

SIZES = st.integers(1, 12).flatmap(lambda words: st.tuples(st.just(words), st.integers(0, words - 1)))
PLAIN = st.lists(st.text("abcdefgh", min_size=1, max_size=6), max_size=60)
GAPS = st.sampled_from([" ", "\n", "  ", "\t", "\r\n", "\u3000"])


@st.composite
def spaced_texts(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A text of words with white space between them, and the words."""
    words = draw(PLAIN)
    text = draw(GAPS) + "".join(word + draw(GAPS) for word in words)
    return text, words


def texts_of(text: str, chunks: list[Chunk]) -> list[str]:
    return [text[chunk.start : chunk.end] for chunk in chunks]


@given(spaced_texts(), SIZES)
def test_chunk_i_covers_its_words(made: tuple[str, list[str]], sizes: tuple[int, int]) -> None:
    text, words = made
    size, overlap = sizes
    chunks = list(split_chunks(text, size, overlap))
    for chunk, found in zip(chunks, texts_of(text, chunks), strict=True):
        first = chunk.number * (size - overlap)
        assert found.split() == words[first : first + size]
        assert found == found.strip()
    assert [chunk.number for chunk in chunks] == list(range(count_chunks(len(words), *sizes)))


@given(spaced_texts(), SIZES)
def test_last_chunk_is_the_first_that_reaches_the_end(made: tuple[str, list[str]], sizes: tuple[int, int]) -> None:
    text, words = made
    chunks = texts_of(text, list(split_chunks(text, *sizes)))
    assert bool(chunks) == bool(words)
    ends = [number * (sizes[0] - sizes[1]) + sizes[0] >= len(words) for number in range(len(chunks))]
    assert ends == [False] * (len(chunks) - 1) + [True] * bool(chunks)


@given(st.text(max_size=300), SIZES)
def test_any_text_loses_nothing_but_white_space(text: str, sizes: tuple[int, int]) -> None:
    spans = word_spans(text)
    assert re.sub(r"\s", "", text) == "".join(text[first:end] for first, end in spans)
    assert all(first < end for first, end in spans)
    covered = {place for chunk in split_chunks(text, *sizes) for place in range(chunk.start, chunk.end)}
    assert covered >= {place for first, end in spans for place in range(first, end)}


@given(st.text(max_size=300), SIZES)
def test_the_same_text_gives_the_same_chunks(text: str, sizes: tuple[int, int]) -> None:
    assert list(split_chunks(text, *sizes)) == list(split_chunks("" + text, *sizes))


@given(spaced_texts(), SIZES)
def test_appending_keeps_full_chunks(made: tuple[str, list[str]], sizes: tuple[int, int]) -> None:
    text, _ = made
    before, after = (list(split_chunks(one, *sizes)) for one in (text, text + " more words at the end"))
    assert after[: max(len(before) - 1, 0)] == before[:-1]


def test_defaults_are_900_words_that_share_150() -> None:
    words = [f"w{number}" for number in range(2000)]
    chunks = texts_of(" ".join(words), list(split_chunks(" ".join(words))))
    assert [chunk.split()[0] for chunk in chunks] == ["w0", "w750", "w1500"]
    assert [len(chunk.split()) for chunk in chunks] == [900, 900, 500]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("报告显示，库存下降。AAPL财报", ["报", "告", "显", "示，", "库", "存", "下", "降。", "AAPL", "财", "报"]),
        ("が\u304b\u3099", ["が", "\u304b\u3099"]),
        ("กำไร", ["ก", "ำ", "ไ", "ร"]),
        ("น้ำ", ["น้", "ำ"]),
        ("삼성 전자", ["삼성", "전자"]),
        ("naïve café", ["naïve", "café"]),
        ("BRK.B 10-K", ["BRK.B", "10-K"]),
    ],
)
def test_words_of_many_scripts(text: str, words: list[str]) -> None:
    assert [text[first:end] for first, end in word_spans(text)] == words


def test_a_page_without_spaces_is_cut() -> None:
    assert len(list(split_chunks("库" * 2000))) == 3
    (first, second) = word_spans("x" * (LONGEST_WORD + 1))
    assert first == (0, LONGEST_WORD)
    assert second == (LONGEST_WORD, LONGEST_WORD + 1)


@pytest.mark.parametrize(
    ("words", "overlap", "field"),
    [(0, 0, "words_per_chunk"), (10, 10, "overlap"), (10, -1, "overlap"), (1.5, 0, "words_per_chunk"),
     (10, True, "overlap")],
)  # fmt: skip
def test_sizes_that_make_no_chunks_are_refused(words: int, overlap: int, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        list(split_chunks("a b c", words, overlap))
    assert caught.value.field == field
