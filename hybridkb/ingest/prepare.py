"""From items to rows-to-be: everything that can be checked before the database is touched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hybridkb.errors import InvalidInput
from hybridkb.knowledge import KnowledgeItem, content_hash
from hybridkb.knowledge.times import to_microseconds
from hybridkb.records import Record, project
from hybridkb.store.canonical import encode_payload


@dataclass(frozen=True, slots=True)
class Prepared:
    """An item ready to be written. Times are microseconds since 1970 UTC."""

    position: int
    item_id: str
    item_type: str
    available_at: int | None
    as_of: int
    content_hash: bytes
    payload: bytes
    source: str
    records: tuple[Record, ...]


Seen = dict[tuple[str, int | None], Prepared]


def prepare(item: Any, position: int) -> Prepared:
    """Check and project one item.

    Raises:
        InvalidInput: it is no knowledge item, or has no text to search.
        UnregisteredType: its type has no projection.
    """
    if not isinstance(item, KnowledgeItem):
        raise InvalidInput(
            f"position {position}: {type(item).__name__} is no knowledge item; make one with hybridkb.knowledge, or "
            "read a mapping with parse_item",
            field="item",
        )
    records = project(item)
    return Prepared(
        position,
        str(item.id),
        item.item_type,
        None if item.available_at is None else to_microseconds(item.available_at),
        to_microseconds(item.as_of),
        content_hash(item),
        encode_payload(item),
        item.source.model_dump_json(exclude_none=True),
        records,
    )


def refuse_contradiction(seen: Seen, one: Prepared) -> None:
    """Refuse an item when its batch says something else about the same id at the same instant.

    Args:
        seen: the first of the batch by id and instant; ``one`` is added.
        one: the next of the batch.

    Raises:
        InvalidInput: names both positions.
    """
    other = seen.setdefault((one.item_id, one.available_at), one)
    if other.content_hash != one.content_hash:
        raise InvalidInput(
            f"positions {other.position} and {one.position}: item {one.item_id} appears twice with the same "
            "available_at and different content; keep one of them",
            field="available_at",
        )
