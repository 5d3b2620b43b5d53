"""The pictures of a paper: images on its pages, and pages as pictures where their text does not tell what they show.

A page without text is kept as a picture, and so is one with a drawing. What the limits leave out is told.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hybridkb.documents.faults import count_of, ranges_of
from hybridkb.documents.limits import (
    MAX_ASSET_BYTES,
    MAX_IMAGE_BYTES,
    MAX_IMAGE_PIXELS,
    MAX_PAGE_IMAGE_PIXELS,
    MAX_PAGE_IMAGES,
    MAX_PAPER_IMAGES,
    MAX_SCREENSHOT_PIXELS,
    MAX_SCREENSHOTS,
    MAX_SOURCE_PIXELS,
    MIN_IMAGE_PIXELS,
    MIN_IMAGE_POINTS,
)
from hybridkb.documents.paper_png import write_png
from hybridkb.documents.paper_sheet import downward
from hybridkb.documents.pdf_frame import Frame
from hybridkb.documents.pdf_pictures import FoundImage, PagePictures, PictureLimits
from hybridkb.documents.pdf_source import PdfSource
from hybridkb.knowledge.paper_source import Box, PaperAsset, PaperPage, blob_name

SCREENSHOT_SCALE = 2.0
"""Pixels a point of a page that is kept as a picture."""

_SLANTED = 3
_SHAPES = 3
_FIGURES = ("fig", "chart", "plate", "scheme", "graph")
_PNG, _JPEG = "image/png", "image/jpeg"


@dataclass(slots=True)
class AssetTaker:
    """Takes the pictures of one paper, page by page.

    Attributes:
        assets: by page.
        blobs: their bytes by SHA-256; a picture that stands in several places is kept once.
    """

    source: PdfSource
    assets: list[PaperAsset] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    _bytes: int = 0
    _images: int = 0
    _counts: dict[str, int] = field(default_factory=dict)
    _undrawn: list[int] = field(default_factory=list)
    _drawn: int = 0

    def take(self, page: PaperPage, frame: Frame | None) -> None:
        """Take the pictures of a page; ``frame`` is None of one that cannot be opened."""
        if frame is None:
            return
        found = self.source.pictures(page.number - 1, self._limits())
        if found is None:
            return
        for kind in ("tiny", "large", "many", "broken", "shrunk"):
            self._counts[kind] = self._counts.get(kind, 0) + getattr(found, kind)
        if page.state != "text" or _has_drawing(found, page):
            self._screenshot(page, found)
        for number, image in enumerate(found.images, start=1):
            self._image(page, image, frame, number)

    def _limits(self) -> PictureLimits:
        """What may still be taken."""
        images = min(MAX_PAGE_IMAGES, MAX_PAPER_IMAGES - self._images)
        if self._bytes >= MAX_ASSET_BYTES:
            images = 0
        return PictureLimits(
            MIN_IMAGE_PIXELS,
            MIN_IMAGE_POINTS,
            images,
            MAX_SOURCE_PIXELS,
            MAX_IMAGE_PIXELS,
            MAX_PAGE_IMAGE_PIXELS,
            MAX_IMAGE_BYTES,
        )

    def _screenshot(self, page: PaperPage, found: PagePictures) -> None:
        is_allowed = self._drawn < MAX_SCREENSHOTS and self._bytes < MAX_ASSET_BYTES
        pixels = None
        if is_allowed and found.source_pixels <= MAX_SOURCE_PIXELS:
            pixels = self.source.draw(page.number - 1, SCREENSHOT_SCALE, MAX_SCREENSHOT_PIXELS)
        if pixels is None:
            self._undrawn.append(page.number)
            return
        self._drawn += 1
        box = (0.0, 0.0, page.width, page.height)
        height, width, _ = pixels.shape
        self._add(f"p{page.number}-page", "screenshot", write_png(pixels), _PNG, page.number, box, (width, height))

    def _image(self, page: PaperPage, image: FoundImage, frame: Frame, number: int) -> None:
        box = downward(frame.shown(image.box), page.width, page.height)
        data, media_type = (write_png(image.pixels), _PNG) if image.pixels is not None else (image.jpeg or b"", _JPEG)
        name, size = f"p{page.number}-image-{number}", (image.width, image.height)
        self._images += 1
        self._add(name, "image", data, media_type, page.number, box, size)

    def _add(
        self,
        asset_id: str,
        kind: Literal["image", "screenshot"],
        data: bytes,
        media_type: str,
        page: int,
        box: Box,
        pixels: tuple[int, int],
    ) -> None:
        blob = blob_name(data)
        if blob not in self.blobs:
            if self._bytes + len(data) > MAX_ASSET_BYTES:
                self._counts["many"] = self._counts.get("many", 0) + 1
                return
            self.blobs[blob] = data
            self._bytes += len(data)
        width, height = pixels
        self.assets.append(
            PaperAsset(
                asset_id=asset_id,
                kind=kind,
                sha256=blob,
                media_type=media_type,
                size=len(data),
                page=page,
                box=box,
                width=width,
                height=height,
            )
        )

    def notes(self) -> list[str]:
        """What was left out, a sentence each."""
        told = (
            ("tiny", f"smaller than {MIN_IMAGE_PIXELS} pixels or {MIN_IMAGE_POINTS:g} points a side left out"),
            ("large", f"of more than {MAX_SOURCE_PIXELS:,} pixels left out"),
            ("many", "left out: there are more than are taken of one page or one paper"),
            ("broken", "left out: they cannot be decoded"),
            ("shrunk", "kept smaller than they are stored"),
        )
        notes = [f"{count_of(self._counts[kind], 'image')} {what}" for kind, what in told if self._counts.get(kind)]
        if self._undrawn:
            notes.append(f"no picture is kept of page {ranges_of(self._undrawn)}: too many, or too large to be drawn")
        return notes


def _has_drawing(found: PagePictures, page: PaperPage) -> bool:
    """Whether a page has a drawing: slanted lines or curves, or shapes above the caption of a figure."""
    if found.slanted >= _SLANTED:
        return True
    captions = (page.text[block.start : block.end] for block in page.blocks if block.role == "caption")
    return found.shapes >= _SHAPES and any(caption.casefold().startswith(_FIGURES) for caption in captions)
