"""HTML tables to rows: cells in their columns, the header told from the body, empty columns dropped.

A table that only arranges the page (it holds another table, headings or several paragraphs in a cell) is read as what
it holds. In financial tables a currency sign or a closing bracket often stands in a cell of its own; it joins its
number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridkb.documents.blocks import Outline
from hybridkb.documents.html_nodes import is_hidden, visible_text
from hybridkb.documents.tables import clean_cell, has_header, write_row

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_SPAN = 200
"""The most columns or rows that one cell is taken to span."""
MAX_SPANNED_CELLS = 50_000
"""The most places that spanning cells of one table fill; beyond, each counts once."""
MAX_HEADER_ROWS = 3

_HEADER_SAMPLE = 500  # rows that tell whether the first one names the columns
_MOST_PLACES = 1_000_000
_LAYOUT = "table, h1, h2, h3, h4, h5, h6, ul, ol, pre, blockquote, article, section"
_BEFORE_NUMBER = ("$", "€", "£", "¥", "US$", "C$", "A$", "($", "(€", "(£", "(")
_AFTER_NUMBER = (")", "%", ")%", "%)", "*", "†")


def is_layout(table: LexborNode) -> bool:
    """Whether a table arranges the page instead of holding rows."""
    if _holds_structure(table):
        return True
    return any(len(cell.css("p")) > 3 for cell in table.css("td"))


def _holds_structure(table: LexborNode) -> bool:
    """Whether other tables, headings, lists and their likes stand below; the search ends with the first."""
    below = table.child
    while below is not None:
        if below.css_matches(_LAYOUT) or below.css_first(_LAYOUT) is not None:
            return True
        below = below.next
    return False


def add_table(table: LexborNode, outline: Outline) -> None:
    """Put a table into an outline: its caption as a paragraph, its rows as one block."""
    caption = table.css_first("caption")
    if caption is not None:
        outline.add(clean_cell(visible_text(caption)))
    rows, header_rows = _rows(table)
    filled = [(position < header_rows, row) for position, row in enumerate(_narrowed(rows)) if any(row)]
    header = [row for is_header, row in filled if is_header]
    body = [row for is_header, row in filled if not is_header]
    if not header and body and has_header(body[:_HEADER_SAMPLE]):
        header, body = body[:1], body[1:]
    head = "\n".join(map(write_row, header[:MAX_HEADER_ROWS]))
    text = "\n".join(map(write_row, [*header[MAX_HEADER_ROWS:], *body]))
    outline.add(text, by_line=True, head=head)


def _rows(table: LexborNode) -> tuple[list[list[str]], int]:
    """The cells of every row at their columns, and how many rows at the top are header."""
    grid = _Grid()
    header_rows = 0
    for row in table.css("tr"):
        if is_hidden(row):
            continue
        only_names = True
        for cell in _cells(row):
            grid.put(clean_cell(visible_text(cell)), _span(cell, "colspan"), _span(cell, "rowspan"))
            only_names = only_names and cell.tag == "th"
        in_head = row.parent is not None and row.parent.tag == "thead"
        if header_rows == len(grid.rows) and grid.has_open_row and (in_head or only_names):
            header_rows += 1
        grid.end_row()
    return grid.rows, header_rows if header_rows < len(grid.rows) else 0


class _Grid:
    """Puts cells at their columns: one that spans columns leaves blanks, one that spans rows is repeated below."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self._row: list[str] = []
        self._hanging: dict[int, tuple[int, str]] = {}
        self._left = MAX_SPANNED_CELLS

    @property
    def has_open_row(self) -> bool:
        """Whether the row that is not ended yet holds a cell."""
        return bool(self._row)

    def put(self, text: str, wide: int, high: int) -> None:
        """Put the next cell of the open row."""
        self._hang()
        if wide * high > 1:
            self._left -= wide * high
            if self._left < 0:  # a table made to fill the memory: its cells count once
                wide = high = 1
        if high > 1:
            first = len(self._row)
            self._hanging |= {first + at: (high - 1, "" if at else text) for at in range(wide)}
        self._row += [text, *[""] * (wide - 1)]

    def end_row(self) -> None:
        """Close the open row."""
        self._hang()
        self.rows.append(self._row)
        self._row = []

    def _hang(self) -> None:
        """Repeat the cells that reach down from rows above into the next places."""
        while (at := len(self._row)) in self._hanging:
            left, text = self._hanging.pop(at)
            if left > 1:
                self._hanging[at] = left - 1, text
            self._row.append(text)


def _cells(row: LexborNode) -> Iterator[LexborNode]:
    node = row.child
    while node is not None:
        if node.tag in ("td", "th") and not is_hidden(node):
            yield node
        node = node.next


def _span(cell: LexborNode, name: str) -> int:
    value = cell.attributes.get(name) or "1"
    return max(1, min(MAX_SPAN, int(value))) if value.isascii() and value.isdecimal() and len(value) < 10 else 1


def _narrowed(rows: list[list[str]]) -> list[list[str]]:
    """All rows equally wide, columns of signs joined to their numbers, columns that are empty throughout dropped.

    A table that would be nearly all blanks then, and very large, stays as it is.
    """
    width = max(map(len, rows), default=0)
    if width * len(rows) > max(_MOST_PLACES, 4 * sum(map(len, rows))):
        return rows  # one row is far wider than the others
    columns = [[row[at] if at < len(row) else "" for row in rows] for at in range(width)]
    for at, column in enumerate(columns):
        if at + 1 < width and _holds_signs(column, _BEFORE_NUMBER):
            columns[at + 1] = [_joined(one, other) for one, other in zip(column, columns[at + 1], strict=True)]
            columns[at] = [""] * len(rows)
        elif _holds_signs(column, _AFTER_NUMBER):
            before = next((to for to in range(at - 1, -1, -1) if any(columns[to])), None)
            if before is not None:
                columns[before] = [_joined(one, other) for one, other in zip(columns[before], column, strict=True)]
                columns[at] = [""] * len(rows)
    kept = [column for column in columns if any(column)]
    return [list(row) for row in zip(*kept, strict=True)] if kept else []


def _holds_signs(column: list[str], signs: tuple[str, ...]) -> bool:
    """Whether a column holds nothing but signs below what names it."""
    first = next((at for at, cell in enumerate(column) if cell in signs), None)
    return first is not None and all(cell in signs for cell in column[first:] if cell)


def _joined(one: str, other: str) -> str:
    """Two cells as one: a sign touches its number, other texts stand apart."""
    touching = one in _BEFORE_NUMBER or other in _AFTER_NUMBER
    return one + other if touching else f"{one} {other}".strip()
