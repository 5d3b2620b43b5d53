"""What a PDF is called: the title in its metadata if it is one, else the largest letters of its first page."""

from __future__ import annotations

import re
from statistics import median

from hybridkb.documents.pdf_layout import Row

_MADE_BY_A_PROGRAM = re.compile(
    r"^(?:microsoft (?:word|powerpoint|excel)\b.*|untitled.*|document\d*|presentation\d*|book\d+|slide \d+|title|"
    r"\(?anonymous\)?|none|null|.*\.(?:docx?|pptx?|xlsx?|pdf|tex|dvi|indd|qxd|rtf|html?|txt)|"
    r"https?://.*|[\w-]*\d{5,}[\w-]*|printmgr file|layout \d+)$",
    re.IGNORECASE,
)
_LONGEST = 250


def find_title(metadata: str, first_rows: list[Row]) -> str | None:
    """The title of a document; None when neither its metadata nor its first page tells one."""
    own = " ".join(metadata.split())
    if _is_title(own) and not _MADE_BY_A_PROGRAM.match(own):
        return own
    return _largest(first_rows)


def _is_title(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    return 3 <= len(text) <= _LONGEST and letters >= 3 and letters > 0.4 * len(text)


def _largest(rows: list[Row]) -> str | None:
    """The rows of clearly larger letters than the text's that stand together, highest first."""
    upper = rows[: max(3, len(rows) * 2 // 3)]
    if len(rows) < 2:
        return None
    usual = median(row.height for row in rows for _ in row.text)
    candidates = [row for row in upper if sum(map(str.isalpha, row.text)) >= 3]
    largest = max((row.height for row in candidates), default=0.0)
    if largest < 1.15 * usual:
        return None
    lines: list[Row] = []
    for row in candidates:
        if row.height < 0.93 * largest:
            if lines:
                break
        elif not lines or lines[-1].bottom - row.top < 1.2 * largest:
            lines.append(row)
    title = " ".join(" ".join(line.text for line in lines).replace("\x02", "-").split())
    return title if _is_title(title) else None
