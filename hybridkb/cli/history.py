"""``hybridkb history``: every revision of an item."""

from __future__ import annotations

import click

from hybridkb.cli.output import print_json, print_table, show_time
from hybridkb.cli.owners import owner
from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@click.argument("name", metavar="ID")
@global_options
@pass_session
def history(session: Session, name: str) -> None:
    """List what was known about an item, and from when on. ID is a UUID, or its path or slug."""
    with session.open(embedder="none") as library:
        revisions = library.history(owner(library, name))
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
