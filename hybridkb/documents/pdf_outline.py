"""The outline of a PDF to heading paths: each entry begins at the row that bears its words, else at its place."""

from __future__ import annotations

import re
from collections import defaultdict

from hybridkb.documents.blocks import MAX_HEADING_CHARACTERS
from hybridkb.documents.pdf_layout import Row
from hybridkb.documents.pdf_running import Page
from hybridkb.documents.pdf_source import Bookmark

_LETTERS = re.compile(r"[\W_]+")
_MAX_ENTRIES_A_PAGE = 200
_LONGEST_NUMBER = 12

Path = tuple[str, ...]
Marks = dict[int, list[tuple[int, Path]]]
"""By page, counted from 1: from which row on which path holds."""


def heading_marks(bookmarks: list[Bookmark], pages: list[Page]) -> Marks:
    """Tell where on the pages each heading path begins. Entries without a place or a title are passed over."""
    rows_of = {page.number: page.rows for page in pages}
    marks: Marks = defaultdict(list)
    open_: list[tuple[int, str]] = []
    at_page, at_row = 0, 0
    for bookmark in bookmarks:
        number = None if bookmark.page is None else bookmark.page + 1
        if not bookmark.title or number is None or number not in rows_of:
            continue
        while open_ and open_[-1][0] >= bookmark.level:
            open_.pop()
        open_.append((bookmark.level, bookmark.title[:MAX_HEADING_CHARACTERS]))
        if number < at_page or len(marks[number]) >= _MAX_ENTRIES_A_PAGE:
            continue  # an entry that leads back marks nothing
        at_row = _row_of(bookmark, rows_of[number], at_row if number == at_page else 0)
        at_page = number
        marks[number].append((at_row, tuple(title for _, title in open_)))
    return {number: _without_bare(found, rows_of[number]) for number, found in marks.items()}


def _without_bare(marks: list[tuple[int, Path]], rows: list[Row]) -> list[tuple[int, Path]]:
    """Let a heading with nothing but its own words before the next one below it begin there too."""
    kept: list[tuple[int, Path]] = []
    for row, path in marks:
        if kept and path[: len(kept[-1][1])] == kept[-1][1]:
            words = "".join(_plain(between.text) for between in rows[kept[-1][0] : row])
            if words.endswith(_plain(kept[-1][1][-1])):
                row = kept.pop()[0]
        kept.append((row, path))
    return kept


def _row_of(bookmark: Bookmark, rows: list[Row], first: int) -> int:
    """The row that bears the title, else the first at or below the place it leads to."""
    sought = _plain(bookmark.title)
    texts = [_plain(row.text) for row in rows]
    for at in range(first, len(rows)) if sought else ():
        below = texts[at + 1] if at + 1 < len(rows) else ""
        bears = texts[at].endswith(sought) or (len(below) < len(sought) and (texts[at] + below).endswith(sought))
        if bears and len(texts[at]) < len(sought) + _LONGEST_NUMBER:
            return at
        if texts[at].startswith(sought) and _stands_near(bookmark, rows[at]):
            return at
    if bookmark.y is None:
        return first
    left = bookmark.x or 0.0
    lower = (at for at in range(first, len(rows)) if rows[at].bottom <= bookmark.y and rows[at].left >= left - 20)
    return next(lower, first)


def _stands_near(bookmark: Bookmark, row: Row) -> bool:
    return bookmark.y is None or -2 * row.height <= bookmark.y - row.top <= 3 * row.height


def _plain(text: str) -> str:
    return _LETTERS.sub("", text).casefold()
