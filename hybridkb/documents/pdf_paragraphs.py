"""Rows of a PDF page to blocks: paragraphs joined over their lines, tables kept row by row.

A paragraph ends at a wider gap, at another size of letters, at an indent, or at a short line that ends a sentence; of
centred lines and of a table of contents each is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from hybridkb.documents.blocks import Block
from hybridkb.documents.pdf_hyphens import Vocabulary, without_marks
from hybridkb.documents.pdf_layout import Row
from hybridkb.documents.pdf_tables import header_above, table_end, write_table

_BULLET = re.compile(r"(?:[•‣▪◦●○■□–—*·-]|\[\w+\]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])\s")
_END_OF_SENTENCE = re.compile(r"[.!?:;。！？][\"'”’)\]]*\Z")
_CONTENTS = re.compile(r"(?:\. ?){4}\s*[\divxl]+\Z")
_MAX_HEADING_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a page: its margins, and how far apart its lines are from top to top."""

    left: float
    right: float
    pitch: float


def measure_columns(rows: list[Row]) -> dict[int, Column]:
    """Measure the columns of a page, by number."""
    of: dict[int, list[Row]] = {}
    for row in rows:
        of.setdefault(row.column, []).append(row)
    return {number: _measured(column) for number, column in of.items()}


def _measured(rows: list[Row]) -> Column:
    pairs = [(above.top - row.top, min(above.height, row.height)) for above, row in pairwise(rows)]
    steps = sorted(step for step, height in pairs if step > 0.7 * height)
    pitch = steps[len(steps) // 4] if steps else 1.3 * rows[0].height
    return Column(min(row.left for row in rows), max(row.right for row in rows), pitch)


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph or a table of one page.

    Attributes:
        rows: what it is made of.
        text: its words; of a table the rows without the header, one a line.
        head: the header of a table.
        is_table: whether it is one.
    """

    rows: list[Row]
    text: str
    head: str = ""
    is_table: bool = False

    @property
    def leads(self) -> bool:
        """Whether it announces what follows: one short line that is a heading, or ends with a colon."""
        if self.is_table or len(self.rows) > 1 or len(self.text) > _MAX_HEADING_CHARACTERS:
            return False
        return self.text.endswith(":") or not _END_OF_SENTENCE.search(self.text)


@dataclass(frozen=True, slots=True)
class PageReader:
    """Reads stretches of one page's rows.

    Attributes:
        page: its physical number, counted from 1.
        columns: its columns by number.
        words: the words of the whole document, which decide about hyphens.
    """

    page: int
    columns: dict[int, Column]
    words: Vocabulary

    def blocks(self, rows: list[Row], heading: tuple[str, ...]) -> Iterator[Block]:
        """Yield the blocks of rows in reading order, all under one heading path."""
        for part in self.parts(rows):
            text = part.text if part.is_table else without_marks(part.text)
            yield Block(text, heading, self.page, by_line=part.is_table, head=part.head, leads=part.leads)

    def parts(self, rows: list[Row]) -> Iterator[Part]:
        """Yield the paragraphs and tables of rows in reading order; paragraphs keep their marks of hyphens."""
        at = 0
        prose: list[Row] = []
        while at < len(rows):
            end = table_end(rows, at)
            if end == at:
                prose.append(rows[at])
                at += 1
                continue
            above = len(prose) - header_above(prose, rows[at:end])
            yield from self._paragraphs(prose[:above])
            table = [*prose[above:], *rows[at:end]]
            head, text = write_table(table)
            yield Part(table, text, head, is_table=True)
            prose = []
            at = end
        yield from self._paragraphs(prose)

    def joined(self, rows: list[Row]) -> str:
        """The text of rows of one paragraph."""
        text = rows[0].text
        for row in rows[1:]:
            text = self.words.join(text, row.text)
        return text

    def _paragraphs(self, rows: list[Row]) -> Iterator[Part]:
        if not rows:
            return
        text, first = rows[0].text, 0
        for at in range(1, len(rows)):
            if self._begins(rows, at, text):
                yield Part(rows[first:at], text)
                text, first = rows[at].text, at
            else:
                text = self.words.join(text, rows[at].text)
        yield Part(rows[first:], text)

    def _begins(self, rows: list[Row], at: int, text: str) -> bool:
        """Whether a row begins a paragraph after the text of the one before."""
        above, row = rows[at - 1], rows[at]
        if row.column != above.column:
            return bool(_END_OF_SENTENCE.search(text)) or not row.text[:1].islower()
        column = self.columns[row.column]
        if above.top - row.top > 1.3 * max(column.pitch, min(above.height, row.height)):
            return True
        if _CONTENTS.search(above.text) or _style_changes(above, row) or _are_centred(above, row, column):
            return True
        if _BULLET.match(row.text) and _END_OF_SENTENCE.search(above.text):
            return True
        indent = row.left - above.left
        is_short = above.right < column.right - 0.2 * (column.right - column.left)
        if abs(indent) > 0.8 * row.height and is_short:
            return True
        if indent > 0.8 * row.height:
            return _is_first_line(rows, at, column)
        if indent < -0.8 * row.height:
            return not _was_first_line(rows, at - 1, column)
        return is_short and bool(_END_OF_SENTENCE.search(above.text))


def _style_changes(above: Row, row: Row) -> bool:
    """Whether letters of another size or weight begin; a row of a few signs tells nothing."""
    if min(len(above.text), len(row.text)) <= 3:
        return False
    if above.is_bold != row.is_bold and above.font and row.font and above.font.bold != row.font.bold:
        return True
    return abs(above.height - row.height) > 0.15 * max(above.height, row.height)


def _are_centred(above: Row, row: Row, column: Column) -> bool:
    """Whether two rows stand in the middle of their column, with other margins."""
    margin = 0.08 * (column.right - column.left)
    inset = min(above.left, row.left) > column.left + margin and max(above.right, row.right) < column.right - margin
    return (
        inset and abs(above.left - row.left) > 1 and abs(above.left + above.right - row.left - row.right) < row.height
    )


def _is_first_line(rows: list[Row], at: int, column: Column) -> bool:
    """Whether an indented row begins a paragraph, and is not the second line of a hanging one."""
    above, row = rows[at - 1], rows[at]
    below = rows[at + 1] if at + 1 < len(rows) and rows[at + 1].column == row.column else None
    if _BULLET.match(above.text):
        return False
    hangs = below is not None and abs(below.left - row.left) < 0.3 * row.height
    is_full = above.right > column.right - 3 * row.height
    if hangs or below is None:
        return not is_full or bool(_END_OF_SENTENCE.search(above.text) and row.text[:1].isupper() and not hangs)
    return True


def _was_first_line(rows: list[Row], at: int, column: Column) -> bool:
    """Whether the row above an outdented one is the indented first line of its paragraph."""
    row = rows[at]
    above = rows[at - 1] if at and rows[at - 1].column == row.column else None
    if row.left > column.left + 0.3 * (column.right - column.left):
        return False
    if _END_OF_SENTENCE.search(row.text) and len(row.text) < 40:
        return False
    return above is None or above.left < row.left - 0.8 * row.height or above.top - row.top > 1.3 * row.height
