"""A long text is cut where a reader would stop, and nothing but blanks is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hybridkb.cli.passages import PASSAGE_CHARACTERS, passages

SENTENCE = "The committee judged that the risks to both goals are roughly in balance. "


def test_short_text_is_one_passage() -> None:
    assert list(passages("One. Two.")) == ["One. Two."]


def test_blank_text_has_none() -> None:
    assert list(passages(" \n\n ")) == []


def test_long_text_ends_at_sentences() -> None:
    parts = list(passages(SENTENCE * 100))
    assert len(parts) > 3
    assert all(part.endswith("balance.") and len(part) <= PASSAGE_CHARACTERS for part in parts)


def test_paragraph_wins_over_later_sentence() -> None:
    first = "A" * 900 + "."
    assert next(passages(f"{first}\n\nShort one. Short two. {'B' * 900}")) == first


def test_chinese_ends_at_its_full_stop() -> None:
    parts = list(passages("本季度用户增长放缓。" * 300))
    assert all(part.endswith("。") for part in parts)


def test_one_endless_word_is_cut_at_the_limit() -> None:
    assert [len(part) for part in passages("x" * 3200)] == [1500, 1500, 200]


@given(st.text(alphabet="ab .\n。", max_size=400), st.integers(2, 60))
def test_nothing_but_blanks_is_lost(text: str, limit: int) -> None:
    parts = list(passages(text, limit))
    assert all(part and len(part) <= limit for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())
