"""The one place that talks to PDFium: pages, characters with their boxes, pictures, metadata, outline.

PDFium is not safe to use from two threads, so every call is made under one lock, also those that :mod:`.pdf_glyphs`,
:mod:`.pdf_fonts`, :mod:`.pdf_objects` and :mod:`.pdf_pictures` make for it. A page is read and let go before the next;
nothing of PDFium leaves here.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hybridkb.documents.faults import load_extra, unreadable
from hybridkb.documents.limits import MAX_OUTLINE_ENTRIES, MAX_PAGE_CHARACTERS
from hybridkb.documents.pdf_frame import Frame
from hybridkb.documents.pdf_glyphs import Glyph, read_glyphs

if TYPE_CHECKING:
    from hybridkb.documents.pdf_pictures import PagePictures, PictureLimits, Pixels

_LOCK = threading.RLock()
_WRONG_PASSWORD = 4
_UNKNOWN_SECURITY = 5
_END = 65_536


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
    """The characters of one page in the order of the file; ``has_images`` is told of a page without any.

    ``width`` and ``height`` are those of the page as it is shown; the characters stand where the file places them, and
    ``frame`` tells where that is shown.
    """

    width: float
    height: float
    glyphs: list[Glyph]
    has_images: bool
    is_cut: bool
    frame: Frame


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
        return self.metadata("Title")

    def metadata(self, key: str) -> str:
        """An entry of its metadata; empty when there is none."""
        with _LOCK:
            try:
                return str(self._document.get_metadata_value(key) or "")
            except UnicodeDecodeError:
                return ""

    def label(self, index: int) -> str:
        """The number that the file says is printed on a page, counted from 0; empty when it says none."""
        with _LOCK:
            try:
                return str(self._document.get_page_label(index) or "")
            except UnicodeDecodeError:
                return ""

    def size(self, index: int) -> tuple[float, float]:
        """Width and height of a page as shown, also of one that cannot be opened; zeros when nothing tells."""
        with _LOCK:
            try:
                width, height = self._document.get_page_size(index)
            except self._pdfium.PdfiumError:
                return 0.0, 0.0
            return float(width), float(height)

    @property
    def versions(self) -> str:
        """Of the package and of the library in it."""
        return f"pypdfium2 {self._pdfium.PYPDFIUM_INFO.version}, pdfium {self._pdfium.PDFIUM_INFO.version}"

    def outline(self) -> list[Bookmark]:
        """Its outline in order; empty when there is none or it is broken."""
        found: list[Bookmark] = []
        with _LOCK:
            try:
                for entry in self._document.get_toc(max_depth=10):
                    found.append(self._bookmark(entry))
                    if len(found) >= MAX_OUTLINE_ENTRIES:
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

    def page(self, index: int, *, fonts: bool = False) -> RawPage | None:
        """The characters of a page, counted from 0, with their fonts if asked for; None when the page is broken."""
        with self._opened(index) as page:
            try:
                return None if page is None else self._read_page(page, fonts=fonts)
            except self._pdfium.PdfiumError:
                return None

    def pictures(self, index: int, limits: PictureLimits) -> PagePictures | None:
        """What a page, counted from 0, shows besides text; None when it is broken."""
        from hybridkb.documents.pdf_pictures import PictureReader

        with self._opened(index) as page:
            if page is None:
                return None
            return PictureReader(self._document.raw, page.raw, self._pdfium.raw, self._frame(page), limits).read()

    def draw(self, index: int, scale: float, most_pixels: int) -> Pixels | None:
        """A page, counted from 0, as it is shown: so many pixels a point, or fewer; None when it cannot be drawn."""
        from hybridkb.documents.pdf_pictures import draw

        with self._opened(index) as page:
            try:
                return None if page is None else draw(page, scale, most_pixels)
            except (self._pdfium.PdfiumError, ValueError, MemoryError):
                return None

    @contextmanager
    def _opened(self, index: int) -> Iterator[Any]:
        """A page under the lock; None when it is broken."""
        with _LOCK:
            try:
                page = self._document[index]
            except self._pdfium.PdfiumError:
                yield None
                return
            try:
                yield page
            finally:
                page.close()

    def _read_page(self, page: Any, *, fonts: bool) -> RawPage:
        text = page.get_textpage()
        try:
            count = text.count_chars()
            most = min(count, MAX_PAGE_CHARACTERS)
            glyphs = list(read_glyphs(page.raw, text.raw, most, self._pdfium.raw, fonts=fonts))
        finally:
            text.close()
        width, height = page.get_size()
        has_images = not glyphs and self._has_images(page)
        return RawPage(width, height, glyphs, has_images, count > MAX_PAGE_CHARACTERS, self._frame(page))

    def _frame(self, page: Any) -> Frame:
        box = self._pdfium.raw.FS_RECTF()
        turns = page.get_rotation() // 90 % 4
        if not self._pdfium.raw.FPDF_GetPageBoundingBox(page, ctypes.byref(box)):
            width, height = page.get_size()
            return Frame(0.0, 0.0, *((height, width) if turns % 2 else (width, height)), turns)
        return Frame(box.left, box.bottom, box.right, box.top, turns)

    def _has_images(self, page: Any) -> bool:
        image = self._pdfium.raw.FPDF_PAGEOBJ_IMAGE
        return next(iter(page.get_objects(filter=[image], max_depth=3)), None) is not None


def is_cut_short(data: bytes) -> bool:
    """Whether the mark is missing that a PDF ends with; white space and noughts may follow it, and a little else."""
    return b"%%EOF" not in data.rstrip(b"\0 \t\r\n\f")[-_END:]


def _asks_password(pdfium: Any, data: bytes, error: Exception) -> bool:
    """Whether it was a password that was missing. A failure that has no code of its own keeps that of an earlier one,
    so the code is believed when it comes again after another."""
    codes = (_WRONG_PASSWORD, _UNKNOWN_SECURITY)
    if getattr(error, "err_code", None) not in codes:
        return False
    for tried in (b"%PDF-", data):
        try:
            pdfium.PdfDocument(tried).close()
        except pdfium.PdfiumError as again:
            error = again
    return getattr(error, "err_code", None) in codes


@contextmanager
def open_pdf(data: bytes, name: str, *, extra: str = "folder") -> Iterator[PdfSource]:
    """Open the bytes of a PDF, and close it again. ``extra`` is named when the package is missing.

    Raises:
        UnreadableDocument: it is not a PDF, broken, or encrypted with a password.
        MissingExtra: the package pypdfium2 is not installed.
    """
    pdfium = load_extra("pypdfium2", "reading PDF", extra=extra)
    if not data:
        mend = "fetch it anew" if extra == "papers" else "fetch it anew, or take it out of the folder"
        raise unreadable(name, "is empty", mend)
    if b"%PDF-" not in data[:1024]:
        mend = "a paper is taken in as a PDF" if extra == "papers" else "give it the ending of what it is"
        raise unreadable(name, "is not a PDF by its first bytes", mend)
    with _LOCK:
        try:
            document = pdfium.PdfDocument(data)
            source = PdfSource(document, pdfium)
        except pdfium.PdfiumError as error:
            if _asks_password(pdfium, data, error):
                raise unreadable(
                    name, "is encrypted and opens only with a password", "save a copy without a password"
                ) from None
            why = "is broken: PDFium cannot open it, or finds no page"
            why += ", and its end is missing" if is_cut_short(data) else ""
            raise unreadable(name, why, "open it in a viewer and save it again, or fetch it anew") from None
    try:
        yield source
    finally:
        source.close()
