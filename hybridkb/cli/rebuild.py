"""``hybridkb rebuild``: make records and indexes again from what was put."""

from __future__ import annotations

import click

from hybridkb.cli.output import plain, print_facts, print_json
from hybridkb.cli.progress import progress
from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@global_options
@pass_session
def rebuild(session: Session) -> None:
    """Make all derived rows again.

    Canonical rows are not touched, and vectors are kept.
    """
    with session.open(read_only=False, embedder="none") as library, progress(session, "rebuilding") as move:
        report = library.rebuild(progress=move)
    if session.as_json:
        print_json(report)
    else:
        print_facts(plain(report))
