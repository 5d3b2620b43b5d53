"""A paper's pages: text in blocks that partition it, where each stands, what it is, and what could not be read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.documents.paper_pages import PARSER, ReadPaper, read_paper
from hybridkb.errors import UnreadableDocument
from hybridkb.knowledge.paper_source import PaperPage, TextBlock
from support.pdf_writer import PdfPage, write_pdf

LINES = [
    "The left column begins here and runs on",
    "over several lines of prose which fill",
    "the width that the column has, so that",
    "nobody could take it for a table. The",
    "market for copper is in deficit and the",
    "price of it rose again last week as the",
    "mines in Chile produced less than they",
    "had planned. Here the left one ends.",
]


def read(*pages: PdfPage, images: bool = False, **options: object) -> ReadPaper:
    return read_paper(write_pdf(pages, **options), "a.pdf", images=images)  # type: ignore[arg-type]


def prose(*lines: str, y: int = 700) -> PdfPage:
    return PdfPage().lines(72, y, lines or LINES)


def text_of(page: PaperPage, block: TextBlock) -> str:
    return page.text[block.start : block.end]


def blocks(page: PaperPage, role: str) -> list[str]:
    return [text_of(page, block) for block in page.blocks if block.role == role]


def check(paper: ReadPaper) -> None:
    """What holds of every paper."""
    assert [page.number for page in paper.pages] == list(range(1, len(paper.pages) + 1))
    for page in paper.pages:
        assert page.text == "\n\n".join(text_of(page, block) for block in page.blocks)
        assert (page.state == "text") >= bool(page.text)
        for block in page.blocks:
            left, top, right, bottom = block.box
            assert 0 <= left <= right <= page.width
            assert 0 <= top <= bottom <= page.height
            assert text_of(page, block).rstrip() == text_of(page, block).lstrip("\n")
            assert "\n\n" not in text_of(page, block)
    assert {asset.sha256 for asset in paper.assets} == set(paper.blobs)


def test_a_page_has_its_size_and_its_text() -> None:
    paper = read(prose("The gap in supply", "widens."), title="On copper")
    assert (paper.title, paper.hints.title_from, paper.parser) == ("On copper", "metadata", PARSER)
    (page,) = paper.pages
    assert (page.width, page.height, page.text, page.state) == (612, 792, "The gap in supply widens.", "text")
    (block,) = page.blocks
    assert (block.font, block.size, block.bold, block.role) == ("Helvetica", 10, False, "text")


def test_a_box_is_measured_from_the_upper_left_corner() -> None:
    (block,) = read(PdfPage().text(100, 692, "Here it stands", 20)).pages[0].blocks
    left, top, right, bottom = block.box
    assert left == pytest.approx(100, abs=2)
    assert right == pytest.approx(100 + 126, abs=8)
    assert top < 100 < bottom  # the baseline is 100 points down
    assert bottom - top == pytest.approx(22, abs=5)


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_boxes_follow_a_page_that_is_turned(rotate: int) -> None:
    page = PdfPage(600, 800, rotate=rotate).text(50, 700, "Near the upper left corner")
    (found,) = read(page).pages
    assert (found.width, found.height) == ((600, 800) if rotate % 180 == 0 else (800, 600))
    left, top, right, bottom = found.blocks[0].box
    middle = (left + right) / 2, (top + bottom) / 2
    x, y = 50 + 60, 800 - 704
    where = {0: (x, y), 90: (800 - y, x), 180: (600 - x, 800 - y), 270: (y, 600 - x)}[rotate]
    assert middle == (pytest.approx(where[0], abs=8), pytest.approx(where[1], abs=8))
    assert found.text == "Near the upper left corner"


def test_a_cropped_page_shows_what_is_within_and_says_what_is_not() -> None:
    page = PdfPage(crop=(100, 100, 400, 500)).text(120, 480, "Within the page").text(120, 700, "Beyond its edge")
    paper = read(page)
    (found,) = paper.pages
    assert (found.width, found.height, found.text) == (300, 400, "Within the page")
    assert found.blocks[0].box[:2] == (pytest.approx(20, abs=2), pytest.approx(11, abs=4))
    assert paper.notes == ("text beyond the edge of the page is left out: page 1",)


def test_text_that_is_clipped_away_is_left_out() -> None:
    inner = PdfPage().text(10, 10, "Seen in the form").text(10, 300, "Clipped away")
    page = prose("Before it.").form(inner, (0, 0, 200, 100), "1 0 0 1 72 300")
    assert read(page).pages[0].text == "Before it.\n\nSeen in the form"


def test_words_parted_at_the_end_of_a_line_are_joined() -> None:
    paper = read(prose("A rise in infla-", "tion, a well-known one, is well-", "known and soft hy\xad", "phens join."))
    assert paper.pages[0].text == "A rise in inflation, a well-known one, is well-known and soft hyphens join."


def test_accents_are_composed() -> None:
    assert read(prose("caf\xe9 na\xefve")).pages[0].text == "caf\xe9 na\xefve"


@pytest.mark.parametrize("by_row", [False, True])
def test_two_columns_are_read_one_after_the_other_in_blocks_of_their_own(by_row: bool) -> None:
    right = ["The right one goes on where the left", *LINES[1:-1], "they had planned for. It ends here."]
    page = PdfPage().text(72, 740, "A title over both of the columns", 16, "F2")
    if by_row:
        for at, pair in enumerate(zip(LINES, right, strict=True)):
            page.text(72, 700 - 12 * at, pair[0]).text(330, 700 - 12 * at, pair[1])
    else:
        page.lines(72, 700, LINES).lines(330, 700, right)
    (found,) = read(page).pages
    title, left, other = found.blocks
    assert (title.role, text_of(found, title)) == ("heading", "A title over both of the columns")
    assert text_of(found, left).endswith("Here the left one ends.")
    assert text_of(found, other).startswith("The right one goes on")
    assert left.box[2] < 320 < other.box[0]


def test_a_word_parted_between_columns_stands_whole_in_the_first() -> None:
    left = [*LINES[:-1], "had planned, and so the infla-"]
    right = ["tion of prices went on for a while and", *LINES[1:]]
    paper = read(PdfPage().lines(72, 700, left).lines(330, 700, right))
    check(paper)
    first, second = blocks(paper.pages[0], "text")
    assert first.endswith("and so the inflation")
    assert second.startswith("of prices went on")


def test_a_word_parted_between_pages_stays_as_it_is_printed() -> None:
    paper = read(prose("It was the infla-"), prose("tion of prices."))
    check(paper)
    assert [page.text for page in paper.pages] == ["It was the infla-", "tion of prices."]


def test_headings_are_larger_or_bold_or_known() -> None:
    page = PdfPage().text(72, 740, "1 Introduction", 14, "F2").lines(72, 715, LINES)
    page.text(72, 600, "1.1 What is known", 10, "F2").lines(72, 588, LINES)
    page.text(72, 480, "References", 10).lines(72, 455, ["[1] A. Author. A title that is long enough. 2016."])
    paper = read(page)
    check(paper)
    assert blocks(paper.pages[0], "heading") == ["1 Introduction", "1.1 What is known", "References"]
    assert [block.bold for block in paper.pages[0].blocks if block.role == "heading"] == [True, True, False]


def test_bold_authors_below_the_title_are_no_headings() -> None:
    page = PdfPage().text(150, 740, "A title in large letters", 18, "F2").text(200, 700, "Ada Author", 10, "F2")
    page.text(260, 660, "Abstract", 12, "F2").lines(72, 640, LINES).text(72, 530, "Data", 10, "F2")
    page.lines(72, 512, LINES)
    assert blocks(read(page).pages[0], "heading") == ["A title in large letters", "Abstract", "Data"]


def test_a_title_of_two_centred_lines_is_one_heading() -> None:
    page = PdfPage().text(150, 740, "A title that is too long for one", 18, "F2")
    page.text(189, 718, "Line of the First Page", 18, "F2").lines(72, 600, LINES)
    paper = read(page)
    assert blocks(paper.pages[0], "heading") == ["A title that is too long for one Line of the First Page"]
    assert (paper.title, paper.hints.title_from) == ("A title that is too long for one Line of the First Page", "page")


def test_a_title_that_ends_within_a_column_is_one_heading() -> None:
    page = PdfPage().text(72, 740, "A title that goes over both of the columns and", 16, "F2")
    page.text(72, 721, "ends", 16, "F2").lines(72, 690, LINES).lines(330, 690, LINES)
    assert blocks(read(page).pages[0], "heading") == ["A title that goes over both of the columns and ends"]


def test_lines_of_a_table_of_contents_are_no_headings() -> None:
    page = PdfPage().text(72, 740, "1 Introduction ............ 7", 14, "F2").lines(72, 600, LINES)
    assert blocks(read(page).pages[0], "heading") == []


def test_the_outline_makes_headings_of_rows_that_look_like_text() -> None:
    page = PdfPage().lines(72, 700, ["Supply", *LINES, "Demand", *LINES])
    paper = read(page, outline=[(0, "Supply", 0, 712), (0, "Demand", 0, 604)])
    check(paper)
    assert blocks(paper.pages[0], "heading") == ["Supply", "Demand"]
    assert [(entry.level, entry.title, entry.page, entry.top) for entry in paper.outline] == [
        (0, "Supply", 1, 80.0),
        (0, "Demand", 1, 188.0),
    ]


def test_an_outline_of_a_cropped_page_leads_to_what_is_shown() -> None:
    page = PdfPage(crop=(0, 100, 612, 700)).lines(72, 600, LINES)
    (entry,) = read(page, outline=[(0, "Copper", 0, 650)]).outline
    assert entry.top == 50.0


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ("Figure 1: The model and its parts.", "caption"),
        ("Table 2. What was measured.", "caption"),
        ("Table 2 summarizes what was measured here.", "text"),
        ("Figure 3 shows the price of copper.", "text"),
    ],
)
def test_captions_name_a_figure_and_do_not_speak_of_it(line: str, role: str) -> None:
    page = prose().text(72, 500, line)
    assert line in blocks(read(page).pages[0], role)


def test_a_table_keeps_its_rows() -> None:
    page = prose()
    for at, row in enumerate([("", "2023", "2022"), ("Net sales", "3,226.8", "2,729.4"), ("Other", "1.0", "(4.4)")]):
        for x, cell in zip((72, 300, 420), row, strict=True):
            if cell:
                page.text(x, 500 - 14 * at, cell)
    paper = read(page)
    check(paper)
    (table,) = blocks(paper.pages[0], "table")
    assert table.split("\n")[1:] == ["Net sales | 3,226.8 | 2,729.4", "Other | 1.0 | (4.4)"]


def test_running_heads_and_feet_are_blocks_of_their_own() -> None:
    pages = [
        prose(f"Text of page {name}.").text(72, 765, "Quarterly report").text(300, 30, f"Page {at} of 4")
        for at, name in enumerate("abcd", start=1)
    ]
    paper = read(*pages)
    check(paper)
    for at, page in enumerate(paper.pages, start=1):
        assert [block.role for block in page.blocks] == ["header", "text", "footer"]
        assert page.text.startswith("Quarterly report\n\n")
        assert page.text.endswith(f"\n\nPage {at} of 4")


def test_what_stands_where_the_feet_of_other_pages_are_is_a_foot() -> None:
    pages = [prose(f"Text of page {name}.").text(300, 30, str(at)) for at, name in enumerate("bcde", start=2)]
    first = prose("Text of page a.").text(72, 32, "A conference in some town, 2017")
    assert blocks(read(first, *pages).pages[0], "footer") == ["A conference in some town, 2017"]


def test_a_stamp_in_the_margin_is_told_and_gives_the_arxiv_id() -> None:
    paper = read(prose().text(20, 300, "arXiv:1706.03762v7 [cs.CL]", 14, turn=1))
    check(paper)
    page = paper.pages[0]
    assert blocks(page, "margin") == ["arXiv:1706.03762v7 [cs.CL]"]
    left, top, right, bottom = page.blocks[-1].box
    assert right - left < 25 < 150 < bottom - top
    assert paper.hints.arxiv_id == "1706.03762v7"


def test_an_id_that_the_text_cites_is_no_hint() -> None:
    assert read(prose("as in arXiv:1409.0473v1 [cs.CL]")).hints.arxiv_id is None


def test_a_caption_below_turned_labels_stays_upright() -> None:
    page = PdfPage()
    for at in range(12):
        page.text(100 + 10 * at, 500, "a turned label", 7, turn=1)
    page.lines(72, 400, ["Figure 3: Labels that are turned, and a caption that is not and stays as", "it was set."])
    found = read(page).pages[0]
    (caption,) = blocks(found, "caption")
    assert caption.endswith("and stays as it was set.")
    assert len(blocks(found, "margin")) <= 2


def test_fragments_of_a_formula_do_not_part_a_paragraph() -> None:
    page = (
        PdfPage()
        .text(72, 700, "We divide each of the products by the root 1")
        .text(290, 700, "and go on with it, since")
    )
    page.text(270, 694, "dk", 6).text(72, 686, "they grow large for large values of the dimension that they have.")
    assert len(read(page).pages[0].blocks) == 1


def test_labels_of_pages_are_those_of_the_file() -> None:
    paper = read(prose("a"), prose("b"), prose("c"), labels="0 << /S /r >> 2 << /S /D /St 7 >>")
    assert [page.label for page in paper.pages] == ["i", "ii", "7"]
    assert read(prose("a")).pages[0].label is None


def test_pages_without_text_are_told() -> None:
    paper = read(prose("a"), PdfPage(), PdfPage().picture())
    assert [(page.state, page.text, page.blocks) for page in paper.pages[1:]] == [("no_text", "", ())] * 2
    assert paper.notes == (
        "1 of 3 pages has no text, only images (a scan?); text recognition would make them readable: page 3",
        "1 of 3 pages has no text: page 2",
    )


def test_a_page_that_cannot_be_opened_is_broken_and_the_others_are_read() -> None:
    data = write_pdf([prose("first"), prose("second")])
    paper = read_paper(data.replace(b"12 0 obj", b"99 0 obj"), "a.pdf")
    check(paper)
    assert [page.state for page in paper.pages] == ["text", "broken"]
    assert (paper.pages[1].width, paper.pages[1].height) == (612, 792)
    assert "1 of 2 pages cannot be read: page 2" in paper.notes


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty; fetch it anew$"),
        (b"hello", "not a PDF.*; a paper is taken in as a PDF$"),
        (b"%PDF-1.7\n" + b"x" * 500, "broken.*its end is missing"),
        (write_pdf([PdfPage()], encrypted=True), "password"),
        (write_pdf([]), "finds no page"),
        (write_pdf([PdfPage().lines(72, 700, LINES)] * 3)[:2000], "broken|cut short"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(data: bytes, why: str) -> None:
    with pytest.raises(UnreadableDocument, match=why) as caught:
        read_paper(data, "a.pdf")
    assert caught.value.path == "a.pdf"


def test_an_encrypted_file_does_not_make_the_next_look_encrypted() -> None:
    for data, why in ((write_pdf([PdfPage()], encrypted=True), "password"), (write_pdf([]), "finds no page")):
        with pytest.raises(UnreadableDocument, match=why):
            read_paper(data, "a.pdf")


def test_a_file_cut_short_is_refused_when_pages_are_missing_with_its_end() -> None:
    data = write_pdf([prose("first"), PdfPage()]).rpartition(b"startxref")[0]
    with pytest.raises(UnreadableDocument, match="cut short"):
        read_paper(data, "a.pdf")
    whole = write_pdf([prose("first")]).rpartition(b"%%EOF")[0]
    assert "the mark at the end" in read_paper(whole, "a.pdf").notes[-1]
    assert read_paper(write_pdf([prose("first")]) + b"\0" * 100_000, "a.pdf").notes == ()


@pytest.mark.parametrize(
    ("limit", "why"),
    [("paper_pages.MAX_PAPER_BYTES", "longer than"), ("paper_reading.MAX_PAPER_CHARACTERS", "more than")],
)
def test_a_paper_that_is_too_large_is_refused(limit: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"hybridkb.documents.{limit}", 100)
    with pytest.raises(UnreadableDocument, match=why):
        read(prose())


def test_the_limit_of_pages_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridkb.documents.paper_reading.MAX_PAGES", 2)
    paper = read(prose("a"), prose("b"), prose("c"), outline=[(0, "c", 2, None)])
    assert len(paper.pages) == 2
    assert paper.notes == ("only the first 2 of 3 pages are read",)


def test_hints_are_what_the_file_says_as_far_as_it_can_be_believed() -> None:
    page = PdfPage().text(72, 740, "A title in large letters", 18).text(72, 700, "Ada Lovelace and Alan M. Turing")
    page.lines(72, 660, [*LINES, "doi: 10.1000/182."])
    info = "/Author (Ada Lovelace; Alan M. Turing) /CreationDate (D:20230802014500+02'00')"
    hints = read(page, info=info).hints
    assert hints.authors == ("Ada Lovelace", "Alan M. Turing")
    assert hints.doi == "10.1000/182"
    assert hints.created == datetime(2023, 8, 1, 23, 45, tzinfo=UTC)


@pytest.mark.parametrize("author", ["jdoe", "Microsoft Office User", "Ada Lovelace, someone else", "a@b.example"])
def test_authors_that_the_first_page_does_not_name_are_not_believed(author: str) -> None:
    assert read(prose("By Ada Lovelace"), info=f"/Author ({author})").hints.authors == ()


@pytest.mark.parametrize(
    "date", ["D:2023", "D:20230802014500", "D:20239902014500Z", "yesterday", "D:00000101000000+23'59'"]
)
def test_a_date_that_is_no_instant_is_no_hint(date: str) -> None:
    assert read(prose(), info=f"/CreationDate ({date})").hints.created is None


def test_without_a_title_it_is_called_after_its_name() -> None:
    paper = read_paper(write_pdf([PdfPage()]), "papers/copper.pdf")
    assert (paper.title, paper.hints.title_from) == ("copper", "name")


def test_the_same_bytes_give_the_same_paper() -> None:
    data = write_pdf([prose().picture(), PdfPage().picture()])
    assert read_paper(data, "a.pdf") == read_paper(data, "a.pdf")


@pytest.mark.parametrize(("images", "steps"), [(False, 2), (True, 4)])
def test_progress_counts_to_the_end(images: bool, steps: int) -> None:
    seen: list[tuple[int, int]] = []
    data = write_pdf([prose(), prose()])
    read_paper(data, "a.pdf", images=images, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(done, steps) for done in range(1, steps + 1)]


def test_a_control_character_does_not_reach_the_text() -> None:
    page = PdfPage().draw("BT /F1 10 Tf 72 700 Td (a\\033[31mb\\007 and\\011more\\000) Tj ET")
    text = read(page).pages[0].text
    assert all(character.isprintable() for character in text)


WORD = st.text("abcdefghij-", min_size=1, max_size=8).filter(lambda word: word.strip("-"))
LINE = st.tuples(
    st.integers(-50, 650), st.integers(-50, 850), st.lists(WORD, min_size=1, max_size=6), st.sampled_from([6, 10, 18])
)


@given(
    st.lists(st.lists(LINE, max_size=12), min_size=1, max_size=3),
    st.sampled_from([0, 90, 180, 270]),
    st.sampled_from([None, (50, 60, 400, 500)]),
    st.integers(0, 3),
)
def test_blocks_partition_the_text_and_stand_on_the_page(
    pages: list[list[tuple[int, int, list[str], int]]], rotate: int, crop: tuple[int, int, int, int] | None, turn: int
) -> None:
    made = []
    for lines in pages:
        page = PdfPage(rotate=rotate, crop=crop)
        for at, (x, y, words, size) in enumerate(lines):
            page.text(x, y, " ".join(words), size, turn=turn if at % 2 else 0)
        made.append(page)
    check(read(*made))


DATA = write_pdf([prose().picture(), prose()], title="x", outline=[(0, "a", 0, None), (1, "b", 1, 700)])


@given(st.lists(st.tuples(st.integers(0, len(DATA) - 1), st.binary(min_size=0, max_size=4)), max_size=8))
def test_a_damaged_file_is_read_or_refused(damage: list[tuple[int, bytes]]) -> None:
    data = bytearray(DATA)
    for at, new in damage:
        data[at : at + max(1, len(new))] = new
    try:
        paper = read_paper(bytes(data), "a.pdf")
    except UnreadableDocument:
        return
    check(paper)
