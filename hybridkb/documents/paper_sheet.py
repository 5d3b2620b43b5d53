"""One page on its way to blocks: its rows as they are read, and where they stand on the page as it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from hybridkb.documents.paper_fragments import with_fragments
from hybridkb.documents.pdf_frame import Corners, turned_back
from hybridkb.documents.pdf_glyphs import Glyph
from hybridkb.documents.pdf_layout import read_rows
from hybridkb.documents.pdf_running import Page, Running
from hybridkb.documents.pdf_segments import Segment, gather_segments
from hybridkb.documents.pdf_source import RawPage
from hybridkb.documents.pdf_words import PageWords, Word, is_blank, main_turn, words_of
from hybridkb.knowledge.paper_source import Box

_DECIMALS = 2
_LONG_LINE = 40
_UPRIGHT_SHARE = 0.2
_EDGE = 0.1
_NEAR = 1.5


@dataclass(frozen=True, slots=True)
class Aside:
    """Words that stand together and run another way than the page; ``turn`` tells which, in quarters to the left."""

    segments: list[Segment]
    turn: int

    @property
    def words(self) -> list[Word]:
        """All of them."""
        return [word for segment in self.segments for word in segment.words]

    @property
    def text(self) -> str:
        """The words, joined by spaces where there are gaps."""
        return " ".join(segment.text for segment in self.segments)


@dataclass(slots=True)
class Sheet:
    """A page that holds text.

    Attributes:
        page: its rows; the running ones are taken out once they are known.
        width, height: of the page as shown, in points.
        turn: how its text runs on the page as shown, in quarters to the left.
        asides: what runs another way.
        running: the rows that come again from page to page.
    """

    page: Page
    width: float
    height: float
    turn: int
    asides: list[Aside]
    running: Running = field(default_factory=lambda: Running([], []))

    @property
    def number(self) -> int:
        """Its physical number, from 1."""
        return self.page.number

    def box(self, words: Sequence[Word], turn: int | None = None) -> Box:
        """The box around some words that run like the page, or so many quarters to the left.

        Returns:
            Points from the upper left corner of the page as shown.
        """
        around = (
            min(word.left for word in words),
            min(word.bottom for word in words),
            max(word.right for word in words),
            max(word.top for word in words),
        )
        turn = self.turn if turn is None else turn
        return downward(turned_back(around, turn, self.width, self.height), self.width, self.height)


def downward(box: Corners, width: float, height: float) -> Box:
    """A shown box measured from the upper left corner, as far as it is on the page."""
    left, bottom, right, top = box
    first = _within(left, width), _within(height - top, height)
    return *first, _within(right, width), _within(height - bottom, height)


def _within(value: float, most: float) -> float:
    return min(max(round(value, _DECIMALS), 0.0), most)


def as_shown(raw: RawPage) -> tuple[RawPage, bool]:
    """The page with its characters where they are shown, and whether some stood beyond its edge and are left out."""
    frame = raw.frame
    glyphs = [
        Glyph(glyph.character, *frame.shown(glyph[1:5]), frame.turn(glyph.turn), glyph.font) for glyph in raw.glyphs
    ]
    seen = [glyph for glyph in glyphs if is_blank(glyph) or _is_on(glyph, frame.width, frame.height)]
    page = RawPage(frame.width, frame.height, seen, raw.has_images, raw.is_cut, frame)
    return page, len(seen) < len(glyphs)


def _is_on(glyph: Glyph, width: float, height: float) -> bool:
    x, y = (glyph.left + glyph.right) / 2, (glyph.bottom + glyph.top) / 2
    return 0 <= x <= width and 0 <= y <= height


def reading_turn(page: RawPage) -> int:
    """How a page is read: as most characters run, but upright when long lines of it are, such as a caption's."""
    inked = sum(not is_blank(glyph) for glyph in page.glyphs)
    upright = 0
    for is_break, group in groupby(page.glyphs, key=lambda glyph: glyph.character in "\r\n"):
        line = [] if is_break else [glyph for glyph in group if not is_blank(glyph)]
        if len(line) >= _LONG_LINE and all(glyph.turn == 0 for glyph in line):
            middle = (line[0].bottom + line[0].top) / 2
            upright += len(line) if _EDGE * page.height < middle < (1 - _EDGE) * page.height else 0
    return 0 if upright > _UPRIGHT_SHARE * inked else main_turn(page.glyphs)


def make_sheet(number: int, words: PageWords, page: RawPage) -> Sheet:
    """The rows of a page's words, and what runs another way."""
    rows = with_fragments(read_rows(words.words))
    asides = [aside for turn in range(4) if turn != words.turn for aside in _asides(page, turn)]
    return Sheet(Page(number, rows, words.turned, words.height), page.width, page.height, words.turn, asides)


def _asides(page: RawPage, turn: int) -> Iterable[Aside]:
    """What runs in one direction: words that follow each other in the file and stand near each other are one."""
    group: list[Segment] = []
    for segment in gather_segments(words_of(page, turn, (turn,))):
        if group and not _is_near(group[-1], segment):
            yield Aside(group, turn)
            group = []
        group.append(segment)
    if group:
        yield Aside(group, turn)


def _is_near(before: Segment, segment: Segment) -> bool:
    reach = _NEAR * max(before.height, segment.height)
    beside = max(before.left, segment.left) - min(before.right, segment.right)
    below = max(before.bottom, segment.bottom) - min(before.top, segment.top)
    return beside < reach and below < reach
