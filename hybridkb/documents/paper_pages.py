"""A paper's exact bytes to its pages: text, blocks with their boxes and roles, pictures, outline.

The same bytes give the same pages on every machine with the same versions of the reader and of PDFium, which
``parser_version`` tells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hybridkb.documents.faults import unreadable
from hybridkb.documents.limits import MAX_PAPER_BYTES
from hybridkb.documents.paper_assets import AssetTaker
from hybridkb.documents.paper_blocks import BlockMaker
from hybridkb.documents.paper_feet import take_lone_feet
from hybridkb.documents.paper_headings import heading_rows, read_outline
from hybridkb.documents.paper_hints import METADATA_KEYS, PaperHints, read_hints
from hybridkb.documents.paper_reading import PaperReading
from hybridkb.documents.paper_roles import body_style, has_abstract
from hybridkb.documents.paper_text import clean_line
from hybridkb.documents.paper_title import paper_title
from hybridkb.documents.pdf_hyphens import Vocabulary
from hybridkb.documents.pdf_running import take_running
from hybridkb.documents.pdf_source import Bookmark, PdfSource, is_cut_short, open_pdf
from hybridkb.knowledge.paper_source import OutlineEntry, PaperAsset, PaperPage

PARSER = "hybridkb-pdfium"
"""The name of this reader."""

PAPER_READER_VERSION = 1
"""Raised whenever the same bytes may give other pages."""
Progress = Callable[[int, int], None]
"""Called with steps done and steps in all."""

_LONGEST_LABEL = 100


@dataclass(frozen=True, slots=True)
class ReadPaper:
    """A paper as its bytes give it.

    Attributes:
        title: what it is called; ``hints.title_from`` says what that rests on.
        pages: all of them, from 1.
        assets: pictures on its pages, and pages as pictures, by page.
        blobs: the bytes of the assets by their SHA-256.
        outline: the file's own; empty when it has none.
        notes: what could not be read or was left out, one sentence each.
        parser: names this reader. parser_version: its version and those of what it uses.
        hints: what the file says about itself.
    """

    title: str
    pages: tuple[PaperPage, ...]
    assets: tuple[PaperAsset, ...]
    blobs: dict[str, bytes] = field(repr=False)
    outline: tuple[OutlineEntry, ...]
    notes: tuple[str, ...]
    parser: str
    parser_version: str
    hints: PaperHints


def read_paper(data: bytes, name: str, *, images: bool = True, progress: Progress | None = None) -> ReadPaper:
    """Read a PDF as a paper.

    Args:
        data: the whole file.
        name: what errors call it, such as its file name; the title when nothing else tells one.
        images: whether pictures are taken too.
        progress: called with (steps done, steps in all), a step for each page, and another one for its pictures.

    Raises:
        UnreadableDocument: it is empty, not a PDF, broken, cut short, encrypted, without pages, or too large.
        MissingExtra: the package pypdfium2 is not installed.
    """
    if len(data) > MAX_PAPER_BYTES:
        raise unreadable(name, f"is longer than {MAX_PAPER_BYTES:,} bytes", "split it into several files")
    with open_pdf(data, name, extra="papers") as source:
        if not source.page_count:
            raise unreadable(name, "is a PDF without pages", "fetch it anew")
        paper = _Reader(source, name, images, progress).read()
    if not is_cut_short(data):
        return paper
    if any(page.state != "text" for page in paper.pages):
        raise unreadable(name, "is cut short: its end is missing, and pages with it", "fetch it anew")
    return replace(paper, notes=(*paper.notes, "the mark at the end of the file is missing; every page could be read"))


@dataclass(slots=True)
class _Reader:
    """Reads one open paper."""

    source: PdfSource
    name: str
    images: bool
    progress: Progress | None
    _done: int = 0

    def read(self) -> ReadPaper:
        reading = PaperReading(self.source.page_count, self.name)
        steps = len(reading.numbers) * (2 if self.images else 1)
        for number in reading.numbers:
            reading.read(self.source, number)
            self._step(steps)
        metadata = {key: self.source.metadata(key) for key in METADATA_KEYS}
        first = next(iter(reading.sheets.values()), None)
        title, title_from = paper_title(self.source.title(), first.page.rows if first else [], self.name)
        bookmarks = self.source.outline()
        pages = self._pages(reading, bookmarks)
        taker = AssetTaker(self.source)
        for page in pages if self.images else ():
            taker.take(page, reading.frames.get(page.number))
            self._step(steps)
        return ReadPaper(
            title=title,
            pages=pages,
            assets=tuple(taker.assets),
            blobs=taker.blobs,
            outline=read_outline(bookmarks, reading.frames),
            notes=(*reading.tell(), *taker.notes()),
            parser=PARSER,
            parser_version=f"{PAPER_READER_VERSION} ({self.source.versions})",
            hints=read_hints(metadata, pages[0] if pages else None, title_from),
        )

    def _pages(self, reading: PaperReading, bookmarks: list[Bookmark]) -> tuple[PaperPage, ...]:
        """The pages, once all of them are known: running rows, the body's style and the words need the whole paper."""
        sheets = list(reading.sheets.values())
        for sheet, running in zip(sheets, take_running([sheet.page for sheet in sheets]), strict=True):
            sheet.running = running
        take_lone_feet(sheets)
        headings = heading_rows(bookmarks, [sheet.page for sheet in sheets])
        rows = [row for sheet in sheets for row in sheet.page.rows]
        maker = BlockMaker(Vocabulary(row.text for row in rows), body_style(rows), not has_abstract(rows))
        made: list[PaperPage] = []
        for number in reading.numbers:
            width, height = reading.sizes[number]
            label = clean_line(self.source.label(number - 1), _LONGEST_LABEL) or None
            page = PaperPage(number=number, label=label, width=width, height=height, state=reading.states[number])
            if number in reading.sheets:
                text = maker.read(reading.sheets[number], headings.get(number, {}))
                page = page.model_copy(update={"text": text.text, "blocks": tuple(text.blocks)})
            made.append(page)
        return tuple(made)

    def _step(self, steps: int) -> None:
        self._done += 1
        if self.progress is not None:
            self.progress(self._done, steps)
