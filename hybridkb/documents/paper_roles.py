"""What a block of a paper is: a heading, a caption, or text.

A heading is told by the file's outline, else by its letters: larger than the body's, or bold where the body is not, or
with a number in another font. Names that papers give to their parts (Abstract, References) are headings wherever they
stand alone on a line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from hybridkb.documents.pdf_fonts import Font
from hybridkb.documents.pdf_layout import Row
from hybridkb.documents.pdf_words import Word, most_common_font

_LONGEST_HEADING = 200
_LONGEST_PLAIN = 90
_MOST_ROWS = 4
_LARGER = 1.12
_MUCH_LARGER = 1.35

_CAPTION = re.compile(
    r"(?i:Fig(?:ure)?\.?|Tab(?:le)?\.?|Chart|Exhibit|Algorithm|Listing|Scheme|Plate|Box)\s*"
    r"(?:[A-Z]?\.?\d+(?:[.-]\d+)*[a-z]?|[IVXLC]+|[A-Z]\d*)(?P<after>\s*[:|–—]|\.(?=\s|\Z)|\s*\Z|\s+(?=[A-Z(]))"
)
_REFERENCE = re.compile(
    r"\s*(?:and|or|in|of|on|is|are|was|were|shows?|illustrates?|presents?|gives?|lists?|reports?)\b"
)
_NUMBER = re.compile(r"(?P<many>(?:[A-Z]|\d{1,2})(?:\.\d{1,2})+\.?|)(?P<one>(?:\d{1,2}|[A-Z]|[IVX]{1,5})\.?|)\s+(?=\S)")
_KNOWN = re.compile(
    r"(?:(?:\d{1,2}|[IVX]{1,5}|[A-Z])\.?\s+)?(?:abstract|introduction|related work|background|conclusions?|references|"
    r"bibliography|acknowledge?ments?|appendix(?: [A-Z0-9])?|appendices|contents|table of contents|discussion|results|"
    r"methods?|methodology|executive summary|supplementary materials?)\s*[.:]?",
    re.IGNORECASE,
)
_NO_HEADING = re.compile(r"[,;]\Z|\.\.\. ?[\divxl]+\Z")
"""Ends of phrases, and lines of a table of contents."""
_ENDS_SENTENCE = re.compile(r"[.!?]\Z")


@dataclass(frozen=True, slots=True)
class Style:
    """How letters look: the most common font of a stretch of text, its size, and whether it is bold."""

    font: str
    size: float
    bold: bool


def style_of(words: Iterable[Word]) -> Style:
    """The style of most letters; letters whose font is unknown go by their height."""
    words = list(words)
    font: Font | None = most_common_font((word.font, len(word.text)) for word in words)
    if font is None:
        return Style("", round(max((word.height for word in words), default=0.0), 1), False)
    return Style(font.name, font.size, font.bold)


def words_in(rows: Iterable[Row]) -> list[Word]:
    """The words of some rows."""
    return [word for row in rows for word in row.words]


def body_style(rows: Iterable[Row]) -> Style:
    """The style that most letters of a document have, sizes taken to the next half point."""
    counts: Counter[tuple[str, float, bool]] = Counter()
    sizes: Counter[float] = Counter()
    for row in rows:
        style = style_of(row.words)
        letters = len(row.text)
        counts[style.font, round(2 * style.size) / 2, style.bold] += letters
        sizes[round(2 * style.size) / 2] += letters
    if not counts:
        return Style("", 0.0, False)
    size = max(sizes, key=lambda one: (sizes[one], one))
    of_size = {key: count for key, count in counts.items() if key[1] == size}
    return Style(*max(of_size, key=lambda key: (of_size[key], key)))


def is_caption(text: str, style: Style, body: Style) -> bool:
    """Whether a paragraph names a figure or a table, and does not only speak of one."""
    found = _CAPTION.match(text)
    if found is None or _REFERENCE.match(text, found.end()):
        return False
    after = found["after"].strip()
    if after:
        return not (after == "." and text[found.end() :].lstrip()[:1].islower())
    return found.end() == len(text) or style != body


def is_heading(text: str, rows: list[Row], body: Style, *, bold_tells: bool) -> bool:
    """Whether a paragraph is a heading by its letters.

    Args:
        text: its words.
        rows: what it is made of.
        body: the style of the document's text.
        bold_tells: whether bold letters alone make one; among the authors of a paper they do not.
    """
    if len(text) > _LONGEST_HEADING or len(rows) > _MOST_ROWS or sum(map(str.isalpha, text)) < 3:
        return False
    if _KNOWN.fullmatch(text):
        return True
    if _NO_HEADING.search(text) or any(len(row.cells) > 2 for row in rows):
        return False
    style = style_of(words_in(rows))
    number = number_of(text)
    begins = text[len(number) :].lstrip()[:1]
    if begins.islower() or not (begins.isalnum() or begins in "\"'“‘(¿¡$€£"):
        return False
    if style.size >= _LARGER * body.size and style.size >= body.size + 0.9:
        is_large = style.bold or style.size >= _MUCH_LARGER * body.size
        return bool(number) or is_large or (len(text) <= _LONGEST_PLAIN and not _ENDS_SENTENCE.search(text))
    if style.size < 0.88 * body.size or (len(text) > _LONGEST_PLAIN and not number):
        return False
    if all(row.is_bold for row in rows) and not body.bold:
        return bool(number) or (bold_tells and not _ENDS_SENTENCE.search(text))
    if not number or len(rows) > 2 or len(text) > _LONGEST_PLAIN or _ENDS_SENTENCE.search(text):
        return False
    is_many = any(map(str.isdigit, number.rstrip(".")[1:]))
    return is_many or text == text.upper() or (style.font != body.font and style.size >= body.size)


def number_of(text: str) -> str:
    """The number that a heading begins with, such as ``"3.2.2"``, ``"IV."`` or ``"A.1"``; empty without one."""
    found = _NUMBER.match(text)
    if found is None:
        return ""
    number = found["many"] or found["one"]
    is_word = number in ("A", "I") and not text[found.end() :][:1].isupper()
    return "" if is_word else number


def is_known_part(text: str) -> bool:
    """Whether a line is a name that papers give to their parts."""
    return bool(_KNOWN.fullmatch(text))


def has_abstract(rows: Iterable[Row]) -> bool:
    """Whether a line says Abstract and nothing else, as papers have it below their authors."""
    return any(row.text.strip(" .:").casefold() == "abstract" for row in rows)
