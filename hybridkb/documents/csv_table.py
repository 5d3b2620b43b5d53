"""A table file to passages: groups of whole rows, each row written with the names of its columns.

``Symbol: AAPL; Close: 189.5`` reads alone, is found by the names of its columns, and keeps every cell as it was
written, decimal commas included. The heading of a passage says which rows it holds, counted as a spreadsheet counts
them (the header is row 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from hybridkb.documents.content import Content
from hybridkb.documents.csv_dialect import find_delimiter
from hybridkb.documents.csv_rows import Rows
from hybridkb.documents.document import Passage
from hybridkb.documents.encodings import decode
from hybridkb.documents.faults import count_of, ranges_of
from hybridkb.documents.limits import MAX_COLUMNS, MAX_ROWS
from hybridkb.documents.passages import cut_text
from hybridkb.documents.tables import clean_cell, has_header

_SAMPLE_ROWS = 50

Row = tuple[int, list[str]]


def read_csv(data: bytes, name: str, characters: int) -> Content:
    """Read a table file; passages are made while they are taken.

    Raises:
        UnreadableDocument: the bytes are not text.
    """
    decoded = decode(data, name)
    delimiter, skipped = find_delimiter(decoded.text, prefer_tab=name.lower().endswith(".tsv"))
    rows = Rows(decoded.text[skipped:], delimiter)
    content = Content((), notes=list(decoded.notes), encoding=decoded.encoding)
    content.passages = _passages(rows, content.notes, characters, first_row=2 if skipped else 1)
    return content


def _passages(rows: Rows, notes: list[str], characters: int, first_row: int) -> Iterator[Passage]:
    numbered = _numbered(rows, first_row)
    sample = list(islice(numbered, _SAMPLE_ROWS))
    above, sample = _above_the_table(sample)
    if above:
        notes.append(f"{count_of(len(above), 'line')} above the table read as text")
        for text in cut_text("\n".join(" ".join(filter(None, row)) for _, row in above), characters):
            yield Passage(text, (_span(above[0][0], above[-1][0]),))
    names, sample = _names(sample, notes)
    table = _Table(names, notes)
    yield from _grouped(table.lines(chain(sample, numbered)), characters)
    table.say_what_was_odd()
    if rows.open_quotes:
        where = ranges_of(rows.open_quotes)
        notes.append(f"a quote is opened and never closed on line {where}; there quotes were read as text")


def _numbered(rows: Iterable[tuple[int, list[str]]], first_row: int) -> Iterator[Row]:
    """The rows that are not blank, with their numbers (blank ones count); each cell on one line."""
    for number, (_, row) in enumerate(rows, start=first_row):
        cells = [clean_cell(cell) for cell in row]
        if any(cells):
            yield number, cells


def _filled_width(row: list[str]) -> int:
    """How many cells there are up to the last that is filled."""
    return max(at for at, cell in enumerate(row, start=1) if cell)


def _above_the_table(sample: list[Row]) -> tuple[list[Row], list[Row]]:
    """Part lines that stand above a table (a title, a date of export) from the table."""
    widths = sorted(_filled_width(row) for _, row in sample)
    usual = widths[len(widths) // 2] if widths else 0
    if usual < 3:
        return [], sample
    first = next(at for at, (_, row) in enumerate(sample) if _filled_width(row) > usual / 2)
    return sample[:first], sample[first:]


def _names(sample: list[Row], notes: list[str]) -> tuple[list[str], list[Row]]:
    """The names of the columns, each once, and the rows that follow them."""
    if sample and has_header([row for _, row in sample]):
        if len(sample[0][1]) > MAX_COLUMNS:
            notes.append(f"the header has more than {MAX_COLUMNS:,} cells; the rest of it is left out")
        return _distinct(sample[0][1][:MAX_COLUMNS]), sample[1:]
    if sample:
        notes.append("the first row names no columns; they are called col 1, col 2 and so on")
    return [], sample


def _distinct(names: list[str]) -> list[str]:
    distinct: dict[str, None] = {}
    for at, name in enumerate(names, start=1):
        name = name.rstrip(":").rstrip() or f"col {at}"
        while name in distinct:
            name = f"{name} ({at})"
        distinct[name] = None
    return list(distinct)


class _Table:
    """Writes rows as lines, and remembers which were odd."""

    def __init__(self, names: list[str], notes: list[str]) -> None:
        self._names = list(names)
        self._width = len(names)
        self._notes = notes
        self._odd: dict[str, list[int]] = {"longer": [], "shorter": []}

    def lines(self, rows: Iterator[Row]) -> Iterator[tuple[int, str]]:
        """Each row as one line that reads with the names of its columns, with its number; up to the limit of rows."""
        for count, (number, row) in enumerate(rows):
            if count >= MAX_ROWS:
                self._notes.append(f"more than {MAX_ROWS:,} rows; the rest is left out (split the file to have all)")
                return
            if len(row) > MAX_COLUMNS:
                self._notes.append(f"row {number} has more than {MAX_COLUMNS:,} cells; the rest of it is left out")
                row = row[:MAX_COLUMNS]
            self._remember(number, len(row))
            yield number, "; ".join(f"{name}: {cell}" for name, cell in zip(self._names, row, strict=False) if cell)

    def _remember(self, number: int, width: int) -> None:
        if self._width and width != self._width:
            self._odd["longer" if width > self._width else "shorter"].append(number)
        self._names += [f"col {at}" for at in range(len(self._names) + 1, width + 1)]

    def say_what_was_odd(self) -> None:
        """Note the rows that do not fit the header."""
        for kind, numbers in self._odd.items():
            if numbers:
                rows = count_of(len(numbers), "row is", "rows are")
                self._notes.append(f"{rows} {kind} than the header ({self._width} columns): row {ranges_of(numbers)}")


def _grouped(lines: Iterator[tuple[int, str]], characters: int) -> Iterator[Passage]:
    """Passages of whole rows; a row longer than a passage is cut by itself."""
    group: list[str] = []
    first = last = length = 0
    for number, line in lines:
        if group and length + 1 + len(line) > characters:
            yield Passage("\n".join(group), (_span(first, last),))
            group = []
        if len(line) > characters:
            yield from (Passage(piece, (_span(number, number),)) for piece in cut_text(line, characters))
            continue
        if not group:
            first, length = number, -1
        group.append(line)
        length += 1 + len(line)
        last = number
    if group:
        yield Passage("\n".join(group), (_span(first, last),))


def _span(first: int, last: int) -> str:
    return f"row {first}" if first == last else f"rows {first}-{last}"
