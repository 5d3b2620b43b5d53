"""What answers quote, made to fit: cleaned and fenced (:mod:`hybridkb.text.quoting`), without places, cut to length."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable

from hybridkb.text.quoting import clean, fence_name, fenced, one_line

__all__ = [
    "ELLIPSIS",
    "UNNAMED",
    "clean",
    "clip",
    "clip_middle",
    "fence_name",
    "fenced",
    "one_line",
    "serialised",
    "without_places",
]

ELLIPSIS = "…"
UNNAMED = "--------"
"""Stands for the name of a fence until it is known."""

# The folders of an absolute path; a path in an address has letters or a colon before it.
_PLACE = re.compile(r"(?<![\w.:/\\])(?:[A-Za-z]:)?[/\\](?:[^/\\\s'\":,;]+[/\\])+")


def without_places(text: str, known: Iterable[str] = ()) -> str:
    """Take out in which folders of this machine files lie: that is its operator's business, their names are not.

    Args:
        text: an error or a report.
        known: absolute paths that may stand in it; those with white space are found no other way.
    """
    for path in sorted((path for path in known if os.path.isabs(path)), key=len, reverse=True):
        text = text.replace(path, os.path.basename(path.rstrip("/\\")) or path)
    return _PLACE.sub("", text)


def serialised(value: object) -> int:
    """Characters of a value as ``json.dumps`` writes it by default; no form without indent is longer."""
    return len(json.dumps(value))


def clip(text: str, limit: int) -> str:
    """Cut a text so that it takes at most ``limit`` characters when serialised, its quotes left out."""
    if serialised(text) - 2 <= limit:
        return text
    room = limit - (serialised(ELLIPSIS) - 2)
    low, high = 0, min(len(text), max(room, 0))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if serialised(text[:middle]) - 2 <= room else (low, middle - 1)
    return text[:low].rstrip() + ELLIPSIS if room >= 0 else ""


def clip_middle(text: str, limit: int) -> str:
    """Cut a text to ``limit`` characters by leaving out its middle: how to mend an error stands at its end."""
    if len(text) <= limit:
        return text
    kept = limit - len(ELLIPSIS)
    return text[: kept - kept // 2] + ELLIPSIS + text[len(text) - kept // 2 :]
