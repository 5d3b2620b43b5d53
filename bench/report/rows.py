"""Plots of rows: a line for each thing compared, a mark for each series, intervals where there are some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from report.scale import Scale, around
from report.svg import Drawing, Shape, width_of

WIDTH = 760.0
_TOP, _HEAD, _BOTTOM, _GAP, _SIDE = 62.0, 26.0, 34.0, 36.0, 16.0


@dataclass(frozen=True, slots=True)
class Series:
    """What a kind of mark stands for."""

    label: str
    shape: Shape
    colour: str = "ours"
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A figure of one series, with its interval where one is known; ``colour`` overrides that of the series."""

    series: Series
    value: float
    low: float | None = None
    high: float | None = None
    colour: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a panel; ``said`` stands in the place of marks."""

    label: str
    marks: tuple[Mark, ...]
    said: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """Rows on one axis. Panels of a plot have the same rows in the same order."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class RowsPlot:
    """Panels of rows under one heading, two beside each other."""

    title: str
    description: str
    series: tuple[Series, ...]
    panels: tuple[Panel, ...]
    zero: bool = False
    apart: float = 0.0

    def draw(self) -> str:
        """The plot as SVG; ``zero`` marks nought, ``apart`` moves the marks of a row away from each other."""
        names = [row.label for row in self.panels[0].rows]
        gutter = _SIDE + max(map(width_of, names)) * 1.05 + 10
        columns = min(2, len(self.panels))
        step = (22.0 if len(self.series) == 1 else 24.0) + self.apart * (len(self.series) - 1)
        tall = _HEAD + step * len(names) + _BOTTOM
        height = _TOP + tall * -(-len(self.panels) // columns)
        drawing = Drawing(WIDTH, height, self.title, self.description)
        heading(drawing, self.title, self.series)
        wide = (WIDTH - gutter - _SIDE - _GAP * (columns - 1)) / columns
        for number, panel in enumerate(self.panels):
            left = gutter + (number % columns) * (wide + _GAP)
            upper = _TOP + tall * (number // columns)
            if number % columns == 0:
                _names(drawing, panel, gutter - 10, upper + _HEAD, step)
            self._panel(drawing, panel, left, upper, wide, step)
        return drawing.render()

    def _panel(self, drawing: Drawing, panel: Panel, left: float, upper: float, wide: float, step: float) -> None:
        figures = [one for row in panel.rows for mark in row.marks for one in _extent(mark)]
        first, last = upper + _HEAD, upper + _HEAD + step * len(panel.rows)
        drawing.text((left, upper + 14), panel.title, "name ink")
        scale = around(figures or [0.0, 1.0], left + 8, left + wide - 8, zero=self.zero)
        _axis(drawing, scale, first, last, zero=self.zero)
        for number, row in enumerate(panel.rows):
            middle = first + step * (number + 0.5)
            if row.said:
                drawing.text((left + 10, middle + 4), row.said, "faint")
            for mark in row.marks:
                shift = (self.series.index(mark.series) - (len(self.series) - 1) / 2) * self.apart
                _draw(drawing, mark, scale, middle + shift)


def heading(drawing: Drawing, title: str, series: Sequence[Series]) -> None:
    """The title of a plot, and under it what the marks stand for."""
    drawing.text((_SIDE, 24), title, "head ink")
    left = _SIDE + 5
    for one in series:
        drawing.mark(one.shape, (left, 42), one.colour, hollow=one.hollow)
        drawing.text((left + 11, 46), one.label, "faint")
        left += 11 + width_of(one.label) + 22


def _names(drawing: Drawing, panel: Panel, right: float, first: float, step: float) -> None:
    for number, row in enumerate(panel.rows):
        drawing.text(
            (right, first + step * (number + 0.5) + 4), row.label, "name ours" if row.strong else "ink", anchor="end"
        )


def _axis(drawing: Drawing, scale: Scale, upper: float, lower: float, *, zero: bool) -> None:
    for tick, text in scale.marks().items():
        place = scale.place(tick)
        kind = "line faint" if zero and tick == 0 else "rule grid"
        drawing.line((place, upper), (place, lower), kind)
        drawing.text((place, lower + 16), f"+{text}" if zero and tick > 0 else text, "faint", anchor="middle")


def _draw(drawing: Drawing, mark: Mark, scale: Scale, middle: float) -> None:
    colour = mark.colour or mark.series.colour
    if mark.low is not None and mark.high is not None and mark.high > mark.low:
        drawing.line((scale.place(mark.low), middle), (scale.place(mark.high), middle), f"line {colour}")
    drawing.mark(mark.series.shape, (scale.place(mark.value), middle), colour, hollow=mark.series.hollow)


def _extent(mark: Mark) -> list[float]:
    return [one for one in (mark.low, mark.value, mark.high) if one is not None]
