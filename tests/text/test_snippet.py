"""The part of a text that shows why it was found."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridkb.text import Analyser, make_snippet, parse_query

ANALYSER = Analyser()


def snippet(text: str, query: str, width: int = 240) -> str:
    return make_snippet(text, parse_query(query, ANALYSER).matcher(ANALYSER), ANALYSER, width=width)


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("the desk's view on copper", "what's the desk's view?", "the [desk]'s [view] on copper"),
        ("BRK.B rose after the 10-K.", "BRK.B 10-K", "[BRK.B] rose after the [10-K]."),
        ("we use C++ and C for $AAPL", "C++ $AAPL", "we use [C++] and C for [$AAPL]"),
        ("long-term debt", "term", "long-[term] debt"),
        ("本季度用户增长放缓", "用户增长", "本季度[用户增长]放缓"),
        ("AAPL财报超预期", "AAPL财报", "[AAPL财报]超预期"),
        ("Organizers\r\nand\t\torganizations", "organiz*", "[Organizers] and [organizations]"),
        ("Cafe\u0301 👍🏽 ﬁnance", "café finance", "[Cafe\u0301] 👍🏽 [ﬁnance]"),
        ("nothing here", "copper", "nothing here"),
        ("", "copper", ""),
        ("nul\0in the text", "nul", "[nul] in the text"),
    ],
)
def test_matched_words_stand_in_brackets(text: str, query: str, expected: str) -> None:
    assert snippet(text, query) == expected


def test_window_with_the_most_different_words_wins() -> None:
    text = "copper copper copper " + "filler " * 100 + "copper supply in Chile " + "filler " * 100
    shown = snippet(text, "copper supply Chile", width=80)
    assert "[copper] [supply] in [Chile]" in shown
    assert shown.startswith("…filler ")
    assert shown.endswith(" filler…")


def test_earliest_of_equal_windows_wins() -> None:
    text = "first copper " + "filler " * 100 + "second copper"
    assert snippet(text, "copper", width=40).startswith("first [copper]")


def test_text_without_a_match_shows_its_beginning() -> None:
    assert snippet("word " * 100, "copper", width=22) == "word word word word…"


def test_width_is_kept_at_word_borders() -> None:
    text = " ".join(f"word{number}" for number in range(500)) + " copper " + "more " * 200
    shown = snippet(text, "copper", width=100)
    assert len(shown) <= 104
    assert all(re.fullmatch(r"word\d+|\[copper\]|more", word) for word in shown.strip("…").split())


def test_flags_and_families_are_never_cut() -> None:
    family = "👨\u200d👩\u200d👧"
    shown = snippet(family * 100, "copper", width=17)
    assert shown.rstrip("…").replace(family, "") == ""


def test_long_texts_take_little_time() -> None:
    began = time.process_time()
    assert "[copper]" in snippet("The quick brown fox jumps over it. " * 50_000 + "copper", "copper")
    assert "[库存]" in snippet("本季度用户增长放缓" * 40_000 + "库存", "库存")
    assert time.process_time() - began < 10


@given(
    st.text(st.one_of(st.characters(), st.sampled_from("ab é财报 \n🇩🇪\u0301\u200d👍🏽")), max_size=120),
    st.integers(1, 50),
)
@settings(max_examples=500, deadline=None)
def test_a_snippet_is_a_part_of_the_text(text: str, width: int) -> None:
    shown = make_snippet(text, lambda word: word.startswith(("a", "财")), ANALYSER, width=width)
    if "[" not in text and "]" not in text and "…" not in text:
        plain = re.sub(r"[\s\x00-\x1f\x7f]+", " ", text)
        assert shown.replace("[", "").replace("]", "").strip("…").strip() in plain
    assert shown.count("[") >= shown.count("]") - text.count("]")
