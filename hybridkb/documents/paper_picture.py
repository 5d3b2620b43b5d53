"""A page of a paper as a picture, with passages marked."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hybridkb.documents.faults import unreadable
from hybridkb.documents.limits import MAX_DRAWN_PIXELS
from hybridkb.documents.paper_png import write_png
from hybridkb.documents.pdf_pictures import Pixels
from hybridkb.documents.pdf_source import open_pdf
from hybridkb.errors import InvalidInput
from hybridkb.knowledge.paper_source import Box

FILL = (255, 236, 128)
"""What white becomes under a mark; black stays black."""

FRAME = (205, 82, 0)
"""The line around a mark."""

MIN_SCALE, MAX_SCALE = 0.1, 10.0
"""Pixels a point that may be asked for."""

_ROOM = 1.5
"""Points between what is marked and the line around it."""


def draw_page(data: bytes, page: int, marks: Sequence[Box], *, scale: float = 2.0, name: str = "the paper") -> bytes:
    """Draw a page as a viewer shows it, with boxes marked.

    Args:
        data: the PDF.
        page: its physical number, from 1.
        marks: boxes in points from the upper left corner of the page as shown, such as those of its blocks.
        scale: pixels a point, 0.1 to 10; a page that would have more than `MAX_DRAWN_PIXELS` is drawn smaller.
        name: what errors call the paper.

    Returns:
        A PNG; the same page and marks give the same bytes.

    Raises:
        InvalidInput: there is no such page, a mark is no box or lies beyond the page, or the scale is out of range.
        UnreadableDocument: the PDF or the page cannot be opened or drawn.
        MissingExtra: the package pypdfium2 is not installed.
    """
    if not MIN_SCALE <= scale <= MAX_SCALE:
        raise InvalidInput(f"scale must lie from {MIN_SCALE} to {MAX_SCALE:g}, not {scale}", field="scale")
    with open_pdf(data, name, extra="papers") as source:
        if not 1 <= page <= source.page_count:
            raise InvalidInput(f"{name} has pages 1 to {source.page_count:,}, no page {page}", field="page")
        width, height = source.size(page - 1)
        boxes = [_checked(mark, width, height) for mark in marks]
        pixels = source.draw(page - 1, scale, MAX_DRAWN_PIXELS)
    if pixels is None:
        raise unreadable(name, "cannot be drawn", "open it in a viewer, or fetch the paper anew", page=page)
    _mark(pixels, boxes, width, height)
    return write_png(pixels)


def _checked(mark: Box, width: float, height: float) -> Box:
    if len(mark) != 4 or not all(map(math.isfinite, mark)) or mark[0] > mark[2] or mark[1] > mark[3]:
        raise InvalidInput(f"a mark is left, top, right and bottom in points, not {mark!r}", field="marks")
    left, top, right, bottom = mark
    if right < 0 or bottom < 0 or left > width or top > height:
        raise InvalidInput(f"the mark {mark!r} lies beyond the page of {width:g} x {height:g} points", field="marks")
    return left, top, right, bottom


def _mark(pixels: Pixels, boxes: list[Box], width: float, height: float) -> None:
    """Tint what the boxes cover, each place once however many do, and draw a line around each."""
    down, across = pixels.shape[0] / height, pixels.shape[1] / width
    line = max(1, round(min(down, across)))
    covered = np.zeros(pixels.shape[:2], dtype=bool)
    frames = np.zeros(pixels.shape[:2], dtype=bool)
    for left, top, right, bottom in boxes:
        first, last = _span(left, right, across, pixels.shape[1])
        upper, lower = _span(top, bottom, down, pixels.shape[0])
        covered[upper:lower, first:last] = True
        inner = frames[upper + line : lower - line, first + line : last - line].copy()
        frames[upper:lower, first:last] = True
        frames[upper + line : lower - line, first + line : last - line] = inner
    for channel in range(3):
        tinted = pixels[:, :, channel].astype(np.uint16) * FILL[channel] // 255
        np.copyto(pixels[:, :, channel], tinted.astype(np.uint8), where=covered)
        pixels[:, :, channel][frames] = FRAME[channel]


def _span(first: float, last: float, scale: float, most: int) -> tuple[int, int]:
    """The pixels of a stretch with some room around it, at least one of them."""
    begin = min(max(math.floor((first - _ROOM) * scale), 0), most - 1)
    return begin, min(max(math.ceil((last + _ROOM) * scale), begin + 1), most)
