"""What the text objects of a PDF page are set in, and how much of them is drawn. Called under PdfSource's lock only."""

from __future__ import annotations

import ctypes
import math
import re
from typing import Any, NamedTuple

from hybridkb.documents.pdf_frame import Corners
from hybridkb.documents.pdf_objects import read_clips

_SUBSET = re.compile(r"[A-Z]{6}\+")
_BOLD = re.compile(r"bold|black|heavy|demi(?!t)|\bbx\d|cmbx|cmssbx|-bd\b|-medi(?:ital)?\b", re.IGNORECASE)
_FORCE_BOLD = 1 << 18
_MAX_FONT_NAME = 200


class Font(NamedTuple):
    """What a character is set in: the font's name without the tag of its subset, its size in points, whether bold."""

    name: str
    size: float
    bold: bool


class TextObjects:
    """Tells the font of each character of a text page, and the box beyond which it is not drawn.

    Characters of one text object share both.
    """

    def __init__(self, page: Any, text: Any, raw: Any) -> None:
        """Begin with the handles of a page and of its text, and the raw functions of PDFium."""
        self._text, self._raw = text, raw
        self._fonts: dict[int, Font | None] = {}
        self._faces: dict[int, tuple[str, bool]] = {}
        self._clips = read_clips(page, raw)

    def of(self, index: int) -> tuple[Font | None, Corners | None]:
        """The font and the clip of the character at a place; None of one that PDFium added or does not clip."""
        handle = self._raw.FPDFText_GetTextObject(self._text, index)
        if not handle:
            return None, None
        address = ctypes.addressof(handle.contents)
        if address not in self._fonts:
            self._fonts[address] = self._font(handle, index)
        return self._fonts[address], self._clips.get(address)

    def _font(self, handle: Any, index: int) -> Font | None:
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
        size = abs(float(self._raw.FPDFText_GetFontSize(self._text, index)))
        matrix = self._raw.FS_MATRIX()
        if self._raw.FPDFText_GetMatrix(self._text, index, ctypes.byref(matrix)):
            size *= math.hypot(matrix.c, matrix.d)
        return round(size, 2) if math.isfinite(size) else 0.0
