"""Tables to lines: one row a line, cells parted by a bar, the header told from the rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

CELL = " | "
_SPACE = re.compile(r"[ \t\n\r\f]+")
_FIGURE = re.compile(
    r"[(\[+\-−–]*(?:[$€£¥₹]|[A-Z]{2,3}\$?(?=\s))?\s*[+\-−–]?\d[\d.,' \u00a0\u202f]*\s*"
    r"(?:%|bps?|[kKmMbBxX]|mn|bn)?[)\]]*\s*[$€£¥₹*†]*"
)
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}:\d{2}(?::\d{2})?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_EMPTY = ("", "-", "–", "—", "n/a", "na", "nan", "null", "none")


def clean_cell(text: str) -> str:
    """A cell on one line, white space collapsed."""
    if "\n" in text or "  " in text or "\t" in text:
        text = _SPACE.sub(" ", text)
    return text.strip()


def write_row(cells: Sequence[str]) -> str:
    """A row on one line; blank cells keep their place, but for those at its end."""
    return CELL.join(cells).rstrip(" |")


def is_figure(cell: str) -> bool:
    """Whether a cell holds a number, an amount, a date or a time and nothing else."""
    return bool(_FIGURE.fullmatch(cell) or _DATE.fullmatch(cell))


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first of some rows names the columns.

    A name is no figure (a year may be one), is not blank in most columns, and does not come again below it. Columns of
    figures under words speak for a header, figures in the first row of such a column against it. When nothing speaks
    either way, a table of several columns is taken to have one.
    """
    if len(rows) < 2:
        return False
    first, rest = rows[0], rows[1:]
    filled = [cell for cell in first if cell]
    if not filled or len(filled) < len(first) / 2:
        return False
    votes = sum(_vote(name, [row[at] for row in rest if at < len(row)]) for at, name in enumerate(first) if name)
    if votes:
        return votes > 0
    figures = any(is_figure(cell) and not _YEAR.fullmatch(cell) for cell in first)
    return len(first) > 1 and len(set(filled)) == len(filled) and not figures


def _vote(name: str, column: Sequence[str]) -> int:
    """1 when a column's first cell differs in kind from those below, -1 when it is of their kind, 0 when unclear."""
    below = [cell for cell in column if cell.lower() not in _EMPTY]
    if not below:
        return 0
    if name in below:
        return -1
    if sum(map(is_figure, below)) < 0.8 * len(below):
        return 0
    if not is_figure(name):
        return 1
    if _YEAR.fullmatch(name) and not any(_YEAR.fullmatch(cell) for cell in below):
        return 0
    return -1
