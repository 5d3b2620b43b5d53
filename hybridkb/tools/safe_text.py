"""Text of documents on its way to a model or a terminal: what could command either is taken out, and it is fenced.

A fence carries a name that is made from everything an answer quotes, names included, and stands nowhere in it, so no
document can close it, nor seem to in its title or tags.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from hashlib import blake2b

ELLIPSIS = "…"
UNNAMED = "--------"
"""Stands for the name of a fence until it is known."""

# A whole sequence to a terminal: colours and cursor (CSI), titles and links (OSC, when it ends), two-letter ones.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]{0,1000}(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-Z\\-~]"
)
# Control characters but tab and line feed; what turns the direction of writing; invisible tag letters.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
_LINE_END = re.compile("\r\n?|[\u2028\u2029\x85]")
# The folders of an absolute path; a path in an address has letters or a colon before it.
_PLACE = re.compile(r"(?<![\w.:/\\])(?:[A-Za-z]:)?[/\\](?:[^/\\\s'\":,;]+[/\\])+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Take out what a reader cannot see but a terminal or a model may obey; line ends become line feeds."""
    text = _LINE_END.sub("\n", _SEQUENCE.sub("", text))
    return _SURROGATE.sub("\ufffd", _HIDDEN.sub("", text))


def one_line(text: str) -> str:
    """Clean a text and put it on one line."""
    return " ".join(clean(text).split())


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


def fence_name(texts: Iterable[str]) -> str:
    """A name for the fence around these texts that occurs in none of them; the same texts get the same name."""
    held = "\0".join(texts)
    for attempt in range(1_000):
        name = blake2b(f"{attempt}\0{held}".encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
        if name not in held:
            return name
    raise AssertionError("a text cannot hold a thousand hashes of itself")


def fenced(text: str, name: str) -> str:
    """Put a cleaned text between the marks that say: quoted, untrusted."""
    return f"<untrusted {name}>{text}</untrusted {name}>"
