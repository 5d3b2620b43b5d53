"""Addresses on the command line: an item's UUID, or a locator."""

from __future__ import annotations

from uuid import UUID

import click

from hybridkb.errors import InvalidInput
from hybridkb.knowledge import Locator


class Address(click.ParamType):
    """A UUID, or a locator such as ``item:UUID`` or ``item:UUID#node``."""

    name = "id"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Locator:
        """Read the text as a locator."""
        if isinstance(value, Locator):
            return value
        text = str(value)
        try:
            return Locator.parse(text if ":" in text else f"item:{text}")
        except InvalidInput:
            self.fail(f"{text!r} is no id; write a UUID, or a locator such as item:UUID or item:UUID#node", param, ctx)


class Owner(Address):
    """An address that means a whole item."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> UUID:  # type: ignore[override]
        """Read the text and refuse a member of an item."""
        if isinstance(value, UUID):
            return value
        locator = super().convert(value, param, ctx)
        if locator.member_id is not None:
            self.fail(f"{locator} is a part; this works on the whole item {locator.owner_id}", param, ctx)
        return locator.owner_id


ADDRESS = Address()
OWNER = Owner()
