"""Columns of a page: a gutter, and what stands beside it.

A gutter is a stretch of the page's width that few segments cross, with enough lines of prose side by side on both sides
of it; the segments that cross it (titles, wide figures) part the page into bands, and within a band the left column is
read before the right. Tables have gaps of this kind too, but short cells and figures beside them: they keep their rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median

from hybridkb.documents.pdf_segments import Segment, overlap

_MIN_SIDE_BY_SIDE = 5
_MIN_PROSE_CHARACTERS = 15
_MIN_RUNNING_ON = 0.25
_MAX_GUTTER = 0.25
_MOST_SEGMENTS = 20_000


@dataclass(slots=True)
class _Split:
    """A region parted by a gutter: rows of segments left and right of it, and those that cross."""

    left: list[Segment] = field(default_factory=list)
    right: list[Segment] = field(default_factory=list)
    crossing: list[Segment] = field(default_factory=list)


def split_columns(segments: list[Segment], depth: int = 0) -> list[list[Segment]]:
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
        regions += split_columns(band.left, depth + 1)
        regions += split_columns(band.right, depth + 1)
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
        found = next((right for right in band.right[start : start + 4] if overlap(left, right) > 0.2), None)
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
