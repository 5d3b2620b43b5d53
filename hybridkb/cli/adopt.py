"""``hybridkb adopt``: a table of chunks of another program becomes cards of the managed memory."""

from __future__ import annotations

import click

from hybridkb.cli.exit_codes import FINDINGS
from hybridkb.cli.ingest import list_lines
from hybridkb.cli.output import print_json, print_text
from hybridkb.cli.progress import progress
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.knowledge.provenance import SOURCE_CLASSES


@click.command()
@click.argument("address", required=False)
@click.option("--table", default="public.blog_chunks", show_default=True, metavar="NAME",
              help="The table, with columns slug, chunk_idx, text and perhaps embedding.")  # fmt: skip
@click.option("--source", type=click.Choice(SOURCE_CLASSES), help="Class of trust of rows that do not say theirs.")
@click.option("--model", metavar="NAME", help="The model that made its vectors; without it they are made anew.")
@click.option("--model-version", default="1", show_default=True, metavar="TEXT", help="The version of that model.")
@click.option("--forget", is_flag=True, help="Fill in its provenance no longer; its columns and the cards stay.")
@global_options
@pass_session
@click.pass_context
def adopt(
    context: click.Context, session: Session, /, address: str | None, table: str, source: str | None,
    model: str | None, model_version: str, forget: bool,
) -> None:  # fmt: skip
    """Adopt a table of chunks that stands beside a library on PostgreSQL.

    ADDRESS (else --database) is the library's. The table gets five columns of provenance and keeps all else; its slugs
    become cards, and later ingests fill in the provenance of what they replace. Running it again does nothing twice.
    """
    from hybridkb.memory import abandon_table, adopt_table

    session.database = address or session.database
    with session.open(read_only=False, create=not forget) as library:
        if forget:
            was = abandon_table(library, table)
            print_json({"forgotten": was}) if session.as_json else print_text(
                f"{table}: {'its provenance is filled in no longer' if was else 'was not adopted'}"
            )
            return
        with progress(session, "rows") as move:
            report = adopt_table(
                library, table, source=source, model=model, model_version=model_version, progress=move
            )
    if session.as_json:
        print_json(report)
    else:
        counts = [
            f"{len(slugs):,} {name}"
            for name in ("added", "changed", "unchanged", "kept") if (slugs := getattr(report, name))
        ]  # fmt: skip
        columns = f"; new columns: {', '.join(report.columns_added)}" if report.columns_added else ""
        print_text(f"{report.table}: {', '.join(counts) or 'no slugs'}{columns}")
        print_text(f"{report.chunks:,} chunks written, {report.vectors:,} vectors kept, {report.pending:,} pending")
        if report.without_provenance:
            print_text(f"{report.without_provenance:,} cards have no provenance yet; ingest their sources")
        list_lines("note", list(report.notes))
        list_lines("skipped", [f"{one.place}: {one.reason}" for one in report.skipped])
    if report.skipped:
        context.exit(FINDINGS)
