"""What reading a file gives: its title, its passages in reading order, its front matter, and what was degraded."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from hybridkb.knowledge import Provenance

INDEXED_SUFFIXES: tuple[str, ...] = (".md", ".markdown", ".txt", ".text", ".csv", ".tsv", ".html", ".htm", ".pdf")
"""Endings of the file names that are read, in lower case; a name may write them in any case."""

READER_VERSION = 1
"""Raised whenever the same bytes may give other passages; what was read with a lower one should be read again."""

PASSAGE_CHARACTERS = 1500
"""About how long a passage is, unless the caller says otherwise."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document that stands for itself: what is ranked, shown and cited.

    Attributes:
        text: its words as they were written, without markup; lines end with a line feed.
        heading: the headings above it, outermost first; empty under none. Of a table file, the rows it holds.
        page: the physical page, counted from 1; None in a document without pages.
    """

    text: str
    heading: tuple[str, ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a document says about itself. A value that is wrong is left out and told in the notes.

    Attributes:
        title: what the document is called.
        as_of: the information cutoff it represents (UTC).
        available_at: when it became observable (UTC); None is unknown, and never assumed safe.
        published_at: when it was published (UTC).
        tags: filter values, each once, in the order given.
        type: the item type, as written in lower case.
        source: where it comes from: an address or a name.
        confidence: ``"low"``, ``"medium"`` or ``"high"``.
        tickers: listed symbols it is about.
        periods: fiscal periods it is about, such as ``"Q3 2024"``.
        link: where a reader can open it.
        provenance: the provenance card, when its class is given.
        refused: names of the fields that the document gives without a value that can be used, such as an
            ``available_at`` that is no instant or says ``unknown``; nothing else may stand in for these.
    """

    title: str | None = None
    as_of: datetime | None = None
    available_at: datetime | None = None
    published_at: datetime | None = None
    tags: tuple[str, ...] = ()
    type: str | None = None
    source: str | None = None
    confidence: str | None = None
    tickers: tuple[str, ...] = ()
    periods: tuple[str, ...] = ()
    link: str | None = None
    provenance: Provenance | None = None
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as it was read.

    Attributes:
        title: from the front matter, else from the document itself, else the file's name without its ending.
        passages: in reading order; empty when the document holds no text, which the notes then say.
        front_matter: what it says about itself.
        notes: what was degraded, guessed or left out, one sentence each.
        pages: how many pages it has; None without pages.
        encoding: the encoding its text was read in, such as ``"utf-8"``; None of a PDF.
    """

    title: str
    passages: tuple[Passage, ...]
    front_matter: FrontMatter = field(default_factory=FrontMatter)
    notes: tuple[str, ...] = ()
    pages: int | None = None
    encoding: str | None = None
