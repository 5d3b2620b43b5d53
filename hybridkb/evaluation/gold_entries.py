"""One line of a gold set, read strictly: what is not understood is refused, never passed over."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, NoReturn
from uuid import UUID

from hybridkb.errors import InvalidInput
from hybridkb.evaluation.gold_set import DOCUMENT, MOST_GRADE, GoldRecord, Judgement
from hybridkb.filters import Filters
from hybridkb.knowledge import Locator
from hybridkb.knowledge.card import card_id, chunk_locator
from hybridkb.knowledge.times import parse_day_or_instant

_RECORD_KEYS = ("query", "relevant", "filters", "cutoff", "id", "kind", "note", "candidates")
_ADDRESS_KEYS = ("locator", "item", "slug", "document", "path")
_JUDGED_KEYS = (*_ADDRESS_KEYS, "chunk", "quote", "grade", "text_hash", "note")
_CANDIDATE_KEYS = (*_JUDGED_KEYS, "judgement", "title", "snippet", "found")
_WAYS = (
    'write {"slug": ..., "chunk": 3}, {"document": "notes/copper.md"}, {"item": UUID}, {"locator": "item:UUID#node"}, '
    "each with an optional grade and quote; or a locator, a UUID, or [slug, chunk]"
)


def parse_json(text: str | bytes) -> Any:
    """Read JSON that names no key twice and holds no NaN and no half characters.

    Raises:
        InvalidInput: it does not.
    """
    try:
        found = json.loads(text, object_pairs_hook=_distinct, parse_constant=_no_constant)
    except RecursionError:
        raise InvalidInput("the JSON is nested too deeply") from None
    except InvalidInput:
        raise
    except ValueError as error:
        raise InvalidInput(f"this is not JSON: {error}") from None
    _refuse_half_characters(found)
    return found


def _refuse_half_characters(value: Any) -> None:
    """A lone surrogate can be written as an escape, and then neither be shown nor be written again."""
    try:
        json.dumps(value, ensure_ascii=False, default=repr, skipkeys=True).encode()
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start])
        raise InvalidInput(f"{half} is half a character and no text; write the whole character") from None
    except (ValueError, RecursionError):
        raise InvalidInput("a record holds itself, or is nested too deeply") from None


def read_record(fields: Any, *, zone: str = "UTC", line: int = 0) -> GoldRecord:
    """Read one record of a gold set.

    Args:
        fields: what its JSON holds.
        zone: the zone in which a cutoff that is a day alone is read; it means that day's first microsecond.
        line: where it stands.

    Raises:
        InvalidInput: it is none; the text says why.
    """
    if not isinstance(fields, Mapping):
        raise InvalidInput(f"a record is a JSON object, not {type(fields).__name__}")
    _refuse_half_characters(fields)
    _only_known(fields, _RECORD_KEYS, "a record")
    query = fields.get("query")
    if not isinstance(query, str) or not query.strip():
        raise InvalidInput('a record needs a "query" with text in it', field="query")
    judgements = _judgements(fields)
    return GoldRecord(
        query=query,
        judgements=judgements,
        filters=_filters(fields, zone),
        id=_text_or_none(fields, "id"),
        kind=_text_or_none(fields, "kind"),
        note=_text_or_none(fields, "note"),
        line=line,
    )


def _judgements(fields: Mapping[str, Any]) -> tuple[Judgement, ...]:
    entries = fields.get("relevant")
    if entries is None and "candidates" not in fields:
        raise InvalidInput(
            'a record needs "relevant": a list of answers; [] says that nothing answers', field="relevant"
        )
    found = [_judgement(entry) for entry in _list([] if entries is None else entries, "relevant")]
    found += _accepted(candidates_of(fields))
    return _consistent(found)


def candidates_of(fields: Mapping[str, Any]) -> list[Any]:
    """The candidates that ``propose`` listed in a record.

    Raises:
        InvalidInput: they are no list of objects.
    """
    candidates = fields.get("candidates")
    found = _list([] if candidates is None else candidates, "candidates")
    if not all(isinstance(one, Mapping) for one in found):
        raise InvalidInput("a candidate is a JSON object", field="candidates")
    return found


def _consistent(found: Sequence[Judgement]) -> tuple[Judgement, ...]:
    by_name: dict[str, Judgement] = {}
    for one in found:
        if one.name in by_name:
            raise InvalidInput(f"{one.written} is judged twice; keep one of them", field="relevant")
        by_name[one.name] = one
    for one in found:
        if not one.whole and one.owner in by_name:
            raise InvalidInput(
                f"both {by_name[one.owner].written} and its part {one.written} are judged; judge the document or its "
                "parts",
                field="relevant",
            )
    return tuple(found)


def _accepted(candidates: Sequence[Any]) -> list[Judgement]:
    """Candidates that ``propose`` listed and a person has judged."""
    waiting = 0
    found: list[Judgement] = []
    for entry in candidates:
        _only_known(entry, _CANDIDATE_KEYS, "a candidate")
        if entry.get("judgement") is None:
            waiting += 1
            continue
        known = {name: value for name, value in entry.items() if name in _JUDGED_KEYS and name != "grade"}
        found.append(_judgement({**known, "grade": entry["judgement"]}))
    if waiting:
        raise InvalidInput(
            f'{waiting} of {len(candidates)} candidates are not judged yet; set "judgement" to 0 (wrong), 1 (right) or '
            "more (better)",
            field="candidates",
        )
    return found


def _judgement(entry: Any) -> Judgement:
    if isinstance(entry, str):
        return _by_text(entry)
    if isinstance(entry, Sequence) and not isinstance(entry, bytes):
        if len(entry) != 2:
            raise InvalidInput(f"{entry!r} is no answer; {_WAYS}", field="relevant")
        return _by_slug(entry[0], entry[1])
    if not isinstance(entry, Mapping):
        raise InvalidInput(f"{entry!r} is no answer; {_WAYS}", field="relevant")
    _only_known(entry, _JUDGED_KEYS, "an answer")
    return _by_fields(entry)


def _by_fields(entry: Mapping[str, Any]) -> Judgement:
    named = [name for name in _ADDRESS_KEYS if name in entry]
    if len(named) != 1:
        raise InvalidInput(f"an answer has one address, this one has {', '.join(named) or 'none'}; {_WAYS}")
    address = _address(named[0], entry[named[0]], entry)
    quote = _quote(entry)
    if quote is not None and address.member is not None:
        raise InvalidInput("give the chunk or a quote, not both", field="quote")
    written = address.written if quote is None else f"{address.written}: {quote!r}"
    return replace(address, quote=quote, grade=_grade(entry), text_hash=_hash(entry), written=written)


def _address(kind: str, value: Any, entry: Mapping[str, Any]) -> Judgement:
    if kind == "slug":
        return _by_slug(value, entry.get("chunk"))
    if "chunk" in entry:
        raise InvalidInput(f'"chunk" goes with "slug", not with "{kind}"', field="chunk")
    if not isinstance(value, str) or not value:
        raise InvalidInput(f'"{kind}" is text, not {value!r}', field=kind)
    if kind in ("document", "path"):
        path = value.replace("\\", "/").removeprefix("./")
        return Judgement(f"{DOCUMENT}{path}", written=value)
    if kind == "item":
        return Judgement(f"item:{_uuid(value)}", written=value)
    return _by_locator(value)


def _by_text(text: str) -> Judgement:
    if ":" in text:
        return _by_locator(text)
    try:
        return Judgement(f"item:{UUID(text)}", written=text)
    except ValueError:
        raise InvalidInput(f"{text!r} is neither a locator nor a UUID; {_WAYS}", field="relevant") from None


def _by_locator(text: str) -> Judgement:
    locator = Locator.parse(text)
    return Judgement(f"{locator.owner_kind}:{locator.owner_id}", locator.member_id, written=text)


def _by_slug(slug: Any, chunk: Any) -> Judgement:
    if not isinstance(slug, str) or not slug:
        raise InvalidInput(f"a slug is text, not {slug!r}", field="slug")
    if chunk is None:
        return Judgement(f"item:{card_id(slug)}", written=slug)
    if isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 0:
        raise InvalidInput(f"a chunk is a whole number from 0, not {chunk!r}", field="chunk")
    locator = chunk_locator(slug, chunk)
    return Judgement(f"item:{locator.owner_id}", locator.member_id, written=f"{slug}, chunk {chunk}")


def _quote(entry: Mapping[str, Any]) -> str | None:
    quote = entry.get("quote")
    if quote is None:
        return None
    if not isinstance(quote, str) or not any(part.strip() for part in quote.split("…")):
        raise InvalidInput(f'"quote" is text, not {quote!r}', field="quote")
    return quote


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise InvalidInput(f"{text!r} is not an item's id (a UUID)", field="item") from None


def _grade(entry: Mapping[str, Any]) -> int:
    grade = entry.get("grade", 1)
    if isinstance(grade, bool) or not isinstance(grade, int) or not 0 <= grade <= MOST_GRADE:
        raise InvalidInput(f"a grade is a whole number from 0 to {MOST_GRADE}, not {grade!r}", field="grade")
    return grade


def _hash(entry: Mapping[str, Any]) -> str | None:
    value = entry.get("text_hash")
    if value is None:
        return None
    if not isinstance(value, str) or len(value) != 32 or not set(value) <= set("0123456789abcdef"):
        raise InvalidInput("text_hash is 32 hexadecimal digits, as `hybridkb gold stamp` writes it", field="text_hash")
    return value


def _filters(fields: Mapping[str, Any], zone: str) -> Filters:
    given = {} if fields.get("filters") is None else fields["filters"]
    if not isinstance(given, Mapping):
        raise InvalidInput('"filters" is an object, such as {"tags": ["metals"]}', field="filters")
    named = dict(given)
    cutoff = fields.get("cutoff")
    if cutoff is not None:
        if named.get("available_at_before") is not None:
            raise InvalidInput("give the cutoff once: as cutoff or as available_at_before", field="cutoff")
        if not isinstance(cutoff, str):
            raise InvalidInput(f"a cutoff is a day or an instant as text, not {cutoff!r}", field="cutoff")
        named["available_at_before"] = parse_day_or_instant(cutoff, meaning="cutoff", zone=zone)
    return Filters.of(named)


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise InvalidInput(f'"{name}" is a list, not {value!r}', field=name)
    return list(value)


def _text_or_none(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str | int):
        raise InvalidInput(f'"{name}" is text, not {value!r}', field=name)
    return None if value is None else str(value)


def _only_known(fields: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    for name in fields:
        if name not in known:
            near = get_close_matches(str(name), known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else "known are " + ", ".join(known)
            raise InvalidInput(f"{what} has no {name!r}; {hint}", field=str(name))


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput(f"the key {twice!r} stands twice in one object; keep one")
    return found


def _no_constant(name: str) -> NoReturn:
    raise InvalidInput(f"{name} is no JSON number")
