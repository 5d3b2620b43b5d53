"""``hybridkb embed``: make the vectors that are still missing."""

from __future__ import annotations

import click

from hybridkb.cli.exit_codes import FINDINGS
from hybridkb.cli.output import print_json, print_text
from hybridkb.cli.progress import progress
from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@global_options
@pass_session
@click.pass_context
def embed(context: click.Context, session: Session) -> None:
    """Embed what is pending.

    May be interrupted and started again; what is done stays done.
    """
    with session.open(read_only=False) as library, progress(session, "embedding") as move:
        report = library.embed_pending(progress=move)
    if session.as_json:
        print_json(report)
    else:
        print_text(f"embedded {report.embedded:,} texts; {report.pending:,} pending")
        for locator, reason in report.failed:
            print_text(f"  not embedded: {locator}: {reason}")
    if report.failed or report.pending:
        context.exit(FINDINGS)
