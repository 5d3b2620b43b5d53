"""The frame of a page: from where the file places things to where the page shows them.

A file measures from the lower left corner of a sheet that may be cropped and turned when it is shown. Here "shown"
means points from the lower left corner of the page as a viewer shows it; y grows upward unless a name says ``down``.
"""

from __future__ import annotations

from typing import NamedTuple

Corners = tuple[float, float, float, float]
"""Left, bottom, right, top; y grows upward."""


class Frame(NamedTuple):
    """What is visible of a sheet, in the file's own points, and by how many quarters it is turned to the right."""

    left: float
    bottom: float
    right: float
    top: float
    turns: int

    @property
    def width(self) -> float:
        """How wide the page is as shown."""
        return self.top - self.bottom if self.turns % 2 else self.right - self.left

    @property
    def height(self) -> float:
        """How high the page is as shown."""
        return self.right - self.left if self.turns % 2 else self.top - self.bottom

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the sheet is shown."""
        if self.turns == 1:
            return y - self.bottom, self.right - x
        if self.turns == 2:
            return self.right - x, self.top - y
        if self.turns == 3:
            return self.top - y, x - self.left
        return x - self.left, y - self.bottom

    def shown(self, box: Corners) -> Corners:
        """Where a box of the sheet is shown."""
        (x, y), (across, up) = self.point(box[0], box[1]), self.point(box[2], box[3])
        return min(x, across), min(y, up), max(x, across), max(y, up)

    def turn(self, turn: int | None) -> int | None:
        """Which way text runs on the page as shown, in quarters to the left; None is slanted."""
        return None if turn is None else (turn - self.turns) % 4


def upright(box: Corners, turn: int, width: float, height: float) -> Corners:
    """A box of a page of this size, after the page is turned so that text of this direction is upright."""
    left, bottom, right, top = box
    if turn == 1:
        return bottom, width - right, top, width - left
    if turn == 2:
        return width - right, height - top, width - left, height - bottom
    if turn == 3:
        return height - top, left, height - bottom, right
    return box


def turned_back(box: Corners, turn: int, width: float, height: float) -> Corners:
    """The box that :func:`upright` was given; ``width`` and ``height`` are those of the page before."""
    left, bottom, right, top = box
    if turn == 1:
        return width - top, left, width - bottom, right
    if turn == 2:
        return width - right, height - top, width - left, height - bottom
    if turn == 3:
        return bottom, height - right, top, height - left
    return box
