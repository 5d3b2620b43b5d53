"""``hybridkb get``: an item, or a part of one, as it was put."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click

from hybridkb.cli.instants import cutoff
from hybridkb.cli.output import plain, print_json, print_text
from hybridkb.cli.owners import address
from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@click.argument("name", metavar="ID")
@click.option("--at", type=cutoff, metavar="TIME", help="As it stood on this day or instant.")
@global_options
@pass_session
def get(session: Session, name: str, at: datetime | None) -> None:
    """Show an item, or a part of it.

    ID is a UUID, a locator as search prints them (item:UUID#node), or the path or slug of an item.
    """
    with session.open(embedder="none") as library:
        locator = address(library, name)
        found = library.resolve(locator, at=at) if locator.member_id else library.get(locator.owner_id, at=at)
    if session.as_json:
        print_json(found)
    else:
        _print_fields(plain(found))


def _print_fields(fields: dict[str, Any], indent: str = "") -> None:
    """Print nested fields one a line; what is empty is left out."""
    for name, value in fields.items():
        if value is None or value == [] or value == {} or value == "":
            continue
        if isinstance(value, dict):
            print_text(f"{indent}{name}:")
            _print_fields(value, indent + "  ")
        elif isinstance(value, list) and isinstance(value[0], dict):
            for entry in value:
                print_text(f"{indent}{name}:")
                _print_fields(entry, indent + "  ")
        else:
            print_text(f"{indent}{name}: {', '.join(map(str, value)) if isinstance(value, list) else value}")
