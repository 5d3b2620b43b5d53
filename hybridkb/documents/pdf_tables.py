"""Tables on a PDF page: which rows are one, which of them are its header, and which column each cell belongs to.

Rows of several cells that stand together and hold figures are a table. Every row stays a line. The columns are where
the fullest rows leave gaps above each other; a cell joins the column it stands over, and a blank keeps the place of one
that is missing.
"""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median

from hybridkb.documents.pdf_hyphens import without_marks
from hybridkb.documents.pdf_layout import Row, begins_cell, is_sign_of
from hybridkb.documents.pdf_segments import glue
from hybridkb.documents.pdf_words import Word
from hybridkb.documents.tables import is_figure, write_row

_YEAR = re.compile(r"(?:19|20)\d\d")
_MAX_HEADER_ROWS = 6
_MAX_HEADER_CHARACTERS = 400
_LONGEST_VALUE = 40
_COLUMN_GAP = 0.45
"""Of the height of the letters: more than between words, less than between cells that stand alone."""

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
    """How many rows just above a table name its columns: they part as it does, or stand over its right columns."""
    left, right = min(row.left for row in table), max(row.right for row in table)
    columns = _columns(table)
    below = table[0]
    count = 0
    for row in reversed(prose[-_MAX_HEADER_ROWS:]):
        if row.column != below.column or gap(row, below) > row.height:
            break
        if len(_cells(row, columns)) < 2 and row.left < left + 0.25 * (right - left):
            break
        count, below = count + 1, row
    return count


def write_table(rows: list[Row]) -> tuple[str, str]:
    """The header of a table and its other rows, one a line."""
    columns = _columns(rows)
    lines = [without_marks(write_row(_placed(row, columns))) for row in rows]
    head = next((at for at, row in enumerate(rows) if _holds_figures(row)), 0)
    if head > _MAX_HEADER_ROWS or sum(map(len, lines[:head])) > _MAX_HEADER_CHARACTERS:
        head = 0
    return "\n".join(lines[:head]), "\n".join(lines[head:])


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
    """Where the columns stand: what the words of the fullest rows cover, taken together where no gap parts them."""
    most = max(len(row.cells) for row in rows)
    full = [row for row in rows if len(row.cells) >= 0.7 * most]
    least = _COLUMN_GAP * median(row.height for row in full)
    columns: list[Span] = []
    for left, right in sorted((word.left, word.right) for row in full for word in _with_signs(row)):
        if columns and left < columns[-1][1] + least:
            columns[-1] = columns[-1][0], max(columns[-1][1], right)
        else:
            columns.append((left, right))
    return columns


def _placed(row: Row, columns: list[Span]) -> list[str]:
    """The cells of a row at their columns; a row of one cell at the left is its text alone."""
    cells = _cells(row, columns)
    if len(cells) == 1 and cells[0][1][0] < columns[0][1]:
        return [row.text]
    placed = [""] * len(columns)
    at = 0
    for text, span in cells:
        at = max(at, max(range(len(columns)), key=lambda column: _nearness(span, columns[column])))
        placed[at] = f"{placed[at]} {text}".lstrip()
    return placed


def _cells(row: Row, columns: list[Span]) -> list[tuple[str, Span]]:
    """The cells of a row with their places: parted at wide gaps, and at smaller ones that part two columns."""
    gaps = [(left, right) for (_, left), (right, _) in pairwise(columns)]
    words = _with_signs(row)
    cells: list[tuple[str, Span]] = [(words[0].text, (words[0].left, words[0].right))]
    for before, word in pairwise(words):
        is_wide = word.left - before.right >= _COLUMN_GAP * max(before.height, word.height)
        parts_columns = is_wide and any(end < word.left and start > before.right for end, start in gaps)
        if parts_columns or begins_cell(before, word):
            cells.append((word.text, (word.left, word.right)))
        else:
            text, (left, right) = cells[-1]
            cells[-1] = text + glue(before, word) + word.text, (left, max(right, word.right))
    return cells


def _with_signs(row: Row) -> list[Word]:
    """The words of a row, each currency or per cent sign as one with its number."""
    words = row.words[:1]
    for word in row.words[1:]:
        before = words[-1]
        if is_sign_of(before, word):
            text = before.text + glue(before, word) + word.text
            words[-1] = before._replace(text=text, right=max(before.right, word.right), number=word.number)
        else:
            words.append(word)
    return words


def _nearness(span: Span, column: Span) -> float:
    """How far two stretches overlap, negative the distance between them."""
    return min(span[1], column[1]) - max(span[0], column[0])
