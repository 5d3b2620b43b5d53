"""``hybridkb check``: do all rows of the library agree with each other?"""

from __future__ import annotations

import click

from hybridkb.cli.exit_codes import FINDINGS
from hybridkb.cli.output import print_json, print_text
from hybridkb.cli.progress import progress
from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@click.option("--quick", is_flag=True, help="Read structures only, not every record.")
@global_options
@pass_session
@click.pass_context
def check(context: click.Context, session: Session, /, quick: bool) -> None:
    """Look for rows that contradict each other.

    The exit code is 1 when something was found.
    """
    with session.open(embedder="none") as library, progress(session, "checking") as move:
        report = library.check(quick=quick, progress=move)
    if session.as_json:
        print_json({"ok": report.ok, "findings": report.findings})
    elif report.ok:
        print_text("nothing to complain about")
    else:
        for finding in report.findings:
            place = f" ({finding.locator})" if finding.locator else ""
            print_text(f"{finding.code}: {finding.message}{place}")
        print_text("`hybridkb rebuild` makes the derived rows again")
    if not report.ok:
        context.exit(FINDINGS)
