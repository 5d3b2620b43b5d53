"""Cutting and merging: nothing is lost, nothing overlaps, borders are where a reader would put them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.documents.blocks import Block
from hybridkb.documents.borders import cut
from hybridkb.documents.document import Passage
from hybridkb.documents.passages import cut_text, make_passages
from hybridkb.text.characters import cluster_end

ANYTHING = st.text(st.characters(codec="utf-8"), max_size=2000)
PIECES = st.lists(
    st.sampled_from(
        [
            "copper",
            " ",
            "\n",
            "\n\n",
            ". ",
            "U.S. ",
            "3.5%",
            "。",
            "報告",
            "🏳️‍🌈",
            "e\u0301",
            "👨‍👩‍👧",
            "\t",
            "x" * 50,
            "! ",
            "“No.” ",
        ]
    ),
    max_size=400,
).map("".join)


def passages(*blocks: Block, characters: int = 200) -> list[str]:
    return [passage.text for passage in make_passages(blocks, characters)]


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


@given(st.one_of(ANYTHING, PIECES), st.integers(min_value=20, max_value=300), st.booleans())
def test_cutting_loses_nothing_but_white_space(text: str, characters: int, by_line: bool) -> None:
    pieces = cut_text(text, characters, by_line=by_line)
    assert squeezed("".join(pieces)) == squeezed(text)
    assert all(0 < len(piece) <= characters * 1.2 for piece in pieces)


@given(PIECES, st.integers(min_value=40, max_value=300))
def test_no_piece_parts_a_cluster(text: str, characters: int) -> None:
    at = 0
    borders = {0}
    while at < len(text):
        at = cluster_end(text, at)
        borders.add(at)
    at = 0
    for piece in cut_text(text, characters):
        start = text.index(piece, at)
        at = start + len(piece)
        assert {start, at} <= borders


@given(st.lists(PIECES, max_size=8), st.integers(min_value=100, max_value=400))
def test_merging_loses_nothing_but_white_space(texts: list[str], characters: int) -> None:
    made = passages(*map(Block, texts), characters=characters)
    assert squeezed("".join(made)) == squeezed("".join(texts))
    assert all(len(text) <= characters * 1.2 + 2 for text in made)


@given(st.lists(st.integers(min_value=1, max_value=60), min_size=1, max_size=40))
def test_rows_of_a_table_stay_whole_under_their_header(lengths: list[int]) -> None:
    rows = [f"{number} | {'v' * length}" for number, length in enumerate(lengths)]
    made = passages(Block("\n".join(rows), by_line=True, head="No | Value"))
    assert all(text.startswith("No | Value\n") for text in made)
    assert [row for text in made for row in text.split("\n")[1:]] == rows


def test_neighbours_under_one_heading_are_merged() -> None:
    assert passages(Block("One.", ("A",)), Block("Two.", ("A",))) == ["One.\n\nTwo."]


def test_items_of_a_list_stand_line_below_line() -> None:
    assert passages(Block("- one"), Block("- two", close=True)) == ["- one\n- two"]


def test_headings_and_pages_are_never_mixed() -> None:
    blocks = [Block("One.", ("A",)), Block("Two.", ("B",)), Block("Three.", ("B",), 2)]
    made = list(make_passages(blocks, 200))
    assert made == [Passage("One.", ("A",)), Passage("Two.", ("B",)), Passage("Three.", ("B",), 2)]


def test_a_scrap_at_the_end_joins_its_neighbour() -> None:
    assert passages(Block("a" * 190), Block("b" * 20)) == ["a" * 190 + "\n\n" + "b" * 20]
    assert len(passages(Block("a" * 190), Block("b" * 90))) == 2


def test_a_line_that_announces_is_not_left_behind() -> None:
    first, second = passages(Block("a" * 150), Block("Fees are:", leads=True), Block("b" * 150))
    assert (first, second) == ("a" * 150, "Fees are:\n\n" + "b" * 150)


def test_paragraphs_go_before_sentences_and_sentences_before_words() -> None:
    one, two = "One sentence of some length here. " * 3, "Another one that is not the same. " * 3
    assert passages(Block(one), Block(two), characters=150) == [one.strip(), two.strip()]
    long = "The first sentence of them ends here. And this one goes on without an end for very long and still does"
    assert passages(Block(long), characters=60)[0] == "The first sentence of them ends here."


def test_an_edit_changes_the_passages_of_its_section_alone() -> None:
    sections = [Block(f"Text {at}. " * 60, (f"Section {at}",)) for at in range(4)]
    before = list(make_passages(sections, 200))
    sections[1] = Block("Something else. " + sections[1].text, ("Section 1",))
    after = list(make_passages(sections, 200))
    for number in (0, 2, 3):
        heading = (f"Section {number}",)
        assert [p for p in before if p.heading == heading] == [p for p in after if p.heading == heading]
    assert before != after


@pytest.mark.parametrize(
    "text",
    [
        "Shares of the U.S. Steel Corp. rose by 3.5 per cent on Monday",
        "It traded at No. 5 and approx. 20 others, e.g. Apple Inc. and Mr. J. P. Smith among them",
        "He asked why? no one knew, and “never!” was heard",
    ],
)
def test_abbreviations_initials_and_numbers_end_no_sentence(text: str) -> None:
    for limit in range(20, len(text)):
        assert cut(text, 0, limit) == text.rfind(" ", 0, limit + 1)


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("It rose. Then it fell and fell again", 20, "It rose. Then it"),
        ("It rose a lot. Then it fell and fell", 22, "It rose a lot."),
        ("In the U.S. The Fed raised its rates once", 30, "In the U.S. The Fed raised its"),
        ("“It is done!” The room was left at once", 24, "“It is done!”"),
        ("铜价上涨。矿山减产，库存下降很多很多", 9, "铜价上涨。"),
        ("铜价上涨矿山减产，库存下降很多很多", 12, "铜价上涨矿山减产，"),
        ("one two three\nfour five six seven", 18, "one two three"),
        ("supercalifragilistic", 8, "supercal"),
    ],
)
def test_borders(text: str, limit: int, expected: str) -> None:
    assert text[: cut(text, 0, limit)] == expected
