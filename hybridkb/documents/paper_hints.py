"""What a PDF says about itself: authors, identifiers, a date. Hints, since anything may be written there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from hybridkb.documents.paper_text import clean_line
from hybridkb.documents.paper_title import TitleFrom
from hybridkb.knowledge.paper_source import PaperPage

_ARXIV = re.compile(
    r"arxiv(?:\.org/(?:abs|pdf)/|\s*:\s*)(?P<id>\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?P<version>v\d{1,3})?",
    re.IGNORECASE,
)
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}|\\^`]+")
_SAID_DOI = re.compile(r"doi(?:\.org/|\s*:?\s*)\s*(10\.\d{4,9}/[^\s\"<>{}|\\^`]+)", re.IGNORECASE)
_BETWEEN_NAMES = re.compile(r"\s*(?:;|,|\band\b|&|\|)\s*")
_DATE = re.compile(
    r"(?:D:)?(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?'?)", re.IGNORECASE | re.ASCII
)
_LONGEST_NAME = 80
_MOST_AUTHORS = 3_000
METADATA_KEYS = ("Author", "CreationDate", "Subject", "Keywords", "doi", "DOI", "arXivID", "WPS-ARTICLEDOI")


@dataclass(frozen=True, slots=True)
class PaperHints:
    """What the file says about itself, as far as it can be believed.

    Attributes:
        title_from: what the title rests on: the file's metadata, the largest letters of its first page, or its name.
        authors: the authors of its metadata, when its first page names them too; else empty.
        arxiv_id: of the stamp in the margin of its first page or of its metadata, with the version if that is told.
        doi: of its metadata, or the only one that its first page tells.
        created: when the file was made (UTC); not when the paper was published.
    """

    title_from: TitleFrom
    authors: tuple[str, ...] = ()
    arxiv_id: str | None = None
    doi: str | None = None
    created: datetime | None = None


def read_hints(metadata: dict[str, str], first: PaperPage | None, title_from: TitleFrom) -> PaperHints:
    """Gather the hints of a file.

    Args:
        metadata: its entries by key, such as ``"Author"``.
        first: its first page.
        title_from: what its title rests on.
    """
    text = first.text if first else ""
    return PaperHints(
        title_from=title_from,
        authors=_authors(metadata.get("Author", ""), text),
        arxiv_id=_arxiv_id(metadata, first),
        doi=_doi(metadata, text),
        created=_instant(metadata.get("CreationDate", "")),
    )


def _authors(written: str, text: str) -> tuple[str, ...]:
    """The names, when each has several words and its last is on the first page."""
    line = clean_line(written, _LONGEST_NAME * _MOST_AUTHORS)
    parts = line.split(";") if ";" in line else _BETWEEN_NAMES.split(line)
    names = [" ".join(part.split()) for part in parts if part.strip()]
    seen = set(re.findall(r"[^\W\d_]+", text.casefold()))
    for name in names:
        words = re.findall(r"[^\W\d_]+", name.casefold())
        if len(words) < 2 or len(name) > _LONGEST_NAME or not seen.issuperset(words[-1:]) or "@" in name:
            return ()
    return tuple(dict.fromkeys(names))


def _arxiv_id(metadata: dict[str, str], first: PaperPage | None) -> str | None:
    stamps = [first.text[b.start : b.end] for b in first.blocks if b.role == "margin"] if first else []
    for place in (*stamps, *(metadata.get(key, "") for key in ("arXivID", "Subject", "Keywords"))):
        found = _ARXIV.search(place)
        if found:
            return found["id"] + (found["version"] or "").lower()
    return None


def _doi(metadata: dict[str, str], text: str) -> str | None:
    for key in ("doi", "DOI", "WPS-ARTICLEDOI", "Subject", "Keywords"):
        found = _DOI.search(metadata.get(key, ""))
        if found:
            return _trimmed(found[0])
    said = {_trimmed(found[1]) for found in _SAID_DOI.finditer(text)}
    return said.pop() if len(said) == 1 else None


def _trimmed(doi: str) -> str:
    doi = doi.rstrip(".,;:'’")
    while doi.endswith((")", "]")) and doi.count("(") + doi.count("[") < doi.count(")") + doi.count("]"):
        doi = doi[:-1].rstrip(".,;:")
    return doi


def _instant(written: str) -> datetime | None:
    """A date of a PDF as an instant; None without a zone, since then it is none."""
    found = _DATE.match(written.strip())
    if found is None:
        return None
    year, month, day, hour, minute = (int(found[at]) for at in range(1, 6))
    zone = UTC if found[7] else timezone(_offset(found[8], int(found[9]), int(found[10] or 0)))
    try:
        return datetime(year, month, day, hour, minute, int(found[6] or 0), tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _offset(sign: str, hours: int, minutes: int) -> timedelta:
    offset = timedelta(hours=hours % 24, minutes=minutes % 60)
    return -offset if sign == "-" else offset
