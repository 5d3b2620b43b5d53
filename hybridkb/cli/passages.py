"""A long text in passages that end where a reader would stop."""

from __future__ import annotations

import re
from collections.abc import Iterator

PASSAGE_CHARACTERS = 1500

# Where a passage may end, best first: paragraph, line, sentence, word.
_BREAKS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?;])[\"')\]]*\s+|(?<=[。！？；])"),
    re.compile(r"\s+"),
)


def passages(text: str, limit: int = PASSAGE_CHARACTERS) -> Iterator[str]:
    """Cut a text into stretches of at most ``limit`` characters; only blanks at the seams are left out."""
    start = 0
    while start < len(text):
        end = len(text) if len(text) - start <= limit else _end_of_passage(text, start, limit)
        passage = text[start:end].strip()
        if passage:
            yield passage
        start = end


def _end_of_passage(text: str, start: int, limit: int) -> int:
    """Find the last good place to stop in the second half of the window; else cut at the limit."""
    for pattern in _BREAKS:
        ends = [match.end() for match in pattern.finditer(text, start + limit // 2, start + limit)]
        if ends:
            return ends[-1]
    return start + limit
