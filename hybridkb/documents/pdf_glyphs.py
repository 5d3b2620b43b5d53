"""The characters of a PDF page with their boxes and, if asked for, their fonts. Called under PdfSource's lock only."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_SUBSET = re.compile(r"[A-Z]{6}\+")
_BOLD = re.compile(r"bold|black|heavy|demi(?!t)|\bbx\d|cmbx|cmssbx|-bd\b|-medi(?:ital)?\b", re.IGNORECASE)
_FORCE_BOLD = 1 << 18
_MAX_FONT_NAME = 200


class Font(NamedTuple):
    """What a character is set in: the font's name without the tag of its subset, its size in points, whether bold."""

    name: str
    size: float
    bold: bool


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


def read_glyphs(text: Any, count: int, raw: Any, *, fonts: bool) -> Iterator[Glyph]:
    """The characters of a text page; white space and line breaks that PDFium adds come without a box of their own."""
    box = raw.FS_RECTF()
    reference = ctypes.byref(box)
    font_of = _Fonts(text, raw).of if fonts else _no_font
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
        angle = raw.FPDFText_GetCharAngle(text, index)
        yield Glyph(chr(code), box.left, box.bottom, box.right, box.top, _quarter_turns(angle), font_of(index))


def _no_font(index: int) -> None:
    return None


def _quarter_turns(angle: float) -> int | None:
    """Angles of PDFium grow clockwise, in radians."""
    turns = -angle / (math.pi / 2)
    nearest = round(turns)
    return nearest % 4 if abs(turns - nearest) < 0.06 else None


class _Fonts:
    """Tells the font of each character of a text page; those of one text object share it."""

    def __init__(self, text: Any, raw: Any) -> None:
        self._text, self._raw = text, raw
        self._of_object: dict[int, Font | None] = {}
        self._faces: dict[int, tuple[str, bool]] = {}

    def of(self, index: int) -> Font | None:
        """The font of the character at a place; None of one that PDFium added."""
        handle = self._raw.FPDFText_GetTextObject(self._text, index)
        if not handle:
            return None
        address = ctypes.addressof(handle.contents)
        if address not in self._of_object:
            self._of_object[address] = self._read(handle, index)
        return self._of_object[address]

    def _read(self, handle: Any, index: int) -> Font | None:
        font = self._raw.FPDFTextObj_GetFont(handle)
        if not font:
            return None
        address = ctypes.addressof(font.contents)
        if address not in self._faces:
            self._faces[address] = self._face(font)
        name, bold = self._faces[address]
        return Font(name, self._size(index), bold)

    def _face(self, font: Any) -> tuple[str, bool]:
        buffer = ctypes.create_string_buffer(4 * _MAX_FONT_NAME)
        length = self._raw.FPDFFont_GetBaseFontName(font, buffer, len(buffer))
        written = buffer.value if 0 < length <= len(buffer) else b""
        name = "".join(c for c in written.decode("utf-8", "replace") if c.isprintable()).strip()
        name = _SUBSET.sub("", name, count=1)[:_MAX_FONT_NAME]
        flags = self._raw.FPDFFont_GetFlags(font)
        return name, bool(_BOLD.search(name)) or (flags > 0 and bool(flags & _FORCE_BOLD))

    def _size(self, index: int) -> float:
        """As high as the letters are set, whatever part of it the file leaves to the scale of the text."""
        matrix = self._raw.FS_MATRIX()
        size = abs(float(self._raw.FPDFText_GetFontSize(self._text, index)))
        if self._raw.FPDFText_GetMatrix(self._text, index, ctypes.byref(matrix)):
            size *= math.hypot(matrix.c, matrix.d)
        return round(size, 2) if math.isfinite(size) else 0.0
