"""The text of a Markdown paragraph: its words as they were written, without markup.

Of a link the text stays and the address goes, unless the address is all there is; of an image its description. Angle
brackets that are no HTML element (``<TICKER>``) stay text. A single line break is a space, or nothing between
two Chinese or Japanese characters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hybridkb.documents.faults import count_of
from hybridkb.documents.lines import join_lines

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_MAY_BE_MARKUP = re.compile(r"[\\`*_\[\]<&~!]|  \n")
_TAG = re.compile(r"<(?P<slash>/?)(?P<name>[A-Za-z][\w.:-]{0,40})(?P<rest>[^<>]*)>")
_BREAKING = re.compile(r"<br\s*/?>", re.IGNORECASE)
_ELEMENTS = frozenset(
    """
    a abbr acronym address article aside audio b base bdi bdo big blockquote body br button canvas caption center cite
    code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font
    footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li
    link main map mark menu meta meter nav noscript object ol optgroup option output p param picture pre progress q rp
    rt ruby s samp script search section select slot small source span strike strong style sub summary sup svg table
    tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr
    """.split()
)

MAX_PARSED_CHARACTERS = 20_000
"""A longer paragraph keeps its markup."""
MAX_EFFORT = 2_000_000
"""Parsing takes time by the square of a paragraph's brackets; once so much is spent, those with many keep theirs."""
_FEW_BRACKETS = 30


def escape_unknown_tags(html: str) -> str:
    """Write what looks like a tag but is no HTML element as text."""
    return _TAG.sub(lambda tag: tag[0] if tag["name"].lower() in _ELEMENTS else f"&lt;{tag[0][1:-1]}&gt;", html)


class Inline:
    """Reads the paragraphs of one document."""

    def __init__(self, parser: MarkdownIt, environment: dict[str, Any]) -> None:
        """Keep the parser, and what it knows of the document's link references."""
        self._parser = parser
        self._environment = environment
        self._left_as_written = 0
        self._effort = 0

    def plain(self, source: str) -> str:
        """The text of one paragraph, heading or cell."""
        if not _MAY_BE_MARKUP.search(source):
            return join_lines(source)
        brackets = source.count("[")
        self._effort += brackets * brackets
        if len(source) > MAX_PARSED_CHARACTERS or (self._effort > MAX_EFFORT and brackets > _FEW_BRACKETS):
            self._left_as_written += 1
            return join_lines(source)
        tokens: list[Token] = []
        self._parser.inline.parse(source, self._parser, self._environment, tokens)
        text = "".join(_texts(tokens))
        return "\n".join(join_lines(line) for line in text.split("\v") if line.strip())

    def notes(self) -> list[str]:
        """What was not parsed."""
        if not self._left_as_written:
            return []
        return [f"{count_of(self._left_as_written, 'paragraph')} too long to parse, left with the markup"]


def _texts(tokens: list[Token]) -> list[str]:
    """The texts of inline tokens; a line break that was asked for is a vertical tab."""
    parts: list[str] = []
    link: tuple[int, str] | None = None
    for token in tokens:
        if token.type == "softbreak":
            parts.append("\n")
        elif token.type == "hardbreak":
            parts.append("\v")
        elif token.type == "image":
            parts += _texts(token.children or [])
        elif token.type == "html_inline":
            parts.append(_inline_html(token.content))
        elif token.type == "link_open":
            link = len(parts), str(token.attrs.get("href", ""))
        elif token.type == "link_close" and link is not None:
            if not "".join(parts[link[0] :]).strip():
                parts.append(link[1])
            link = None
        else:
            parts.append(token.content)
    return parts


def _inline_html(source: str) -> str:
    if _BREAKING.fullmatch(source):
        return "\v"
    tag = _TAG.fullmatch(source)
    return source if tag is not None and tag["name"].lower() not in _ELEMENTS else ""
