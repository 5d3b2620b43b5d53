"""The PDFs that people really have: read well, when they are at hand."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from hybridkb.documents import ReadDocument, read_document

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "pdf"
PAPER, PRESS, EARNINGS = "1706.03762v7.pdf", "FOMCpresconf20220727.pdf", "ULTABEAUTY_2023Q4_EARNINGS.pdf"


@cache
def read(name: str) -> ReadDocument:
    path = Path(os.environ.get("PDF_FOLDER", FOLDER)) / name
    if not path.is_file():
        pytest.skip(f"{name} is not here: it is not part of the repository")
    return read_document(path.read_bytes(), name)


def pages_with(document: ReadDocument, words: str) -> set[int | None]:
    pages: dict[int | None, str] = {}
    for passage in document.passages:
        pages[passage.page] = f"{pages.get(passage.page, '')} {passage.text}"
    return {page for page, text in pages.items() if words.casefold() in " ".join(text.split()).casefold()}


@pytest.mark.parametrize(
    ("words", "pages"),
    [
        ("The Transformer - model architecture", {3}),
        ("Scaled Dot-Product Attention", {1, 4, 5}),
        ("Maximum path lengths", {6}),
        ("Adam optimizer", {7}),
        ("beam search", {8, 9}),
        ("English constituency parsing", {1, 9, 10}),
        ("28.4", {1, 8}),
        ("41.8", {1, 8}),
        ("92.7", {10}),
        ("P100", {2, 7, 8}),
    ],
)
def test_words_of_the_paper_are_on_their_pages(words: str, pages: set[int]) -> None:
    assert pages <= pages_with(read(PAPER), words)
    assert len(pages_with(read(PAPER), words) - pages) <= 1


def test_the_paper_has_its_title_headings_and_joined_words() -> None:
    document = read(PAPER)
    assert (document.title, document.pages) == ("Attention Is All You Need", 15)
    text = "\n".join(passage.text for passage in document.passages)
    assert "English-to-German translation task, improving" in text
    assert "multiplicative) attention" in text
    assert "sequence-aligned" in text
    label = next(passage for passage in document.passages if "Label Smoothing During" in passage.text)
    assert label.heading == ("Training", "Regularization")
    assert (label.page, "arXiv:1706.03762v7 [cs.CL] 2 Aug 2023" in text) == (8, True)


def test_a_table_of_the_paper_keeps_its_columns() -> None:
    text = "\n".join(passage.text for passage in read(PAPER).passages)
    assert "\nDeep-Att + PosUnk [39] |  | 39.2" in text
    assert "\nTransformer (big) | 28.4 | 41.8" in text


def test_the_press_conference_loses_its_running_head() -> None:
    document = read(PRESS)
    assert document.title.startswith("Transcript of Chair Powell")
    assert document.pages == 29
    assert not any("FINAL" in passage.text or "Page " in passage.text for passage in document.passages)
    assert "Page 1 of 29" in document.notes[0]
    assert {passage.page for passage in document.passages} == set(range(1, 30))
    paragraph = "we have both the tools we need and the resolve it will take to restore price stability on behalf of"
    assert paragraph in document.passages[0].text.casefold()


def test_the_earnings_release_keeps_its_tables() -> None:
    document = read(EARNINGS)
    assert document.title == "Ulta Beauty Announces Fourth Quarter Fiscal 2022 Results"
    text = "\n".join(passage.text for passage in document.passages)
    for row in (
        "Net sales | $ 3,226,773 | 100.0% | $ 2,729,388 | 100.0%",
        "Interest (income) expense, net | (4,378) | (0.1%) | 467 | 0.1%",
        "Diluted earnings per share | $ 6.68 | $ 5.41 | $ 3.03 | $ 24.01 | $ 17.98 | $ 3.11",
        "Total assets | $ 5,370,411 | $ 4,764,379",
        "Operating margin | 14.7% to 15.0%",
    ):
        assert f"\n{row}\n" in text
