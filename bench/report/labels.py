"""Where the name of a point goes, so that names cover neither points nor each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from report.svg import SIZE, Anchor, Point, width_of

_REACH, _PIECES = 6.5, 12
_FAR = tuple(
    (right, down)
    for distance in (14, 22, 30, 38, 46, 54, 62)
    for right, down in ((8, -distance), (8, distance), (-8, -distance), (-8, distance))
)


@dataclass(frozen=True, slots=True)
class Label:
    """A name, where its baseline starts, has its middle or ends; ``far`` when a line should lead to its point."""

    text: str
    point: Point
    place: Point
    anchor: Anchor
    far: bool = False

    @property
    def box(self) -> Box:
        """About what the name covers."""
        x, base = self.place
        width = width_of(self.text)
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        return Box(left - 1, base - SIZE + 1, left + width + 1, base + 4)

    @property
    def line(self) -> list[Box]:
        """Small pieces of the line to the point, where there is one."""
        if not self.far:
            return []
        (x, y), (end_x, end_y) = self.point, self.near_end
        steps = [number / _PIECES for number in range(1, _PIECES)]
        dots = [(x + (end_x - x) * step, y + (end_y - y) * step) for step in steps]
        return [Box(left - 1, upper - 1, left + 1, upper + 1) for left, upper in dots]

    @property
    def near_end(self) -> Point:
        """Where a line from the point meets the name."""
        box = self.box
        x = min(max(self.point[0], box.left + 4), box.right - 4)
        return x, box.lower if box.lower < self.point[1] else box.upper


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the drawing."""

    left: float
    upper: float
    right: float
    lower: float

    def meets(self, other: Box) -> bool:
        """Whether two rectangles share ground."""
        beside = self.right <= other.left or other.right <= self.left
        return not beside and self.upper < other.lower and other.upper < self.lower

    def holds(self, other: Box) -> bool:
        """Whether the other lies wholly within."""
        across = self.left <= other.left and other.right <= self.right
        return across and self.upper <= other.upper and other.lower <= self.lower


def place_labels(names: Sequence[tuple[str, Point]], frame: Box) -> list[Label]:
    """A place for every name, in the order given: beside its point, else above or below, else further away.

    Where a name fits nowhere it gets the place within the frame that covers least: a covered name is better than none.
    """
    points = {
        point: Box(point[0] - _REACH, point[1] - _REACH, point[0] + _REACH, point[1] + _REACH) for _, point in names
    }
    taken: list[Box] = []
    placed = []
    for text, point in names:
        others = [box for other, box in points.items() if other != point]
        candidates = [one for one in _candidates(text, point) if frame.holds(one.box)] or _candidates(text, point)[:2]
        label = min(candidates, key=lambda one: _covered(one, [*taken, *others], points[one.point]))
        taken += [label.box, *label.line]
        placed.append(label)
    return placed


def _covered(label: Label, taken: Sequence[Box], own: Box) -> int:
    """How much lies under a name or under the line that leads to it; its own point counts."""
    under_name = sum(label.box.meets(box) for box in [*taken, own])
    return 2 * under_name + sum(dot.meets(box) for dot in label.line for box in taken)


def _candidates(text: str, point: Point) -> list[Label]:
    x, y = point
    near: list[tuple[Point, Anchor]] = [
        ((x + 9, y + 4), "start"),
        ((x - 9, y + 4), "end"),
        ((x, y - 10), "middle"),
        ((x, y + 19), "middle"),
        ((x - 5, y - 10), "start"),
        ((x + 5, y - 10), "end"),
        ((x - 5, y + 19), "start"),
        ((x + 5, y + 19), "end"),
    ]
    far: list[tuple[Point, Anchor]] = [
        ((x + right, y + down + 4), "start" if right > 0 else "end") for right, down in _FAR
    ]
    return [Label(text, point, *one) for one in near] + [Label(text, point, *one, far=True) for one in far]
