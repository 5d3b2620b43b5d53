"""``hybridkb init``: make an empty library."""

from __future__ import annotations

import click

from hybridkb.cli.output import print_json, print_text
from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@global_options
@pass_session
def init(session: Session) -> None:
    """Make an empty library, or bring an older one up to date."""
    with session.open(read_only=False, create=True, embedder="none") as library:
        stats = library.stats()
    if session.as_json:
        print_json({"database": session.database, "stats": stats})
    else:
        print_text(f"{session.database}: ready, {stats.items:,} items")
