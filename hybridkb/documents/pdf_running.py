"""Running heads and feet: the outermost lines of a page that come again at the same height on most pages.

The numbers in such a line are the same everywhere or count with the pages; a line whose numbers change otherwise is
text, such as the daily figure at the top of each sheet. The header of a table that goes on over pages is kept.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from hybridkb.documents.pdf_layout import Row

_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxl]+", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50}
_MARGIN = 0.15
_OUTER_ROWS = 4
_MIN_PAGES = 3
_MIN_SHARE = 0.4
_MIN_COUNTING = 5
_HEIGHT_STEPS = 40
_MOST_NUMBERS = 4

Kind = tuple[bool, int, str, tuple[int, ...]]
"""At the top or not; height of the letters; the words without numbers; twice each number, or twice how far it is
ahead of the page's, and one."""


@dataclass(slots=True)
class Page:
    """The rows of one page in reading order; ``number`` is counted from 1."""

    number: int
    rows: list[Row]
    turned: list[str]
    height: float


@dataclass(frozen=True, slots=True)
class Running:
    """The running rows of one page: its heads and its feet, each from the edge inward."""

    heads: list[Row]
    feet: list[Row]

    @property
    def rows(self) -> list[Row]:
        """All of them."""
        return [*self.heads, *self.feet]


def take_running(pages: list[Page]) -> list[Running]:
    """Take running heads and feet out of the pages; tell those of each page."""
    kinds = _running_kinds(pages)
    taken: list[Running] = []
    for page in pages:
        running = Running(_outermost(page, kinds, top=True), _outermost(page, kinds, top=False))
        places = {id(row) for row in running.rows}
        page.rows = [row for row in page.rows if id(row) not in places]
        taken.append(running)
    return taken


def drop_running(pages: list[Page]) -> list[str]:
    """Take running heads and feet out of the pages.

    Returns:
        Each kind once as it stands on its first page, in order; numbers of pages as ``page numbers``.
    """
    dropped: dict[tuple[bool, str], str] = {}
    for page, running in zip(pages, take_running(pages), strict=True):
        for row in running.rows:
            text = "page numbers" if is_page_number(row.text) else repr(" ".join(row.text.split()))
            dropped.setdefault((row.top > page.height / 2, _NUMBER.sub("#", text)), text)
    return list(dict.fromkeys(dropped.values()))


def _running_kinds(pages: list[Page]) -> set[Kind]:
    """The kinds of lines that stand at one height on most pages."""
    found: dict[tuple[Kind, int], set[int]] = defaultdict(set)
    for page in pages:
        for top in (True, False):
            for row in _outer_rows(page, top=top):
                step = round(row.bottom / page.height * _HEIGHT_STEPS)
                for kind in _kinds(row, page.number, top=top):
                    for near in (step - 1, step, step + 1):
                        found[kind, near].add(page.number)
    filled = sum(bool(page.rows) for page in pages)
    return {kind for (kind, _), numbers in found.items() if len(numbers) >= _least(kind, filled)}


def _least(kind: Kind, filled: int) -> float:
    """On how many pages a line must stand: most of them, but for one that counts with the pages, which is no chance."""
    _, _, words, numbers = kind
    most = max(_MIN_PAGES, _MIN_SHARE * filled)
    if not any(number % 2 for number in numbers):
        return most
    return min(most, _MIN_COUNTING if any(map(str.isalpha, words)) else _MIN_PAGES)


def _outer_rows(page: Page, *, top: bool) -> list[Row]:
    """The rows nearest to an edge of the page, outermost first, as far as they stand in its margin."""
    rows = sorted(page.rows, key=lambda row: -row.top if top else row.bottom)[:_OUTER_ROWS]
    if top:
        return [row for row in rows if row.bottom > page.height * (1 - _MARGIN)]
    return [row for row in rows if row.top < page.height * _MARGIN]


def _kinds(row: Row, page: int, *, top: bool) -> Iterator[Kind]:
    """What a row may be an instance of: each of its numbers fixed, or counting with the pages."""
    text = " ".join(row.text.split())
    size = round(row.height)
    roman = _roman(text)
    if roman is not None:
        yield top, size, "", (2 * (roman - page) + 1,)
        return
    numbers = [int(number[:15]) for number in _NUMBER.findall(text)]
    words = _NUMBER.sub("#", text)
    if len(numbers) > _MOST_NUMBERS:
        yield top, size, words, tuple(2 * number for number in numbers)
        return
    for ahead in product((False, True), repeat=len(numbers)):
        marks = tuple(2 * (n - page) + 1 if counts else 2 * n for n, counts in zip(numbers, ahead, strict=True))
        yield top, size, words, marks


def _outermost(page: Page, running: set[Kind], *, top: bool) -> list[Row]:
    """The running rows of a page from its edge inward, up to the first that is none."""
    taken: list[Row] = []
    inward = sorted(page.rows, key=lambda row: -row.top if top else row.bottom)
    for at, row in enumerate(_outer_rows(page, top=top)):
        is_running = any(kind in running for kind in _kinds(row, page.number, top=top))
        if not is_running or (top and _heads_a_table(row, inward[at + 1 :])):
            break
        taken.append(row)
    return taken


def _heads_a_table(row: Row, below: list[Row]) -> bool:
    """Whether a row of several cells stands close above another one."""
    if len(row.cells) < 2 or not below:
        return False
    return len(below[0].cells) > 1 and row.bottom - below[0].top < row.height


def is_page_number(text: str) -> bool:
    """Whether a line is a page's number and nothing else, in digits or Roman."""
    return not any(map(str.isalpha, text)) or _roman(text) is not None


def _roman(text: str) -> int | None:
    number = text.strip(" -–—.[]()")
    if not _ROMAN.fullmatch(number):
        return None
    values = [_ROMAN_VALUES[letter] for letter in number.lower()]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))
