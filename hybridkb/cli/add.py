"""``hybridkb add``: put files of knowledge, words first, then their vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hybridkb.cli.beir import is_beir, reader
from hybridkb.cli.exit_codes import FINDINGS
from hybridkb.cli.instants import as_of
from hybridkb.cli.lines import Lines, first_line
from hybridkb.cli.output import print_json, print_text
from hybridkb.cli.progress import Progress, progress
from hybridkb.cli.reading import Reading, converted_entries, knowledge_entries
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.errors import EmbedderError, MissingExtra

if TYPE_CHECKING:
    from hybridkb.ingest import PutReport
    from hybridkb.knowledge import KnowledgeItem
    from hybridkb.library import HybridLibrary

COUNTS = ("added", "revised", "corrected", "inserted", "unchanged", "records")
OTHERS = ("embedded", "pending", "split_texts", "truncated_texts", "not_embedded", "skipped")
MOST_SHOWN = 20


@dataclass(slots=True)
class Sum:
    """What became of all files of one run."""

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    skipped: list[dict[str, object]] = field(default_factory=list)
    embedded: int = 0
    pending: int | None = None
    split_texts: int = 0
    truncated_texts: int = 0
    not_embedded: str | None = None

    def take(self, report: PutReport) -> None:
        """Add the counts of one report."""
        for name in COUNTS:
            self.counts[name] += getattr(report, name)

    def skip(self, file: str, line: object, reason: object) -> None:
        """Note a line that could not be taken in."""
        self.skipped.append({"file": file, "line": line, "reason": " ".join(str(reason).split())})


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True), metavar="FILE...")
@click.option("--format", "format_", type=click.Choice(["auto", "knowledge", "beir"]), default="auto",
              show_default=True, help="JSON Lines of knowledge (what export writes, too), or BEIR.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Stop at the first bad line instead of reporting and skipping it.")
@click.option("--no-embed", is_flag=True, help="Words only for now; `hybridkb embed` makes the vectors later.")
@click.option("--available-from", type=click.Choice(["date", "none"]), default="date", show_default=True,
              help="BEIR: documents were observable at the end of metadata.date, or it is not known when.")  # fmt: skip
@click.option("--as-of", type=as_of, metavar="TIME", help="BEIR: stands in for the date of documents without one.")
@click.option("--tree", type=click.Choice(["transcript", "filing"]), default="transcript", show_default=True,
              help="BEIR: the kind of tree that a document becomes.")  # fmt: skip
@click.option("--collection", default="", metavar="NAME", help="BEIR: keeps equal _ids of different corpora apart.")
@global_options
@pass_session
@click.pass_context
def add(context: click.Context, session: Session, /, files: tuple[Path, ...], **options: Any) -> None:
    """Put knowledge from files.

    A file holds JSON Lines, plain or gzipped; - is standard input. Words are searchable as soon as a batch is
    committed; vectors follow. Putting the same again changes nothing. Bad lines are reported and skipped, and the
    exit code is then 1.
    """
    total = Sum()
    with session.open(read_only=False, create=True) as library:
        for path in files:
            _add_file(session, library, path, options, total)
        if not options["no_embed"] and session.embedder != "none":
            _embed(session, library, total)
    _tell(session, total)
    if total.skipped:
        context.exit(FINDINGS)


def _add_file(session: Session, library: HybridLibrary, path: Path, options: dict[str, Any], total: Sum) -> None:
    """Put one file; its bad lines are noted, or end the run when the user is strict."""
    lines = Lines(path)
    reading = Reading(lines.name, options["strict"])
    with progress(session, path.name, kind="bytes") as move:
        first, every = first_line(_watched(lines, move))
        if options["format_"] == "beir" or (options["format_"] == "auto" and is_beir(first)):
            entries = converted_entries(every, _beir_reader(options, library.settings.zone), lines.name)
        else:
            entries = knowledge_entries(every, lines.name)
        for report in reading.put(library, entries):
            total.take(report)
    for number, reason in sorted(reading.skipped):
        total.skip(lines.name, number, reason)


def _beir_reader(options: dict[str, Any], zone: str) -> Callable[[bytes], KnowledgeItem]:
    return reader(
        collection=options["collection"],
        tree=options["tree"],
        available_from=options["available_from"],
        as_of=options["as_of"],
        zone=zone,
    )


def _watched(lines: Lines, move: Progress) -> Iterator[bytes]:
    """Pass lines on and move the bar."""
    for line in lines:
        move(lines.position, lines.size)
        yield line


def _embed(session: Session, library: HybridLibrary, total: Sum) -> None:
    """Make the vectors; without a model that can be had, say so and keep to words."""
    try:
        with progress(session, "embedding") as move:
            report = library.embed_pending(progress=move)
    except (EmbedderError, MissingExtra) as error:
        if session.embedder != "auto":
            raise
        total.not_embedded = str(error)
        return
    total.embedded, total.pending = report.embedded, report.pending
    total.split_texts, total.truncated_texts = report.split_texts, report.truncated_texts
    for locator, reason in report.failed:
        total.skip(locator, None, f"not embedded: {reason}")


def _tell(session: Session, total: Sum) -> None:
    """Print what became of everything."""
    if session.as_json:
        print_json({**total.counts, **{name: getattr(total, name) for name in OTHERS}})
        return
    counts = [f"{count:,} {name}" for name, count in total.counts.items() if count and name != "records"]
    print_text(f"{', '.join(counts) or 'nothing new'}; {total.counts['records']:,} records written")
    if total.not_embedded:
        print_text(f"words only: {total.not_embedded}")
    elif total.pending is not None:
        print_text(f"{total.embedded:,} texts embedded, {total.pending:,} pending{_long_texts(total)}")
    for entry in total.skipped[:MOST_SHOWN]:
        place = entry["file"] if entry["line"] is None else f"{entry['file']}, line {entry['line']}"
        print_text(f"skipped: {place}: {entry['reason']}")
    if len(total.skipped) > MOST_SHOWN:
        print_text(f"and {len(total.skipped) - MOST_SHOWN:,} more; --json lists all")


def _long_texts(total: Sum) -> str:
    split = f"; {total.split_texts:,} longer than the model reads at once" if total.split_texts else ""
    return split + (f"; of {total.truncated_texts:,} it did not read the end" if total.truncated_texts else "")
