"""A PDF to passages: page by page with physical page numbers, columns in order, tables in rows.

What a page does not show as text is said: pages without a text layer, pages whose fonts name no characters, broken
pages, and the running heads and feet that were left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridkb.documents.blocks import Block
from hybridkb.documents.content import Content
from hybridkb.documents.limits import MAX_PAGES
from hybridkb.documents.passages import make_passages
from hybridkb.documents.pdf_hyphens import Vocabulary, without_marks
from hybridkb.documents.pdf_layout import read_rows
from hybridkb.documents.pdf_outline import Marks, heading_marks
from hybridkb.documents.pdf_paragraphs import PageReader, measure_columns
from hybridkb.documents.pdf_running import Page, drop_running
from hybridkb.documents.pdf_source import PdfSource, open_pdf
from hybridkb.documents.pdf_states import PageStates
from hybridkb.documents.pdf_title import find_title
from hybridkb.documents.pdf_words import read_words


def read_pdf(data: bytes, name: str, characters: int) -> Content:
    """Read a PDF.

    Raises:
        UnreadableDocument: it is not a PDF, broken, or encrypted with a password.
        MissingExtra: the package pypdfium2 is not installed.
    """
    with open_pdf(data, name) as source:
        states = PageStates(source.page_count, MAX_PAGES)
        pages = list(_pages(source, states))
        metadata, bookmarks = source.title(), source.outline()
    notes = states.notes()
    title = find_title(metadata, pages[0].rows if pages else [])
    running = drop_running(pages)
    if running:
        notes.append("running heads and feet are left out: " + "; ".join(map(_shortened, running)))
    marks = heading_marks(bookmarks, pages)
    words = Vocabulary(row.text for page in pages for row in page.rows)
    return Content(
        make_passages(_blocks(pages, marks, words), characters),
        title=title,
        notes=notes,
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
            yield Block(without_marks(line), path, page.number)


def _pages(source: PdfSource, states: PageStates) -> Iterator[Page]:
    """Yield the pages that hold text."""
    for number in range(1, min(source.page_count, states.most) + 1):
        raw = source.page(number - 1)
        if raw is None:
            states.broken(number)
            continue
        read = read_words(raw)
        if states.of(number, raw, read) == "text":
            yield Page(number, read_rows(read.words), read.turned, read.height)
