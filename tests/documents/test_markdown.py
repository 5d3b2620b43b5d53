"""Markdown: headings, lists, code, tables, markup, and the words exactly as they were written."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.documents import Passage, ReadDocument, read_document

WORDS = st.text(st.characters(categories=["L", "N"], codec="utf-8"), min_size=1, max_size=12)


def read(text: str, characters: int = 1500) -> ReadDocument:
    return read_document(text.encode(), "notes/a.md", passage_characters=characters)


def only(text: str) -> str:
    (passage,) = read(text).passages
    return passage.text


def test_heading_path_follows_the_nesting() -> None:
    made = read("intro\n\n# A\none\n\n## B\ntwo\n\n### C\nthree\n\n## D\nfour\n\n# E\nfive\n").passages
    assert [passage.heading for passage in made] == [(), ("A",), ("A", "B"), ("A", "B", "C"), ("A", "D"), ("E",)]
    assert [passage.text for passage in made] == ["intro", "one", "two", "three", "four", "five"]


def test_skipped_levels_nest_where_they_stand() -> None:
    made = read("# A\n\n#### D\nx\n\n### C\ny\n\n## B\nz\n").passages
    assert [passage.heading for passage in made] == [("A", "D"), ("A", "C"), ("A", "B")]


def test_underlined_headings_count() -> None:
    made = read("Title\n=====\n\nPart\n----\ntext\n").passages
    assert made == (Passage("text", ("Title", "Part")),)


def test_a_heading_without_text_is_found_all_the_same() -> None:
    assert read("# A\n\n## Empty\n\n## B\ntext\n").passages == (Passage("Empty", ("A",)), Passage("text", ("A", "B")))
    assert read("# Alone\n").passages == (Passage("Alone"),)


def test_a_very_long_heading_is_kept_as_text() -> None:
    heading = "word " * 200
    (passage,) = read(f"# {heading}\n").passages
    assert passage.text == heading.strip()
    assert len(passage.heading[0]) <= 300
    assert passage.heading[0].endswith("…")


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_a_hash_inside_a_fence_is_no_heading(fence: str) -> None:
    (passage,) = read(f"# A\n\n{fence}python\n# comment\nx = 1\n\n## more\n{fence}\n").passages
    assert passage == Passage("# comment\nx = 1\n\n## more", ("A",))


def test_indented_code_keeps_its_indent() -> None:
    assert only("    def f():\n        return 1\n") == "def f():\n    return 1"


def test_lists_keep_their_markers_and_nesting() -> None:
    text = "- one\n- two\n  goes on\n  - inner\n\n3. three\n4. four\n"
    assert only(text) == "- one\n- two goes on\n  - inner\n\n3. three\n4. four"


def test_a_table_keeps_its_rows() -> None:
    text = "| Symbol | Close |\n|---|--:|\n| `BRK.B` | 410 |\n| a \\| b | |\n"
    assert only(text) == "Symbol | Close\nBRK.B | 410\na | b"


def test_a_table_over_several_passages_repeats_its_header() -> None:
    rows = "".join(f"| row {at} | {at * 7} |\n" for at in range(60))
    made = read(f"| Name | Value |\n|---|---|\n{rows}", characters=300).passages
    assert len(made) > 2
    assert all(passage.text.startswith("Name | Value\nrow ") for passage in made)
    assert sum(passage.text.count("\nrow ") for passage in made) == 60


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("The *gap* is **wide** and ~~small~~ `code`.", "The gap is wide and small code."),
        ("See [the report](http://example.com/a_b \"title\").", "See the report."),
        ("See [the report][1].\n\n[1]: http://example.com", "See the report."),
        ("<https://example.com/x_y>", "https://example.com/x_y"),
        ("[](http://example.com/only)", "http://example.com/only"),
        ("![a *chart*](x.png)", "a chart"),
        ("5 < 6 & S&P 500 &amp; AT&T", "5 < 6 & S&P 500 & AT&T"),
        ("buy <TICKER> and <b>hold</b><!-- not this -->", "buy <TICKER> and hold"),
        ("1\\. not a list, 2\\*3", "1. not a list, 2*3"),
        ("snake_case_name and 2*3*4", "snake_case_name and 234"),
        ("one\ntwo  \nthree", "one two\nthree"),
        ("铜价\n上涨 and\nmore", "铜价上涨 and more"),
        ("a<br>b", "a\nb"),
        ("CO<sub>2</sub>", "CO2"),
        ("ﬁrst\u00a0naïve “quote” e\u0301 👨‍👩‍👧", "ﬁrst\u00a0naïve “quote” e\u0301 👨‍👩‍👧"),
    ],
)  # fmt: skip
def test_markup_goes_and_words_stay(source: str, expected: str) -> None:
    assert only(source) == expected


def test_comments_are_dropped() -> None:
    assert only("before\n\n<!-- a\n\nb -->\n\nafter") == "before\n\nafter"


def test_html_is_read_as_html() -> None:
    made = read("<h1 align=center>Big</h1>\n\ntext\n\n<table><tr><th>A</th></tr><tr><td>1</td></tr></table>\n").passages
    assert made == (Passage("text\n\nA\n1", ("Big",)),)


def test_quotes_are_text() -> None:
    assert only("> one\n> two\n>\n> - item") == "one two\n\n- item"


def test_title_is_the_first_heading_of_the_first_level() -> None:
    assert read("## Small\n\n# Big\n\nx").title == "Big"
    assert read("## Small\n\nx").title == "Small"
    assert read("x").title == "a"


def test_what_nests_too_deep_is_read_as_text_and_said() -> None:
    document = read("> " * 100 + "deep words\n")
    assert "deep words" in document.passages[0].text
    assert "nest deeper" in document.notes[0]


def test_a_paragraph_too_long_to_parse_keeps_its_markup_and_says_so() -> None:
    document = read("[" * 30_000 + " word")
    assert "word" in document.passages[-1].text
    assert "left with the markup" in document.notes[0]


def test_an_edit_changes_the_passages_of_its_section_alone() -> None:
    text = "".join(f"# Part {at}\n\n" + f"Sentence {at} of it. " * 200 + "\n\n" for at in range(4))
    before, after = read(text).passages, read(text.replace("Sentence 1 of it. ", "New words. ", 3)).passages
    assert {p.heading for p in set(before) ^ set(after)} == {("Part 1",)}


@given(st.lists(st.tuples(st.sampled_from(["# ", "### ", "- ", "1. ", "> ", ""]), st.lists(WORDS, min_size=1))))
def test_no_word_is_lost(lines: list[tuple[str, list[str]]]) -> None:
    text = "\n\n".join(marker + " ".join(words) for marker, words in lines)
    document = read(text, characters=200)
    said = " ".join(" ".join((*passage.heading, passage.text)) for passage in document.passages)
    assert set(re.findall(r"\w+", text)) <= set(re.findall(r"\w+", said)) | set(re.findall(r"\d+", text))
