"""Segments: words that follow each other closely on one line, the pieces that rows and columns are made of."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from hybridkb.documents.pdf_words import Word

_TOUCHING_GAP = 0.12


@dataclass(slots=True)
class Segment:
    """Words that follow each other on one line: as wide as all of them, as high as the longest.

    A root sign or a bracket may be far higher than its line.
    """

    words: list[Word]
    left: float
    bottom: float
    right: float
    top: float
    longest: int

    @property
    def text(self) -> str:
        """The words, joined by spaces where there are gaps."""
        parts = [self.words[0].text]
        for before, word in pairwise(self.words):
            parts += [glue(before, word), word.text]
        return "".join(parts)

    @property
    def height(self) -> float:
        """How high it is."""
        return self.top - self.bottom

    @property
    def middle(self) -> float:
        """Half way up."""
        return (self.top + self.bottom) / 2

    @property
    def width(self) -> float:
        """How wide it is."""
        return self.right - self.left


def glue(before: Word, word: Word) -> str:
    """A space between two words, unless they touch (a raised figure, a letter in another font)."""
    if word.number == before.number + 1 and word.after_space:
        return " "
    return "" if word.left - before.right < _TOUCHING_GAP * min(before.height, word.height) else " "


def gather_segments(words: list[Word]) -> list[Segment]:
    """Gather words that follow each other in the file and on the page."""
    segments: list[Segment] = []
    for word in words:
        last = segments[-1] if segments else None
        if last is not None and _follows(last.words[-1], word):
            last.words.append(word)
            last.left, last.right = min(last.left, word.left), max(last.right, word.right)
            if len(word.text) > last.longest:
                last.longest, last.bottom, last.top = len(word.text), word.bottom, word.top
        else:
            segments.append(Segment([word], word.left, word.bottom, word.right, word.top, len(word.text)))
    return segments


def _follows(before: Word, word: Word) -> bool:
    gap = word.left - before.right
    height = max(before.height, word.height)
    return -0.5 * height <= gap <= height and overlap(before, word) >= 0.5


def overlap(one: Word | Segment, other: Word | Segment) -> float:
    """The share of the lower one's height on which both stand."""
    lower = min(one.height, other.height)
    if lower <= 0:
        return 1.0 if min(one.top, other.top) >= max(one.bottom, other.bottom) else 0.0
    return (min(one.top, other.top) - max(one.bottom, other.bottom)) / lower
