"""Words of a page to rows in reading order, columns one after the other.

Words are gathered to *segments* (words that follow each other closely on a line). A gutter is a stretch of the page's
width that few segments cross, with enough lines of prose side by side on both sides of it; the segments that cross it
(titles, wide figures) part the page into bands, and within a band the left column is read before the right. Tables
have gaps of this kind too, but short cells and figures beside them: they keep their rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from hybridkb.documents.pdf_words import Word
from hybridkb.documents.tables import is_figure

_TOUCHING_GAP = 0.12
_CELL_GAP = 1.2
_FIGURE_GAP = 0.25
_MIN_SIDE_BY_SIDE = 5
_MIN_PROSE_CHARACTERS = 15
_MIN_RUNNING_ON = 0.25
_MAX_GUTTER = 0.25
_MOST_SEGMENTS = 20_000
_SIGNS_BEFORE = ("$", "€", "£", "¥", "($", "(", "US$")
_SIGNS_AFTER = (")", "%", ")%", "%)")


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


@dataclass(slots=True)
class Row:
    """One line of a column as it is read.

    Attributes:
        cells: its text, parted where gaps are wide; one cell in prose.
        words: its words in reading order.
        left, bottom, right, top: the box around it.
        height: how high its letters are.
        column: counts the columns of a page in reading order; rows of one follow each other.
    """

    cells: list[str]
    words: list[Word]
    left: float
    bottom: float
    right: float
    top: float
    height: float
    column: int = 0

    @property
    def text(self) -> str:
        """All cells with a space between."""
        return " ".join(self.cells)


@dataclass(slots=True)
class _Split:
    """A region parted by a gutter: rows of segments left and right of it, and those that cross."""

    left: list[Segment] = field(default_factory=list)
    right: list[Segment] = field(default_factory=list)
    crossing: list[Segment] = field(default_factory=list)


def glue(before: Word, word: Word) -> str:
    """A space between two words, unless they touch (a raised figure, a letter in another font)."""
    if word.number == before.number + 1 and word.after_space:
        return " "
    return "" if word.left - before.right < _TOUCHING_GAP * min(before.height, word.height) else " "


def read_rows(words: list[Word]) -> list[Row]:
    """The rows of a page in reading order."""
    rows: list[Row] = []
    for column, segments in enumerate(_regions(_segments(words), depth=0)):
        for row in _rows(segments):
            row.column = column
            rows.append(row)
    return rows


def _segments(words: list[Word]) -> list[Segment]:
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
    return -0.5 * height <= gap <= height and _overlap(before, word) >= 0.5


def _overlap(one: Word | Segment, other: Word | Segment) -> float:
    """The share of the lower one's height on which both stand."""
    lower = min(one.height, other.height)
    if lower <= 0:
        return 1.0 if min(one.top, other.top) >= max(one.bottom, other.bottom) else 0.0
    return (min(one.top, other.top) - max(one.bottom, other.bottom)) / lower


def _regions(segments: list[Segment], depth: int) -> list[list[Segment]]:
    """Part a region into columns, in reading order; one that has none stays whole."""
    gutter = _gutter(segments) if depth < 3 and len(segments) < _MOST_SEGMENTS else None
    if gutter is None:
        return [segments] if segments else []
    regions: list[list[Segment]] = []
    whole: list[Segment] = []
    for band in _bands(segments, gutter):
        if not band.left or not band.right:
            whole += [*band.crossing, *band.left, *band.right]
            continue
        whole += band.crossing
        if whole:
            regions.append(whole)
            whole = []
        regions += _regions(band.left, depth + 1)
        regions += _regions(band.right, depth + 1)
    if whole:
        regions.append(whole)
    return regions


def _bands(segments: list[Segment], gutter: float) -> list[_Split]:
    """From top to bottom: what crosses the gutter, then what stands beside it until the next that crosses."""
    bands = [_Split()]
    for segment in sorted(segments, key=lambda segment: -segment.middle):
        if segment.left < gutter - 1 and segment.right > gutter + 1:
            if bands[-1].left or bands[-1].right:
                bands.append(_Split())
            bands[-1].crossing.append(segment)
        else:
            (bands[-1].left if segment.right <= gutter + 1 else bands[-1].right).append(segment)
    return bands


def _gutter(segments: list[Segment]) -> float | None:
    """The middle of the gutter between two columns of prose; None when there is none."""
    if len(segments) < 2 * _MIN_SIDE_BY_SIDE:
        return None
    first, last = min(s.left for s in segments), max(s.right for s in segments)
    width = last - first
    height = median(s.height for s in segments)
    if width <= 0 or height <= 0 or width > 100_000:
        return None
    places = list(_thin_places(segments, first, width, height))
    pairs = [_prose_pairs(segments, place) for place in places]
    most = max(pairs, default=0)
    return places[pairs.index(most)] if most >= _MIN_SIDE_BY_SIDE else None


def _thin_places(segments: list[Segment], first: float, width: float, height: float) -> Iterable[float]:
    """The middles of stretches that few segments cover, the least covered first, then the widest."""
    steps = int(width) + 1
    change = [0] * (steps + 2)
    for segment in segments:
        change[max(0, int(segment.left - first))] += 1
        change[min(steps, int(segment.right - first) + 1)] -= 1
    stretches: list[tuple[int, float, float]] = []
    covered = 0
    begun, level = 0, -1
    for step in range(steps + 1):
        covered += change[step]
        if covered != level:
            _remember(stretches, first, begun, step, level, width, height)
            begun, level = step, covered
    stretches.sort()
    return [middle for _, _, middle in stretches[:8]]


def _remember(
    stretches: list[tuple[int, float, float]],
    first: float,
    begun: int,
    end: int,
    level: int,
    width: float,
    height: float,
) -> None:
    middle = (begun + end) / 2
    if level >= 0 and end - begun >= max(5.0, 0.5 * height) and 0.12 * width < middle < 0.88 * width:
        stretches.append((level, float(begun - end), first + middle))


def _prose_pairs(segments: list[Segment], gutter: float) -> int:
    """How many lines of prose stand side by side on both sides of a place; 0 when it is no gutter.

    Tables and figures may stand in the columns too; they tell nothing.
    """
    pairs: list[tuple[Segment, Segment]] = []
    bands = 0
    for band in _bands(segments, gutter):
        found = [(left, right) for left, right in _side_by_side(band) if _is_line(left) and _is_line(right)]
        pairs += found
        bands += bool(found)
    if len(pairs) < _MIN_SIDE_BY_SIDE or len(pairs) < 3 * bands:
        return 0
    lefts, rights = [left for left, _ in pairs], [right for _, right in pairs]
    between = min(s.left for s in rights) - max(s.right for s in lefts)
    width = max(s.right for s in rights) - min(s.left for s in lefts)
    is_gutter = between <= _MAX_GUTTER * width and _runs_on(lefts) and _runs_on(rights)
    return len(pairs) if is_gutter else 0


def _side_by_side(band: _Split) -> list[tuple[Segment, Segment]]:
    """Pairs of a left and a right segment at the same height."""
    pairs: list[tuple[Segment, Segment]] = []
    start = 0
    for left in band.left:
        while start < len(band.right) and band.right[start].bottom > left.top:
            start += 1
        found = next((right for right in band.right[start : start + 4] if _overlap(left, right) > 0.2), None)
        if found is not None:
            pairs.append((left, found))
    return pairs


def _is_line(segment: Segment) -> bool:
    """Whether a segment may be a line of prose: long enough, and words rather than figures."""
    text = segment.text
    return len(text) >= _MIN_PROSE_CHARACTERS and sum(map(str.isdigit, text)) < 0.3 * len(text)


def _runs_on(segments: list[Segment]) -> bool:
    """Whether lines fill their column and run on from one to the next, as those of a list do not."""
    column = max(s.right for s in segments) - min(s.left for s in segments)
    if median(s.width for s in segments) < 0.5 * column:
        return False
    starts = [first for s in segments if (first := s.words[0].text[0]).lower() != first.upper()]
    return len(starts) <= len(segments) / 2 or sum(map(str.islower, starts)) >= _MIN_RUNNING_ON * len(starts)


def _rows(segments: list[Segment]) -> list[Row]:
    """Gather the segments of one column to lines, from top to bottom; each goes by its longest segment."""
    lines: list[list[Segment]] = []
    longest: Segment | None = None
    for segment in sorted(segments, key=lambda segment: (-segment.middle, segment.left)):
        if longest is not None and _overlap(longest, segment) >= 0.5:
            lines[-1].append(segment)
            longest = max(longest, segment, key=lambda segment: segment.width)
        else:
            lines.append([segment])
            longest = segment
    return [_row(line) for line in lines]


def _row(line: list[Segment]) -> Row:
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
