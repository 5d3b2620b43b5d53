"""What should be in the library, from whatever says so: slugs, entries, cards, a manifest, a table of articles."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from hybridkb.errors import InvalidInput
from hybridkb.memory.card import KnowledgeCard
from hybridkb.memory.collected import CollectedCards, SkippedCard, UpcomingCard
from hybridkb.memory.described import UPCOMING
from hybridkb.memory.manifest import read_manifest

_SLUG_KEYS = ("slug", "path", "name", "id")
_HASH_KEYS = ("content_hash", "sha256", "hash")
_FLAGS = ("draft", "upcoming")
_LISTS = ("articles", "entries", "slugs", "expected")
_YES = (True, 1, "true", "yes", "1", "on")
_DEEPEST = 5


@dataclass(frozen=True, slots=True)
class ExpectedEntry:
    """One thing that should be in.

    Attributes:
        slug: its name: of a card the slug, of a document the path.
        status: why it should not be in yet; None when it should.
        content_hash: hash of what it says now, to compare; None when nobody said.
        available_at: when it became observable, as far as it is known here.
    """

    slug: str
    status: str | None = None
    content_hash: str | None = None
    available_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """Everything that should be in.

    Attributes:
        entries: by slug.
        unreadable: files and rows that could not be read, and why.
        collection: of a folder of documents, whose entries are paths, the name under which it is kept in step.
    """

    entries: dict[str, ExpectedEntry]
    unreadable: tuple[SkippedCard, ...] = ()
    collection: str | None = None


def read_expected(expected: Any, *, depth: int = 0) -> Expectation:
    """Read what should be in; a folder is the caller's to read.

    Raises:
        InvalidInput: it is none of the forms that are understood; the text says which are.
        UnreadableDocument: a manifest cannot be read.
    """
    if depth > _DEEPEST:
        raise InvalidInput("expected calls on and on; give what should be in, or a call that returns it")
    if isinstance(expected, Expectation):
        return expected
    if isinstance(expected, KnowledgeCard):
        return _gather([expected])
    if isinstance(expected, CollectedCards):
        return _gather((*expected.cards, *expected.upcoming), expected.skipped)
    if isinstance(expected, str | os.PathLike):
        return read_expected(read_manifest(Path(expected)), depth=depth + 1)
    if callable(articles := getattr(expected, "articles", None)):
        return read_expected(articles(), depth=depth + 1)
    if isinstance(expected, Mapping):
        return read_expected(_of_mapping(expected), depth=depth + 1)
    if isinstance(expected, Iterable):
        return _gather(expected)
    if callable(expected):
        return read_expected(expected(), depth=depth + 1)
    raise InvalidInput(
        f"a {type(expected).__name__} does not say what should be in; give slugs, entries with slug and status, cards, "
        "a folder, a manifest (.json, .jsonl, .csv), an object with articles(), or a call that returns one of these",
        field="expected",
    )


def _of_mapping(expected: Mapping[Any, Any]) -> Iterable[Any]:
    """A mapping with one list of entries, one entry, or of slugs to what is said of them."""
    for name in _LISTS:
        if isinstance(expected.get(name), list | tuple):
            return list(expected[name])
        if isinstance(expected.get(name), Mapping):
            return [_named(slug, said) for slug, said in expected[name].items()]
    if isinstance(expected.get("slug"), str):
        return [expected]
    return [_named(slug, said) for slug, said in expected.items()]


def _named(slug: Any, said: Any) -> Any:
    if said is None or isinstance(said, str):
        return {"slug": slug, "status": said}
    return {"slug": slug, **said} if isinstance(said, Mapping) else said


def _gather(found: Iterable[Any], unreadable: tuple[SkippedCard, ...] = ()) -> Expectation:
    entries: dict[str, ExpectedEntry] = {}
    for position, one in enumerate(found):
        entry = _entry(one, position)
        known = entries.get(entry.slug)
        # Of two entries of one slug the one that should be in counts.
        entries[entry.slug] = entry if known is None or known.status else replace(known, status=None)
    return Expectation(entries, tuple(unreadable))


def _entry(one: Any, position: int) -> ExpectedEntry:
    if isinstance(one, str):
        return ExpectedEntry(_slug(one, position))
    if isinstance(one, ExpectedEntry):
        return one
    if isinstance(one, UpcomingCard):
        return ExpectedEntry(one.slug, one.status)
    if isinstance(one, KnowledgeCard):
        return ExpectedEntry(one.slug, None, one.content_hash, one.available_at)
    if isinstance(one, tuple) and not hasattr(one, "_fields"):
        one = dict(zip(("slug", "status", "content_hash"), one, strict=False))
    fields = dict(_fields(one, (*_SLUG_KEYS, *_HASH_KEYS, *_FLAGS, "status")))
    slug = next((fields[key] for key in _SLUG_KEYS if fields.get(key) not in (None, "")), None)
    given = next((fields[key] for key in _HASH_KEYS if fields.get(key)), None)
    return ExpectedEntry(
        _slug(slug, position),
        _status(fields),
        str(given).strip().lower().removeprefix("sha256:") if given else None,
    )


def _fields(one: Any, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """What an entry says under these names, as a mapping, a row of a table or an object."""
    keys = one.keys() if callable(getattr(one, "keys", None)) else None
    for name in names:
        if keys is not None:
            if name in keys:
                yield name, one[name]
        elif hasattr(one, name):
            yield name, getattr(one, name)


def _slug(value: Any, position: int) -> str:
    if isinstance(value, str) and value.strip():
        return value
    raise InvalidInput(f"entry {position} of what is expected has no slug; give it one (or a path)", field="expected")


def _status(fields: Mapping[str, Any]) -> str | None:
    for name in _FLAGS:
        flag = fields.get(name)
        if flag in _YES or (isinstance(flag, str) and flag.strip().lower() in _YES):
            return name
    status = " ".join(str(fields.get("status") or "").lower().replace("_", " ").replace("-", " ").split())
    return status if status in UPCOMING else None


