"""Does a passage hold a quote? Equal characters are equal; a run of blanks, and what parts cells, is one space."""

from __future__ import annotations

import re
import unicodedata

_GAP = "…"
_SPACE = re.compile(r"[\s|]+")


def holds_quote(text: str, quote: str) -> bool:
    """Whether the parts of the quote, which an ellipsis separates, stand in the text in their order."""
    spaced, at = _spaced(text), 0
    for part in map(_spaced, quote.split(_GAP)):
        found = spaced.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _spaced(text: str) -> str:
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip()
