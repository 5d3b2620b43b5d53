"""Items and their revisions: the truth. Nothing here knows about search."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hybridkb.database import Connection
from hybridkb.errors import BrokenInvariant, InvalidInput, UnregisteredType
from hybridkb.knowledge import KnowledgeItem, canonical_json, parse_item

_COMPRESSION = 1  # level 6 saves 1 % more and takes a quarter longer


@dataclass(frozen=True, slots=True)
class StoredRevision:
    """One state of an item. Times are microseconds since 1970 UTC."""

    revision_no: int
    available_at: int | None
    as_of: int
    content_hash: bytes
    recorded_at: int

    def numbered(self, revision_no: int) -> StoredRevision:
        """The same under another number."""
        return StoredRevision(revision_no, self.available_at, self.as_of, self.content_hash, self.recorded_at)


@dataclass(slots=True)
class ItemState:
    """An item with all its revisions (by availability) and withdrawals (ascending)."""

    item_no: int
    item_id: str
    item_type: str
    revisions: list[StoredRevision] = field(default_factory=list)
    withdrawals: list[int] = field(default_factory=list)

    def interval(self, position: int) -> tuple[int | None, int | None]:
        """When the revision at ``position`` is visible: [from, until); None for unknown, and for no end.

        It ends at the next revision or at the first withdrawal from its availability on, whichever
        comes first.
        """
        begin = self.revisions[position].available_at
        ends: list[int] = []
        if position + 1 < len(self.revisions):
            following = self.revisions[position + 1].available_at
            assert following is not None
            ends.append(following)
        if begin is not None:
            ends += [at for at in self.withdrawals if at >= begin][:1]
        return begin, min(ends) if ends else None

    def interval_of(self, revision_no: int) -> tuple[int | None, int | None]:
        """When the revision with this number is visible; see :meth:`interval`."""
        position = next(at for at, revision in enumerate(self.revisions) if revision.revision_no == revision_no)
        return self.interval(position)

    def withdrawn_since(self) -> int | None:
        """The instant from which the item is withdrawn now; None when it is not."""
        if not self.revisions:
            return None
        return self.interval(len(self.revisions) - 1)[1]

    def known_by(self, cutoff: int) -> ItemState:
        """The state as it was known at ``cutoff``: nothing later, not even the end of an interval."""
        return replace(
            self,
            revisions=[one for one in self.revisions if one.available_at is not None and one.available_at <= cutoff],
            withdrawals=[at for at in self.withdrawals if at <= cutoff],
        )

    def position_at(self, cutoff: int | None) -> int | None:
        """Which revision is visible at ``cutoff``, or now when it is None."""
        for position in range(len(self.revisions) - 1, -1, -1):
            begin, end = self.interval(position)
            if cutoff is None:
                return position if end is None else None
            if begin is not None and begin <= cutoff and (end is None or end > cutoff):
                return position
        return None


def encode_payload(item: KnowledgeItem) -> bytes:
    """Canonical JSON, compressed."""
    return zlib.compress(canonical_json(item), _COMPRESSION)


def decode_payload(payload: bytes, item_id: str) -> KnowledgeItem:
    """Read a stored item back.

    Raises:
        BrokenInvariant: the bytes are damaged, or hold no item.
        UnregisteredType: its class is not registered in this program.
    """
    try:
        return parse_item(unpack_payload(payload, item_id))
    except UnregisteredType as error:
        raise UnregisteredType(f"item {item_id}: {error}", item_type=error.item_type) from error
    except InvalidInput as error:
        raise _damaged(item_id, error) from error


def unpack_payload(payload: bytes, item_id: str) -> bytes:
    """The canonical JSON of a stored item.

    Raises:
        BrokenInvariant: the bytes are damaged.
    """
    try:
        return zlib.decompress(payload)
    except (zlib.error, TypeError) as error:
        raise _damaged(item_id, error) from error


def _damaged(item_id: str, error: Exception) -> BrokenInvariant:
    sentence = f"item {item_id} is stored damaged ({error})"
    return BrokenInvariant(f"{sentence}; restore it from an export", findings=[sentence])


def load_states(connection: Connection, item_ids: Iterable[str]) -> dict[str, ItemState]:
    """Read the states of the items that exist, by id."""
    wanted = {"item_ids": json.dumps(sorted(set(item_ids)))}
    states = {row[1]: ItemState(*row) for row in connection.rows("canonical/items", wanted)}
    for item_id, *revision in connection.rows("canonical/revisions", wanted) if states else ():
        states[item_id].revisions.append(StoredRevision(*revision))
    for item_id, at in connection.rows("canonical/withdrawals", wanted) if states else ():
        states[item_id].withdrawals.append(at)
    return states


def load_state(connection: Connection, item_id: str) -> ItemState | None:
    """Read one item's state; None when the library does not hold it."""
    return load_states(connection, [item_id]).get(item_id)


def load_item(connection: Connection, item_id: str, revision_no: int) -> KnowledgeItem:
    """Read one revision of an item back.

    Raises:
        BrokenInvariant: it is missing or damaged.
        UnregisteredType: its class is not registered in this program.
    """
    found = connection.value("canonical/payload", {"revision_no": revision_no})
    if found is None:
        raise BrokenInvariant(f"revision {revision_no} of item {item_id} is missing; run check()")
    return decode_payload(found, item_id)


def highest(connection: Connection, table: str) -> int:
    """The highest id ever given out in ``table``; ids are never used twice."""
    return int(connection.value("state/highest", {"table": table}))


def insert_items(connection: Connection, rows: Sequence[tuple[int, str, str]]) -> None:
    """Insert (item number, id, type)."""
    connection.many("canonical/insert_item", rows)


def insert_revisions(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert (revision number, item number, available_at, as_of, recorded_at, content hash, payload, source)."""
    connection.many("canonical/insert_revision", ((*row[:-1], connection.json_parameter(row[-1])) for row in rows))


def note_in_journal(
    connection: Connection, *, now: int, kind: str, subject: str | None, affected_from: int | None, detail: str = ""
) -> None:
    """Leave the row that the audit lists: something about the past was edited."""
    connection.rows(
        "canonical/insert_journal",
        {"recorded_at": now, "kind": kind, "subject": subject, "affected_from": affected_from, "detail": detail},
    )
