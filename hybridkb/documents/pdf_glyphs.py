"""The characters of a PDF page with their boxes and, if asked for, their fonts. Called under PdfSource's lock only."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from hybridkb.documents.pdf_fonts import Font, TextObjects
from hybridkb.documents.pdf_frame import Corners


class Glyph(NamedTuple):
    """One character as it stands on a page, in points from the lower left corner.

    Attributes:
        character: the character; U+0002 is a hyphen that PDFium takes for a break within a word.
        left, bottom, right, top: its box, as wide as it advances and as high as its font.
        turn: quarter turns to the left: 0 is upright; None is slanted.
        font: what it is set in; None where that was not asked for, and of white space that PDFium adds.
    """

    character: str
    left: float
    bottom: float
    right: float
    top: float
    turn: int | None
    font: Font | None = None


def read_glyphs(page: Any, text: Any, count: int, raw: Any, *, fonts: bool) -> Iterator[Glyph]:
    """The characters of a text page; white space and line breaks that PDFium adds come without a box of their own.

    With ``fonts``, characters that are clipped away are left out.
    """
    box = raw.FS_RECTF()
    reference = ctypes.byref(box)
    objects = TextObjects(page, text, raw) if fonts else None
    lead = 0
    for index in range(count):
        code = raw.FPDFText_GetUnicode(text, index)
        if 0xD800 <= code < 0xDC00:
            lead = code
            continue
        if 0xDC00 <= code < 0xE000 and lead:
            code = 0x10000 + ((lead - 0xD800) << 10) + code - 0xDC00
        lead = 0
        if 0xD800 <= code < 0xE000 or code > 0x10FFFF or not code:
            code = 0xFFFD
        if not raw.FPDFText_GetLooseCharBox(text, index, reference):
            continue
        turn = _quarter_turns(raw.FPDFText_GetCharAngle(text, index))
        font = None
        if objects is not None:
            font, clip = objects.of(index)
            if clip is not None and _is_outside(box, clip):
                continue
        yield Glyph(chr(code), box.left, box.bottom, box.right, box.top, turn, font)


def _is_outside(box: Any, clip: Corners) -> bool:
    """Whether nothing of a box is within what is drawn."""
    left, bottom, right, top = clip
    return bool(box.right < left or box.left > right or box.top < bottom or box.bottom > top)


def _quarter_turns(angle: float) -> int | None:
    """Angles of PDFium grow clockwise, in radians."""
    turns = -angle / (math.pi / 2)
    nearest = round(turns)
    return nearest % 4 if abs(turns - nearest) < 0.06 else None
