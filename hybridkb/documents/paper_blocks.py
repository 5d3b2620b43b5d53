"""Rows of a page to its text and the blocks that it is made of.

Running heads come first, then the text in reading order, then running feet and what runs another way. A block stands
in one column: a paragraph that goes on in the next column is two blocks, and a word that is parted between them stands
whole in the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from hybridkb.documents.paper_joining import joined_parts
from hybridkb.documents.paper_roles import Style, is_caption, is_heading, is_known_part, number_of, style_of, words_in
from hybridkb.documents.paper_sheet import Sheet
from hybridkb.documents.paper_text import clean_text
from hybridkb.documents.pdf_hyphens import Vocabulary, ends_parted
from hybridkb.documents.pdf_layout import Row
from hybridkb.documents.pdf_paragraphs import PageReader, Part, measure_columns
from hybridkb.knowledge.paper_source import BlockRole, Box, TextBlock

BETWEEN = "\n\n"
"""What stands between two blocks in the text of a page."""

HeadingRows = dict[int, int]
"""By the place of a row: behind which row the heading ends that begins there; the same place: it only begins a part."""


@dataclass(slots=True)
class PageText:
    """The text of a page in the making."""

    parts: list[str] = field(default_factory=list)
    blocks: list[TextBlock] = field(default_factory=list)
    _length: int = 0

    def add(self, text: str, box: Box, style: Style, role: BlockRole) -> None:
        """Put a block at the end; one without anything legible is passed over."""
        text = clean_text(text)
        if not text:
            return
        start = self._length + (len(BETWEEN) if self.parts else 0)
        self.parts.append(text)
        self._length = start + len(text)
        font = style.font or None
        self.blocks.append(
            TextBlock(start=start, end=self._length, box=box, font=font, size=style.size, bold=style.bold, role=role)
        )

    @property
    def text(self) -> str:
        """All blocks, a blank line between."""
        return BETWEEN.join(self.parts)


@dataclass(slots=True)
class BlockMaker:
    """Makes the blocks of the pages of one paper, from the first to the last.

    Attributes:
        words: the words of the whole paper, which decide about hyphens.
        body: the style of its text.
        bold_tells: whether bold letters make a heading yet; not before the first heading below the authors.
    """

    words: Vocabulary
    body: Style
    bold_tells: bool = True

    def read(self, sheet: Sheet, headings: HeadingRows) -> PageText:
        """Make the blocks of a page whose running rows are taken out."""
        made = PageText()
        for row in sorted(sheet.running.heads, key=lambda row: -row.top):
            made.add(row.text, sheet.box(row.words), style_of(row.words), "header")
        for part, is_marked in joined_parts(self._parts(sheet, headings), self.words):
            text = f"{part.head}\n{part.text}" if part.head else part.text
            words = words_in(part.rows)
            made.add(text, sheet.box(words), style_of(words), self._role(part, is_marked))
        for row in sorted(sheet.running.feet, key=lambda row: -row.top):
            made.add(row.text, sheet.box(row.words), style_of(row.words), "footer")
        for aside in sheet.asides:
            made.add(aside.text, sheet.box(aside.words, aside.turn), style_of(aside.words), "margin")
        return made

    def _parts(self, sheet: Sheet, headings: HeadingRows) -> Iterator[tuple[Part, bool]]:
        """The paragraphs, tables and marked headings of a page, each in one column."""
        rows = sheet.page.rows
        reader = PageReader(sheet.number, measure_columns(rows), self.words)
        at = 0
        for first, end in sorted(headings.items()):
            yield from ((part, False) for part in self._of_one_column(reader, rows[at:first]))
            if end > first:
                yield Part(rows[first:end], reader.joined(rows[first:end])), True
            at = max(at, first, end)
        yield from ((part, False) for part in self._of_one_column(reader, rows[at:]))

    def _of_one_column(self, reader: PageReader, rows: list[Row]) -> Iterator[Part]:
        for part in reader.parts(rows):
            columns = [list(group) for _, group in groupby(part.rows, key=lambda row: row.column)]
            if part.is_table or len(columns) == 1:
                yield part
            else:
                yield from self._split(reader, columns)

    def _split(self, reader: PageReader, columns: list[list[Row]]) -> Iterator[Part]:
        """The pieces of a paragraph that goes over columns."""
        texts = [reader.joined(rows) for rows in columns]
        for at in range(len(texts) - 1):
            if ends_parted(texts[at]):
                rest, _, after = texts[at + 1].partition(" ")
                texts[at], texts[at + 1] = self.words.join(texts[at], rest), after
        yield from (Part(rows, text) for rows, text in zip(columns, texts, strict=True) if text)

    def _role(self, part: Part, is_marked: bool) -> BlockRole:
        if part.is_table:
            return "table"
        text = clean_text(part.text)
        style = style_of(words_in(part.rows))
        if is_caption(text, style, self.body):
            return "caption"
        if not is_marked and not is_heading(text, part.rows, self.body, bold_tells=self.bold_tells):
            return "text"
        if is_marked or number_of(text) or is_known_part(text):
            self.bold_tells = True
        return "heading"
