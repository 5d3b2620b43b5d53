"""Tables on a PDF page: which rows are one, which of them are its header, and which column each cell belongs to.

Rows of several cells that stand together and hold figures are a table. Every row stays a line. The columns are those
of the fullest rows; a cell joins the column it stands over, and a blank keeps the place of one that is missing.
"""

from __future__ import annotations

import re

from hybridkb.documents.blocks import Block
from hybridkb.documents.pdf_hyphens import without_marks
from hybridkb.documents.pdf_layout import Row
from hybridkb.documents.tables import is_figure, write_row

_YEAR = re.compile(r"(?:19|20)\d\d")
_MAX_HEADER_ROWS = 6
_MAX_HEADER_CHARACTERS = 400
_LONGEST_VALUE = 40

Span = tuple[float, float]


def table_end(rows: list[Row], first: int) -> int:
    """Behind the last row of the table that begins at a row; ``first`` when none does.

    Single cells between its rows (a label, the name of a group of rows) belong to it when they are short.
    """
    if len(rows[first].cells) < 2:
        return first
    end = first
    near = rows[first : first + 40]
    width = max(row.right for row in near) - min(row.left for row in near)
    for at in range(first, len(rows)):
        row = rows[at]
        if at > first and (row.column != rows[at - 1].column or gap(rows[at - 1], row) > 2.5 * row.height):
            break
        if len(row.cells) > 1:
            end = at + 1
        elif at - end >= 2 or row.right - row.left > 0.7 * width:
            break
    return end if _is_table(rows[first:end]) else first


def header_above(prose: list[Row], table: list[Row]) -> int:
    """How many rows just above a table stand over its right columns and name groups of them."""
    left, right = min(row.left for row in table), max(row.right for row in table)
    below = table[0]
    count = 0
    for row in reversed(prose[-4:]):
        if row.column != below.column or gap(row, below) > row.height or row.left < left + 0.25 * (right - left):
            break
        count, below = count + 1, row
    return count


def read_table(rows: list[Row], heading: tuple[str, ...], page: int) -> Block:
    """One block of a table's rows, its header apart."""
    columns = _columns(rows)
    lines = [without_marks(write_row(_placed(row, columns))) for row in rows]
    head = next((at for at, row in enumerate(rows) if _holds_figures(row)), 0)
    if head > _MAX_HEADER_ROWS or sum(map(len, lines[:head])) > _MAX_HEADER_CHARACTERS:
        head = 0
    return Block("\n".join(lines[head:]), heading, page, by_line=True, head="\n".join(lines[:head]))


def gap(above: Row, below: Row) -> float:
    """White space between two rows."""
    return above.bottom - below.top


def _is_table(rows: list[Row]) -> bool:
    several = [row for row in rows if len(row.cells) > 1]
    if len(several) < 2:
        return False
    values = [cell for row in several for cell in row.cells[1:]]
    if any(len(row.cells) > 2 for row in several) or any(map(is_figure, values)):
        return True
    with_numbers = sum(len(cell) <= _LONGEST_VALUE and any(map(str.isdigit, cell)) for cell in values)
    return len(several) >= 3 and with_numbers >= len(values) / 2


def _holds_figures(row: Row) -> bool:
    """Whether a row holds values; the days and years above columns are none."""
    return any(is_figure(cell) and not _YEAR.fullmatch(cell) and not cell.endswith(",") for cell in row.cells[1:])


def _columns(rows: list[Row]) -> list[Span]:
    """Where the columns stand: the cells of the fullest rows, those above each other taken together."""
    most = max(len(row.cells) for row in rows)
    spans = sorted(span for row in rows if len(row.cells) >= 0.7 * most for span in row.spans)
    columns: list[Span] = []
    for left, right in spans:
        if columns and left < columns[-1][1]:
            columns[-1] = columns[-1][0], max(columns[-1][1], right)
        else:
            columns.append((left, right))
    return columns


def _placed(row: Row, columns: list[Span]) -> list[str]:
    """The cells of a row at their columns; a row of one cell is its text alone."""
    if len(row.cells) == 1 and row.spans[0][0] < columns[0][1]:
        return row.cells
    placed = [""] * len(columns)
    at = 0
    for cell, span in zip(row.cells, row.spans, strict=True):
        at = max(at, max(range(len(columns)), key=lambda column: _nearness(span, columns[column])))
        placed[at] = f"{placed[at]} {cell}".lstrip()
    return placed


def _nearness(span: Span, column: Span) -> float:
    """How far two stretches overlap, negative the distance between them."""
    return min(span[1], column[1]) - max(span[0], column[0])
