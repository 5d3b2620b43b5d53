"""What a reader of one format hands over, before it is cut into passages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from hybridkb.documents.document import Passage


@dataclass(slots=True)
class Content:
    """A document as its format's reader found it.

    Attributes:
        passages: its passages in reading order; may still be made while they are taken.
        title: what it is called, if it says so.
        fields: the fields of its front matter, unread.
        notes: what was degraded; reading on may add to them.
        pages: how many pages it has; None without pages.
        encoding: what its text was read as; None of a PDF.
    """

    passages: Iterable[Passage]
    title: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    pages: int | None = None
    encoding: str | None = None
