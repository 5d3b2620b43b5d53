"""Lines that belong together although their places part them: a title of several lines, a centred sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hybridkb.documents.paper_roles import Style, number_of, style_of, words_in
from hybridkb.documents.pdf_hyphens import Vocabulary
from hybridkb.documents.pdf_layout import Row
from hybridkb.documents.pdf_paragraphs import Part
from hybridkb.documents.pdf_tables import gap

_ENDS_SENTENCE = (".", "!", "?", ":", ";")
_MOST_ROWS = 5
_NEAR = 0.6
_TITLE = 13.5
"""Height of letters in points from which on bold ones may be a title's."""


def joined_parts(parts: Iterable[tuple[Part, bool]], words: Vocabulary) -> Iterator[tuple[Part, bool]]:
    """Parts, each with whether the outline marks it as a heading; those that belong together are one."""
    last: tuple[Part, bool] | None = None
    for part, is_marked in parts:
        if last is not None and not last[1] and not is_marked and _goes_on(last[0], part):
            text = words.join(last[0].text, part.text)
            last = Part([*last[0].rows, *part.rows], text), False
            continue
        if last is not None:
            yield last
        last = part, is_marked
    if last is not None:
        yield last


def _goes_on(before: Part, part: Part) -> bool:
    """Whether a part goes on with the one before: close below it, in the same style, in the middle of a phrase."""
    above, below = before.rows[-1], part.rows[0]
    if before.is_table or part.is_table or len(above.cells) + len(below.cells) > 2 or not _are_aligned(above, below):
        return False
    if gap(above, below) > _NEAR * below.height or gap(above, below) < -below.height:
        return False
    if len(before.rows) + len(part.rows) > _MOST_ROWS or before.text.endswith(_ENDS_SENTENCE):
        return False
    style = style_of(words_in(before.rows))
    if not _is_like(style, style_of(words_in(part.rows))) or number_of(part.text):
        return False
    if part.text[:1].islower():
        return True
    return above.is_bold and below.is_bold and min(above.height, below.height) >= _TITLE


def _is_like(one: Style, other: Style) -> bool:
    return one.font == other.font and one.bold == other.bold and abs(one.size - other.size) < 0.05 * one.size


def _are_aligned(above: Row, below: Row) -> bool:
    """Whether two rows begin at the same place or have the same middle, also when one of them goes over columns."""
    if abs(above.left - below.left) < 2:
        return True
    return abs(above.left + above.right - below.left - below.right) < below.height
