"""A tiny writer of PDFs for tests: lines of text at places, an outline, pictures, a password nobody knows."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

_FONTS = "/Font << /F1 3 0 R /F2 4 0 R >>"


@dataclass
class PdfPage:
    """One page; text is placed in points from the lower left corner."""

    width: int = 612
    height: int = 792
    content: list[str] = field(default_factory=list)
    has_picture: bool = False
    rotate: int = 0
    crop: tuple[int, int, int, int] | None = None
    others: list[bytes] = field(default_factory=list)

    def text(self, x: float, y: float, words: str, size: float = 10, font: str = "F1", turn: int = 0) -> PdfPage:
        """Write a line in Helvetica (F1) or bold (F2), turned by quarters to the left."""
        matrix = {0: "1 0 0 1", 1: "0 1 -1 0", 2: "-1 0 0 -1", 3: "0 -1 1 0"}[turn]
        encoded = words.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        self.content.append(f"BT /{font} {size} Tf {matrix} {x} {y} Tm ({encoded.decode('latin-1')}) Tj ET")
        return self

    def lines(self, x: float, y: float, lines: Sequence[str], size: float = 10, pitch: float = 12) -> PdfPage:
        """Write lines below each other, the first at ``y``."""
        for at, line in enumerate(lines):
            self.text(x, y - at * pitch, line, size)
        return self

    def image(self, x: float, y: float, width: float, height: float, stream: bytes) -> PdfPage:
        """Put an image (:func:`gray_image`, :func:`jpeg_image`) on the page, its lower left corner at a place."""
        self.content.append(f"q {width} 0 0 {height} {x} {y} cm /X{len(self.others)} Do Q")
        self.others.append(stream)
        return self

    def form(self, content: PdfPage, box: tuple[int, int, int, int], matrix: str = "1 0 0 1 0 0") -> PdfPage:
        """Put what another page holds on this one as a form, clipped to a box and moved by a matrix."""
        self.content.append(f"q {matrix} cm /X{len(self.others)} Do Q")
        bounds = " ".join(map(str, box))
        entries = f"/Type /XObject /Subtype /Form /BBox [{bounds}] /Resources << {_FONTS} >>"
        self.others.append(_stream("\n".join(content.content).encode("latin-1"), entries))
        return self

    def draw(self, operators: str) -> PdfPage:
        """Add operators as they are, such as lines."""
        self.content.append(operators)
        return self

    def picture(self) -> PdfPage:
        """Put a picture on the page: what a scan looks like."""
        self.has_picture = True
        self.content.append("q 400 0 0 400 100 200 cm /P1 Do Q")
        return self


def write_pdf(
    pages: Sequence[PdfPage],
    *,
    title: str = "",
    outline: Sequence[tuple[int, str, int, float | None]] = (),
    encrypted: bool = False,
    info: str = "",
    labels: str = "",
) -> bytes:
    """Write a PDF.

    Args:
        pages: its pages.
        title: the title in its metadata.
        outline: entries with level from 0, title, page from 0, and the height they lead to (None: the whole page).
        encrypted: whether a password is needed, which nobody knows.
        info: more entries of its metadata, such as ``/Author (A. Name)``.
        labels: the numbers printed on its pages, such as ``0 << /S /r >> 2 << /S /D >>``.
    """
    objects: dict[int, bytes] = {}
    first_page = 10
    ids = [first_page + 2 * at for at in range(len(pages))]
    kids = " ".join(f"{number} 0 R" for number in ids)
    objects[2] = f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()
    objects[3] = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    objects[4] = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>"
    objects[5] = _stream(
        b"\x00\xff\xff\x00",
        "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8",
    )
    objects[6] = f"<< /Title ({title}){info and ' '}{info} >>".encode("latin-1")
    next_id = first_page + 2 * len(pages)
    for number, page in zip(ids, pages, strict=True):
        names = ["/P1 5 0 R"] if page.has_picture else []
        for at, other in enumerate(page.others):
            objects[next_id] = other
            names.append(f"/X{at} {next_id} 0 R")
            next_id += 1
        drawn = f"/XObject << {' '.join(names)} >>" if names else ""
        crop = f"/CropBox [{' '.join(map(str, page.crop))}] " if page.crop else ""
        objects[number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {page.width} {page.height}] {crop}/Rotate {page.rotate} "
            f"/Resources << {_FONTS} {drawn} >> /Contents {number + 1} 0 R >>"
        ).encode()
        objects[number + 1] = _stream("\n".join(page.content).encode("latin-1"))
    objects |= _outline(outline, next_id, ids)
    outlines = f"/Outlines {next_id} 0 R" if outline else ""
    numbers = f"/PageLabels << /Nums [{labels}] >> " if labels else ""
    objects[1] = f"<< /Type /Catalog /Pages 2 0 R {outlines} {numbers}>>".encode()
    return _assemble(objects, encrypted)


def gray_image(width: int, height: int, pixels: bytes) -> bytes:
    """An image in shades of gray, a byte a pixel."""
    entries = f"/Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceGray"
    return _stream(zlib.compress(pixels), f"{entries} /BitsPerComponent 8 /Filter /FlateDecode")


def jpeg_image(width: int, height: int, jpeg: bytes) -> bytes:
    """A JPEG in colour, as it is."""
    entries = f"/Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceRGB"
    return _stream(jpeg, f"{entries} /BitsPerComponent 8 /Filter /DCTDecode")


def _stream(data: bytes, entries: str = "") -> bytes:
    return f"<< {entries} /Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream"


def _outline(
    entries: Sequence[tuple[int, str, int, float | None]], root: int, pages: Sequence[int]
) -> dict[int, bytes]:
    """Objects of an outline: each entry knows its parent, its neighbours and its first and last child."""
    if not entries:
        return {}
    levels = [level for level, *_ in entries]
    parents = [next((p for p in range(at - 1, -1, -1) if levels[p] < level), None) for at, level in enumerate(levels)]
    objects = {}

    def children(parent: int | None) -> list[int]:
        return [at for at, above in enumerate(parents) if above == parent]

    def ends(parent: int | None) -> str:
        below = children(parent)
        return f"/First {root + 1 + below[0]} 0 R /Last {root + 1 + below[-1]} 0 R" if below else ""

    objects[root] = f"<< /Type /Outlines {ends(None)} >>".encode()
    for at, (_, title, page, height) in enumerate(entries):
        parent = parents[at]
        beside = children(parent)
        place = beside.index(at)
        links = f"/Prev {root + 1 + beside[place - 1]} 0 R " if place else ""
        links += f"/Next {root + 1 + beside[place + 1]} 0 R " if place + 1 < len(beside) else ""
        view = "/Fit" if height is None else f"/XYZ 0 {height} 0"
        up = root if parent is None else root + 1 + parent
        objects[root + 1 + at] = (
            f"<< /Title ({title}) /Parent {up} 0 R {links}{ends(at)} /Dest [{pages[page]} 0 R {view}] >>"
        ).encode("latin-1")
    return objects


def _assemble(objects: dict[int, bytes], encrypted: bool) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    places: dict[int, int] = {}
    for number in sorted(objects):
        places[number] = len(out)
        out += f"{number} 0 obj\n".encode() + objects[number] + b"\nendobj\n"
    start = len(out)
    size = max(objects) + 1
    out += f"xref\n0 {size}\n".encode()
    for number in range(size):
        kind = f"{places[number]:010} 00000 n \n" if number in places else "0000000000 65535 f \n"
        out += kind.encode()
    locked = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O <{'00' * 32}> /U <{'11' * 32}> /P -4 >> " if encrypted else ""
    out += (
        f"trailer\n<< /Size {size} /Root 1 0 R /Info 6 0 R {locked}/ID [<{'22' * 16}> <{'22' * 16}>] >>\n"
        f"startxref\n{start}\n%%EOF\n"
    ).encode()
    return bytes(out)
