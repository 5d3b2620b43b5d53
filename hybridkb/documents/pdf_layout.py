"""Words of a page to rows in reading order, columns one after the other, cells parted where gaps are wide."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from hybridkb.documents.pdf_columns import split_columns
from hybridkb.documents.pdf_fonts import Font
from hybridkb.documents.pdf_segments import Segment, gather_segments, glue, overlap
from hybridkb.documents.pdf_words import Word, most_common_font
from hybridkb.documents.tables import is_figure

_CELL_GAP = 1.2
_FIGURE_GAP = 0.25
_SIGNS_BEFORE = ("$", "€", "£", "¥", "($", "(", "US$")
_SIGNS_AFTER = (")", "%", ")%", "%)")


@dataclass(slots=True)
class Row:
    """One line of a column as it is read.

    Attributes:
        cells: its text, parted where gaps are wide; one cell in prose.
        words: its words in reading order.
        left, bottom, right, top: the box around it.
        height: how high its letters are.
        column: counts the columns of a page in reading order; rows of one follow each other.
        font: that of most of its letters; None where fonts were not asked for.
        is_bold: whether all of it is bold.
    """

    cells: list[str]
    words: list[Word]
    left: float
    bottom: float
    right: float
    top: float
    height: float
    column: int = 0
    font: Font | None = None
    is_bold: bool = False

    @property
    def text(self) -> str:
        """All cells with a space between."""
        return " ".join(self.cells)


def read_rows(words: list[Word]) -> list[Row]:
    """The rows of a page in reading order."""
    rows: list[Row] = []
    for column, segments in enumerate(split_columns(gather_segments(words))):
        for row in _rows(segments):
            row.column = column
            rows.append(row)
    return rows


def _rows(segments: list[Segment]) -> list[Row]:
    """Gather the segments of one column to lines, from top to bottom; each goes by its longest segment."""
    lines: list[list[Segment]] = []
    longest: Segment | None = None
    for segment in sorted(segments, key=lambda segment: (-segment.middle, segment.left)):
        if longest is not None and overlap(longest, segment) >= 0.5:
            lines[-1].append(segment)
            longest = max(longest, segment, key=lambda segment: segment.width)
        else:
            lines.append([segment])
            longest = segment
    return [make_row(line) for line in lines]


def make_row(line: list[Segment]) -> Row:
    """One row of the segments of a line."""
    words = [word for segment in line for word in segment.words]
    if not _runs_leftward(words):
        words.sort(key=lambda word: word.left)
    cells = [words[0].text]
    for before, word in pairwise(words):
        if begins_cell(before, word):
            cells.append(word.text)
        else:
            cells[-1] += glue(before, word) + word.text
    return Row(
        cells,
        words,
        min(segment.left for segment in line),
        min(segment.bottom for segment in line),
        max(segment.right for segment in line),
        max(segment.top for segment in line),
        median(word.height for word in words),
        font=most_common_font((word.font, len(word.text)) for word in words),
        is_bold=all(word.font is not None and word.font.bold for word in words),
    )


def begins_cell(before: Word, word: Word) -> bool:
    """Whether the gap before a word parts two cells. Between figures a smaller one does, and none parts a sign from its
    number."""
    gap = word.left - before.right
    height = max(before.height, word.height)
    if is_sign_of(before, word):
        return False
    if is_figure(before.text) and (word.text in _SIGNS_BEFORE or is_figure(word.text)):
        return gap > _FIGURE_GAP * height
    return gap > _CELL_GAP * height


def is_sign_of(before: Word, word: Word) -> bool:
    """Whether one of two words is a sign that belongs to the other: a currency, a per cent sign, a bracket."""
    return (before.text in _SIGNS_BEFORE and word.text[:1] in "(-−–0123456789.") or word.text in _SIGNS_AFTER


def _runs_leftward(words: list[Word]) -> bool:
    """Whether most letters are Hebrew or Arabic: such words come in the order in which they are read."""
    letters = [character for word in words for character in word.text if character.isalpha()]
    return sum("\u0590" <= c <= "\u08ff" or "\ufb1d" <= c <= "\ufefc" for c in letters) > len(letters) / 2
