"""Where the sections of a paper begin: by its outline, else by the headings on its pages, else nowhere.

Outlines often leave out the abstract, the references and the appendices; headings that are set like those of the
outermost sections, or that bear such a name, are added to what the outline says.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Literal

from hybridkb.documents.blocks import MAX_HEADING_CHARACTERS
from hybridkb.documents.paper_roles import is_known_part
from hybridkb.knowledge.paper_source import OutlineEntry, PaperPage, PaperSourceRevision, TextBlock
from hybridkb.papers.heading_levels import Heading, heading_levels

LEFT_OUT = frozenset({"header", "footer", "margin"})
"""Roles of blocks that belong to no section and no passage."""

MAX_LEVEL = 20
"""Deeper sections are kept at this level."""

_NOT_LETTERS = re.compile(r"[\W_]+")
_LONGEST_NUMBER = 12
_NEAR_POINTS = 40.0
_MOST_PLACES = 500
"""Places of its words at which the heading of an outline's entry is looked for."""

_KNOWN = frozenset(
    """
    abstract summary references bibliography literature workscited acknowledgement acknowledgements acknowledgment
    acknowledgments appendix appendices supplementarymaterial
    """.split()
)

Basis = Literal["outline", "headings", "pages"]


@dataclass(frozen=True, slots=True)
class Section:
    """A section and where it begins.

    Attributes:
        level: from 0, the outermost.
        title: on one line.
        page: physical, from 1.
        start: character of that page's text.
    """

    level: int
    title: str
    page: int
    start: int

    @property
    def place(self) -> tuple[int, int]:
        """Its beginning in reading order."""
        return self.page, self.start


def find_sections(source: PaperSourceRevision) -> tuple[Basis, tuple[Section, ...]]:
    """The sections in reading order, and what they rest on; none when the paper shows no structure."""
    headings = _headings(source)
    outlined = _outlined(source)
    if outlined:
        return "outline", tuple(sorted([*outlined, *_added(outlined, headings)], key=lambda one: one.place))
    if headings:
        levels = heading_levels(headings)
        found = (_section(level, one) for level, one in zip(levels, headings, strict=True))
        return "headings", tuple(found)
    return "pages", ()


def kept_blocks(page: PaperPage) -> list[TextBlock]:
    """The blocks of a page that belong to its text."""
    return [block for block in page.blocks if block.role not in LEFT_OUT]


def plain(text: str) -> str:
    """Letters and digits alone, so that differences of setting do not count."""
    return _NOT_LETTERS.sub("", text).casefold()


def one_line(text: str) -> str:
    """A title on one line, shortened if it is longer than a heading."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_HEADING_CHARACTERS else line[: MAX_HEADING_CHARACTERS - 1].rstrip() + "…"


def _section(level: int, heading: Heading) -> Section:
    return Section(min(level, MAX_LEVEL), one_line(heading.text), heading.page, heading.start)


def _headings(source: PaperSourceRevision) -> list[Heading]:
    """The headings on the pages, but for the title of the paper itself."""
    found = [
        Heading(text, page.number, block.start, block.size, block.bold)
        for page in source.pages
        for block in page.blocks
        if block.role == "heading" and plain(text := page.text[block.start : block.end])
    ]
    return found[_rows_of_title(found, plain(source.title)) :]


def _rows_of_title(headings: list[Heading], title: str) -> int:
    """How many headings on top are the title of the paper itself: those that spell it, else most of it, or the largest.

    A part called by a word of the title, such as Introduction, is none of them.
    """
    read, rows = "", 0
    for one in headings:
        if one.page != 1 or not title.startswith(read + plain(one.text)):
            break
        read, rows = read + plain(one.text), rows + 1
        if read == title:
            return rows
    if not headings or headings[0].page != 1 or is_known_part(headings[0].text):
        return 0
    first = plain(headings[0].text)
    is_most = first in title and 2 * len(first) > len(title)
    return 1 if is_most or _is_largest(headings) else 0


def _is_largest(headings: list[Heading]) -> bool:
    """Whether the first heading is set larger than every other one: the paper's title in other words."""
    first, *others = headings
    return first.depth is None and bool(others) and all(first.style[0] > one.style[0] for one in others)


def _outlined(source: PaperSourceRevision) -> list[Section]:
    """The entries of the outline that lead forward, each at the block that bears its words."""
    found: list[Section] = []
    words = _Words()
    for entry in _without_title(source):
        if entry.page is None or not 1 <= entry.page <= len(source.pages) or not entry.title.strip():
            continue
        page = source.pages[entry.page - 1]
        after = found[-1].start if found and found[-1].page == entry.page else 0
        if found and entry.page < found[-1].page:
            continue
        start = words.start(entry, page, after)
        if found and found[-1].place == (entry.page, start) and found[-1].level >= entry.level:
            continue  # a second name for the same place
        found.append(Section(min(entry.level, MAX_LEVEL), one_line(entry.title), entry.page, start))
    return found


def _without_title(source: PaperSourceRevision) -> list[OutlineEntry]:
    """The outline without an entry for the whole paper: the one outermost, or a first one of the same name."""
    first, *others = source.outline or (None,)
    if first is None:
        return []
    if others and others[0].level <= first.level and plain(first.title) == plain(source.title):
        return others
    if all(one.level > first.level for one in others):
        return [one.model_copy(update={"level": one.level - first.level - 1}) for one in others]
    return list(source.outline)


class _Words:
    """Where the words of the outline stand on the pages; each page is taken apart once."""

    def __init__(self) -> None:
        self._pages: dict[int, tuple[list[TextBlock], list[str], list[int], str]] = {}

    def start(self, entry: OutlineEntry, page: PaperPage, after: int) -> int:
        """Where a section begins: the block that bears its words, else the place that the entry leads to."""
        blocks, texts, begins, joined = self._taken_apart(page)
        first = bisect_left([block.start for block in blocks], after)
        sought = plain(entry.title)
        for at in islice(_holding(sought, joined, begins, first), _MOST_PLACES):
            if texts[at].endswith(sought) and len(texts[at]) < len(sought) + _LONGEST_NUMBER:
                return blocks[at].start
            if texts[at][: len(sought) + _LONGEST_NUMBER].find(sought) >= 0 and _is_near(entry, blocks[at]):
                return blocks[at].start
        left = blocks[first:]
        if entry.top is not None:
            lower = (block.start for block in left if block.box[1] >= entry.top - _NEAR_POINTS / 10)
            return next(lower, left[-1].start if left else after)
        return left[0].start if left else after

    def _taken_apart(self, page: PaperPage) -> tuple[list[TextBlock], list[str], list[int], str]:
        """The blocks of a page, their plain texts, where each of these begins in all of them, and all of them."""
        if page.number not in self._pages:
            blocks = kept_blocks(page)
            texts = [plain(page.text[block.start : block.end]) for block in blocks]
            begins = [0, *accumulate(len(text) + 1 for text in texts)][: len(texts)]
            self._pages[page.number] = blocks, texts, begins, "\n".join(texts)
        return self._pages[page.number]


def _holding(sought: str, joined: str, begins: list[int], first: int) -> Iterator[int]:
    """The numbers of the texts that hold what is sought, each once, from the first on."""
    at = begins[first] if sought and first < len(begins) else -1
    while at >= 0 and (at := joined.find(sought, at)) >= 0:
        number = bisect_right(begins, at) - 1
        yield number
        at = begins[number + 1] if number + 1 < len(begins) else -1


def _is_near(entry: OutlineEntry, block: TextBlock) -> bool:
    return entry.top is None or abs(block.box[1] - entry.top) <= _NEAR_POINTS


def _added(outlined: list[Section], headings: list[Heading]) -> list[Section]:
    """Headings that the outline leaves out, though they look like its outermost ones or bear a known name."""
    taken = {section.place for section in outlined}
    outermost = {section.place for section in outlined if section.level == 0}
    styles = {one.style for one in headings if (one.page, one.start) in outermost}
    return [
        _section(0, one)
        for one in headings
        if (one.page, one.start) not in taken and (one.style in styles or plain(one.text) in _KNOWN)
    ]
