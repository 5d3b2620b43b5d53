"""What a source says about itself: provenance, times and status, from front matter or from the cells of a row.

A source may say that it is less trusted than its reader takes it for, never more. A time that cannot be read is left
unknown and noted; no other stands in for an ``available_at``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hybridkb.documents import FrontMatter
from hybridkb.documents.front_matter_fields import read_fields
from hybridkb.errors import InvalidInput
from hybridkb.knowledge import SOURCE_CLASSES, Provenance, SourceRef
from hybridkb.knowledge.card import AvailabilityBasis
from hybridkb.knowledge.times import parse_day_or_instant, read_zone

UPCOMING = frozenset(
    ("draft", "upcoming", "planned", "scheduled", "wip", "in progress", "pending", "running", "open", "idea", "outline")
)
"""What ``status`` says of a source that is not to be searched yet."""

PUBLISHED = frozenset(("", "published", "live", "final", "done", "complete", "completed", "archived", "public"))
"""What ``status`` says of one that is."""

_REVISED = ("revised_at", "revised", "updated_at", "updated")
_FETCHED = ("fetched_at", "fetched", "retrieved_at", "retrieved", "accessed")
_OWN = ("status", "draft", "upcoming", "slug", *_REVISED, *_FETCHED)


@dataclass(frozen=True, slots=True)
class Described:
    """A source's own words about itself, checked.

    Attributes:
        provenance: its card.
        title, tags: as written.
        as_of, available_at: its times (UTC); None is unknown.
        basis: what ``available_at`` rests on.
        published_at, fetched_at: as it says (UTC).
        slug: the name that it gives itself.
        status: why it is not to be searched yet; None when it is.
        notes: what was left out or guessed, one sentence each.
    """

    provenance: Provenance
    title: str | None
    tags: tuple[str, ...]
    as_of: datetime | None
    available_at: datetime | None
    basis: AvailabilityBasis | None
    published_at: datetime | None
    fetched_at: datetime | None
    slug: str | None
    status: str | None
    notes: tuple[str, ...]

    def source(self, name: str, content_hash: str) -> SourceRef:
        """Where it was read from: ``name`` is its path from the root, the hash that of what it says."""
        return SourceRef(
            kind="local",
            uri=name,
            published_at=self.published_at,
            fetched_at=self.fetched_at,
            content_hash=content_hash,
        )


def describe(fields: Mapping[str, Any], *, source: str, kind: str | None, zone: str) -> Described:
    """Read what a source says about itself.

    Args:
        fields: strings, lists and mappings by their keys.
        source: the class of trust that its reader gives it.
        kind: the kind that it has when it names none.
        zone: the zone in which a day alone is read; it becomes known at its end.

    Raises:
        InvalidInput: the class is unknown, or what it says makes no provenance card.
    """
    if source not in SOURCE_CLASSES:
        Provenance(source)
    own, rest = _part(fields)
    notes: list[str] = []
    rest["source_class"] = _trusted(rest, source, notes)
    if rest.get("source") in SOURCE_CLASSES:
        del rest["source"]
    said, wrong = read_fields(rest, read_zone(zone))
    notes += wrong
    revised, fetched = (_moments(own, names, zone, notes) for names in (_REVISED, _FETCHED))
    available_at, basis = _availability(said, revised, fetched)
    card = said.provenance or Provenance(source)
    return Described(
        provenance=Provenance(
            card.source,
            card.kind or kind,
            card.doc_date or _day_of(said.published_at, zone),
            card.verdict.casefold() if card.verdict else None,
            card.link or (said.source if said.source and "://" in said.source else None),
        ),
        title=said.title,
        tags=said.tags,
        as_of=said.as_of,
        available_at=available_at,
        basis=basis,
        published_at=said.published_at,
        fetched_at=fetched.latest,
        slug=_word(own.get("slug")),
        status=_status(own, notes),
        notes=tuple(notes),
    )


def plain_key(key: object) -> str:
    """A key as it is compared: lower case, words joined by underscores."""
    return "_".join(str(key).strip().lower().replace("-", " ").replace(".", " ").split())


def _part(fields: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields that are the memory's own, under plain keys, and the rest."""
    own = {plain_key(key): value for key, value in fields.items() if plain_key(key) in _OWN}
    return own, {plain_key(key): value for key, value in fields.items() if plain_key(key) not in _OWN}


def _trusted(fields: Mapping[str, Any], source: str, notes: list[str]) -> str:
    """The class of trust: the reader's, or the one that the source claims when that is trusted less."""
    card = fields.get("provenance")
    nested = card.get("source_class", card.get("source")) if isinstance(card, Mapping) else None
    for claim in (fields.get("source_class"), fields.get("source"), nested):
        if claim in SOURCE_CLASSES and claim != source:
            if SOURCE_CLASSES.index(claim) > SOURCE_CLASSES.index(source):
                return str(claim)
            notes.append(f"it calls itself {claim}, which is trusted more than {source}; that is not believed")
    return source


def _availability(
    said: FrontMatter, revised: _Moments, fetched: _Moments
) -> tuple[datetime | None, AvailabilityBasis | None]:
    """When it became observable: as it says itself; else the last publication; else when it was fetched.

    A revision whose time cannot be read may be later than all that can: it is unknown then.
    """
    if said.available_at is not None:
        return said.available_at, "stated"
    if "available_at" in said.refused or revised.unread:
        return None, None
    published = [moment for moment in (said.published_at, revised.latest) if moment is not None]
    if published:
        return max(published), "published"
    return (fetched.latest, "fetched") if fetched.latest is not None and not fetched.unread else (None, None)


@dataclass(frozen=True, slots=True)
class _Moments:
    """Times under several names: the latest, and whether one of them could not be read."""

    latest: datetime | None
    unread: bool


def _moments(own: Mapping[str, Any], names: tuple[str, ...], zone: str, notes: list[str]) -> _Moments:
    read: list[datetime] = []
    unread = False
    for name in names:
        if own.get(name) not in (None, ""):
            try:
                read.append(parse_day_or_instant(_word(own[name]) or "", meaning="available_at", zone=zone))
            except InvalidInput as error:
                notes.append(f"{name} is left out: {error}")
                unread = True
    return _Moments(max(read, default=None), unread)


def _day_of(moment: datetime | None, zone: str) -> str | None:
    return None if moment is None else moment.astimezone(read_zone(zone)).date().isoformat()


def _words(value: Any) -> str:
    """What an entry says in lower case; of a list of one, that one."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return " ".join(str(value or "").lower().replace("_", " ").replace("-", " ").split())


def _word(value: Any) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _status(own: Mapping[str, Any], notes: list[str]) -> str | None:
    """Why it is not to be searched yet."""
    for name in ("draft", "upcoming"):
        flag = _words(own.get(name))
        if flag in ("true", "yes", "y", "on", "1"):
            return name
        if flag not in ("", "false", "no", "n", "off", "0"):
            notes.append(f"{name} {flag!r} is neither true nor false; it is taken for false")
    status = _words(own.get("status"))
    if status in UPCOMING:
        return status
    if status not in PUBLISHED:
        notes.append(f"status {status!r} is not known; it is taken for published")
    return None
