"""What a search may ask for besides its text, checked before anything is read.

All bounds are inclusive. Times are aware datetimes (or ISO text with an offset) and are
kept as microseconds since 1970 UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any, get_args
from uuid import UUID

from hybridkb.errors import InvalidFilter, InvalidInput
from hybridkb.knowledge.item import Confidence
from hybridkb.knowledge.paper_artifacts import ArtifactKind
from hybridkb.knowledge.provenance import SOURCE_CLASSES, at_least_as_trusted
from hybridkb.knowledge.source import SourceKind
from hybridkb.knowledge.times import from_microseconds, parse_instant, to_microseconds

_RANGES = (
    ("as_of_after", "as_of_before"),
    ("available_at_after", "available_at_before"),
    ("doc_date_after", "doc_date_before"),
)
_KNOWN_VALUES: Mapping[str, tuple[str, ...]] = {
    "artifact_kinds": get_args(ArtifactKind),
    "confidence": get_args(Confidence),
    "source_kinds": get_args(SourceKind),
    "sources": SOURCE_CLASSES,
}


@dataclass(frozen=True, slots=True)
class Filters:
    """A checked filter. Empty means that everything passes.

    Attributes:
        item_types, artifact_kinds, source_kinds, confidence: one of these.
        sources, kinds, verdicts: one of these on the provenance card.
        min_trust: a source class; it, or a more trusted one.
        tags: all of them. any_tags: one of them. exclude_tags: none of them.
        tickers, periods: one of these, in any case.
        collections: of one of these folders of documents.
        tree_id: parts of this tree. artifact_ids: parts of these artifacts, current or not.
        path_prefix: the path starts with these whole segments.
        as_of_after, as_of_before: bounds on the information cutoff. They prevent no look-ahead.
        available_at_after: became observable then or later.
        available_at_before: the cutoff; only what was observable by then, as it stood then.
        doc_date_after, doc_date_before: bounds on the card's day, ISO ``YYYY-MM-DD``.
    """

    item_types: tuple[str, ...] = ()
    artifact_kinds: tuple[str, ...] = ()
    source_kinds: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()
    confidence: tuple[str, ...] = ()
    min_trust: str | None = None
    tags: tuple[str, ...] = ()
    any_tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    tickers: tuple[str, ...] = ()
    periods: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    tree_id: str | None = None
    artifact_ids: tuple[str, ...] = ()
    path_prefix: str | None = None
    as_of_after: int | None = None
    as_of_before: int | None = None
    available_at_after: int | None = None
    available_at_before: int | None = None
    doc_date_after: str | None = None
    doc_date_before: str | None = None

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> Filters:
        """Check what a caller gave.

        Raises:
            InvalidFilter: an unknown name (the right one is suggested), a wrong type or value, an inverted range.
        """
        given = {_known(name): value for name, value in arguments.items()}
        checked: dict[str, Any] = {n: _CHECKS[n](n, value) for n, value in given.items() if value is not None}
        result = cls(**checked)
        result._refuse_inverted_ranges()
        result._refuse_contradictions()
        return result

    @property
    def cutoff(self) -> int | None:
        """``available_at_before``: the instant that also bounds the statistics."""
        return self.available_at_before

    @property
    def narrowing(self) -> dict[str, Any]:
        """Everything that is set, without the cutoff."""
        return {
            entry.name: getattr(self, entry.name)
            for entry in fields(self)
            if getattr(self, entry.name) not in (None, ()) and entry.name != "available_at_before"
        }

    def within(self, cutoff: int) -> Filters:
        """The same filter for someone who stands at ``cutoff`` (microseconds since 1970 UTC).

        An earlier ``available_at_before`` stays: it shows less.

        Raises:
            InvalidFilter: it asks for something later than the cutoff.
        """
        asked = self.available_at_before
        if asked is not None and asked > cutoff:
            raise InvalidFilter(
                f"available_at_before={_shown(asked)} lies after the snapshot's own {_shown(cutoff)}; leave it out, or "
                "give an earlier one",
                field="available_at_before",
            )
        bounded = self if asked is not None else replace(self, available_at_before=cutoff)
        bounded._refuse_inverted_ranges()
        return bounded

    def _refuse_inverted_ranges(self) -> None:
        for after, before in _RANGES:
            low, high = getattr(self, after), getattr(self, before)
            if low is not None and high is not None and low > high:
                raise InvalidFilter(
                    f"{after}={_shown(low)} lies after {before}={_shown(high)}; nothing can match, exchange them",
                    field=after,
                )

    def _refuse_contradictions(self) -> None:
        both = set(self.tags) & set(self.exclude_tags)
        if both:
            raise InvalidFilter(
                f"the tag {min(both)!r} is both asked for and excluded; leave it out of tags or exclude_tags",
                field="exclude_tags",
            )
        if self.any_tags and set(self.any_tags) <= set(self.exclude_tags):
            raise InvalidFilter("every tag of any_tags is in exclude_tags; nothing can match", field="exclude_tags")
        if self.min_trust and self.sources and not set(self.sources) & set(at_least_as_trusted(self.min_trust)):
            raise InvalidFilter(
                f"sources={list(self.sources)} are all trusted less than min_trust={self.min_trust!r}",
                field="min_trust",
            )


def _known(name: str) -> str:
    if name in _CHECKS:
        return name
    near = get_close_matches(name, FILTER_NAMES, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else "known are " + ", ".join(FILTER_NAMES)
    raise InvalidFilter(f"there is no filter {name!r}; {hint}", field=name)


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str | UUID):
        value = (value,)
    if not isinstance(value, Iterable) or isinstance(value, bytes | Mapping):
        raise InvalidFilter(f"{name} takes a text or a list of texts, not {value!r}", field=name)
    texts = tuple(dict.fromkeys(_text(name, entry) for entry in value))
    if not texts:
        raise InvalidFilter(f"{name} is an empty list, which nothing can match; leave it out", field=name)
    known = _KNOWN_VALUES.get(name)
    for text in texts if known else ():
        if text not in known:  # type: ignore[operator]
            raise InvalidFilter(f"{name} does not know {text!r}; use {', '.join(known)}", field=name)  # type: ignore[arg-type]
    return texts


def _text(name: str, value: Any) -> str:
    if isinstance(value, UUID):
        return str(value)
    if not isinstance(value, str) or not value:
        raise InvalidFilter(f"{name} takes text, not {value!r}", field=name)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidFilter(f"{name} holds a lone surrogate, which no stored value has", field=name) from None
    return value


def _identifier(name: str, value: Any) -> str:
    try:
        return str(value if isinstance(value, UUID) else UUID(_text(name, value)))
    except ValueError:
        raise InvalidFilter(f"{name} takes an id (a UUID), not {value!r}", field=name) from None


def _identifiers(name: str, value: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_identifier(name, text) for text in _texts(name, value)))


def _path(name: str, value: Any) -> str:
    path = _text(name, value).replace("\\", "/").removeprefix("./").rstrip("/")
    if not path:
        raise InvalidFilter(f"{name} names no path segment: {value!r}", field=name)
    return path


def _trust(name: str, value: Any) -> str:
    try:
        at_least_as_trusted(_text(name, value))
    except InvalidInput as error:
        raise InvalidFilter(str(error), field=name) from None
    return str(value)


def _instant(name: str, value: Any) -> int:
    if not isinstance(value, str | datetime):
        raise InvalidFilter(f"{name} takes an aware datetime, not {value!r}", field=name)
    try:
        return to_microseconds(parse_instant(value, rounding="up" if name.endswith("_after") else "down"))
    except InvalidInput as error:
        raise InvalidFilter(f"{name}: {error}", field=name) from None


def _day(name: str, value: Any) -> str:
    try:
        if isinstance(value, date) and not isinstance(value, datetime):
            return value.isoformat()
        return date.fromisoformat(_text(name, value)).isoformat()
    except ValueError:
        raise InvalidFilter(f"{name} takes a day as YYYY-MM-DD, not {value!r}", field=name) from None


def _shown(bound: int | str) -> str:
    return bound if isinstance(bound, str) else from_microseconds(bound).isoformat()


_CHECKS = {entry.name: _texts for entry in fields(Filters)} | {
    "min_trust": _trust,
    "tree_id": _identifier,
    "artifact_ids": _identifiers,
    "path_prefix": _path,
    "as_of_after": _instant,
    "as_of_before": _instant,
    "available_at_after": _instant,
    "available_at_before": _instant,
    "doc_date_after": _day,
    "doc_date_before": _day,
}
FILTER_NAMES: tuple[str, ...] = tuple(_CHECKS)
