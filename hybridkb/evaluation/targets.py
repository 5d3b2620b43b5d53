"""Where judgements point in a library: which records they mean, and whether a search could ever find them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection, ids_parameter
from hybridkb.evaluation.gold_set import GoldRecord, GoldSet, Judgement, set_filters
from hybridkb.evaluation.quotes import holds_quote
from hybridkb.filters import Filters, compile_filters
from hybridkb.library import HybridLibrary, parts_of
from hybridkb.records import join_text
from hybridkb.resident import Resident
from hybridkb.search.candidates import passing_records

_ITEM = "item:"
_BLOCK = 10_000


@dataclass(frozen=True, slots=True)
class Place:
    """A record that a judgement means: its number, address, and the hash of its text."""

    record_id: int
    locator: str
    text_hash: bytes


@dataclass(frozen=True, slots=True)
class Target:
    """A judgement as this library can answer it.

    Attributes:
        judgement: what was judged.
        owners: documents that count as it, as ``item:UUID``; empty where a chunk or a quote is meant.
        locators: addresses of the chunks that count as it; empty for a document.
        held: whether the library holds any record of it, of whatever time.
        visible: whether one stands there at the query's cutoff, or now, whatever its filters.
        findable: whether a search with the query's filters and cutoff can see a record of it.
        texts: hashes of the texts that such a search sees.
    """

    judgement: Judgement
    owners: frozenset[str]
    locators: frozenset[str]
    held: bool
    visible: bool
    findable: bool
    texts: tuple[bytes, ...]


@dataclass(frozen=True)
class ResolvedRecord:
    """A query with its targets.

    Attributes:
        record: the query.
        targets: its judgements, in their order.
        candidates: how many documents (where whole documents are judged) or records its search can choose from, as
            far as it matters; more than that are not counted.
    """

    record: GoldRecord
    targets: tuple[Target, ...]
    candidates: int

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """Targets by the address of a chunk or of a document that counts as them."""
        found: dict[str, list[str]] = {}
        for target in self.targets:
            for address in target.owners | target.locators:
                found.setdefault(address, []).append(target.judgement.name)
        return found

    def units_of(self, locator: str) -> list[str]:
        """What a hit counts as: targets by name (a passage may hold two quotes), or the document or record itself."""
        owner = locator.partition("#")[0]
        return (
            self._names.get(locator) or self._names.get(owner) or [owner if self.record.by_document else locator]
        )


def resolve_targets(
    library: HybridLibrary, gold: GoldSet, *, k: int, filters: Filters | None = None
) -> list[ResolvedRecord]:
    """Find every judgement's records, as one instant of the library shows them.

    Args:
        library: where to look.
        gold: what was judged.
        k: how many hits count; decides how far candidates are counted.
        filters: narrow every query further.
    """
    parts = parts_of(library)
    with parts.follower.follow(parts.database) as (connection, resident):
        paths = _paths(connection, gold)
        places = _places(connection, gold, paths)
        looks: dict[str, _Look] = {}
        return [
            _resolve(record, paths, places, _look(connection, resident, looks, record, filters), k)
            for record in gold
        ]


class _Look:
    """What one filter and cutoff can see, and what the cutoff alone shows."""

    def __init__(self, connection: Connection, visible: NDArray[np.bool_], mask: NDArray[np.bool_]) -> None:
        self.visible = visible
        self.mask = mask
        self._connection = connection
        self._ids = np.flatnonzero(mask)
        self._owners: set[int] = set()
        self._read = 0

    def records(self) -> int:
        return len(self._ids)

    def documents(self, enough: int) -> int:
        """How many documents there are; counting stops at ``enough``."""
        while len(self._owners) < enough and self._read < len(self._ids):
            block = self._ids[self._read : self._read + _BLOCK]
            self._owners.update(row[0] for row in self._connection.rows("gold/owners", ids_parameter(block)))
            self._read += len(block)
        return len(self._owners)

    def sees(self, record_id: int) -> bool:
        return record_id < len(self.mask) and bool(self.mask[record_id])

    def shows(self, record_id: int) -> bool:
        return record_id < len(self.visible) and bool(self.visible[record_id])

    def quoting(self, places: list[Place], quote: str | None) -> list[Place]:
        """The places whose text holds the quote; all of them without one."""
        if quote is None or not places:
            return places
        rows = self._connection.rows("records/texts_of", ids_parameter(place.record_id for place in places))
        holding = {record_id for record_id, title, body in rows if holds_quote(join_text(title, body), quote)}
        return [place for place in places if place.record_id in holding]


def _look(
    connection: Connection, resident: Resident, looks: dict[str, _Look], record: GoldRecord, filters: Filters | None
) -> _Look:
    asked = combined(record.filters, filters)
    key = json.dumps(set_filters(asked), sort_keys=True)
    if key not in looks:
        mask = resident.visibility(asked.cutoff).mask
        passing = passing_records(connection, resident, compile_filters(asked))
        looks[key] = _Look(connection, mask, mask if passing is None else mask & passing)
    return looks[key]


def combined(own: Filters, further: Filters | None) -> Filters:
    """A query's own filters and those of the whole evaluation; what both set is the query's own.

    Raises:
        InvalidFilter: together they contradict each other.
    """
    if further is None:
        return own
    return Filters(**{**_fields(further), **_fields(own)})


def _fields(filters: Filters) -> dict[str, Any]:
    return {name: getattr(filters, name) for name in set_filters(filters)}


def _resolve(
    record: GoldRecord, paths: Mapping[str, list[str]], places: Mapping[str, list[Place]], look: _Look, k: int
) -> ResolvedRecord:
    targets = tuple(_target(one, paths, places, look) for one in record.judgements)
    enough = max(k, len(record.answers)) + 1
    candidates = look.documents(enough) if record.by_document else look.records()
    return ResolvedRecord(record, targets, candidates)


def _target(
    judgement: Judgement, paths: Mapping[str, list[str]], places: Mapping[str, list[Place]], look: _Look
) -> Target:
    owners = owners_of(judgement, paths)
    its = [place for owner in owners for place in places.get(owner, ()) if _is_meant(judgement, place)]
    seen = look.quoting([place for place in its if look.sees(place.record_id)], judgement.quote)
    return Target(
        judgement=judgement,
        owners=frozenset(owners) if judgement.whole else frozenset(),
        locators=frozenset() if judgement.whole else frozenset(place.locator for place in seen),
        held=bool(its),
        visible=any(look.shows(place.record_id) for place in its),
        findable=bool(seen),
        texts=tuple(sorted({place.text_hash for place in seen})),
    )


def _is_meant(judgement: Judgement, place: Place) -> bool:
    return judgement.member is None or place.locator == judgement.name


def owners_of(judgement: Judgement, paths: Mapping[str, list[str]]) -> list[str]:
    """The documents that a judgement means: one, or those under its path."""
    path = judgement.document_path
    return [judgement.owner] if path is None else paths.get(path, [])


def _paths(connection: Connection, gold: GoldSet) -> dict[str, list[str]]:
    """The items under each path that the gold set names."""
    wanted = sorted({path for record in gold for one in record.judgements if (path := one.document_path) is not None})
    found: dict[str, list[str]] = {}
    for path, item_id in connection.rows("gold/items_of_paths", {"paths": json.dumps(wanted)}) if wanted else ():
        found.setdefault(path, []).append(f"{_ITEM}{item_id}")
    return found


def _places(connection: Connection, gold: GoldSet, paths: Mapping[str, list[str]]) -> dict[str, list[Place]]:
    owners = {owner for record in gold for one in record.judgements for owner in owners_of(one, paths)}
    return places_of(connection, owners)


def places_of(connection: Connection, owners: Iterable[str]) -> dict[str, list[Place]]:
    """The records of documents, of all their revisions, by document."""
    wanted = set(owners)
    ids = sorted(owner.removeprefix(_ITEM) for owner in wanted if owner.startswith(_ITEM))
    found: dict[str, list[Place]] = {}
    for item_id, *place in connection.rows("gold/records_of_items", {"item_ids": json.dumps(ids)}):
        found.setdefault(f"{_ITEM}{item_id}", []).append(Place(*place))
    for owner in sorted(one for one in wanted if not one.startswith(_ITEM)):
        rows = connection.rows("gold/records_of_owner", {"owner": owner})
        if rows:
            found[owner] = [Place(*row) for row in rows]
    return found
