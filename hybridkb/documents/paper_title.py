"""What a paper is called, and how that is known."""

from __future__ import annotations

from typing import Literal

from hybridkb.documents.paper_text import clean_line
from hybridkb.documents.pdf_layout import Row
from hybridkb.documents.pdf_title import find_title

TitleFrom = Literal["metadata", "page", "name"]

_LONGEST = 300


def paper_title(metadata: str, first_rows: list[Row], name: str) -> tuple[str, TitleFrom]:
    """The title in the metadata if it is one, else the largest letters of the first page, else the name of the file."""
    own = clean_line(metadata, _LONGEST)
    found = clean_line(find_title(own, first_rows) or "", _LONGEST)
    if found:
        return found, "metadata" if found == own else "page"
    base = name.replace("\\", "/").rpartition("/")[2]
    return clean_line(base.rpartition(".")[0] or base, _LONGEST) or "paper", "name"
