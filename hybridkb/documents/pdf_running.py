"""Running heads and feet: lines that come again at the same height on most pages, page numbers aside."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from hybridkb.documents.pdf_layout import Row

_NUMBER = re.compile(r"\d+|(?<![^\W\d_])[ivxlIVXL]+(?![^\W\d_])")
_MARGIN = 0.15
_OUTER_ROWS = 4
_MIN_PAGES = 3
_MIN_SHARE = 0.4
_SAME_HEIGHT = 0.02


@dataclass(slots=True)
class Page:
    """The rows of one page in reading order; ``number`` is counted from 1."""

    number: int
    rows: list[Row]
    turned: list[str]
    height: float


def drop_running(pages: list[Page]) -> list[str]:
    """Take running heads and feet out of the pages.

    Returns:
        Each kind once as it stands on its first page, in order; numbers of pages as ``page numbers``.
    """
    found: dict[str, list[tuple[Page, Row]]] = defaultdict(list)
    for page in pages:
        for row in _outer_rows(page):
            found[_NUMBER.sub("#", row.text)].append((page, row))
    filled = sum(bool(page.rows) for page in pages)
    dropped: list[tuple[int, float, str]] = []
    gone: dict[int, set[int]] = defaultdict(set)
    for places in found.values():
        same = _at_one_height(places)
        if len({page.number for page, _ in same}) >= max(_MIN_PAGES, _MIN_SHARE * filled):
            first_page, first_row = same[0]
            text = "page numbers" if _is_number(first_row.text) else repr(" ".join(first_row.text.split()))
            dropped.append((first_page.number, -first_row.top, text))
            for page, row in same:
                gone[page.number].add(id(row))
    for page in pages:
        page.rows = [row for row in page.rows if id(row) not in gone[page.number]]
    return list(dict.fromkeys(text for _, _, text in sorted(dropped)))


def _is_number(text: str) -> bool:
    return not any(map(str.isalnum, _NUMBER.sub("", text)))


def _outer_rows(page: Page) -> Iterator[Row]:
    """The first and last rows by height, as far as they stand in the margins."""
    rows = sorted(page.rows, key=lambda row: -row.top)
    first, last = page.height * (1 - _MARGIN), page.height * _MARGIN
    yield from (row for row in rows[:_OUTER_ROWS] if row.bottom > first)
    yield from (row for row in rows[_OUTER_ROWS:][-_OUTER_ROWS:] if row.top < last)


def _at_one_height(places: list[tuple[Page, Row]]) -> list[tuple[Page, Row]]:
    """Those at the height at which most stand."""
    best: list[tuple[Page, Row]] = []
    for page, row in places[:20]:
        share = row.bottom / page.height
        same = [(p, r) for p, r in places if abs(r.bottom / p.height - share) <= _SAME_HEIGHT]
        if len(same) > len(best):
            best = same
    return best
