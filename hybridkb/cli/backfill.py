"""``hybridkb backfill``: provenance cards for what was stored without one."""

from __future__ import annotations

import click

from hybridkb.cli.exit_codes import FINDINGS
from hybridkb.cli.instants import day
from hybridkb.cli.output import print_json, print_text
from hybridkb.cli.progress import progress
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.knowledge.provenance import SOURCE_CLASSES, Provenance


@click.command()
@click.option("--source", required=True, type=click.Choice(SOURCE_CLASSES), help="The class of trust.")
@click.option("--kind", metavar="TEXT", help="The kind of document within that class.")
@click.option("--doc-date", type=day, metavar="DAY", help="The documents' own day, when they share one.")
@click.option("--verdict", metavar="TEXT", help="What was decided about them.")
@click.option("--type", "item_types", multiple=True, metavar="TEXT",
              help="Only this item type; may be given several times. Else all but documents.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Count, and write nothing.")
@global_options
@pass_session
@click.pass_context
def backfill(
    context: click.Context, session: Session, /, source: str, kind: str | None, doc_date: str | None,
    verdict: str | None, item_types: tuple[str, ...], dry_run: bool,
) -> None:  # fmt: skip
    """Give every item without a provenance card this one, in all its states.

    Running it again does nothing, and nothing is embedded. The audit lists it as an edit of the past.
    """
    from hybridkb.memory.backfill import backfill_provenance

    card = Provenance(source, kind, doc_date, verdict)
    with session.open(read_only=dry_run, embedder="none") as library, progress(session, "items") as move:
        report = backfill_provenance(library, card, item_types=item_types or None, dry_run=dry_run, progress=move)
    if session.as_json:
        print_json(report)
    else:
        would = "would get" if dry_run else "got"
        print_text(f"{report.items:,} items {would} a provenance card, in {report.revisions:,} states")
        for one in report.skipped:
            print_text(f"skipped: {one.place}: {' '.join(one.reason.split())}")
    if report.skipped:
        context.exit(FINDINGS)
