"""Addresses on the command line: an item's UUID, or a locator."""

from __future__ import annotations

from uuid import UUID

import click

from hybridkb.errors import InvalidInput
from hybridkb.knowledge import Locator


def address(text: str) -> Locator:
    """Read a UUID, or a locator such as ``item:UUID`` or ``item:UUID#node``."""
    try:
        return Locator.parse(text if ":" in text else f"item:{text}")
    except InvalidInput:
        raise click.BadParameter(
            f"{text!r} is no id; write a UUID, or a locator such as item:UUID or item:UUID#node"
        ) from None


def owner(text: str) -> UUID:
    """Read an address that means a whole item, and return its id."""
    locator = address(text)
    if locator.member_id is not None:
        raise click.BadParameter(f"{locator} is a part; this works on the whole item, {locator.owner_id}")
    return locator.owner_id
