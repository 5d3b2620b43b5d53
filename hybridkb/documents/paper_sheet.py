"""One page on its way to blocks: its rows as they are read, and where they stand on the page as it is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hybridkb.documents.pdf_frame import Corners, turned_back
from hybridkb.documents.pdf_glyphs import Glyph
from hybridkb.documents.pdf_layout import Row, read_rows
from hybridkb.documents.pdf_running import Page, Running
from hybridkb.documents.pdf_source import RawPage
from hybridkb.documents.pdf_words import PageWords
from hybridkb.knowledge.paper_source import Box

_DECIMALS = 2


@dataclass(slots=True)
class Sheet:
    """A page that holds text.

    Attributes:
        page: its rows and its turned lines; the running ones are taken out once they are known.
        width, height: of the page as shown, in points.
        turn: how its text runs on the page as shown, in quarters to the left.
        running: the rows that come again from page to page.
    """

    page: Page
    width: float
    height: float
    turn: int
    running: Running = field(default_factory=lambda: Running([], []))

    @property
    def number(self) -> int:
        """Its physical number, from 1."""
        return self.page.number

    def box(self, rows: Iterable[Row]) -> Box:
        """The box around the words of some rows, in points from the upper left corner of the page as shown."""
        words = [word for row in rows for word in row.words]
        around = (
            min(word.left for word in words),
            min(word.bottom for word in words),
            max(word.right for word in words),
            max(word.top for word in words),
        )
        return downward(turned_back(around, self.turn, self.width, self.height), self.width, self.height)


def downward(box: Corners, width: float, height: float) -> Box:
    """A shown box measured from the upper left corner, as far as it is on the page."""
    left, bottom, right, top = box
    return (
        _within(left, width),
        _within(height - top, height),
        _within(right, width),
        _within(height - bottom, height),
    )


def _within(value: float, most: float) -> float:
    return round(min(max(value, 0.0), most), _DECIMALS)


def as_shown(raw: RawPage) -> tuple[RawPage, bool]:
    """The page with its characters where they are shown, and whether some stood beyond its edge and are left out."""
    frame = raw.frame
    glyphs = [
        Glyph(glyph.character, *frame.shown(glyph[1:5]), frame.turn(glyph.turn), glyph.font) for glyph in raw.glyphs
    ]
    seen = [glyph for glyph in glyphs if glyph.character.isspace() or _is_on(glyph, frame.width, frame.height)]
    page = RawPage(frame.width, frame.height, seen, raw.has_images, raw.is_cut, frame)
    return page, len(seen) < len(glyphs)


def _is_on(glyph: Glyph, width: float, height: float) -> bool:
    x, y = (glyph.left + glyph.right) / 2, (glyph.bottom + glyph.top) / 2
    return 0 <= x <= width and 0 <= y <= height


def make_sheet(number: int, words: PageWords, width: float, height: float) -> Sheet:
    """The rows of a page's words."""
    return Sheet(Page(number, read_rows(words.words), words.turned, words.height), width, height, words.turn)
