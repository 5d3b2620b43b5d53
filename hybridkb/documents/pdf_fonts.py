"""What the text objects of a PDF page are set in, and how much of them is drawn. Called under PdfSource's lock only."""

from __future__ import annotations

import ctypes
import math
import re
from typing import Any, NamedTuple

from hybridkb.documents.pdf_frame import Corners

_SUBSET = re.compile(r"[A-Z]{6}\+")
_BOLD = re.compile(r"bold|black|heavy|demi(?!t)|\bbx\d|cmbx|cmssbx|-bd\b|-medi(?:ital)?\b", re.IGNORECASE)
_FORCE_BOLD = 1 << 18
_MAX_FONT_NAME = 200
_MAX_CLIP_SEGMENTS = 200
_CLIP_MARGIN = 1.0


class Font(NamedTuple):
    """What a character is set in: the font's name without the tag of its subset, its size in points, whether bold."""

    name: str
    size: float
    bold: bool


class TextObjects:
    """Tells the font of each character of a text page, and the box beyond which it is not drawn.

    Characters of one text object share both.
    """

    def __init__(self, text: Any, raw: Any) -> None:
        """Begin with the handle of a text page and the raw functions of PDFium."""
        self._text, self._raw = text, raw
        self._objects: dict[int, tuple[Font | None, Corners | None]] = {}
        self._faces: dict[int, tuple[str, bool]] = {}
        self._clips: dict[tuple[object, ...], Corners | None] = {}

    def of(self, index: int) -> tuple[Font | None, Corners | None]:
        """The font and the clip of the character at a place; None of one that PDFium added or does not clip."""
        handle = self._raw.FPDFText_GetTextObject(self._text, index)
        if not handle:
            return None, None
        address = ctypes.addressof(handle.contents)
        if address not in self._objects:
            matrix = self._raw.FS_MATRIX()
            known = self._raw.FPDFText_GetMatrix(self._text, index, ctypes.byref(matrix))
            clip = self._clip(handle, matrix) if known else None
            self._objects[address] = self._font(handle, index, matrix if known else None), clip
        return self._objects[address]

    def _font(self, handle: Any, index: int, matrix: Any) -> Font | None:
        font = self._raw.FPDFTextObj_GetFont(handle)
        if not font:
            return None
        address = ctypes.addressof(font.contents)
        if address not in self._faces:
            self._faces[address] = self._face(font)
        name, bold = self._faces[address]
        return Font(name, self._size(index, matrix), bold)

    def _face(self, font: Any) -> tuple[str, bool]:
        buffer = ctypes.create_string_buffer(4 * _MAX_FONT_NAME)
        length = self._raw.FPDFFont_GetBaseFontName(font, buffer, len(buffer))
        written = buffer.value if 0 < length <= len(buffer) else b""
        name = "".join(c for c in written.decode("utf-8", "replace") if c.isprintable()).strip()
        name = _SUBSET.sub("", name, count=1)[:_MAX_FONT_NAME]
        flags = self._raw.FPDFFont_GetFlags(font)
        return name, bool(_BOLD.search(name)) or (flags > 0 and bool(flags & _FORCE_BOLD))

    def _size(self, index: int, matrix: Any) -> float:
        """As high as the letters are set, whatever part of it the file leaves to the scale of the text."""
        size = abs(float(self._raw.FPDFText_GetFontSize(self._text, index)))
        if matrix is not None:
            size *= math.hypot(matrix.c, matrix.d)
        return round(size, 2) if math.isfinite(size) else 0.0

    def _clip(self, handle: Any, placed: Any) -> Corners | None:
        """The box around what is drawn, on the sheet: the clip is told in the space of the form that holds the text."""
        raw = self._raw
        clip = raw.FPDFPageObj_GetClipPath(handle)
        own = raw.FS_MATRIX()
        if not clip or not raw.FPDFPageObj_GetMatrix(handle, ctypes.byref(own)):
            return None
        size = own.a * own.d - own.b * own.c
        if not size or not math.isfinite(size):
            return None
        around = self._around(clip)
        if around is None:
            return None
        corners = [_carried(x, y, own, placed, size) for x in around[::2] for y in around[1::2]]
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        margin = _CLIP_MARGIN
        return min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin

    def _around(self, clip: Any) -> Corners | None:
        """The box that the boxes of all paths of a clip have in common; None when it has none or a long one."""
        raw = self._raw
        boxes: list[Corners] = []
        x, y = ctypes.c_float(), ctypes.c_float()
        for path in range(max(raw.FPDFClipPath_CountPaths(clip), 0)):
            count = raw.FPDFClipPath_CountPathSegments(clip, path)
            if not 0 < count <= _MAX_CLIP_SEGMENTS:
                continue
            xs, ys = [], []
            for at in range(count):
                segment = raw.FPDFClipPath_GetPathSegment(clip, path, at)
                if segment and raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y)):
                    xs.append(x.value)
                    ys.append(y.value)
            if xs:
                boxes.append((min(xs), min(ys), max(xs), max(ys)))
        if not boxes:
            return None
        lefts, bottoms, rights, tops = zip(*boxes, strict=True)
        return max(lefts), max(bottoms), min(rights), min(tops)


def _carried(x: float, y: float, own: Any, placed: Any, size: float) -> tuple[float, float]:
    """A point of the form's space on the sheet: back through the text's own matrix, then through that of its place."""
    x, y = x - own.e, y - own.f
    u, v = (own.d * x - own.c * y) / size, (own.a * y - own.b * x) / size
    return placed.a * u + placed.c * v + placed.e, placed.b * u + placed.d * v + placed.f
