"""``hybridkb init``: make an empty library."""

from __future__ import annotations

from typing import Any

import click

from hybridkb.cli.output import print_json, print_text
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.errors import InvalidInput


@click.command()
@click.option("--language", metavar="NAME", help="Language of its words: english (default), german ..., or none.")
@click.option("--zone", metavar="NAME", help="Zone in which a day alone is read: UTC (default), Asia/Tokyo ...")
@global_options
@pass_session
def init(session: Session, /, language: str | None, zone: str | None) -> None:
    """Make an empty library, or bring an older one up to date."""
    from hybridkb.store.settings import LibrarySettings

    given: dict[str, Any] = {name: value for name, value in (("language", language), ("zone", zone)) if value}
    wished = LibrarySettings(**given) if given else None
    with session.open(read_only=False, create=True, embedder="none", settings=wished) as library:
        stats, settings = library.stats(), library.settings
    if zone and settings.zone != zone:
        raise InvalidInput(
            f"{session.database} reads days in {settings.zone} already; the zone is fixed when a library is made",
            field="zone",
        )
    if language and stats.language != language:
        raise InvalidInput(
            f"{session.database} is {stats.language} already; the language is fixed when a library is made",
            field="language",
        )
    if session.as_json:
        print_json({"database": session.database, "stats": stats})
    else:
        print_text(f"{session.database}: ready, {stats.language}, {stats.items:,} items")
