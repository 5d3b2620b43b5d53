"""HTML to blocks: what a reader of the page sees, under its headings.

Scripts, styles, templates, navigation, form controls and what is marked hidden are left out. The tree comes from
selectolax (lexbor), which reads any HTML as a browser does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hybridkb.documents.blocks import Outline
from hybridkb.documents.faults import load_extra
from hybridkb.documents.html_limits import is_too_much, without_choices, without_tags
from hybridkb.documents.html_nodes import is_hidden, visible_text, walk
from hybridkb.documents.html_tables import add_table, is_layout

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_BLOCKS = frozenset(
    """
    address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form
    header hgroup hr html li main menu ol optgroup p pre search section summary table tbody td tfoot th thead tr ul
    caption legend
    """.split()
)
_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_MOST_INDENT = 40
_SPACE = re.compile(r"[ \t\n\r\f]+")
_AROUND_BREAK = re.compile(r" ?\v ?")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def add_html(html: str, outline: Outline) -> None:
    """Put the blocks of some HTML, a whole page or a piece of one, into an outline.

    Raises:
        MissingExtra: the package selectolax is not installed.
    """
    if not _COMMENT.sub("", html).strip():
        return
    if is_too_much(html):
        for part in without_tags(html).split("\n\n"):
            outline.add(part.strip())
        return
    add_tree(parse(html).root, outline)


def add_tree(root: LexborNode | None, outline: Outline) -> None:
    """Put the blocks of a parsed page into an outline."""
    if root is not None:
        _Walk(outline).walk(root)


def parse(html: str) -> LexborHTMLParser:
    """Parse HTML of any quality.

    Raises:
        MissingExtra: the package selectolax is not installed.
    """
    parsed: LexborHTMLParser = load_extra("selectolax.lexbor", "reading HTML").LexborHTMLParser(
        without_choices(html)
    )
    return parsed


@dataclass(slots=True)
class _List:
    """A list that is open, and the number its next item gets (None of a bulleted one)."""

    number: int | None
    indent: str


@dataclass(slots=True)
class _Walk:
    """Goes through the tree once, in reading order, and fills an outline."""

    outline: Outline
    parts: list[str] = field(default_factory=list)
    lists: list[_List] = field(default_factory=list)
    marker: str = ""
    close: bool = False
    in_heading: bool = False

    def walk(self, root: LexborNode) -> None:
        """Go through the tree below ``root``."""
        walk(root, self._enter, self._leave)
        self._flush()

    def _enter(self, node: LexborNode) -> bool:
        """Take what the node itself says; whether its children are to be walked."""
        tag = node.tag or ""
        if tag == "-text":
            self.parts.append(node.text_content or "")
            return False
        is_block = tag in _BLOCKS or tag in _HEADINGS
        if is_block:
            self._flush()
        if is_hidden(node):
            return False
        if tag == "br":
            self.parts.append("\v")
        elif tag == "img":
            self.parts.append(node.attributes.get("alt") or "")
        elif tag in _HEADINGS and not self.lists:
            self.in_heading = True
        elif is_block:
            return self._enter_block(tag, node)
        return True

    def _enter_block(self, tag: str, node: LexborNode) -> bool:
        if tag == "pre":
            self._add(visible_text(node, as_written=True).strip("\n"), by_line=True)
            return False
        if tag == "table" and not is_layout(node):
            add_table(node, self.outline)
            self.close = False
            return False
        if tag in _LISTS:
            number = _start(node) if tag == "ol" else None
            self.close = bool(self.lists)
            self.lists.append(_List(number, _deeper(self.lists[-1].indent) if self.lists else ""))
        elif tag == "li" and self.lists:
            item = self.lists[-1]
            self.marker = item.indent + ("- " if item.number is None else f"{item.number}. ")
            item.number = None if item.number is None else item.number + 1
        elif tag == "dl":
            self.close = False
        return True

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag in _HEADINGS and not self.lists:
            self.outline.heading(_HEADINGS[tag], _text(self.parts))
            self.parts.clear()
            self.in_heading = False
            self.close = False
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._flush()
            if tag in _LISTS and self.lists:
                self.lists.pop()
                self.close = bool(self.lists)
            elif tag == "li":
                self.marker = ""  # an item without text
            elif tag in ("dd", "dt"):
                self.close = tag == "dt"

    def _flush(self) -> None:
        """End the paragraph that is being gathered."""
        if not self.parts or self.in_heading:
            return
        text = _text(self.parts)
        self.parts.clear()
        if text.strip():
            self._add(text)

    def _add(self, text: str, *, by_line: bool = False) -> None:
        indent = self.marker or (_deeper(self.lists[-1].indent) if self.lists else "")
        self.outline.add(text if by_line else indent + text, by_line=by_line, close=self.close)
        self.marker = ""
        self.close = bool(self.lists)


def _deeper(indent: str) -> str:
    """The indent of what stands one level deeper; beyond some depth it stays."""
    return indent if len(indent) >= _MOST_INDENT else indent + "  "


def _text(parts: list[str]) -> str:
    text = _SPACE.sub(" ", "".join(parts))
    return "\n".join(line.strip(" ") for line in _AROUND_BREAK.split(text)).strip("\n ")


def _start(node: LexborNode) -> int:
    start = node.attributes.get("start") or "1"
    return int(start) if start.isascii() and start.isdecimal() and len(start) < 10 else 1
