"""What a fetcher of papers hands over, and the seam by which another one takes the place of arXiv's."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from hybridkb.papers.arxiv_id import ArxivIdentifier


@dataclass(frozen=True, slots=True)
class FetchedPaper:
    """One exact version of a paper, as its publisher gave it.

    Attributes:
        data: the bytes of the PDF.
        arxiv_id: with its version.
        uri: where a reader finds it.
        title: what it is called.
        authors: in the order of the paper.
        abstract: as the publisher gives it; empty when it gives none.
        published_at: when this version appeared; None when unknown.
        fetched_at: when it was fetched.
        doi: without the address in front; None when it has none.
    """

    data: bytes = field(repr=False)
    arxiv_id: ArxivIdentifier
    uri: str
    title: str
    fetched_at: datetime
    authors: tuple[str, ...] = ()
    abstract: str = ""
    published_at: datetime | None = None
    doi: str | None = None


class PaperFetcher(Protocol):
    """Fetches papers; pass your own to ``paper_flow`` to read a mirror, or in tests."""

    def fetch(self, identifier: ArxivIdentifier) -> FetchedPaper:
        """Fetch one paper; an identifier without a version means the newest, and the answer names it.

        Called in a thread of its own; it may block.

        Raises:
            NotFound: there is no such paper, or no such version.
            FetchFailed: it cannot be had now, or what came is unusable.
        """
        ...
