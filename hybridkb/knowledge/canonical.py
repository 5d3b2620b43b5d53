"""The canonical form of an item, and the hash that tells whether its content changed.

Both run for every put. Keys are sorted, so neither depends on the order in which a
class lists its fields or a mapping was filled.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from hybridkb.knowledge.item import KnowledgeItem

__all__ = ["canonical_json", "content_hash"]

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode

_NOT_CONTENT: dict[str, Any] = {
    "available_at": True,
    "availability_basis": True,  # of the types that have one: what the instant rests on
    "created_at": True,
    "source": {"fetched_at": True},
    "extraction": {"run_id": True, "run_at": True},
}


def canonical_json(item: KnowledgeItem) -> bytes:
    """Write an item as UTF-8 JSON: every field, keys sorted, no whitespace. ``parse_item`` reads it back equal."""
    return _encode(item.__pydantic_serializer__.to_python(item, mode="json", round_trip=True)).encode()


def content_hash(item: KnowledgeItem) -> bytes:
    """Name an item's content by 32 bytes (SHA-256).

    Left out are ``created_at``, ``source.fetched_at``, the extraction's run id and time, and
    ``available_at``, which a put compares on its own. Fields at their default are left out too,
    so that a later hybridkb may add optional fields without making every stored item look changed.
    """
    fields = item.__pydantic_serializer__.to_python(
        item, mode="json", round_trip=True, exclude=_NOT_CONTENT, exclude_defaults=True
    )
    return sha256(_encode([item.item_type, item.schema_version, fields]).encode()).digest()
