"""Lines of one paragraph to one text."""

from __future__ import annotations

import re
from itertools import pairwise

_UNSPACED = re.compile("[\u2e80-\u2fdf\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60]")


def between(before: str, after: str) -> str:
    """What joins two lines: a space, or nothing between two characters of a script written without spaces."""
    return "" if before and after and _UNSPACED.match(before[-1]) and _UNSPACED.match(after) else " "


def join_lines(text: str) -> str:
    """Join the lines of a paragraph: by a space, or by nothing between two characters of an unspaced script."""
    if "\n" not in text:
        return text.strip()
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    joined: list[str] = lines[:1]
    for before, line in pairwise(lines):
        joined += [between(before, line), line]
    return "".join(joined)
