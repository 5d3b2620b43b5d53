"""PDF: pages, columns, tables, hyphens, running heads, outlines; what a page does not show as text is said."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.documents import ReadDocument, read_document
from hybridkb.errors import UnreadableDocument
from support.pdf_writer import PdfPage, write_pdf

LEFT = [
    "The left column begins here and runs on",
    "over several lines of prose which fill",
    "the width that the column has, so that",
    "nobody could take it for a table. The",
    "market for copper is in deficit and the",
    "price of it rose again last week as the",
    "mines in Chile produced less than they",
    "had planned. Here the left one ends.",
]
RIGHT = [
    "The right column goes on where the left",
    "one ended, and must not be mixed into",
    "it. Smelters pay more for concentrate",
    "than ever before, and their treatment",
    "charges fell below zero in the spring",
    "market, which has hardly happened in",
    "the past thirty years of this trade in",
    "metals. Here the right one ends.",
]


def read(*pages: PdfPage, **options: object) -> ReadDocument:
    return read_document(write_pdf(pages, **options), "reports/a.pdf")  # type: ignore[arg-type]


def text_of(document: ReadDocument) -> str:
    return "\n\n".join(passage.text for passage in document.passages)


def prose(*lines: str, y: int = 700) -> PdfPage:
    return PdfPage().lines(72, y, lines)


def test_pages_are_numbered_as_they_lie_in_the_file() -> None:
    document = read(prose("First page."), PdfPage(), prose("Third page."))
    assert [(passage.text, passage.page) for passage in document.passages] == [("First page.", 1), ("Third page.", 3)]
    assert document.pages == 3
    assert document.notes == ("1 of 3 pages has no text: page 2",)


def test_pages_that_are_pictures_are_told() -> None:
    document = read(PdfPage().picture(), PdfPage().picture(), prose("Text."), PdfPage().picture())
    assert "3 of 4 pages have no text, only images" in document.notes[0]
    assert document.notes[0].endswith("page 1-2, 4")


def test_a_scan_has_no_passages_and_says_so() -> None:
    document = read(PdfPage().picture())
    assert document.passages == ()
    assert document.notes[-1] == "holds no text"


def test_lines_of_a_paragraph_are_joined() -> None:
    document = read(prose("The gap in supply", "widens as output", "falls in Chile."))
    assert text_of(document) == "The gap in supply widens as output falls in Chile."


def test_a_wider_gap_and_an_indent_begin_a_paragraph() -> None:
    page = (
        prose(*LEFT[:3])
        .lines(72, 640, LEFT[3:6])
        .text(90, 604, "An indent begins another one that")
        .text(72, 592, "ends.")
    )
    assert text_of(read(page)).count("\n\n") == 2


@pytest.mark.parametrize("by_line", [False, True])
def test_columns_are_read_one_after_the_other(by_line: bool) -> None:
    page = PdfPage().text(72, 740, "A title that goes across both columns of this page", 16)
    if by_line:
        for at, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
            page.text(72, 700 - 12 * at, left).text(330, 700 - 12 * at, right)
    else:
        page.lines(72, 700, LEFT).lines(330, 700, RIGHT)
    page.text(72, 580, "A caption that goes across both of the columns once more, and is one long line.")
    text = text_of(read(page))
    places = [
        text.index(words) for words in ("A title", "left one ends.", "The right column", "right one ends.", "A caption")
    ]
    assert places == sorted(places)
    assert "runs on over several" in text


def test_a_table_keeps_its_rows_and_columns() -> None:
    page = PdfPage()
    rows = [
        ("", "2023", "2022"),
        ("Net sales", "$ 3,226.8", "$ 2,729.4"),
        ("Cost of sales", "2,014.3", "1,702.1"),
        ("Other", "", "(4.4)"),
        ("Net income", "$ 340.8", "$ 289.4"),
    ]
    for at, row in enumerate(rows):
        for x, cell in zip((72, 300, 420), row, strict=True):
            if cell:
                page.text(x, 700 - 14 * at, cell)
    assert text_of(read(page)) == (
        " | 2023 | 2022\nNet sales | $ 3,226.8 | $ 2,729.4\nCost of sales | 2,014.3 | 1,702.1\nOther |  | (4.4)\n"
        "Net income | $ 340.8 | $ 289.4"
    )


def test_a_table_of_words_beside_words_is_no_pair_of_columns() -> None:
    page = PdfPage()
    for at in range(9):
        page.text(72, 700 - 14 * at, f"Measure {at} of the plan").text(
            380, 700 - 14 * at, f"${at} billion to ${at + 1} billion"
        )
    assert text_of(read(page)).split("\n")[2] == "Measure 2 of the plan | $2 billion to $3 billion"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("A rise in infla-", "tion."), "A rise in inflation."),
        (("long and term,", "a long-", "term view"), "long and term, a long-term view"),
        (("a well-known case", "is a well-", "known one"), "a well-known case is a well-known one"),
        (("the COVID-", "19 years"), "the COVID-19 years"),
        (("the Franco-", "German pact"), "the Franco-German pact"),
        (("under sequence", "and sequence-", "aligned work"), "under sequence and sequence-aligned work"),
        (("the notebook lies;", "a note-", "book"), "the notebook lies; a notebook"),
        (("soft hy\u00ad", "phen"), "soft hyphen"),
        (("from 5 -", "to 6"), "from 5 - to 6"),
    ],
)
def test_hyphens_at_the_end_of_a_line(lines: tuple[str, ...], expected: str) -> None:
    assert text_of(read(prose(*lines))) == expected


def test_running_heads_and_feet_are_left_out_and_told() -> None:
    pages = [
        prose(f"Text of page {at} that differs from {at * 7} others.", "More of it.")
        .text(72, 760, "Quarterly report of the desk")
        .text(300, 40, f"Page {at} of 4")
        for at in range(1, 5)
    ]
    document = read(*pages)
    assert "Quarterly" not in text_of(document)
    assert "Page" not in text_of(document)
    assert document.notes == ("running heads and feet are left out: 'Quarterly report of the desk'; 'Page 1 of 4'",)


def test_what_stands_on_two_pages_only_is_no_running_head() -> None:
    document = read(*(prose("Same words.").text(72, 760, "Head") for _ in range(2)))
    assert text_of(document).count("Head") == 2


def test_page_numbers_are_left_out() -> None:
    document = read(*(prose(f"Words of {name}.").text(300, 40, str(at)) for at, name in enumerate("abcde", start=7)))
    assert text_of(document).split("\n\n")[0] == "Words of a."
    assert "page numbers" in document.notes[0]


def test_the_outline_gives_the_heading_path() -> None:
    first = PdfPage().text(72, 700, "1 Supply", 14).lines(72, 670, ["The mines."]).text(72, 500, "1.1 Chile", 12)
    first.lines(72, 480, ["It fell."])
    document = read(
        first,
        prose("2 Demand", "It rose."),
        outline=[(0, "Supply", 0, 715), (1, "Chile", 0, 515), (0, "Demand", 1, None)],
    )
    assert [(passage.heading, passage.text) for passage in document.passages] == [
        (("Supply",), "1 Supply\n\nThe mines."),
        (("Supply", "Chile"), "1.1 Chile\n\nIt fell."),
        (("Demand",), "2 Demand It rose."),
    ]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Outlook for copper", "Outlook for copper"),
        ("Microsoft Word - draft7.docx", "The largest letters are the title"),
        ("untitled", "The largest letters are the title"),
        ("", "The largest letters are the title"),
    ],
)
def test_the_title_is_the_metadata_s_or_the_largest_letters(title: str, expected: str) -> None:
    page = PdfPage().text(72, 740, "The largest letters", 24).text(72, 712, "are the title", 24).lines(72, 660, LEFT)
    assert read(page, title=title).title == expected


def test_without_either_the_title_is_the_name() -> None:
    assert read(prose(*LEFT)).title == "a"


def test_a_stamp_in_the_margin_stands_apart() -> None:
    document = read(prose(*LEFT).text(20, 300, "arXiv:1706.03762 [cs.CL]", 14, turn=1))
    assert text_of(document).endswith("ends.\n\narXiv:1706.03762 [cs.CL]")


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_a_page_written_sideways_is_read_upright(turn: int) -> None:
    page = PdfPage()
    for at, line in enumerate(LEFT):
        x, y = {1: (100 + 12 * at, 100), 2: (500, 100 + 12 * at), 3: (500 - 12 * at, 700)}[turn]
        page.text(x, y, line, turn=turn)
    assert text_of(read(page)) == " ".join(LEFT)


def test_an_encrypted_file_is_told() -> None:
    with pytest.raises(UnreadableDocument, match="password") as caught:
        read(prose("x"), encrypted=True)
    assert caught.value.path == "reports/a.pdf"


@pytest.mark.parametrize(
    ("data", "why"), [(b"", "empty"), (b"hello", "not a PDF"), (b"%PDF-1.7\n" + b"x" * 500, "broken")]
)
def test_a_broken_file_is_told(data: bytes, why: str) -> None:
    with pytest.raises(UnreadableDocument, match=why):
        read_document(data, "a.pdf")


def test_threads_read_at_once() -> None:
    data = write_pdf([prose(*LEFT), prose(*RIGHT)])
    expected = read_document(data, "a.pdf")
    found: list[ReadDocument] = []
    threads = [
        threading.Thread(target=lambda: found.extend(read_document(data, "a.pdf") for _ in range(5))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 20


def test_the_limit_of_pages_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridkb.documents.pdf.MAX_PAGES", 2)
    document = read(prose("One."), prose("Two."), prose("Three."))
    assert [passage.page for passage in document.passages] == [1, 2]
    assert document.notes == ("only the first 2 of 3 pages are read",)


DATA = write_pdf([prose(*LEFT).picture(), prose(*RIGHT)], title="x", outline=[(0, "a", 0, None), (1, "b", 1, 700)])


@given(st.lists(st.tuples(st.integers(0, len(DATA) - 1), st.binary(min_size=0, max_size=4)), max_size=8))
def test_a_damaged_file_is_read_or_refused(damage: list[tuple[int, bytes]]) -> None:
    data = bytearray(DATA)
    for at, new in damage:
        data[at : at + max(1, len(new))] = new
    try:
        document = read_document(bytes(data), "a.pdf")
    except UnreadableDocument:
        return
    assert document.pages is not None


WORD = st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=8)


@given(st.lists(st.lists(WORD, min_size=1, max_size=8), min_size=1, max_size=12))
def test_no_word_is_lost(lines: list[list[str]]) -> None:
    text = text_of(read(prose(*(" ".join(line) for line in lines))))
    assert sorted(text.replace("|", " ").split()) == sorted(word for line in lines for word in line)


def test_a_line_whose_numbers_change_freely_is_text() -> None:
    pages = [
        prose(f"Net asset value {value}", f"of fund {name}.", y=740)
        for name, value in zip("abcd", (9, 7, 12, 3), strict=True)
    ]
    assert text_of(read(*pages)).count("Net asset value") == 4


def test_the_header_of_a_table_over_several_pages_is_kept() -> None:
    pages = []
    for name in "abcd":
        page = PdfPage()
        for at, row in enumerate([("Symbol", "Close"), *((f"{name}{n}", f"{n}.5") for n in range(6))]):
            page.text(72, 740 - 14 * at, row[0]).text(300, 740 - 14 * at, row[1])
        pages.append(page)
    document = read(*pages)
    assert [passage.text.split("\n")[0] for passage in document.passages] == ["Symbol | Close"] * 4


def test_a_table_inside_a_column_stays_in_it() -> None:
    page = PdfPage().lines(72, 700, [*LEFT, *LEFT]).lines(330, 592, RIGHT)
    for at, row in enumerate(
        [("year", "dollars a tonne", "cents a pound"), ("2022", "65.0", "6.50"), ("2023", "88.0", "8.80")]
    ):
        for x, cell in zip((330, 372, 448), row, strict=True):
            page.text(x, 700 - 14 * at, cell)
    text = text_of(read(page))
    assert "\n\nyear | dollars a tonne | cents a pound\n2022 | 65.0 | 6.50\n2023 | 88.0 | 8.80\n\n" in text
    assert text.index("left one ends.") < text.index("year |") < text.index("The right column")
    assert "runs on over several" in text


def test_narrow_gaps_that_stand_above_each_other_part_columns() -> None:
    page = PdfPage()
    rows = [("1 (worst)", "-0.71%", "-0.22%"), ("5", "+0.02%", "-0.01%"), ("10 (best)", "+0.58%", "+0.31%")]
    for at, row in enumerate(rows):
        for x, cell in zip((72, 120, 200), row, strict=True):
            page.text(x, 700 - 14 * at, cell)
    assert text_of(read(page)) == "1 (worst) | -0.71% | -0.22%\n5 | +0.02% | -0.01%\n10 (best) | +0.58% | +0.31%"


def test_items_of_a_bibliography_are_paragraphs() -> None:
    page = PdfPage()
    for at in range(3):
        y = 700 - 36 * at
        page.text(72, y, f"[{at}] An author and another one. The title of the paper that is long enough")
        page.text(90, y - 12, "to go on in a second line. Journal, 2016.")
    assert [part[:3] for part in text_of(read(page)).split("\n\n")] == ["[0]", "[1]", "[2]"]
