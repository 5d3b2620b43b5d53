"""Where the sections of a paper begin: by its outline, else by the headings on its pages, else nowhere.

Outlines often leave out the abstract, the references and the appendices; headings that are set like those of the
outermost sections, or that bear such a name, are added to what the outline says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from hybridkb.documents.blocks import MAX_HEADING_CHARACTERS
from hybridkb.knowledge.paper_source import OutlineEntry, PaperPage, PaperSourceRevision, TextBlock
from hybridkb.papers.heading_levels import Heading, heading_levels

LEFT_OUT = frozenset({"header", "footer", "margin"})
"""Roles of blocks that belong to no section and no passage."""

MAX_LEVEL = 20
"""Deeper sections are kept at this level."""

_NOT_LETTERS = re.compile(r"[\W_]+")
_LONGEST_NUMBER = 12
_NEAR_POINTS = 40.0
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
    title = plain(source.title)
    while found and found[0].page == 1 and (plain(found[0].text) in title or _is_largest(found)):
        found.pop(0)
    return found


def _is_largest(headings: list[Heading]) -> bool:
    """Whether the first heading is set larger than every other one: the paper's title in other words."""
    first, *others = headings
    return first.depth is None and bool(others) and all(first.style[0] > one.style[0] for one in others)


def _outlined(source: PaperSourceRevision) -> list[Section]:
    """The entries of the outline that lead forward, each at the block that bears its words."""
    found: list[Section] = []
    for entry in _without_title(source):
        if entry.page is None or not 1 <= entry.page <= len(source.pages) or not entry.title.strip():
            continue
        page = source.pages[entry.page - 1]
        after = found[-1].start if found and found[-1].page == entry.page else 0
        if found and entry.page < found[-1].page:
            continue
        start = _start(entry, page, after)
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


def _start(entry: OutlineEntry, page: PaperPage, after: int) -> int:
    blocks = [block for block in kept_blocks(page) if block.start >= after]
    sought = plain(entry.title)
    for block in blocks:
        text = plain(page.text[block.start : block.end])
        if not sought or not text:
            continue
        if text.endswith(sought) and len(text) < len(sought) + _LONGEST_NUMBER:
            return block.start
        if text[: len(sought) + _LONGEST_NUMBER].find(sought) >= 0 and _is_near(entry, block):
            return block.start
    if entry.top is not None:
        lower = (block.start for block in blocks if block.box[1] >= entry.top - _NEAR_POINTS / 10)
        return next(lower, blocks[-1].start if blocks else after)
    return blocks[0].start if blocks else after


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
