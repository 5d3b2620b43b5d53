"""Sets marked-up text as a PDF, in Helvetica and with nothing but the standard library: the same text, the same bytes.

Marks, one a line: ``% key: value`` at the top (title, header, columns, outline, and ``order: rows`` to draw columns
line by line across the page, as some programs do), ``#``, ``##`` and ``###`` headings, ``*emphasis*``, ``| cell | cell
|`` table rows (the first is set bold), ``--- page``, and ``%% scan`` for a page that is only a picture. Any other line
is a paragraph. A soft hyphen tells where a word may be broken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

WIDTH, HEIGHT, MARGIN, GUTTER = 595, 842, 64, 22
SOFT_HYPHEN = "\u00ad"
_SIZES = {"# ": 17, "## ": 12, "### ": 10.5}
_BODY = 9.5
# Advance widths of Helvetica from U+0020 to U+007E, in thousandths of the size.
_WIDTHS = [int(width) for width in """
278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584
584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278
278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500
500 334 260 334 584""".split()]  # fmt: skip


@dataclass
class Page:
    """The drawing commands of one page with their height and left edge, and its headings with their height."""

    commands: list[tuple[float, float, str]] = field(default_factory=list)
    headings: list[tuple[str, float]] = field(default_factory=list)


class Sheet:
    """Pages in the making: knows where the next line goes."""

    def __init__(self, columns: int, header: str) -> None:
        self.columns, self.header = columns, header
        self.column_width = (WIDTH - 2 * MARGIN - (columns - 1) * GUTTER) / columns
        self.pages: list[Page] = []
        self.new_page()

    @property
    def page(self) -> Page:
        """The page that is written now."""
        return self.pages[-1]

    @property
    def left(self) -> float:
        """Left edge of the column."""
        return MARGIN + self.column * (self.column_width + GUTTER)

    def new_page(self) -> None:
        """Begin a page with its header and number."""
        self.pages.append(Page())
        self.column, self.top = 0, float(HEIGHT - MARGIN)
        self.y = self.top
        self.text(MARGIN, HEIGHT - 40, self.header, 8)
        self.text(WIDTH / 2, 34, str(len(self.pages)), 8)

    def room(self, height: float) -> None:
        """Make sure that so much fits below, else go on in the next column or page."""
        if self.y - height >= MARGIN:
            return
        if self.column + 1 < self.columns:
            self.column, self.y = self.column + 1, self.top
        else:
            self.new_page()

    def text(self, x: float, y: float, text: str, size: float, font: str = "R") -> None:
        """Set one line."""
        shown = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        command = f"BT /{font} {size:g} Tf {x:.2f} {y:.2f} Td ({shown}) Tj ET"
        self.page.commands.append((y, x, command))

    def paragraph(self, text: str, size: float = _BODY, font: str = "R") -> None:
        """Set a paragraph, broken into lines."""
        width = self.column_width / (1.07 if font == "B" else 1)  # the bold face is wider
        for line in broken(text, width, size):
            self.room(size * 1.35)
            self.y -= size * 1.35
            self.text(self.left, self.y, line, size, font)
        self.y -= size * 0.55

    def heading(self, mark: str, text: str) -> None:
        """Set a heading; a title of the first rank goes over all columns and pushes their tops down."""
        size = _SIZES[mark]
        self.room(110)
        self.y -= size * 0.6
        self.page.headings.append((text, self.y))
        if mark == "# " and self.columns > 1:
            width, self.column_width = self.column_width, WIDTH - 2 * MARGIN
            self.paragraph(text, size, "B")
            self.column_width, self.top = width, self.y
        else:
            self.paragraph(text, size, "B")

    def table(self, rows: list[list[str]]) -> None:
        """Set a table with columns as wide as their longest cell asks for."""
        longest = [max(length(row[i], _BODY) for row in rows) + 10 for i in range(len(rows[0]))]
        scale = min(1.0, self.column_width / sum(longest))
        offsets = [sum(longest[:i]) * scale for i in range(len(longest))]
        self.room(len(rows) * (_BODY * 1.3 + 3))
        for number, row in enumerate(rows):
            cells = [broken(cell, longest[i] * scale - 6, _BODY - 0.5) for i, cell in enumerate(row)]
            height = max(len(lines) for lines in cells) * _BODY * 1.3
            self.room(height + 3)
            for offset, lines in zip(offsets, cells, strict=True):
                for at, line in enumerate(lines):
                    y = self.y - (at + 1) * _BODY * 1.3
                    self.text(self.left + offset, y, line, _BODY - 0.5, "R" if number else "B")
            self.y -= height + 3
        self.y -= _BODY

    def scan(self) -> None:
        """Turn the page into a picture without text: a grey sheet and the strokes of a signature."""
        strokes = " ".join(f"{120 + 14 * i} {300 + 37 * (i * 7 % 5)} l" for i in range(1, 24))
        picture = f"0.93 g 40 60 {WIDTH - 80} {HEIGHT - 120} re f 0.2 G 2 w 120 300 m {strokes} S"
        self.page.commands = [(0, 0, picture)]


def make_pdf(source: str) -> bytes:
    """Set marked-up text; the bytes of the file."""
    settings, blocks = _parse(source)
    sheet = Sheet(int(settings.get("columns", "1")), settings.get("header", ""))
    for mark, content in blocks:
        if mark == "page":
            sheet.new_page()
        elif mark == "scan":
            sheet.scan()
        elif mark == "table":
            sheet.table([[cell.strip() for cell in row.strip("|").split("|")] for row in content])
        elif mark == "*":
            sheet.paragraph(content[0], font="I")
        elif mark:
            sheet.heading(mark, content[0])
        else:
            sheet.paragraph(content[0])
    if settings.get("order") == "rows":
        for page in sheet.pages:
            page.commands.sort(key=lambda command: (-round(command[0]), command[1]))
    return _file(sheet.pages, settings["title"], outline="outline" in settings)


def length(text: str, size: float) -> float:
    """Width of a line in points."""
    return sum(_WIDTHS[ord(c) - 32] if " " <= c <= "~" else 556 for c in text if c != SOFT_HYPHEN) * size / 1000


def broken(text: str, width: float, size: float) -> list[str]:
    """Break a paragraph into lines; where a soft hyphen lets a word be broken, the line ends with a hyphen."""
    lines, line = [], ""
    words = text.split()
    while words:
        word = words.pop(0)
        tried = f"{line} {word}".strip()
        if length(tried, size) <= width:
            line = tried
            continue
        first, parted, rest = word.partition(SOFT_HYPHEN)
        if parted and length(f"{line} {first}-", size) <= width:
            line, word = f"{line} {first}-".strip(), rest
        if line:
            lines.append(line)
        line = word
    return [part.replace(SOFT_HYPHEN, "") for part in [*lines, line]]


def _parse(source: str) -> tuple[dict[str, str], list[tuple[str, list[str]]]]:
    settings: dict[str, str] = {}
    blocks: list[tuple[str, list[str]]] = []
    for line in filter(None, map(str.strip, source.splitlines())):
        if line.startswith("|"):
            if not blocks or blocks[-1][0] != "table":
                blocks.append(("table", []))
            blocks[-1][1].append(line)
        elif line.startswith("% "):
            key, _, value = line[2:].partition(": ")
            settings[key] = value
        elif line == "--- page" or line == "%% scan":
            blocks.append((line.split()[1], []))
        elif line.startswith("*"):
            blocks.append(("*", [line.strip("*")]))
        else:
            mark = line[: line.find(" ") + 1] if line.startswith("#") else ""
            blocks.append((mark, [line[len(mark) :]]))
    return settings, blocks


def _file(pages: list[Page], title: str, *, outline: bool) -> bytes:
    """Objects: catalogue, page tree, information, three fonts, each page with its content, then the outline."""
    first = 7
    kids = " ".join(f"{first + 2 * i} 0 R" for i in range(len(pages)))
    end = first + 2 * len(pages)
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R{f' /Outlines {end} 0 R /PageMode /UseOutlines' if outline else ''} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        f"<< /Title ({title}) >>",
        *(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
            for name in ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique")
        ),
    ]
    for number, page in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {first + 2 * number + 1} 0 R "
            f"/Resources << /Font << /R 4 0 R /B 5 0 R /I 6 0 R >> >> >>"
        )
        stream = "\n".join(text for _, _, text in page.commands)
        objects.append(f"<< /Length {len(stream.encode('cp1252'))} >>\nstream\n{stream}\nendstream")
    if outline:
        objects += _outline(pages, end, first)
    return _numbered(objects)


def _outline(pages: list[Page], root: int, first: int) -> Iterator[str]:
    entries = [(text, first + 2 * number, y) for number, page in enumerate(pages) for text, y in page.headings]
    yield f"<< /Type /Outlines /First {root + 1} 0 R /Last {root + len(entries)} 0 R /Count {len(entries)} >>"
    for number, (text, page, y) in enumerate(entries, start=1):
        before = f" /Prev {root + number - 1} 0 R" if number > 1 else ""
        after = f" /Next {root + number + 1} 0 R" if number < len(entries) else ""
        yield f"<< /Title ({text}) /Parent {root} 0 R{before}{after} /Dest [{page} 0 R /XYZ 0 {y + 1:.0f} 0] >>"


def _numbered(objects: list[str]) -> bytes:
    data, places = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
    for number, text in enumerate(objects, start=1):
        places.append(len(data))
        data += f"{number} 0 obj\n{text}\nendobj\n".encode("cp1252")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 3 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode()
