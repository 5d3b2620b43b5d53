"""Addresses on the command line: an item's UUID, a locator, or the path or slug under which an item is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import click

from hybridkb.errors import InvalidInput
from hybridkb.knowledge import Locator

if TYPE_CHECKING:
    from hybridkb import HybridLibrary


def address(library: HybridLibrary, text: str) -> Locator:
    """Read a UUID, a locator such as ``item:UUID#node``, or the path or slug of an item that is visible now.

    Raises:
        BadParameter: it is none of these, or several items have the path.
    """
    try:
        return Locator.parse(text if ":" in text else f"item:{text}")
    except InvalidInput:
        found = [one.item_id for one in library.list_items(path_prefix=text).items if one.path == text] if text else []
    if len(found) == 1:
        return Locator("item", found[0])
    if found:
        raise click.BadParameter(f"{len(found)} items have the path {text!r}; name one: {', '.join(map(str, found))}")
    raise click.BadParameter(
        f"{text!r} is no id, and no item that is visible now has this path; write a UUID, a locator such as "
        "item:UUID#node, or a path or slug as search shows it"
    )


def owner(library: HybridLibrary, text: str) -> UUID:
    """Read an address that means a whole item, and return its id."""
    locator = address(library, text)
    if locator.member_id is not None:
        raise click.BadParameter(f"{locator} is a part; this works on the whole item, {locator.owner_id}")
    return locator.owner_id
