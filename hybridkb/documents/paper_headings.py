"""The outline of a PDF: as it is written, and which rows of the pages bear its headings."""

from __future__ import annotations

import re

from hybridkb.documents.limits import MAX_OUTLINE_ENTRIES
from hybridkb.documents.paper_blocks import HeadingRows
from hybridkb.documents.paper_text import clean_line
from hybridkb.documents.pdf_frame import Frame
from hybridkb.documents.pdf_layout import Row
from hybridkb.documents.pdf_outline import heading_marks
from hybridkb.documents.pdf_running import Page
from hybridkb.documents.pdf_source import Bookmark
from hybridkb.knowledge.paper_source import OutlineEntry

_LETTERS = re.compile(r"[\W_]+")
_LONGEST_TITLE = 500
_LONGEST_NUMBER = 12
_MOST_ROWS = 4


def read_outline(bookmarks: list[Bookmark], frames: dict[int, Frame]) -> tuple[OutlineEntry, ...]:
    """The entries of an outline that have a title; ``frames`` are those of the pages that were read, from 1."""
    entries: list[OutlineEntry] = []
    for bookmark in bookmarks[:MAX_OUTLINE_ENTRIES]:
        title = clean_line(bookmark.title, _LONGEST_TITLE)
        number = None if bookmark.page is None else bookmark.page + 1
        if title:
            frame = None if number is None else frames.get(number)
            top = None if frame is None else _top(bookmark, frame)
            entries.append(OutlineEntry(level=max(bookmark.level, 0), title=title, page=number, top=top))
    return tuple(entries)


def _top(bookmark: Bookmark, frame: Frame) -> float | None:
    """How far down the page as shown an entry leads; None when it leads to no height."""
    x, y = bookmark.x, bookmark.y
    if (x if frame.turns % 2 else y) is None:
        return None
    _, up = frame.point(x or 0.0, y or 0.0)
    return round(min(max(frame.height - up, 0.0), frame.height), 2)


def heading_rows(bookmarks: list[Bookmark], pages: list[Page]) -> dict[int, HeadingRows]:
    """By page: the rows that bear headings of the outline, and those where a part begins with one."""
    rows_of = {page.number: page.rows for page in pages}
    found: dict[int, HeadingRows] = {}
    for number, marks in heading_marks(bookmarks, pages).items():
        for at, path in marks:
            found.setdefault(number, {}).update(_headings_at(rows_of[number], at, path))
    return found


def _headings_at(rows: list[Row], first: int, path: tuple[str, ...]) -> HeadingRows:
    """The headings of a path that stand at a row, one below the other; the outer ones may stand further up."""
    found: HeadingRows = {}
    for title in path:
        end = _end(rows, first, _plain(title))
        if end is not None and (end > first or title is path[-1]):
            found[first] = end
            first = end
    return found


def _end(rows: list[Row], first: int, title: str) -> int | None:
    """Behind the rows that bear a title and nothing else; ``first`` when it only begins there, None when it is not."""
    read = ""
    if not title:
        return None
    for at in range(first, min(first + _MOST_ROWS, len(rows))):
        read += _plain(rows[at].text)
        if read.endswith(title) and len(read) <= len(title) + _LONGEST_NUMBER:
            return at + 1
        if title in read[: len(title) + _LONGEST_NUMBER]:
            return first
    return None


def _plain(text: str) -> str:
    return _LETTERS.sub("", text).casefold()
