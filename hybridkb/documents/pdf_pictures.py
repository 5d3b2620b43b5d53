"""Pictures on a PDF page, and a page as a picture. Called under PdfSource's lock only.

An image that is a plain JPEG is taken as it is; every other is drawn as the page shows it, on white.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hybridkb.documents.jpeg_header import JpegHeader, read_jpeg_header
from hybridkb.documents.pdf_frame import Corners, Frame
from hybridkb.documents.pdf_objects import Matrix, Placed, matrix_of, moved, placed_objects, times

Pixels = npt.NDArray[np.uint8]
"""Height x width x 3: red, green, blue."""

_LONGEST_PATH = 60
_ENOUGH_SHAPES = 50
_LEAST_SHAPE = 12.0
_SLANT = 0.5


class PictureLimits(NamedTuple):
    """What is taken of one page: images of so many pixels a side and points a side at least, and no more than this."""

    least_pixels: int
    least_points: float
    most_images: int
    most_source_pixels: int
    most_pixels: int
    most_page_pixels: int
    most_bytes: int


class FoundImage(NamedTuple):
    """An image: where it stands on the sheet, how large it is, and either the JPEG that it is or its pixels."""

    box: Corners
    width: int
    height: int
    jpeg: bytes | None
    pixels: Pixels | None


@dataclass(slots=True)
class PagePictures:
    """What a page shows besides text.

    Attributes:
        images: in the order of the file.
        shapes: how many drawn shapes are neither rules nor dots, counted up to some.
        slanted: how many of them have a curve or a slanted line.
        source_pixels: of all images together, as they are stored.
        tiny, large, many, broken: how many images were left out, and why.
        shrunk: how many were made smaller.
    """

    images: list[FoundImage] = field(default_factory=list)
    shapes: int = 0
    slanted: int = 0
    source_pixels: int = 0
    tiny: int = 0
    large: int = 0
    many: int = 0
    broken: int = 0
    shrunk: int = 0


@dataclass(slots=True)
class PictureReader:
    """Reads the pictures of one open page."""

    document: Any
    page: Any
    raw: Any
    frame: Frame
    limits: PictureLimits
    found: PagePictures = field(default_factory=PagePictures)
    _pixels: int = 0

    def read(self) -> PagePictures:
        """Take what the limits allow."""
        for placed in placed_objects(self.page, self.raw):
            if placed.kind == self.raw.FPDF_PAGEOBJ_IMAGE:
                self._image(placed)
            elif placed.kind == self.raw.FPDF_PAGEOBJ_PATH and self.found.shapes < _ENOUGH_SHAPES:
                self._path(placed)
        return self.found

    def _image(self, placed: Placed) -> None:
        width, height = self._size(placed.handle)
        self.found.source_pixels += width * height
        box = self._box(placed)
        limits, found = self.limits, self.found
        if box is None or min(width, height) < limits.least_pixels or _least_side(box) < limits.least_points:
            found.tiny += 1
        elif width * height > limits.most_source_pixels:
            found.large += 1
        elif len(found.images) >= limits.most_images or self._pixels >= limits.most_page_pixels:
            found.many += 1
        else:
            image = self._jpeg(placed, box) or self._drawn(placed, box, width * height)
            if image is None:
                found.broken += 1
            else:
                found.images.append(image)

    def _size(self, handle: Any) -> tuple[int, int]:
        width, height = ctypes.c_uint(), ctypes.c_uint()
        if not self.raw.FPDFImageObj_GetImagePixelSize(handle, ctypes.byref(width), ctypes.byref(height)):
            return 0, 0
        return int(width.value), int(height.value)

    def _bounds(self, handle: Any) -> Corners | None:
        sides = [ctypes.c_float() for _ in range(4)]
        if not self.raw.FPDFPageObj_GetBounds(handle, *map(ctypes.byref, sides)):
            return None
        left, bottom, right, top = (side.value for side in sides)
        return (left, bottom, right, top) if all(map(math.isfinite, (left, bottom, right, top))) else None

    def _box(self, placed: Placed) -> Corners | None:
        """The part of an object that is seen on the sheet; None when none is."""
        bounds = self._bounds(placed.handle)
        if bounds is None:
            return None
        sheet = self.frame[:4]
        seen = [moved(bounds, placed.matrix), sheet, *([placed.clip] if placed.clip else [])]
        lefts, bottoms, rights, tops = zip(*seen, strict=True)
        box = max(lefts), max(bottoms), min(rights), min(tops)
        return box if box[0] < box[2] and box[1] < box[3] else None

    def _jpeg(self, placed: Placed, box: Corners) -> FoundImage | None:
        """The image as it is stored, when it is a JPEG that looks on the page as it does alone."""
        raw, handle = self.raw, placed.handle
        name = ctypes.create_string_buffer(32)
        if raw.FPDFImageObj_GetImageFilterCount(handle) != 1 or self.frame.turns:
            return None
        raw.FPDFImageObj_GetImageFilter(handle, 0, name, len(name))
        if name.value != b"DCTDecode" or not _is_upright(times(matrix_of(handle, raw), placed.matrix)):
            return None
        length = raw.FPDFImageObj_GetImageDataRaw(handle, None, 0)
        if not 0 < length <= self.limits.most_bytes:
            return None
        buffer = (ctypes.c_ubyte * length)()
        raw.FPDFImageObj_GetImageDataRaw(handle, buffer, length)
        data = bytes(buffer)
        header = read_jpeg_header(data)
        if header is None or not self._is_plain(handle, header):
            return None
        return FoundImage(box, header.width, header.height, data, None)

    def _is_plain(self, handle: Any, header: JpegHeader) -> bool:
        """Whether a JPEG's colours are what the page shows, and nothing of it is masked."""
        raw = self.raw
        facts = raw.FPDF_IMAGEOBJ_METADATA()
        if not raw.FPDFImageObj_GetImageMetadata(handle, self.page, ctypes.byref(facts)):
            return False
        gray = (raw.FPDF_COLORSPACE_DEVICEGRAY, raw.FPDF_COLORSPACE_CALGRAY, raw.FPDF_COLORSPACE_ICCBASED)
        colour = (raw.FPDF_COLORSPACE_DEVICERGB, raw.FPDF_COLORSPACE_CALRGB, raw.FPDF_COLORSPACE_ICCBASED)
        if facts.colorspace not in {1: gray, 3: colour}.get(header.components, ()):
            return False
        sample = self._bitmap(handle, 10_000)
        return sample is not None and bool((sample[1:-1, 1:-1, 3] == 255).all())

    def _drawn(self, placed: Placed, box: Corners, size: int) -> FoundImage | None:
        room = min(self.limits.most_pixels, max(self.limits.most_page_pixels - self._pixels, 1))
        drawn = self._bitmap(placed.handle, room)
        if drawn is None:
            return None
        self.found.shrunk += drawn.shape[0] * drawn.shape[1] < 0.9 * size
        self._pixels += drawn.shape[0] * drawn.shape[1]
        pixels = np.ascontiguousarray(np.rot90(_on_white(drawn), -self.frame.turns))
        return FoundImage(box, pixels.shape[1], pixels.shape[0], None, pixels)

    def _bitmap(self, handle: Any, most: int) -> Pixels | None:
        """An image drawn as large as it is stored, if allowed: height x width x blue, green, red, alpha."""
        bounds = self._bounds(handle)
        width, height = self._size(handle)
        if bounds is None or not width or not height:
            return None
        across, up = bounds[2] - bounds[0], bounds[3] - bounds[1]
        if across <= 0 or up <= 0:
            return None
        if (width < height) != (across < up):
            width, height = height, width
        scale = max(width / across, height / up)
        if across * up * scale * scale > most:
            scale = math.sqrt(most / (across * up))
        if across * scale < 1 or up * scale < 1 or (across * scale + 2) * (up * scale + 2) > 4 * most:
            return None
        return self._scaled(handle, scale)

    def _scaled(self, handle: Any, scale: float) -> Pixels | None:
        raw = self.raw
        own = matrix_of(handle, raw)
        try:
            raw.FPDFPageObj_SetMatrix(handle, raw.FS_MATRIX(*(part * scale for part in own)))
            bitmap = raw.FPDFImageObj_GetRenderedBitmap(self.document, self.page, handle)
        finally:
            raw.FPDFPageObj_SetMatrix(handle, raw.FS_MATRIX(*own))
        if not bitmap:
            return None
        try:
            return self._copied(bitmap)
        finally:
            raw.FPDFBitmap_Destroy(bitmap)

    def _copied(self, bitmap: Any) -> Pixels | None:
        raw = self.raw
        width, height = raw.FPDFBitmap_GetWidth(bitmap), raw.FPDFBitmap_GetHeight(bitmap)
        stride = raw.FPDFBitmap_GetStride(bitmap)
        if raw.FPDFBitmap_GetFormat(bitmap) != raw.FPDFBitmap_BGRA or width < 1 or height < 1:
            return None
        data = ctypes.string_at(raw.FPDFBitmap_GetBuffer(bitmap), stride * height)
        lines = np.frombuffer(data, dtype=np.uint8).reshape(height, stride)
        return lines[:, : 4 * width].reshape(height, width, 4)

    def _path(self, placed: Placed) -> None:
        bounds = self._bounds(placed.handle)
        if bounds is None:
            return
        left, bottom, right, top = moved(bounds, placed.matrix)
        if max(right - left, top - bottom) < _LEAST_SHAPE:
            return
        is_slanted = self._is_slanted(placed.handle)
        if is_slanted or min(right - left, top - bottom) >= _LEAST_SHAPE:
            self.found.shapes += 1
            self.found.slanted += is_slanted

    def _is_slanted(self, handle: Any) -> bool:
        """Whether a path has a curve or a line that is neither level nor upright."""
        raw = self.raw
        count = raw.FPDFPath_CountSegments(handle)
        x, y = ctypes.c_float(), ctypes.c_float()
        before: tuple[float, float] | None = None
        for at in range(min(count, _LONGEST_PATH)):
            segment = raw.FPDFPath_GetPathSegment(handle, at)
            if not segment or not raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y)):
                return False
            kind = raw.FPDFPathSegment_GetType(segment)
            here = x.value, y.value
            is_line = kind == raw.FPDF_SEGMENT_LINETO and before is not None
            if kind == raw.FPDF_SEGMENT_BEZIERTO:
                return True
            if is_line and before and min(abs(here[0] - before[0]), abs(here[1] - before[1])) > _SLANT:
                return True
            before = here
        return False


def draw(page: Any, scale: float, most: int) -> Pixels:
    """A page as it is shown, so many pixels a point, or fewer when there would be more than ``most``."""
    width, height = page.get_size()
    scale = min(scale, math.sqrt(most / (width * height)))
    bitmap = page.render(scale=scale, rev_byteorder=True)
    try:
        return np.array(bitmap.to_numpy()[:, :, :3], dtype=np.uint8)
    finally:
        bitmap.close()


def _least_side(box: Corners) -> float:
    return min(box[2] - box[0], box[3] - box[1])


def _is_upright(matrix: Matrix) -> bool:
    a, b, c, d, _, _ = matrix
    return a > 0 and d > 0 and abs(b) < 1e-3 * a and abs(c) < 1e-3 * d


def _on_white(drawn: Pixels) -> Pixels:
    """Red, green and blue of a drawing with transparent places, on white."""
    colours = drawn[:, :, 2::-1]
    alpha = drawn[:, :, 3:].astype(np.uint16)
    if bool((alpha == 255).all()):
        return colours
    return ((colours * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)
