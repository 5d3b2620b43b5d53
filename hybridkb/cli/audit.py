"""``hybridkb audit``: what makes answers about the past unsafe, and what has changed them?"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from hybridkb.cli.exit_codes import FINDINGS
from hybridkb.cli.instants import cutoff
from hybridkb.cli.output import print_json, print_table, print_text, show_time
from hybridkb.cli.session import Session, global_options, pass_session

if TYPE_CHECKING:
    from hybridkb.audit import AuditReport, Example, Finding

SHOWN = 5


@click.command()
@click.option("--since", type=cutoff, metavar="TIME",
              help="Edits, purges and late arrivals from this day or instant on; these are severe then.")  # fmt: skip
@click.option("--cutoff", "cutoffs", type=cutoff, multiple=True, metavar="TIME",
              help="A cutoff that your searches use, to compare models with; may be given several times.")  # fmt: skip
@global_options
@pass_session
@click.pass_context
def audit(context: click.Context, session: Session, /, since: datetime | None, cutoffs: tuple[datetime, ...]) -> None:
    """List what makes answers about the past unsafe.

    Severe is what shows text or dates that could not be had, or, with --since, what changed answers given before.
    The exit code is 1 when there is a severe finding.
    """
    with session.open(embedder="none") as library:
        report = library.audit(since=since, cutoffs=cutoffs)
    if session.as_json:
        print_json(report.to_dict())
    else:
        _print_report(report)
    if not report.ok:
        context.exit(FINDINGS)


def _print_report(report: AuditReport) -> None:
    if report.findings:
        rows = [(one.severity, one.kind, one.count, one.message, _groups(one)) for one in report.findings]
        print_table(("severity", "finding", "count", "meaning", "of which"), rows)
    for finding in report.findings:
        print_text(f"\n{finding.kind}")
        for example in finding.examples[:SHOWN]:
            print_text(f"  {_line(example)}")
        if finding.count > SHOWN:
            print_text(f"  and {finding.count - SHOWN:,} more")
    for use in report.models:
        age = f"released {use.released.isoformat()}" if use.released else "of unknown age"
        print_text(f"\nmodel {use.model} ({use.role}, {use.count:,} texts): {age}")
    severe = sum(finding.count for finding in report.severe)
    verdict = f"{severe:,} severe" if severe else "nothing severe"
    print_text(f"\n{verdict} in {report.items:,} items, {report.revisions:,} revisions")


def _groups(finding: Finding) -> str:
    groups = (", ".join(f"{name} {count:,}" for name, count in group.items()) for group in finding.groups.values())
    return "; ".join(groups)


def _line(example: Example) -> str:
    times = ", ".join(f"{name} {show_time(moment)}" for name, moment in example.times.items())
    return "  ".join(part for part in (example.subject, example.detail, times) if part)
