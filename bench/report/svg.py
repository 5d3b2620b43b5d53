"""A drawing as SVG text: the few elements that plots need, one element a line, the same bytes for the same figures.

It brings its own ground and follows the reader's choice of light or dark, so it reads on any page. A title and a
description in words stand first, for screen readers. Coordinates are in pixels from the upper left corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Literal

Shape = Literal["circle", "square", "diamond", "triangle"]
Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]

SIZE = 12.0
_AVERAGE_WIDTH = 0.59
_LIGHT = {"ground": "#ffffff", "ink": "#1f2328", "faint": "#59636e", "grid": "#d8dee4", "ours": "#0550ae",
          "other": "#a04100"}  # fmt: skip
_DARK = {"ground": "#0d1117", "ink": "#e6edf3", "faint": "#9198a1", "grid": "#30363d", "ours": "#79b8ff",
         "other": "#f0a060"}  # fmt: skip
_FIXED = (
    'text { font-family: "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif; font-size: 12px; } '
    ".head { font-size: 14px; font-weight: bold; } .name { font-weight: bold; } "
    ".line { stroke-width: 2; fill: none; } .dashed { stroke-dasharray: 5 4; } .rule { stroke-width: 1; } "
    ".mark { stroke-width: 1.75; }"
)


class Drawing:
    """A drawing under way."""

    def __init__(self, width: float, height: float, title: str, description: str) -> None:
        """Say how large it is and, in words, what it shows."""
        self._size = f'width="{_number(width)}" height="{_number(height)}"'
        self._box = f'viewBox="0 0 {_number(width)} {_number(height)}"'
        self._words = (title, description)
        self._elements: list[str] = []

    def line(self, start: Point, end: Point, kind: str) -> None:
        """A straight line; ``kind`` names its classes, of which the last gives the colour."""
        (left, upper), (right, lower) = start, end
        self._add(
            f'<line x1="{_number(left)}" y1="{_number(upper)}" x2="{_number(right)}" y2="{_number(lower)}" '
            f'class="{_stroke(kind)}"/>'
        )

    def path(self, points: Sequence[Point], kind: str) -> None:
        """A line through points."""
        places = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._add(f'<polyline points="{places}" class="{_stroke(f"line {kind}")}"/>')

    def mark(self, shape: Shape, place: Point, colour: str, *, hollow: bool = False) -> None:
        """A mark with its middle at a place; a hollow one lets nothing behind it through."""
        fill = "ground-fill" if hollow else f"{colour}-fill"
        self._add(f'<{_outline(shape, *place)} class="mark {colour}-stroke {fill}"/>')

    def text(self, place: Point, text: str, kind: str = "ink", anchor: Anchor = "start") -> None:
        """A line of text; ``kind`` names its classes, of which the last gives the colour."""
        *classes, colour = kind.split()
        names = " ".join([*classes, f"{colour}-fill"])
        self._add(
            f'<text x="{_number(place[0])}" y="{_number(place[1])}" text-anchor="{anchor}" class="{names}">'
            f"{escape(text, quote=False)}</text>"
        )

    def render(self) -> str:
        """The whole file."""
        title, description = (escape(words, quote=False) for words in self._words)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {self._size} {self._box} role="img" '
            'aria-labelledby="title description">'
        )
        lines = [
            head,
            f'<title id="title">{title}</title>',
            f'<desc id="description">{description}</desc>',
            "<style>",
            _FIXED,
            _colours(_LIGHT),
            f"@media (prefers-color-scheme: dark) {{\n{_colours(_DARK)}\n}}",
            "</style>",
            '<rect width="100%" height="100%" rx="6" class="ground-fill"/>',
            *self._elements,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _add(self, element: str) -> None:
        self._elements.append(element)


def width_of(text: str) -> float:
    """About how wide a text is; fonts differ, so callers leave some room."""
    return len(text) * SIZE * _AVERAGE_WIDTH


def _outline(shape: Shape, x: float, y: float) -> str:
    if shape == "circle":
        return f'circle cx="{_number(x)}" cy="{_number(y)}" r="4.5"'
    if shape == "square":
        return f'rect x="{_number(x - 4)}" y="{_number(y - 4)}" width="8" height="8"'
    corners = [(0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)] if shape == "diamond" else [(0, -5.5), (5, 4), (-5, 4)]
    return f'polygon points="{" ".join(f"{_number(x + right)},{_number(y + down)}" for right, down in corners)}"'


def _stroke(kind: str) -> str:
    *classes, colour = kind.split()
    return " ".join([*classes, f"{colour}-stroke"])


def _colours(colours: dict[str, str]) -> str:
    return " ".join(
        f".{name}-fill {{ fill: {value}; }} .{name}-stroke {{ stroke: {value}; }}" for name, value in colours.items()
    )


def _number(value: float) -> str:
    """At most one decimal: the same text on every machine, whatever the last bit of a logarithm is."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
