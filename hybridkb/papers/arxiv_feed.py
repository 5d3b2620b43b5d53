"""What arXiv's interface says about a paper: one entry of an Atom feed, read without trusting it.

A document type is refused, and with it every entity that could grow or reach out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from xml.parsers import expat

from hybridkb.errors import InvalidInput
from hybridkb.knowledge.times import parse_instant
from hybridkb.papers.arxiv_id import ArxivIdentifier, as_arxiv

_ATOM = "http://www.w3.org/2005/Atom"
_ARXIV = "http://arxiv.org/schemas/atom"
_ENTRY = (f"{_ATOM} feed", f"{_ATOM} entry")
_FIELDS = {
    (f"{_ATOM} id",): "id",
    (f"{_ATOM} title",): "title",
    (f"{_ATOM} summary",): "abstract",
    (f"{_ATOM} updated",): "updated",
    (f"{_ATOM} author", f"{_ATOM} name"): "author",
    (f"{_ARXIV} doi",): "doi",
}
_SPACES = re.compile(r"\s+")


_DEEPEST = 16
"""Elements within each other; arXiv's feeds have five."""


class UnusableFeed(ValueError):
    """The answer is not a feed that can be read; the text says why."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry.

    Attributes:
        identifier: of the exact version; None where the entry tells of an error.
        title, authors, abstract, doi: as given, white space made single.
        updated: when this version was submitted.
    """

    identifier: ArxivIdentifier | None
    title: str
    authors: tuple[str, ...]
    abstract: str
    updated: datetime | None
    doi: str | None


def read_feed(data: bytes) -> list[FeedEntry]:
    """Read the entries of a feed.

    Raises:
        UnusableFeed: it is not well-formed, declares a document type, nests too deeply, or is another document.
    """
    reader = _Reader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    parser.StartDoctypeDeclHandler = _refuse_document_type
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise UnusableFeed(f"it is no well-formed XML ({error})") from error
    except (ValueError, LookupError) as error:
        if isinstance(error, UnusableFeed):
            raise
        raise UnusableFeed(f"its encoding cannot be read ({error})") from error
    if not reader.is_feed:
        raise UnusableFeed("it is no Atom feed")
    return [_entry(fields) for fields in reader.entries]


def _refuse_document_type(*_: object) -> None:
    raise UnusableFeed("it declares a document type, which is not read")


@dataclass(slots=True)
class _Reader:
    """Collects the fields of each entry."""

    is_feed: bool = False
    entries: list[dict[str, list[str]]] = field(default_factory=list)
    _path: list[str] = field(default_factory=list)
    _text: list[str] = field(default_factory=list)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)
        if len(self._path) > _DEEPEST:
            raise UnusableFeed(f"its elements nest deeper than {_DEEPEST}")
        self._text = []
        if tuple(self._path) == _ENTRY[:1]:
            self.is_feed = True
        elif tuple(self._path) == _ENTRY:
            self.entries.append({})

    def end(self, name: str) -> None:
        inside = tuple(self._path)
        if inside[:2] == _ENTRY and (known := _FIELDS.get(inside[2:])):
            text = _SPACES.sub(" ", "".join(self._text)).strip()
            self.entries[-1].setdefault(known, []).append(text)
        self._path.pop()
        self._text = []

    def characters(self, text: str) -> None:
        self._text.append(text)


def _entry(fields: dict[str, list[str]]) -> FeedEntry:
    def first(name: str) -> str:
        return next(iter(fields.get(name, ())), "")

    return FeedEntry(
        identifier=as_arxiv(first("id")),
        title=first("title"),
        authors=tuple(name for name in fields.get("author", ()) if name),
        abstract=first("abstract"),
        updated=_instant(first("updated")),
        doi=first("doi") or None,
    )


def _instant(text: str) -> datetime | None:
    try:
        return parse_instant(text) if text else None
    except InvalidInput as error:
        raise UnusableFeed(f"a time of it cannot be read: {error}") from error
