"""Plots of lines: time against size, on logarithmic axes; a whisker leads from the median to the 95th percentile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from report.rows import WIDTH, Series, heading
from report.scale import Scale, around_log, size_text
from report.svg import Drawing

_TOP, _HEAD, _TALL, _BOTTOM, _SIDE, _GUTTER, _GAP = 62.0, 24.0, 170.0, 46.0, 16.0, 40.0, 14.0


@dataclass(frozen=True, slots=True)
class Stop:
    """A point of a line: at a size, the median and the 95th percentile."""

    size: float
    value: float
    high: float


@dataclass(frozen=True, slots=True)
class Line:
    """The points of one series, by size."""

    series: Series
    stops: tuple[Stop, ...]


@dataclass(frozen=True, slots=True)
class LinesPlot:
    """Panels of lines, two beside each other, all on the same axes."""

    title: str
    description: str
    across: str
    series: tuple[Series, ...]
    panels: tuple[tuple[str, tuple[Line, ...]], ...]

    def draw(self) -> str:
        """The plot as SVG."""
        columns = min(2, len(self.panels))
        wide = (WIDTH - 2 * _SIDE - columns * _GUTTER - (columns - 1) * _GAP) / columns
        tall = _HEAD + _TALL + _BOTTOM
        drawing = Drawing(WIDTH, _TOP + tall * -(-len(self.panels) // columns), self.title, self.description)
        heading(drawing, self.title, self.series)
        for number, (title, lines) in enumerate(self.panels):
            left = _SIDE + _GUTTER + (number % columns) * (wide + _GUTTER + _GAP)
            upper = _TOP + tall * (number // columns) + _HEAD
            drawing.text((left, upper - 10), title, "name ink")
            self._panel(drawing, lines, left, upper, wide)
        return drawing.render()

    def _panel(self, drawing: Drawing, lines: tuple[Line, ...], left: float, upper: float, wide: float) -> None:
        stops = [stop for _, every in self.panels for line in every for stop in line.stops]
        across = around_log((stop.size for stop in stops), left, left + wide)
        down = around_log((one for stop in stops for one in (stop.value, stop.high)), upper + _TALL, upper)
        sizes = {stop.size: size_text(stop.size) for stop in sorted(stops, key=lambda stop: stop.size)}
        axes(drawing, across, down, sizes, self.across)
        for line in lines:
            colour = line.series.colour
            kind = f"dashed {colour}" if line.series.hollow else colour
            drawing.path([(across.place(stop.size), down.place(stop.value)) for stop in line.stops], kind)
            for stop in line.stops:
                place = across.place(stop.size)
                drawing.line((place, down.place(stop.value)), (place, down.place(stop.high)), f"rule {colour}")
        for line in lines:
            for stop in line.stops:
                point = (across.place(stop.size), down.place(stop.value))
                drawing.mark(line.series.shape, point, line.series.colour, hollow=line.series.hollow)


def axes(drawing: Drawing, across: Scale, down: Scale, marks: Mapping[float, str], label: str) -> None:
    """The grid of a panel, its figures, the marks of the lower axis, and what that measures."""
    for tick, text in down.marks().items():
        drawing.line((across.start, down.place(tick)), (across.end, down.place(tick)), "rule grid")
        drawing.text((across.start - 7, down.place(tick) + 4), text, "faint", anchor="end")
    for size, text in marks.items():
        drawing.line((across.place(size), down.end), (across.place(size), down.start), "rule grid")
        drawing.text((across.place(size), down.start + 16), text, "faint", anchor="middle")
    drawing.text(((across.start + across.end) / 2, down.start + 34), label, "faint", anchor="middle")
