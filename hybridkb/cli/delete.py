"""``hybridkb delete``: withdraw an item from now on; the past still shows it."""

from __future__ import annotations

from datetime import datetime

import click

from hybridkb.cli.instants import cutoff
from hybridkb.cli.output import print_json, print_text, show_time
from hybridkb.cli.owners import owner
from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@click.option("--at", type=cutoff, metavar="TIME", help="Withdraw from this day or instant on. Default: now.")
@global_options
@pass_session
def delete(session: Session, names: tuple[str, ...], at: datetime | None) -> None:
    """Withdraw items; the past still shows them.

    Searches no longer find them, searches with an earlier cutoff still do. ID is a UUID, or a path or slug.
    """
    with session.open(read_only=False) as library:
        ids = [owner(library, name) for name in names]
        withdrawn = {item_id: library.delete(item_id, at=at) for item_id in ids}
    if session.as_json:
        print_json({"withdrawn": withdrawn})
        return
    for item_id, moment in withdrawn.items():
        print_text(f"{item_id}: withdrawn from {show_time(moment)} UTC on")
