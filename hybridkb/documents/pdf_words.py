"""Characters of a page to words: runs that stand side by side on one line.

What is written in another direction than most of the page (stamps in the margin, labels of a chart) is kept apart, in
the order of the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from hybridkb.documents.pdf_fonts import Font
from hybridkb.documents.pdf_frame import upright
from hybridkb.documents.pdf_glyphs import Glyph
from hybridkb.documents.pdf_source import RawPage

HYPHEN = "\x02"
"""Stands at the end of a word that PDFium takes to go on in the next line."""

_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "ſt", "ﬆ": "st"})
_NO_TEXT = re.compile(r"[\ue000-\uf8ff\ufffd\x00-\x08\x0b\x0c\x0e-\x1f]")
_UNREADABLE_SHARE = 0.3
_FEW = 10


class Word(NamedTuple):
    """A word and its box in points, y growing upward.

    ``number`` counts the words in the order of the file; ``after_space`` tells whether there is white space before it;
    ``font`` is that of most of its letters, None where fonts were not asked for.
    """

    text: str
    left: float
    bottom: float
    right: float
    top: float
    number: int
    after_space: bool
    font: Font | None = None

    @property
    def height(self) -> float:
        """How high its font is."""
        return self.top - self.bottom

    @property
    def middle(self) -> float:
        """Half way up."""
        return (self.top + self.bottom) / 2


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of a page as it is read, and the lines that run in another direction.

    ``turn`` tells how the page was written, in quarters to the left; ``width`` and ``height`` are of the page turned
    upright.
    """

    words: list[Word]
    turned: list[str]
    width: float
    height: float
    turn: int = 0


def read_words(page: RawPage, turn: int | None = None) -> PageWords:
    """Make the words of a page; one written sideways is turned upright. ``turn`` says how it is written, if known."""
    turn = main_turn(page.glyphs) if turn is None else turn
    others = [glyph for glyph in page.glyphs if glyph.turn not in (turn, None) or is_blank(glyph)]
    width, height = (page.width, page.height) if turn % 2 == 0 else (page.height, page.width)
    return PageWords(words_of(page, turn, (turn, None)), _other_lines(others), width, height, turn)


def words_of(page: RawPage, turn: int, turns: Collection[int | None]) -> list[Word]:
    """The words that run in some directions, on the page turned so that text of one of them is upright."""
    glyphs = (_turned(glyph, turn, page) for glyph in page.glyphs if glyph.turn in turns or is_blank(glyph))
    return list(_words(glyphs))


def is_unreadable(words: list[Word]) -> bool:
    """Whether a page's font names no characters, so that its text layer is noise."""
    text = "".join(word.text for word in words).replace(HYPHEN, "")
    odd = len(_NO_TEXT.findall(text))
    return odd > _FEW and odd > _UNREADABLE_SHARE * len(text)


def main_turn(glyphs: list[Glyph]) -> int:
    """How most characters run."""
    turns = Counter(glyph.turn for glyph in glyphs if glyph.turn is not None and not is_blank(glyph))
    return max(turns, key=lambda turn: (turns[turn], -turn)) if turns else 0


def is_blank(glyph: Glyph) -> bool:
    """Whether a character is white space."""
    return glyph.character.isspace()


def _turned(glyph: Glyph, turn: int, page: RawPage) -> Glyph:
    """The glyph on the page turned so that its text is upright."""
    if not turn:
        return glyph
    box = glyph.left, glyph.bottom, glyph.right, glyph.top
    return Glyph(glyph.character, *upright(box, turn, page.width, page.height), 0, glyph.font)


def _words(glyphs: Iterable[Glyph]) -> Iterator[Word]:
    run: list[Glyph] = []
    number = 0
    blank_before = blank = True
    for glyph in glyphs:
        parts = is_blank(glyph)
        if run and (parts or run[-1].character == HYPHEN or not _continues(run[-1], glyph)):
            yield _word(run, number, blank_before)
            number += 1
            run, blank_before, blank = [], False, False
        if parts:
            blank = True
            continue
        if not run:
            blank_before = blank
        run.append(glyph)
    if run:
        yield _word(run, number, blank_before)


def _continues(before: Glyph, glyph: Glyph) -> bool:
    """Whether a character follows another in one word: beside it, no more than half a line up or down.

    The letters of a ligature share one box.
    """
    height = max(before.top - before.bottom, glyph.top - glyph.bottom, 1.0)
    shift = abs(glyph.top + glyph.bottom - before.top - before.bottom) / 2
    return glyph.left > before.left - 0.2 * height and glyph.left - before.right < 0.2 * height and shift < 0.6 * height


def _word(run: list[Glyph], number: int, after_space: bool) -> Word:
    text = "".join(glyph.character for glyph in run).translate(_LIGATURES)
    return Word(
        text,
        min(glyph.left for glyph in run),
        min(glyph.bottom for glyph in run),
        max(glyph.right for glyph in run),
        max(glyph.top for glyph in run),
        number,
        after_space,
        most_common_font((glyph.font, 1) for glyph in run) if run[0].font else None,
    )


def most_common_font(fonts: Iterable[tuple[Font | None, int]]) -> Font | None:
    """The font of most letters, each with how many it stands for; of equals the first."""
    counts: dict[Font, int] = {}
    for font, letters in fonts:
        if font is not None:
            counts[font] = counts.get(font, 0) + letters
    return max(counts, key=counts.__getitem__) if counts else None


def _other_lines(glyphs: list[Glyph]) -> list[str]:
    """The text in other directions, a line for each that the file parts."""
    text = "".join(glyph.character for glyph in glyphs).translate(_LIGATURES).replace(HYPHEN, "-")
    lines = (" ".join(line.split()) for line in re.split(r"[\r\n]+", text))
    return [line for line in lines if line]
