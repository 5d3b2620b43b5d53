"""The fields of front matter to typed values. What is wrong is left out and told; nothing here raises.

A wrong ``available_at`` stays unknown and is named in ``refused``, so that no other date takes its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from difflib import get_close_matches
from typing import Any, TypeVar

from hybridkb.documents.document import FrontMatter
from hybridkb.errors import InvalidInput
from hybridkb.knowledge import SOURCE_CLASSES, Provenance
from hybridkb.knowledge.times import Meaning, parse_day_or_instant

_ALIASES = {
    "title": ("title",),
    "as_of": ("as_of", "asof"),
    "available_at": ("available_at", "available", "available_from", "available_on"),
    "published_at": ("published_at", "published", "published_on", "publish_date", "publication_date", "pubdate"),
    "tags": ("tags", "tag"),
    "type": ("type", "item_type"),
    "source": ("source", "source_uri", "source_url"),
    "confidence": ("confidence",),
    "tickers": ("tickers", "ticker", "symbols", "symbol"),
    "periods": ("periods", "period"),
    "link": ("link", "url"),
    "source_class": ("source_class",),
    "kind": ("kind",),
    "verdict": ("verdict",),
    "doc_date": ("doc_date",),
    "provenance": ("provenance",),
}
_FIELD_OF = {alias: name for name, aliases in _ALIASES.items() for alias in aliases}
_DATE = "date"
_NEARLY = 0.8
_OTHERS = ("publisher",)
"""Fields of other people's front matter that only look like ours."""
_CARD = {"source": "source_class", "source_class": "source_class", "kind": "kind", "verdict": "verdict",
         "doc_date": "doc_date", "link": "link"}  # fmt: skip
_NOTHING = ("", "null", "~", "none")
_UNKNOWN = (*_NOTHING, "unknown", "n/a", "tbd", "?")
_WANTED_TIME = "a day (2024-03-11) or an instant with its offset (2024-03-11T09:30:00-04:00) is wanted"
_NEVER = 9999
_WANTED_DATE = "the year 9999 stands for a date that nobody knows; leave it blank, or give the one that is meant"
_CONFIDENCES = ("low", "medium", "high")

MAX_NAMES = 200
"""The most tags, tickers or periods that are read."""
MAX_VALUE_CHARACTERS = 1000
"""The most characters a value may hold."""

Value = TypeVar("Value")


def read_fields(
    fields: Mapping[str, Any], zone: tzinfo, *, date_is_publication: bool = True
) -> tuple[FrontMatter, list[str]]:
    """Turn the fields of front matter into values.

    Args:
        fields: strings, lists and mappings under their keys; None for what was given but cannot be read.
        zone: the zone in which a day alone begins and ends.
        date_is_publication: whether a bare ``date`` is that of publication, from which availability may follow; else
            it only says what day the document is about (``as_of``).

    Returns:
        The values, and one note for each that was left out.
    """
    reader = _Reader(zone, "published_at" if date_is_publication else "as_of")
    given = reader.sorted_out(fields)
    return reader.front_matter(given), reader.notes


@dataclass(slots=True)
class _Reader:
    """Reads one document's fields, and collects what is wrong with them."""

    zone: tzinfo
    date_means: str
    notes: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def sorted_out(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The values under our own names. Blank ones count as not given, but for a blank ``available_at``."""
        given: dict[str, Any] = {}
        for key, value in fields.items():
            plain = _plain(key)
            name = self.date_means if plain == _DATE else _FIELD_OF.get(plain)
            if name is None:
                self._suggest(key, plain)
            elif name == "available_at" and isinstance(value, str) and value.strip().lower() in _UNKNOWN:
                self.refused.append(name)
            elif isinstance(value, str) and value.strip().lower() in _NOTHING:
                continue
            elif value is None:
                self.refused.append(name)
            elif name in given and name != plain:
                continue  # the field's own name goes before its other names
            else:
                given[name] = value
        return self._with_card(given)

    def _suggest(self, key: str, plain: str) -> None:
        near = get_close_matches(plain, [*_FIELD_OF, _DATE], n=1, cutoff=_NEARLY)
        if not near or plain in _OTHERS:
            return
        self.notes.append(f"front matter: {_shown(key)} is not read; did you mean {near[0]}?")
        if _FIELD_OF.get(near[0]) == "available_at":
            self.refused.append("available_at")

    def _with_card(self, given: dict[str, Any]) -> dict[str, Any]:
        """With the fields of a nested provenance card, which count where the field itself is not given."""
        card = given.pop("provenance", None)
        if isinstance(card, dict):
            inner = {_CARD[_plain(key)]: value for key, value in card.items() if _plain(str(key)) in _CARD}
            return {**{key: value for key, value in inner.items() if value not in _NOTHING}, **given}
        if card is not None:
            self._refuse("provenance", "a mapping with source, kind, verdict, doc_date and link is wanted", card)
        return given

    def front_matter(self, given: dict[str, Any]) -> FrontMatter:
        """The values of the sorted fields."""

        def read(name: str, reader: Callable[[Any], Value]) -> Value | None:
            return self._read(name, given.get(name), reader)

        source = read("source", _text)
        if source in SOURCE_CLASSES and "source_class" not in given:
            given["source_class"], source = source, None
        link = read("link", _text)
        return FrontMatter(
            title=read("title", _text),
            as_of=read("as_of", self._moment("as_of")),
            available_at=read("available_at", self._moment("available_at")),
            published_at=read("published_at", self._moment("available_at")),
            tags=self._names("tags", given),
            type=read("type", _type),
            source=source,
            confidence=read("confidence", _confidence),
            tickers=self._names("tickers", given),
            periods=self._names("periods", given),
            link=link,
            provenance=self._provenance(given, link),
            refused=tuple(dict.fromkeys(self.refused)),
        )

    def _read(self, name: str, value: Any, reader: Callable[[Any], Value]) -> Value | None:
        if value is None:
            return None
        try:
            return reader(value)
        except InvalidInput as error:
            self._refuse(name, str(error), value)
            return None

    def _refuse(self, name: str, why: str, value: Any) -> None:
        self.refused.append(name)
        self.notes.append(f"front matter: {name} is left out, {why} (it is {_shown(value)})")

    def _moment(self, meaning: Meaning) -> Callable[[Any], datetime]:
        def read(value: Any) -> datetime:
            try:
                moment = parse_day_or_instant(_text(value), meaning=meaning, zone=self.zone)
            except InvalidInput:
                raise InvalidInput(_WANTED_TIME) from None
            if moment.year >= _NEVER:
                raise InvalidInput(_WANTED_DATE)
            return moment

        return read

    def _names(self, name: str, given: Mapping[str, Any]) -> tuple[str, ...]:
        """Names from a list or from text with commas; each wrong one is left out alone."""
        value = given.get(name)
        if value is None:
            return ()
        if isinstance(value, str):
            value = [part for part in value.split(",") if part.strip()]
        if not isinstance(value, list):
            self._refuse(name, "a list or text with commas is wanted", value)
            return ()
        if len(value) > MAX_NAMES:
            self.notes.append(f"front matter: of {len(value):,} {name} the first {MAX_NAMES} are read")
        names: dict[str, None] = {}
        for one in value[:MAX_NAMES]:
            if one in _NOTHING:
                continue
            try:
                names[_text(one)] = None
            except InvalidInput as error:
                self.notes.append(f"front matter: one of the {name} is left out, {error} (it is {_shown(one)})")
        return tuple(names)

    def _provenance(self, given: Mapping[str, Any], link: str | None) -> Provenance | None:
        kind = self._read("kind", given.get("kind"), _text)
        verdict = self._read("verdict", given.get("verdict"), _text)
        day = self._read("doc_date", given.get("doc_date"), _day)
        source = self._read("source_class", given.get("source_class"), _source_class)
        if source is not None:
            return Provenance(source, kind, day, verdict, link)
        missing = [name for name, value in (("kind", kind), ("verdict", verdict), ("doc_date", day)) if value]
        if missing and "source_class" not in given:
            wanted = f"a source_class (one of {', '.join(SOURCE_CLASSES)})"
            self.notes.append(f"front matter: {' and '.join(missing)} count only with {wanted}")
        return None


def _plain(key: Any) -> str:
    return re.sub(r"[\s.-]+", "_", str(key).strip().lower())


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput("one text is wanted")
    text = " ".join(value.split())
    if not text:
        raise InvalidInput("it is blank")
    if len(text) > MAX_VALUE_CHARACTERS:
        raise InvalidInput(f"it has more than {MAX_VALUE_CHARACTERS:,} characters")
    if any(character < " " or character == "\x7f" for character in text):
        raise InvalidInput("it holds a control character")
    return text


def _type(value: Any) -> str:
    return _plain(_text(value))


def _confidence(value: Any) -> str:
    text = _text(value).lower()
    if text not in _CONFIDENCES:
        raise InvalidInput(f"one of {', '.join(_CONFIDENCES)} is wanted")
    return text


def _source_class(value: Any) -> str:
    text = _plain(_text(value))
    if text not in SOURCE_CLASSES:
        raise InvalidInput(f"one of {', '.join(SOURCE_CLASSES)} is wanted")
    return text


def _day(value: Any) -> str:
    text = _text(value)
    try:
        if date.fromisoformat(text).isoformat() == text:
            return text
    except ValueError:
        pass
    raise InvalidInput("a day is wanted, YYYY-MM-DD")
