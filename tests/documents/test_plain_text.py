"""Plain text: paragraphs, lines as they are, no headings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hybridkb.documents import Passage, ReadDocument, read_document


def read(text: str, characters: int = 1500) -> ReadDocument:
    return read_document(text.encode(), "desk/rules of 2024.txt", passage_characters=characters)


def test_paragraphs_are_parted_by_blank_lines_and_form_feeds() -> None:
    paragraphs = ["a" * 150, "b" * 150, "c" * 150]
    made = read(f"{paragraphs[0]}\n \n{paragraphs[1]}\f{paragraphs[2]}\n", characters=200).passages
    assert [passage.text for passage in made] == paragraphs


def test_lines_and_indents_stay_as_they_are() -> None:
    text = "Symbol   Close\n  AAPL   189.5\n  BRK.B  410"
    assert read(text + "   \n").passages == (Passage(text),)


def test_there_are_no_headings() -> None:
    assert read("# not a heading\ntext").passages == (Passage("# not a heading\ntext"),)


def test_the_title_is_the_name_without_its_ending() -> None:
    assert read("text").title == "rules of 2024"


def test_a_very_long_line_is_cut_at_words() -> None:
    made = read("word " * 10_000).passages
    assert len(made) > 30
    assert all(passage.text.split() == ["word"] * len(passage.text.split()) for passage in made)


def test_every_kind_of_line_break_is_one() -> None:
    assert read("a\r\nb\rc\n\r\nd").passages == (Passage("a\nb\nc\n\nd"),)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00\r\ufeff"), max_size=3000))
def test_no_character_but_white_space_is_lost(text: str) -> None:
    if text.startswith("---"):
        return
    said = "".join(passage.text for passage in read(text, characters=200).passages)
    assert "".join(said.split()) == "".join(text.split())
