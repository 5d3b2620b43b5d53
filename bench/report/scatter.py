"""Plots of points: one an engine, quality upwards against milliseconds on a logarithmic axis, each with its name."""

from __future__ import annotations

from dataclasses import dataclass

from report.labels import Box, place_labels
from report.lines import axes
from report.rows import WIDTH, Series, heading
from report.scale import around, around_log
from report.svg import Drawing

_TOP, _HEAD, _TALL, _BOTTOM, _SIDE, _GUTTER, _GAP = 62.0, 26.0, 236.0, 48.0, 16.0, 44.0, 14.0


@dataclass(frozen=True, slots=True)
class Engine:
    """Where one engine stands, and what kind of answer it gave."""

    name: str
    milliseconds: float
    quality: float
    series: Series


@dataclass(frozen=True, slots=True)
class ScatterPlot:
    """Panels of points (title, what the lower axis measures, engines), all on the same axis of time."""

    title: str
    description: str
    series: tuple[Series, ...]
    panels: tuple[tuple[str, str, tuple[Engine, ...]], ...]

    def draw(self) -> str:
        """The plot as SVG."""
        columns = min(2, len(self.panels))
        wide = (WIDTH - 2 * _SIDE - columns * _GUTTER - (columns - 1) * _GAP) / columns
        tall = _HEAD + _TALL + _BOTTOM
        drawing = Drawing(WIDTH, _TOP + tall * -(-len(self.panels) // columns), self.title, self.description)
        heading(drawing, self.title, self.series)
        for number, (title, across, engines) in enumerate(self.panels):
            left = _SIDE + _GUTTER + (number % columns) * (wide + _GUTTER + _GAP)
            upper = _TOP + tall * (number // columns) + _HEAD
            drawing.text((left, upper - 10), title, "name ink")
            self._panel(drawing, across, engines, left, upper, wide)
        return drawing.render()

    def _panel(
        self, drawing: Drawing, label: str, engines: tuple[Engine, ...], left: float, upper: float, wide: float
    ) -> None:
        times = [one.milliseconds for *_, every in self.panels for one in every]
        across = around_log(times, left, left + wide)
        down = around((one.quality for one in engines), upper + _TALL - 14, upper + 14)
        axes(drawing, across, down, across.marks(), label)
        points = [(one.name, (across.place(one.milliseconds), down.place(one.quality))) for one in engines]
        labels = place_labels(points, Box(left + 2, upper, left + wide - 2, upper + _TALL - 10))
        for one in labels:
            if one.far:
                drawing.line(one.point, one.near_end, "rule faint")
        for engine, name in zip(engines, labels, strict=True):
            series = engine.series
            drawing.mark(series.shape, name.point, series.colour, hollow=series.hollow)
            drawing.text(name.place, name.text, "name ours" if series.colour == "ours" else "ink", name.anchor)
