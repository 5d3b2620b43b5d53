"""The characters of a paper's text: composed, without marks that are not seen and without control characters."""

from __future__ import annotations

import re
import unicodedata

from hybridkb.documents.pdf_hyphens import without_marks

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]")
_SPACES = re.compile(r"[^\S\n]+")


def clean_text(text: str) -> str:
    """One block's text: each white space one space, but for the ends of lines; none of them blank."""
    text = _UNSEEN.sub("", without_marks(text).replace("\r", "\n").replace("\t", " "))
    lines = (_SPACES.sub(" ", line).rstrip() for line in unicodedata.normalize("NFC", text).split("\n"))
    return "\n".join(line for line in lines if line.strip())


def clean_line(text: str, longest: int) -> str:
    """A title or a label on one line, cut when it is longer than that."""
    line = " ".join(clean_text(text).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
