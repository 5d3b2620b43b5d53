"""The pages of a paper, one after the other: which hold text, and their rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from hybridkb.documents.faults import ranges_of, unreadable
from hybridkb.documents.limits import MAX_PAGES, MAX_PAPER_CHARACTERS
from hybridkb.documents.paper_sheet import Sheet, as_shown, make_sheet, reading_turn
from hybridkb.documents.pdf_frame import Frame
from hybridkb.documents.pdf_source import PdfSource
from hybridkb.documents.pdf_states import PageStates
from hybridkb.documents.pdf_words import read_words
from hybridkb.knowledge.paper_source import PageState

_LETTER = (612.0, 792.0)
_MOST_POINTS = 1_000_000.0


@dataclass(slots=True)
class PaperReading:
    """What was found page by page, each counted from 1.

    Attributes:
        sheets: the pages that hold text.
        states: of every page that was read.
        sizes: width and height of every page as shown.
        frames: of every page that could be opened.
        beyond: pages with characters beyond their edge.
    """

    page_count: int
    name: str
    sheets: dict[int, Sheet] = field(default_factory=dict)
    states: dict[int, PageState] = field(default_factory=dict)
    sizes: dict[int, tuple[float, float]] = field(default_factory=dict)
    frames: dict[int, Frame] = field(default_factory=dict)
    beyond: list[int] = field(default_factory=list)
    _found: PageStates = field(init=False)
    _characters: int = 0

    def __post_init__(self) -> None:
        """Begin with no page."""
        self._found = PageStates(self.page_count, MAX_PAGES)

    @property
    def numbers(self) -> range:
        """The pages that are read."""
        return range(1, min(self.page_count, self._found.most) + 1)

    def read(self, source: PdfSource, number: int) -> None:
        """Read one page.

        Raises:
            UnreadableDocument: the paper holds more text than is read.
        """
        raw = source.page(number - 1, fonts=True)
        if raw is None:
            self.states[number] = self._found.broken(number)
            self.sizes[number] = _sensible(*source.size(number - 1))
            return
        page, is_beyond = as_shown(raw)
        self.frames[number] = page.frame
        self.sizes[number] = _sensible(page.width, page.height)
        words = read_words(page, reading_turn(page))
        self.states[number] = self._found.of(number, page, words)
        if self.states[number] != "text":
            return
        if is_beyond:
            self.beyond.append(number)
        self._count(len(page.glyphs))
        self.sheets[number] = make_sheet(number, words, page)

    def _count(self, characters: int) -> None:
        self._characters += characters
        if self._characters > MAX_PAPER_CHARACTERS:
            raise unreadable(
                self.name,
                f"holds more than {MAX_PAPER_CHARACTERS:,} characters of text",
                "split it into several files",
            )

    def tell(self) -> list[str]:
        """What is to be said about the pages, a sentence each."""
        notes = self._found.notes()
        if self.beyond:
            notes.append(f"text beyond the edge of the page is left out: page {ranges_of(self.beyond)}")
        return notes


def _sensible(width: float, height: float) -> tuple[float, float]:
    """A size that a page can have; a sheet of letter paper when the file tells none."""
    if 0 < width <= _MOST_POINTS and 0 < height <= _MOST_POINTS:
        return width, height
    return _LETTER
