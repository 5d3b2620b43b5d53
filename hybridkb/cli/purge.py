"""``hybridkb purge``: erase an item, its history included."""

from __future__ import annotations

import click

from hybridkb.cli.output import print_json, print_text
from hybridkb.cli.owners import owner
from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@click.option("--reason", default="", metavar="TEXT", help="Why; kept with the note that something was erased.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@global_options
@pass_session
def purge(session: Session, names: tuple[str, ...], reason: str, yes: bool) -> None:
    """Erase items and their whole history for good.

    This changes what the past shows; `hybridkb delete` does not. ID is a UUID, or a path or slug.
    """
    with session.open(read_only=False) as library:
        ids = [owner(library, name) for name in names]
        if not yes:
            click.confirm(f"Erase {len(ids)} item(s) and all their revisions for good?", abort=True, err=True)
        for item_id in ids:
            library.purge(item_id, reason=reason)
    if session.as_json:
        print_json({"purged": ids, "reason": reason})
    else:
        print_text(f"erased: {', '.join(map(str, ids))}")
