"""A PDF to passages: page by page with physical page numbers, columns in order, tables in rows.

What a page does not show as text is said: pages without a text layer, pages whose fonts name no characters, broken
pages, and the running heads and feet that were left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hybridkb.documents.blocks import Block
from hybridkb.documents.content import Content
from hybridkb.documents.faults import count_of, ranges_of
from hybridkb.documents.limits import MAX_PAGE_CHARACTERS, MAX_PAGES
from hybridkb.documents.passages import make_passages
from hybridkb.documents.pdf_hyphens import Vocabulary, without_marks
from hybridkb.documents.pdf_layout import read_rows
from hybridkb.documents.pdf_outline import Marks, heading_marks
from hybridkb.documents.pdf_paragraphs import PageReader, measure_columns
from hybridkb.documents.pdf_running import Page, drop_running
from hybridkb.documents.pdf_source import PdfSource, open_pdf
from hybridkb.documents.pdf_title import find_title
from hybridkb.documents.pdf_words import is_unreadable, read_words


def read_pdf(data: bytes, name: str, characters: int) -> Content:
    """Read a PDF.

    Raises:
        UnreadableDocument: it is not a PDF, broken, or encrypted with a password.
        MissingExtra: the package pypdfium2 is not installed.
    """
    with open_pdf(data, name) as source:
        found = _Findings(source.page_count)
        pages = list(found.pages(source))
        metadata, bookmarks = source.title(), source.outline()
    title = find_title(metadata, pages[0].rows if pages else [])
    running = drop_running(pages)
    if running:
        found.notes.append("running heads and feet are left out: " + "; ".join(map(_shortened, running)))
    marks = heading_marks(bookmarks, pages)
    words = Vocabulary(row.text for page in pages for row in page.rows)
    return Content(
        make_passages(_blocks(pages, marks, words), characters),
        title=title,
        notes=found.notes,
        pages=source.page_count,
    )


def _shortened(text: str) -> str:
    text = without_marks(text)
    return text if len(text) <= 80 else text[:77] + "..."


def _blocks(pages: list[Page], marks: Marks, words: Vocabulary) -> Iterator[Block]:
    path: tuple[str, ...] = ()
    for page in pages:
        reader = PageReader(page.number, measure_columns(page.rows), words)
        at = 0
        for row, new_path in marks.get(page.number, []):
            yield from reader.blocks(page.rows[at:row], path)
            at, path = max(at, row), new_path
        yield from reader.blocks(page.rows[at:], path)
        for line in page.turned:
            yield Block(without_marks(line.text), path, page.number)


@dataclass(slots=True)
class _Findings:
    """Reads the pages one by one and remembers what was wrong with which."""

    page_count: int
    notes: list[str] = field(default_factory=list)
    _scanned: list[int] = field(default_factory=list)
    _blank: list[int] = field(default_factory=list)
    _broken: list[int] = field(default_factory=list)
    _noise: list[int] = field(default_factory=list)
    _cut: list[int] = field(default_factory=list)

    def pages(self, source: PdfSource) -> Iterator[Page]:
        """Yield the pages that hold text, then note which do not."""
        for number in range(1, min(self.page_count, MAX_PAGES) + 1):
            page = self._page(source, number)
            if page is not None:
                yield page
        self._tell()

    def _page(self, source: PdfSource, number: int) -> Page | None:
        raw = source.page(number - 1)
        if raw is None:
            self._broken.append(number)
            return None
        read = read_words(raw)
        if not read.words and not read.turned:
            (self._scanned if raw.has_images else self._blank).append(number)
            return None
        if is_unreadable(read.words):
            self._noise.append(number)
            return None
        if raw.is_cut:
            self._cut.append(number)
        return Page(number, read_rows(read.words), read.turned, read.height)

    def _tell(self) -> None:
        of_all = f"of {count_of(self.page_count, 'page')}"
        for pages, what in (
            (self._scanned, "no text, only images (a scan?); text recognition would make them readable"),
            (self._blank, "no text"),
            (self._noise, "text whose font names no characters; it is left out, text recognition would read it"),
        ):
            if pages:
                have = "has" if len(pages) == 1 else "have"
                self.notes.append(f"{len(pages):,} {of_all} {have} {what}: page {ranges_of(pages)}")
        if self._broken:
            self.notes.append(f"{len(self._broken):,} {of_all} cannot be read: page {ranges_of(self._broken)}")
        if self._cut:
            self.notes.append(
                f"only the first {MAX_PAGE_CHARACTERS:,} characters are read of page {ranges_of(self._cut)}"
            )
        if self.page_count > MAX_PAGES:
            self.notes.append(f"only the first {MAX_PAGES:,} {of_all} are read")
