"""Table files: delimiters, headers, whole rows that read with the names of their columns."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.documents import ReadDocument, read_document
from hybridkb.documents.csv_dialect import find_delimiter
from hybridkb.documents.tables import has_header

CELL = st.text(st.characters(categories=["L", "N", "P"], codec="utf-8"), min_size=1, max_size=15)


def read(text: str, name: str = "prices.csv", characters: int = 1500) -> ReadDocument:
    return read_document(text.encode(), name, passage_characters=characters)


def lines(document: ReadDocument) -> list[str]:
    return [line for passage in document.passages for line in passage.text.split("\n")]


def test_a_row_reads_with_its_header() -> None:
    document = read("Symbol,Close,Note\nAAPL,189.5,\nBRK.B,410,best\n")
    (passage,) = document.passages
    assert passage.text == "Symbol: AAPL; Close: 189.5\nSymbol: BRK.B; Close: 410; Note: best"
    assert passage.heading == ("rows 2-3",)
    assert document.notes == ()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    text = "Name;Price;Text\nA;1,5;one, two\nB;2,5;three | four\n".replace(";", delimiter)
    if delimiter == ",":
        text = 'Name,Price,Text\nA,"1,5","one; two"\nB,"2,5",three | four\n'
    assert find_delimiter(text)[0] == delimiter


def test_decimal_commas_stay() -> None:
    assert lines(read("Name;Preis\nA;1.234,50\nB;2,5\n"))[0] == "Name: A; Preis: 1.234,50"


def test_excel_may_declare_the_delimiter() -> None:
    document = read("sep=;\nA;B\n1,2,3;4\n")
    assert (lines(document), document.passages[0].heading) == (["A: 1,2,3; B: 4"], ("row 3",))


def test_a_tsv_is_parted_by_tabs() -> None:
    assert lines(read("A\tB\n1,2\t3;4\n", "x.tsv")) == ["A: 1,2; B: 3;4"]


def test_quotes_keep_delimiters_and_line_breaks() -> None:
    assert lines(read('A,B\n"one, ""two""\nthree",4\nx,5\n')) == ['A: one, "two" three; B: 4', "A: x; B: 5"]


def test_rows_are_counted_as_a_spreadsheet_counts_them() -> None:
    document = read('A,B\n1,"x\ny"\n\n3,z\n', characters=200)
    assert document.passages[0].heading == ("rows 2-4",)


def test_without_a_header_columns_are_numbered_and_it_is_said() -> None:
    document = read("AAPL,189.5,100\nMSFT,410.0,200\n")
    assert lines(document)[0] == "col 1: AAPL; col 2: 189.5; col 3: 100"
    assert "names no columns" in document.notes[0]
    assert document.passages[0].heading == ("rows 1-2",)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["Symbol", "Close"], ["AAPL", "189.5"]], True),
        ([["Item", "2022", "2023"], ["Revenue", "1,200", "1,350"]], True),
        ([["", "Open", "Close"], ["0", "1.0", "2.0"]], True),
        ([["Ticker", "Name"], ["AAPL", "Apple"]], True),
        ([["AAPL", "189.5"], ["MSFT", "410"]], False),
        ([["2024-01-01", "x"], ["2024-01-02", "y"]], False),
        ([["yes", "no"], ["yes", "yes"], ["no", "no"]], False),
        ([["only", "one row"]], False),
        ([["word"], ["other"]], False),
        ([["Close"], ["189.5"], ["190"]], True),
    ],
)
def test_what_is_a_header(rows: list[list[str]], expected: bool) -> None:
    assert has_header(rows) is expected


def test_rows_of_other_lengths_are_told_and_kept() -> None:
    document = read("A,B,C\n1,2,3\n4,5\n6,7,8,9\n")
    assert lines(document)[1:] == ["A: 4; B: 5", "A: 6; B: 7; C: 8; col 4: 9"]
    assert document.notes == (
        "1 row is longer than the header (3 columns): row 4",
        "1 row is shorter than the header (3 columns): row 3",
    )


def test_names_of_columns_are_distinct() -> None:
    assert lines(read("A,A,\n1,2,3\n")) == ["A: 1; A (2): 2; col 3: 3"]


def test_lines_above_the_table_are_text() -> None:
    document = read("Report of the desk\nMade on 1 March\n\nSymbol,Close,Volume\nAAPL,1,2\nMSFT,3,4\nX,5,6\nY,7,8\n")
    assert document.passages[0].text == "Report of the desk\nMade on 1 March"
    assert document.passages[1].text.startswith("Symbol: AAPL; Close: 1; Volume: 2\n")
    assert document.passages[1].heading == ("rows 5-8",)


def test_a_quote_that_is_never_closed_swallows_one_line() -> None:
    document = read('A,B\n1,"x\n2,y\n3,z\n')
    assert lines(document) == ['A: 1; B: "x', "A: 2; B: y", "A: 3; B: z"]
    assert "line 2" in document.notes[0]


def test_a_row_longer_than_a_passage_is_cut_by_itself() -> None:
    document = read("A,B\n1," + "word " * 200 + "\n2,x\n", characters=300)
    assert [passage.heading for passage in document.passages][-1] == ("row 3",)
    assert {passage.heading for passage in document.passages[:-1]} == {("row 2",)}


def test_groups_hold_whole_rows() -> None:
    document = read("Symbol,Close\n" + "".join(f"S{at},{at}.5\n" for at in range(500)), characters=400)
    assert [line.partition(";")[0] for line in lines(document)] == [f"Symbol: S{at}" for at in range(500)]
    assert all(len(passage.text) <= 400 for passage in document.passages)


def test_a_byte_order_mark_is_no_part_of_a_name() -> None:
    assert lines(read("\ufeffA,B\n1,2\n")) == ["A: 1; B: 2"]


def test_an_empty_table_says_so() -> None:
    document = read("\n ,\n")
    assert document.passages == ()
    assert document.notes == ("holds no text",)


def test_the_limit_of_rows_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridkb.documents.csv_table.MAX_ROWS", 10)
    document = read("A,B\n" + "x,1\n" * 20)
    assert len(lines(document)) == 10
    assert "more than 10 rows" in document.notes[0]


@given(st.lists(st.lists(CELL, min_size=2, max_size=5), min_size=1, max_size=20), st.sampled_from(",;\t|"))
def test_every_cell_is_in_some_passage(rows: list[list[str]], delimiter: str) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    said = "\n".join(passage.text for passage in read(out.getvalue()).passages)
    for row in rows[1:]:
        assert all(cell in said for cell in row)


def test_a_header_of_any_width_is_read_up_to_the_limit() -> None:
    """Names are told apart without comparing each with all others, which takes minutes for so many."""
    names, cells = ",".join(f"c{at}" for at in range(200_000)), ",".join("1" * 200_000)
    document = read(f"{names}\n{cells}\n")
    words = " ".join(lines(document))
    assert "c9999: 1" in words
    assert "c10000" not in words
    assert document.notes[0] == "the header has more than 10,000 cells; the rest of it is left out"


def test_columns_of_equal_names_stay_apart() -> None:
    document = read("Close,Close (3),Close,Text\n1,2,3,a\n4,5,6,b\n")
    assert lines(document)[0] == "Close: 1; Close (3): 2; Close (3) (3): 3; Text: a"
