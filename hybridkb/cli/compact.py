"""``hybridkb compact``: give back the space of what was deleted."""

from __future__ import annotations

import click

from hybridkb.cli.output import print_json, print_text
from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@global_options
@pass_session
def compact(session: Session) -> None:
    """Give back the space of what was deleted.

    What was purged leaves the library for good.
    """
    with session.open(read_only=False, embedder="none") as library:
        won = library.compact()
    if session.as_json:
        print_json({"bytes_won": won})
    else:
        print_text(f"{won:,} bytes won" if won >= 0 else f"nothing won; it takes {-won:,} bytes more now")
