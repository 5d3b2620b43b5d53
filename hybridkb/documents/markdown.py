"""Markdown to blocks: headings, paragraphs, list items, code, quotes and tables of CommonMark and GFM.

Structure is parsed by markdown-it-py; text is read by `markdown_inline`, which leaves the words as written and drops
the markup. HTML inside is read as HTML. What nests deeper than the parser follows is read as plain text, and said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from hybridkb.documents.blocks import Outline
from hybridkb.documents.content import Content
from hybridkb.documents.faults import load_extra
from hybridkb.documents.html_blocks import add_html
from hybridkb.documents.limits import MAX_MARKDOWN_CHARACTERS
from hybridkb.documents.markdown_inline import Inline, escape_unknown_tags
from hybridkb.documents.passages import make_passages
from hybridkb.documents.plain_text import read_plain_text
from hybridkb.documents.tables import clean_cell, write_row

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_MAX_NESTING = 60


def read_markdown(text: str, characters: int) -> Content:
    """Read a Markdown text without its front matter.

    Raises:
        MissingExtra: the package markdown-it-py is not installed.
    """
    if len(text) > MAX_MARKDOWN_CHARACTERS:
        note = f"more than {MAX_MARKDOWN_CHARACTERS:,} characters of Markdown; read as plain text"
        return Content(make_passages(read_plain_text(text), characters), notes=[note])
    parser = _parser()
    environment: dict[str, Any] = {}
    tokens = parser.parse(text, environment)
    if any(token.level >= _MAX_NESTING - 2 for token in tokens):
        note = f"lists or quotes nest deeper than {_MAX_NESTING // 2} levels; read as plain text"
        return Content(make_passages(read_plain_text(text), characters), notes=[note])
    inline = Inline(parser, environment)
    outline = _Walk(inline).blocks(tokens)
    return Content(make_passages(outline.finish(), characters), title=outline.title(), notes=inline.notes())


@cache
def _parser() -> MarkdownIt:
    """Made once; parsing keeps its state elsewhere, so threads may share it."""
    markdown_it = load_extra("markdown_it", "reading Markdown")
    parser: MarkdownIt = markdown_it.MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING})
    return parser.enable(["table", "strikethrough"]).disable("inline")


@dataclass(slots=True)
class _List:
    """A list that is open: how deep, and the number its next item gets (None of a bulleted one)."""

    indent: str
    number: int | None
    marker: str = ""


@dataclass(slots=True)
class _Walk:
    """Goes through the tokens once and fills an outline."""

    inline: Inline
    outline: Outline = field(default_factory=Outline)
    lists: list[_List] = field(default_factory=list)
    follows_item: bool = False

    def blocks(self, tokens: list[Token]) -> Outline:
        """Fill the outline."""
        walk = iter(tokens)
        for token in walk:
            if token.type == "heading_open":
                self._heading(token, next(walk))
            elif token.type == "table_open":
                self._table(walk)
            elif token.type == "inline":
                self._paragraph(self.inline.plain(token.content))
            elif token.type in ("fence", "code_block"):
                self._text(token.content.rstrip("\n"), by_line=True)
            elif token.type == "html_block":
                add_html(escape_unknown_tags(token.content), self.outline)
            else:
                self._list(token)
        return self.outline

    def _heading(self, token: Token, content: Token) -> None:
        text = self.inline.plain(content.content)
        if self.lists:  # a heading inside a list item is a line of it
            self._paragraph(text)
        else:
            self.outline.heading(int(token.tag[1:]), text)

    def _list(self, token: Token) -> None:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            number = int(token.attrs.get("start", 1)) if token.type.startswith("ordered") else None
            indent = self.lists[-1].indent + "  " if self.lists else ""
            self.follows_item = bool(self.lists)
            self.lists.append(_List(indent, number))
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self.lists.pop()
            self.follows_item = bool(self.lists)
        elif token.type == "list_item_open":
            item = self.lists[-1]
            item.marker = "- " if item.number is None else f"{item.number}. "
            if item.number is not None:
                item.number += 1

    def _paragraph(self, text: str) -> None:
        if not self.lists:
            self.outline.add(text)
        elif text.strip():
            item = self.lists[-1]
            self.outline.add(f"{item.indent}{item.marker or '  '}{text}", close=self.follows_item)
            item.marker = ""
            self.follows_item = True

    def _text(self, text: str, *, by_line: bool = False, head: str = "") -> None:
        """Code or a table; in a list it stands on the lines below its item."""
        self.outline.add(text, by_line=by_line, head=head, close=self.follows_item and bool(self.lists))

    def _table(self, walk: Iterator[Token]) -> None:
        rows: list[list[str]] = []
        for token in walk:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(clean_cell(self.inline.plain(token.content)))
        head = write_row(rows[0]) if rows else ""
        lines = (write_row(row) for row in rows[1:])
        self._text("\n".join(line for line in lines if line), by_line=True, head=head)
