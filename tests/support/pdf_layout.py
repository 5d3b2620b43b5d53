"""Sets marked-up text as a PDF in Helvetica: the same text, the same bytes.

Marks, one a line: ``% key: value`` at the top (title, header, columns, outline, and ``order: rows`` to draw columns
line by line across the page, as some programs do), ``#``, ``##`` and ``###`` headings, ``| cell | cell |`` table
rows (the first is set bold), ``--- page``, and ``%% scan`` for a page that is only a picture. Any other line
is a paragraph. A soft hyphen tells where a word may be broken.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from support.pdf_writer import PdfPage, write_pdf

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
    """The lines of one page with their place, size and font, and its headings with their height."""

    lines: list[tuple[float, float, str, float, str]] = field(default_factory=list)
    headings: list[tuple[str, float]] = field(default_factory=list)
    is_scan: bool = False

    def written(self, *, in_rows: bool) -> PdfPage:
        """The page as it is put into the file."""
        page = PdfPage(WIDTH, HEIGHT)
        if self.is_scan:
            return page.picture()
        lines = sorted(self.lines, key=lambda line: (-round(line[1]), line[0])) if in_rows else self.lines
        for x, y, text, size, font in lines:
            page.text(round(x, 2), round(y, 2), text, size, font)
        return page


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

    def text(self, x: float, y: float, text: str, size: float, font: str = "F1") -> None:
        """Set one line."""
        self.page.lines.append((x, y, text, size, font))

    def paragraph(self, text: str, size: float = _BODY, font: str = "F1") -> None:
        """Set a paragraph, broken into lines."""
        width = self.column_width / (1.07 if font == "F2" else 1)  # the bold face is wider
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
            self.paragraph(text, size, "F2")
            self.column_width, self.top = width, self.y
        else:
            self.paragraph(text, size, "F2")

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
                    self.text(self.left + offset, y, line, _BODY - 0.5, "F1" if number else "F2")
            self.y -= height + 3
        self.y -= _BODY

    def scan(self) -> None:
        """Turn the page into a picture without text."""
        self.page.is_scan = True


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
        elif mark:
            sheet.heading(mark, content[0])
        else:
            sheet.paragraph(content[0])
    pages = [page.written(in_rows=settings.get("order") == "rows") for page in sheet.pages]
    outline = [
        (0, text, number, round(y + 1, 1)) for number, page in enumerate(sheet.pages) for text, y in page.headings
    ]
    return write_pdf(pages, title=settings["title"], outline=outline if "outline" in settings else ())


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
        else:
            mark = line[: line.find(" ") + 1] if line.startswith("#") else ""
            blocks.append((mark, [line[len(mark) :]]))
    return settings, blocks
