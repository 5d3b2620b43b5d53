"""The papers that people really have: every page as it should be read, when they are at hand."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from hybridkb.documents.paper_pages import ReadPaper, read_paper
from hybridkb.documents.paper_picture import FILL, draw_page
from support.png_reader import read_png

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "pdf"
PAPER, PRESS, EARNINGS = "1706.03762v7.pdf", "FOMCpresconf20220727.pdf", "ULTABEAUTY_2023Q4_EARNINGS.pdf"


def data_of(name: str) -> bytes:
    path = Path(os.environ.get("PDF_FOLDER", FOLDER)) / name
    if not path.is_file():
        pytest.skip(f"{name} is not here: it is not part of the repository")
    return path.read_bytes()


@cache
def read(name: str) -> ReadPaper:
    return read_paper(data_of(name), name)


def blocks(paper: ReadPaper, number: int, role: str) -> list[str]:
    page = paper.pages[number - 1]
    return [page.text[block.start : block.end] for block in page.blocks if block.role == role]


@pytest.mark.parametrize(("name", "pages"), [(PAPER, 15), (PRESS, 29), (EARNINGS, 9)])
def test_every_page_is_text_in_blocks_that_partition_it(name: str, pages: int) -> None:
    paper = read(name)
    assert len(paper.pages) == pages
    assert paper.notes == ()
    for page in paper.pages:
        assert page.state == "text"
        assert page.text == "\n\n".join(page.text[block.start : block.end] for block in page.blocks)
        assert all(character.isprintable() or character == "\n" for character in page.text)
        for block in page.blocks:
            left, top, right, bottom = block.box
            assert 0 <= left < right <= page.width
            assert 0 <= top < bottom <= page.height


@pytest.mark.parametrize(
    ("words", "pages"),
    [
        ("The Transformer - model architecture", {3}),
        ("Maximum path lengths", {6}),
        ("Scaled Dot-Product Attention", {4, 5}),
        ("warmup_steps", {7}),
        ("Adam optimizer", {7}),
        ("label smoothing", {8}),
        ("beam search", {8, 9}),
        ("28.4", {1, 8}),
        ("41.8", {1, 8}),
        ("92.7", {10}),
        ("P100", {2, 7, 8}),
    ],
)
def test_words_of_the_paper_are_on_their_pages(words: str, pages: set[int]) -> None:
    found = {page.number for page in read(PAPER).pages if words.casefold() in " ".join(page.text.split()).casefold()}
    assert pages <= found
    assert len(found - pages) <= 1


def test_headings_of_the_paper_are_on_their_pages() -> None:
    paper = read(PAPER)
    found = {page.number: blocks(paper, page.number, "heading") for page in paper.pages}
    assert {number: headings for number, headings in found.items() if headings} == {
        1: ["Attention Is All You Need", "Abstract"],
        2: ["1 Introduction", "2 Background", "3 Model Architecture"],
        3: ["3.1 Encoder and Decoder Stacks", "3.2 Attention"],
        4: ["3.2.1 Scaled Dot-Product Attention", "3.2.2 Multi-Head Attention"],
        5: [
            "3.2.3 Applications of Attention in our Model",
            "3.3 Position-wise Feed-Forward Networks",
            "3.4 Embeddings and Softmax",
        ],
        6: ["3.5 Positional Encoding", "4 Why Self-Attention"],
        7: [
            "5 Training",
            "5.1 Training Data and Batching",
            "5.2 Hardware and Schedule",
            "5.3 Optimizer",
            "5.4 Regularization",
        ],
        8: ["6 Results", "6.1 Machine Translation", "6.2 Model Variations"],
        9: ["6.3 English Constituency Parsing"],
        10: ["7 Conclusion", "References"],
        13: ["Attention Visualizations"],
    }


def test_captions_stamp_and_feet_of_the_paper_are_told_from_its_text() -> None:
    paper = read(PAPER)
    captions = {page.number: [text[:8] for text in blocks(paper, page.number, "caption")] for page in paper.pages}
    assert {number: found for number, found in captions.items() if found} == {
        3: ["Figure 1"],
        4: ["Figure 2"],
        6: ["Table 1:"],
        8: ["Table 2:"],
        9: ["Table 3:"],
        10: ["Table 4:"],
        13: ["Figure 3"],
        14: ["Figure 4"],
        15: ["Figure 5"],
    }
    assert blocks(paper, 1, "margin") == ["arXiv:1706.03762v7 [cs.CL] 2 Aug 2023"]
    assert [blocks(paper, number, "footer") for number in range(2, 16)] == [[str(number)] for number in range(2, 16)]
    assert blocks(paper, 1, "footer")[0].startswith("31st Conference on Neural Information Processing Systems")
    assert (paper.title, paper.hints.title_from) == ("Attention Is All You Need", "page")
    assert paper.hints.arxiv_id == "1706.03762v7"
    assert len(paper.outline) == 22


def test_the_paper_reads_as_prose() -> None:
    paper = read(PAPER)
    text = "\n".join(page.text for page in paper.pages)
    for words in (
        "English-to-German translation task, improving over the existing best results",
        "additive attention [2], and dot-product (multiplicative) attention.",
        "using sequence-aligned RNNs or convolution",
        "except for the scaling factor of √ 1 dk . Additive attention computes",
        "Attention(Q, K, V ) = softmax( QKT √ dk )V (1)",
        "Transformer (big) | 28.4 | 41.8",
    ):
        assert words in text
    assert "Input-Input" not in text  # clipped away in the figures


def test_pictures_of_the_paper() -> None:
    paper = read(PAPER)
    assert [(asset.asset_id, asset.kind) for asset in paper.assets] == [
        ("p3-image-1", "image"),
        ("p4-image-1", "image"),
        ("p4-image-2", "image"),
        ("p13-page", "screenshot"),
        ("p14-page", "screenshot"),
        ("p15-page", "screenshot"),
    ]
    for asset in paper.assets:
        assert read_png(paper.blobs[asset.sha256]).shape == (asset.height, asset.width, 3)


def test_the_running_head_is_the_header_of_every_page() -> None:
    paper = read(PRESS)
    head = "July 27, 2022 Chair Powell’s Press Conference FINAL"
    for page in paper.pages:
        assert blocks(paper, page.number, "header") == [head]
        assert blocks(paper, page.number, "footer") == [f"Page {page.number} of 29"]
        assert "FINAL" not in " ".join(blocks(paper, page.number, "text"))


def test_tables_of_the_earnings_release_are_tables() -> None:
    paper = read(EARNINGS)
    assert paper.title == "Ulta Beauty Announces Fourth Quarter Fiscal 2022 Results"
    for page, row in (
        (1, "Diluted earnings per share | $ 6.68 | $ 5.41 | $ 3.03 | $ 24.01 | $ 17.98 | $ 3.11"),
        (3, "Operating margin | 14.7% to 15.0%"),
        (6, "Net sales | $ 3,226,773 | 100.0% | $ 2,729,388 | 100.0%"),
        (6, "Net income | $ 1,242,408 | 12.2% | $ 985,837 | 11.4%"),
        (7, "Total assets | $ 5,370,411 | $ 4,764,379"),
        (8, "Merchandise inventories | (104,233) | (331,003)"),
        (9, "Cosmetics | 42% | 43%"),
    ):
        assert any(row in table.split("\n") for table in blocks(paper, page, "table"))
    assert "For the Fourth Quarter of Fiscal 2022" in blocks(paper, 1, "heading")


def test_a_passage_is_marked_where_it_stands() -> None:
    paper = read(PAPER)
    page = paper.pages[3]
    block = next(block for block in page.blocks if page.text[block.start : block.end] == "3.2.2 Multi-Head Attention")
    pixels = read_png(draw_page(data_of(PAPER), 4, [block.box]))
    assert pixels.shape == (1584, 1224, 3)
    tinted = (pixels == FILL).all(axis=2)
    left, top, right, bottom = (round(2 * side) for side in block.box)
    assert tinted[top:bottom, left:right].mean() > 0.5
    tinted[top - 4 : bottom + 4, left - 4 : right + 4] = False
    assert not tinted.any()
