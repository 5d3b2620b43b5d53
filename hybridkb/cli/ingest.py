"""``hybridkb ingest``: source documents into the managed memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hybridkb.cli.exit_codes import FINDINGS
from hybridkb.cli.memory_sources import collect, source_options
from hybridkb.cli.output import print_json, print_text
from hybridkb.cli.progress import progress
from hybridkb.cli.session import Session, global_options, pass_session

if TYPE_CHECKING:
    from hybridkb.memory import IngestReport

MOST_SHOWN = 20


@click.command()
@source_options
@click.option("--words-per-chunk", type=click.IntRange(min=1), default=900, show_default=True, metavar="N",
              help="Words in a chunk.")  # fmt: skip
@click.option("--overlap", type=click.IntRange(min=0), default=150, show_default=True, metavar="N",
              help="Words that neighbouring chunks share.")  # fmt: skip
@click.option("--embed-batch", type=click.IntRange(min=1), default=16, show_default=True, metavar="N",
              help="Texts for one call of the model and one commit.")  # fmt: skip
@click.option("--require-embeddings", is_flag=True, help="Stop when the model fails, instead of keeping to words.")
@global_options
@pass_session
@click.pass_context
def ingest(context: click.Context, session: Session, /, **options: Any) -> None:
    """Put source documents into the managed memory.

    Each document is cut into chunks and replaces what stood under its slug; nothing is done twice, and a run that was
    killed goes on where it was. What cannot be read is reported and skipped, and the exit code is then 1; so it is
    when the model could not make a vector of a text.
    """
    from hybridkb.memory import ingest_sources

    with session.open(read_only=False, create=True) as library:
        cards = collect(options, library.settings.zone)
        if cards is None:
            raise click.UsageError("which sources? Give --articles, --scouts, --lineage ...; see --help")
        with progress(session, "chunks") as move:
            report = ingest_sources(
                library,
                cards,
                words_per_chunk=options["words_per_chunk"],
                overlap=options["overlap"],
                embed_batch=options["embed_batch"],
                require_embeddings=options["require_embeddings"],
                progress=move,
            )
    if session.as_json:
        print_json(report)
    else:
        _tell(report)
    if report.skipped or report.failed_texts:
        context.exit(FINDINGS)


def _tell(report: IngestReport) -> None:
    """Print what became of everything."""
    by_source = ", ".join(f"{name} {count:,}" for name, count in report.by_source.items())
    counts = [
        f"{len(slugs):,} {name}"
        for name in ("added", "revised", "corrected", "superseded", "withdrawn", "unchanged")
        if (slugs := getattr(report, name))
    ]
    print_text(f"{', '.join(counts) or 'nothing to do'}; {report.chunks_written:,} chunks written")
    if by_source:
        print_text(f"chunks by source: {by_source}")
    print_text(f"{report.embedded:,} texts embedded, {report.reused:,} known already, {report.pending:,} pending")
    if report.split_texts or report.truncated_texts:
        split, cut = f"{report.split_texts:,}", f"{report.truncated_texts:,}"
        print_text(f"{split} longer than the model reads at once; of {cut} it did not read the end")
    if report.undated:
        print_text(f"{report.undated:,} say no day on which they became observable: no search with a cutoff finds them")
    if report.backfilled:
        print_text(f"{report.backfilled:,} rows of adopted tables got the provenance of their cards")
    if report.degraded:
        print_text(f"words only: {report.degraded}")
    for name, lines in (
        ("upcoming", [f"{one.slug} ({one.status})" for one in report.upcoming]),
        ("note", list(report.notes)),
        ("past edited", list(report.corrected)),
        ("superseded by a later state", list(report.superseded)),
        ("stays withdrawn", list(report.withdrawn)),
        ("not embedded", [f"{locator}: {reason}" for locator, reason in report.failed_texts]),
        ("skipped", [f"{one.place}: {one.reason}" for one in report.skipped]),
    ):
        list_lines(name, lines)


def list_lines(name: str, lines: list[str]) -> None:
    """Print the first lines of a list, and how many more there are."""
    for line in lines[:MOST_SHOWN]:
        print_text(f"{name}: {' '.join(line.split())}")
    if len(lines) > MOST_SHOWN:
        print_text(f"and {len(lines) - MOST_SHOWN:,} more; --json lists all")
