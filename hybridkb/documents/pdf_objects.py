"""The objects of a PDF page: where they stand, and how much of them is drawn. Called under PdfSource's lock only.

An object is moved and clipped by the forms that it stands in, and clipped by its own path.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from hybridkb.documents.pdf_frame import Corners

Matrix = tuple[float, float, float, float, float, float]

_PLAIN: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_MOST_SEGMENTS = 200
_MOST_OBJECTS = 100_000
_MOST_LEVELS = 8
_MARGIN = 1.0


class Placed(NamedTuple):
    """An object that is no form.

    Attributes:
        handle: PDFium's.
        kind: text, image, path or another one, as PDFium counts them.
        matrix: moves what holds it onto the sheet.
        clip: the box on the sheet beyond which it is not drawn, a little wider; None is no clip, also of paths.
    """

    handle: Any
    kind: int
    matrix: Matrix
    clip: Corners | None


def placed_objects(page: Any, raw: Any) -> Iterator[Placed]:
    """The objects of a page, those in its forms too."""
    return _Walk(raw).over(page, _PLAIN, None, 0)


def read_clips(page: Any, raw: Any) -> dict[int, Corners]:
    """By the address of a text object: the box on the sheet beyond which it is not drawn."""
    text = raw.FPDF_PAGEOBJ_TEXT
    return {
        ctypes.addressof(handle.contents): clip
        for handle, kind, _, clip in placed_objects(page, raw)
        if kind == text and clip is not None
    }


def times(first: Matrix, second: Matrix) -> Matrix:
    """What moves a point by the first matrix, then by the second."""
    a, b, c, d, e, f = first
    p, q, r, s, t, u = second
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def moved(box: Corners, matrix: Matrix) -> Corners:
    """The box around a box that is moved."""
    a, b, c, d, e, f = matrix
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in box[::2] for y in box[1::2]]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def matrix_of(handle: Any, raw: Any) -> Matrix:
    """The matrix of an object."""
    matrix = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(handle, ctypes.byref(matrix)):
        return _PLAIN
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


@dataclass(slots=True)
class _Walk:
    """Goes over the objects of a page and of its forms."""

    raw: Any
    _seen: int = 0

    def over(self, parent: Any, matrix: Matrix, clip: Corners | None, level: int) -> Iterator[Placed]:
        """The objects of a page, or of a form when the level is not 0."""
        raw = self.raw
        count = raw.FPDFFormObj_CountObjects(parent) if level else raw.FPDFPage_CountObjects(parent)
        get = raw.FPDFFormObj_GetObject if level else raw.FPDFPage_GetObject
        for at in range(count):
            self._seen += 1
            handle = get(parent, at)
            if not handle or self._seen > _MOST_OBJECTS:
                return
            kind = raw.FPDFPageObj_GetType(handle)
            if kind == raw.FPDF_PAGEOBJ_FORM:
                if level < _MOST_LEVELS:
                    inner = times(matrix_of(handle, raw), matrix)
                    yield from self.over(handle, inner, self._narrowed(handle, matrix, clip), level + 1)
            elif kind == raw.FPDF_PAGEOBJ_PATH:
                yield Placed(handle, kind, matrix, None)
            else:
                yield Placed(handle, kind, matrix, self._narrowed(handle, matrix, clip))

    def _narrowed(self, handle: Any, matrix: Matrix, clip: Corners | None) -> Corners | None:
        """A clip narrowed by that of an object, which is told in the space of what holds it."""
        own = self.raw.FPDFPageObj_GetClipPath(handle)
        paths = self.raw.FPDFClipPath_CountPaths(own) if own else 0
        for path in range(max(paths, 0)):
            around = self._around(own, path)
            if around is not None:
                left, bottom, right, top = moved(around, matrix)
                box = left - _MARGIN, bottom - _MARGIN, right + _MARGIN, top + _MARGIN
                clip = box if clip is None else _common(clip, box)
        return clip

    def _around(self, clip: Any, path: int) -> Corners | None:
        """The box around a path; None when it is empty, or too long to be looked at."""
        raw = self.raw
        count = raw.FPDFClipPath_CountPathSegments(clip, path)
        if not 0 < count <= _MOST_SEGMENTS:
            return None
        x, y = ctypes.c_float(), ctypes.c_float()
        points: list[tuple[float, float]] = []
        for at in range(count):
            segment = raw.FPDFClipPath_GetPathSegment(clip, path, at)
            if segment and raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y)):
                points.append((x.value, y.value))
        if not points:
            return None
        xs, ys = [x for x, _ in points], [y for _, y in points]
        return min(xs), min(ys), max(xs), max(ys)


def _common(one: Corners, other: Corners) -> Corners:
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])
