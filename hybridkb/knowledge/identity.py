"""Ids that depend on what they name, never on chance."""

from __future__ import annotations

import json
from datetime import date
from uuid import UUID, uuid5

from hybridkb.errors import InvalidInput

_NAMESPACE = UUID("b3b8dd44-3a55-5b3c-9c6e-1d0f4a3f7c21")


def stable_id(*parts: str | int | UUID | date) -> UUID:
    """Make the id of something from what names it: the same parts always give the same id (UUIDv5).

    Parts are kept apart: ``stable_id("a", "b")`` differs from ``stable_id("ab")``.

    Raises:
        InvalidInput: no parts, or a part that is not text, a whole number, a UUID or a date.
    """
    if not parts:
        raise InvalidInput("an id needs at least one part to be made from", field="parts")
    for part in parts:
        if not isinstance(part, str | int | UUID | date):
            raise InvalidInput(f"{part!r} cannot name anything; give text, a whole number, a UUID or a date")
    return uuid5(_NAMESPACE, json.dumps([str(part) for part in parts], separators=(",", ":")))


def id_text(item_id: UUID | str) -> str:
    """The canonical text of an item's id.

    Raises:
        InvalidInput: it is not a UUID.
    """
    if isinstance(item_id, UUID):
        return str(item_id)
    try:
        return str(UUID(item_id))
    except (ValueError, AttributeError, TypeError):
        raise InvalidInput(f"{item_id!r} is not an item id (a UUID)", field="item_id") from None
