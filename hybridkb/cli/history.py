"""``hybridkb history``: every revision of an item."""

from __future__ import annotations

from uuid import UUID

import click

from hybridkb.cli.output import print_json, print_table, show_time
from hybridkb.cli.owners import owner
from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@click.argument("item_id", type=owner, metavar="ID")
@global_options
@pass_session
def history(session: Session, item_id: UUID) -> None:
    """List what was known about an item, and from when on."""
    with session.open(embedder="none") as library:
        revisions = library.history(item_id)
    if session.as_json:
        print_json(revisions)
        return
    print_table(
        ("available", "as of", "recorded", "withdrawn", "content", ""),
        [
            (
                show_time(revision.available_at),
                show_time(revision.as_of),
                show_time(revision.recorded_at),
                show_time(revision.withdrawn_at) if revision.withdrawn_at else "",
                _short(revision.content_hash),
                "current" if revision.current else "",
            )
            for revision in revisions
        ],
    )


def _short(content_hash: bytes | str) -> str:
    return (content_hash.hex() if isinstance(content_hash, bytes) else content_hash)[:12]
