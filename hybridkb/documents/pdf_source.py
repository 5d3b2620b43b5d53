"""The one place that talks to PDFium: pages, characters with their boxes, metadata, outline.

PDFium is not safe to use from two threads, so every call is made under one lock. A page is read and let go before the
next; nothing of PDFium leaves this module.
"""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from hybridkb.documents.faults import load_extra, unreadable
from hybridkb.documents.limits import MAX_PAGE_CHARACTERS

_LOCK = threading.RLock()
_WRONG_PASSWORD = 4
_UNKNOWN_SECURITY = 5
_MAX_OUTLINE = 5_000


class Glyph(NamedTuple):
    """One character as it stands on a page, in points from the lower left corner.

    Attributes:
        character: the character; U+0002 is a hyphen that PDFium takes for a break within a word.
        left, bottom, right, top: its box, as wide as it advances and as high as its font.
        turn: quarter turns to the left: 0 is upright; None is slanted.
    """

    character: str
    left: float
    bottom: float
    right: float
    top: float
    turn: int | None


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline: its level from 0, its title, and where it leads (page from 0, x and y in points)."""

    level: int
    title: str
    page: int | None
    x: float | None
    y: float | None


@dataclass(frozen=True, slots=True)
class RawPage:
    """The characters of one page in the order of the file; ``has_images`` is told of a page without any."""

    width: float
    height: float
    glyphs: list[Glyph]
    has_images: bool
    is_cut: bool


class PdfSource:
    """An open PDF. Close it, or use :func:`open_pdf`."""

    def __init__(self, document: Any, pdfium: Any) -> None:
        """Keep the document and the package it came from."""
        self._document = document
        self._pdfium = pdfium
        with _LOCK:
            self.page_count = len(document)

    def close(self) -> None:
        """Let PDFium forget the document."""
        with _LOCK:
            self._document.close()

    def title(self) -> str:
        """The title in its metadata; empty when there is none."""
        with _LOCK:
            return str(self._document.get_metadata_value("Title") or "")

    def outline(self) -> list[Bookmark]:
        """Its outline in order; empty when there is none or it is broken."""
        found: list[Bookmark] = []
        with _LOCK:
            try:
                for entry in self._document.get_toc(max_depth=10):
                    found.append(self._bookmark(entry))
                    if len(found) >= _MAX_OUTLINE:
                        break
            except (self._pdfium.PdfiumError, UnicodeDecodeError, RecursionError):
                return found
        return found

    def _bookmark(self, entry: Any) -> Bookmark:
        title = " ".join(entry.get_title().split())
        target = entry.get_dest()
        page = target.get_index() if target is not None else None
        x = y = None
        if target is not None:
            mode, position = target.get_view()
            raw = self._pdfium.raw
            if mode == raw.PDFDEST_VIEW_XYZ and len(position) > 1:
                x, y = position[0], position[1]
            elif mode in (raw.PDFDEST_VIEW_FITH, raw.PDFDEST_VIEW_FITBH) and position:
                y = position[0]
        return Bookmark(entry.level, title, page, x, y or None)

    def page(self, index: int) -> RawPage | None:
        """The characters of a page, counted from 0; None when the page is broken."""
        with _LOCK:
            try:
                page = self._document[index]
            except self._pdfium.PdfiumError:
                return None
            try:
                return self._read_page(page)
            except self._pdfium.PdfiumError:
                return None
            finally:
                page.close()

    def _read_page(self, page: Any) -> RawPage:
        text = page.get_textpage()
        try:
            count = text.count_chars()
            glyphs = list(_glyphs(text.raw, min(count, MAX_PAGE_CHARACTERS), self._pdfium.raw))
        finally:
            text.close()
        width, height = page.get_size()
        has_images = not glyphs and self._has_images(page)
        return RawPage(width, height, glyphs, has_images, count > MAX_PAGE_CHARACTERS)

    def _has_images(self, page: Any) -> bool:
        image = self._pdfium.raw.FPDF_PAGEOBJ_IMAGE
        return next(iter(page.get_objects(filter=[image], max_depth=3)), None) is not None


@contextmanager
def open_pdf(data: bytes, name: str) -> Iterator[PdfSource]:
    """Open the bytes of a PDF, and close it again.

    Raises:
        UnreadableDocument: it is not a PDF, broken, or encrypted with a password.
        MissingExtra: the package pypdfium2 is not installed.
    """
    pdfium = load_extra("pypdfium2", "reading PDF")
    if not data:
        raise unreadable(name, "is empty", "fetch it anew, or take it out of the folder")
    if b"%PDF-" not in data[:1024]:
        raise unreadable(name, "is not a PDF by its first bytes", "give it the ending of what it is")
    with _LOCK:
        try:
            document = pdfium.PdfDocument(data)
            source = PdfSource(document, pdfium)
        except pdfium.PdfiumError as error:
            code = getattr(error, "err_code", None)
            if code in (_WRONG_PASSWORD, _UNKNOWN_SECURITY):
                raise unreadable(
                    name, "is encrypted and opens only with a password", "save a copy without a password"
                ) from None
            raise unreadable(
                name, "is broken: PDFium cannot open it", "open it in a viewer and save it again, or fetch it anew"
            ) from None
    try:
        yield source
    finally:
        source.close()


def _glyphs(text: Any, count: int, raw: Any) -> Iterator[Glyph]:
    """The characters of a text page; white space and line breaks that PDFium adds come without a box of their own."""
    box = raw.FS_RECTF()
    reference = ctypes.byref(box)
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
        yield Glyph(chr(code), box.left, box.bottom, box.right, box.top, _quarter_turns(angle))


def _quarter_turns(angle: float) -> int | None:
    """Angles of PDFium grow clockwise, in radians."""
    turns = -angle / (math.pi / 2)
    nearest = round(turns)
    return nearest % 4 if abs(turns - nearest) < 0.06 else None
