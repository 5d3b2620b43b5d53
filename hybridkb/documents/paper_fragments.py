"""Fragments of formulas: a numerator, a denominator, the limit of a sum. Each is put into the row that it stands at.

Such a fragment is a few characters above or below a longer row, smaller than its letters or in a gap between its words.
As a row of its own it would part the paragraph that it belongs to.
"""

from __future__ import annotations

from hybridkb.documents.pdf_layout import Row, make_row
from hybridkb.documents.pdf_segments import gather_segments

_LONGEST = 8
_SMALLER = 0.85
_NEAR = 0.95
_LEAST = 12
_MOST_CELLS = 3


def with_fragments(rows: list[Row]) -> list[Row]:
    """The rows of a page with their fragments put into them."""
    joined: list[Row] = []
    for at, row in enumerate(rows):
        above = joined[-1] if joined else None
        below = rows[at + 1] if at + 1 < len(rows) else None
        if above is not None and _belongs(row, above) and not (below and _is_nearer(row, below, above)):
            joined[-1] = _together(above, row)
        elif below is not None and _belongs(row, below):
            rows[at + 1] = _together(below, row)
        else:
            joined.append(row)
    return joined


def _is_nearer(row: Row, below: Row, above: Row) -> bool:
    return _belongs(row, below) and _distance(row, below) < _distance(row, above)


def _belongs(row: Row, other: Row) -> bool:
    """Whether a row is a fragment of another."""
    if row.column != other.column or len(row.text) > _LONGEST or len(other.text) < _LEAST:
        return False
    if len(other.cells) > _MOST_CELLS or row.font is None or other.font is None:
        return False
    if not (other.left <= row.left and row.right <= other.right) or _distance(row, other) > _NEAR * other.height:
        return False
    return row.font.size <= _SMALLER * other.font.size or _stands_in_gap(row, other)


def _stands_in_gap(row: Row, other: Row) -> bool:
    """Whether no word on the other's own line is in the way."""
    middle = _middle(other)
    on_line = (word for word in other.words if abs(word.middle - middle) < 0.4 * other.height)
    return not any(word.left < row.right and row.left < word.right for word in on_line)


def _distance(row: Row, other: Row) -> float:
    return abs((row.top + row.bottom) / 2 - _middle(other))


def _middle(row: Row) -> float:
    """Where most words of a row stand."""
    middles = sorted(word.middle for word in row.words)
    return middles[len(middles) // 2]


def _together(row: Row, fragment: Row) -> Row:
    made = make_row(gather_segments([*row.words, *fragment.words]))
    made.column, made.height = row.column, row.height
    made.top, made.bottom = row.top, row.bottom
    return made
