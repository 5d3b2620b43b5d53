"""``hybridkb sync``: keep the documents of a folder in step, once or for as long as it is watched."""

from __future__ import annotations

import os
import re
import signal
import threading
from collections import Counter
from dataclasses import fields, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from hybridkb.cli.exit_codes import DATABASE, FINDINGS, INVALID, OK
from hybridkb.cli.output import plain, print_facts, print_json, print_text
from hybridkb.cli.progress import progress
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.errors import DatabaseError, EmbedderError, InvalidInput, MissingExtra
from hybridkb.folder import DEFAULT_COLLECTION

if TYPE_CHECKING:
    from hybridkb import RefreshCounts
    from hybridkb.library import HybridLibrary

MOST_SHOWN = 20
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?\s*", re.IGNORECASE | re.ASCII)
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}


def size(text: str) -> int:
    """Read a size such as ``20M``; K, M and G are powers of 1,024."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise click.BadParameter(f"{text!r} is no size; write 500K, 20M or a number of bytes")
    return int(float(match[1]) * _UNITS[match[2].lower()])


@click.command()
@click.argument("folder", type=click.Path(path_type=str), metavar="FOLDER")
@click.option("--collection", default=DEFAULT_COLLECTION, show_default=True, metavar="NAME",
              help="The name under which the folder is kept; one for each folder of the library.")  # fmt: skip
@click.option("--availability", type=click.Choice(["unknown", "file-time", "name-date"]),
              help="When a file that does not say so itself became observable. At first: unknown.")  # fmt: skip
@click.option("--ignore", multiple=True, metavar="PATTERN",
              help="Leave out what matches, as in .gitignore; several. '' ends what was given before.")  # fmt: skip
@click.option("--max-size", type=size, metavar="SIZE", help="Larger files are not read. At first: 50M.")
@click.option("--passage-characters", type=click.IntRange(200, 100_000), metavar="NUMBER",
              help="About how long a passage is. At first: 1,500.")  # fmt: skip
@click.option("--moved", is_flag=True, help="Take the folder as it is, though it is another one or looks unmounted.")
@click.option("--no-embed", is_flag=True, help="Words only for now; `hybridkb embed` makes the vectors later.")
@click.option("--wait", type=click.FloatRange(min=0), default=30.0, show_default=True, metavar="SECONDS",
              help="How long to wait for another process that reads the folder.")  # fmt: skip
@click.option("--watch", is_flag=True, help="Stay, and refresh whenever something changes; Ctrl-C ends it.")
@global_options
@pass_session
@click.pass_context
def sync(context: click.Context, session: Session, /, folder: str, watch: bool, **options: Any) -> None:
    """Keep the documents of a folder in step with the library.

    New and changed files (Markdown, text, CSV, HTML, PDF) are indexed, deleted ones leave today's answers, moved ones
    keep their vectors; unchanged ones are not read. Options that are not given stay as they were the last time. The
    exit code is 1 when a file could not be read, 2 when the folder is not there: nothing is removed then.
    """
    there = os.path.isdir(folder)
    if not there and not session.may_exist():
        raise InvalidInput(f"there is no folder {folder}", field="folder")  # no empty library for a slip of the pen
    with session.open(read_only=False, create=there) as library:
        if watch:
            _watch(session, library, folder, options)
            return
        counts = _refresh(session, library, folder, options)
    if session.as_json:
        print_json(counts_facts(counts))
    else:
        print_counts(counts)
    context.exit(exit_code(counts))


def exit_code(counts: RefreshCounts) -> int:
    """What a refresh means for whoever called the command."""
    if counts.folder_missing:
        return INVALID
    if counts.busy:
        return DATABASE
    return FINDINGS if counts.unreadable or counts.kept or counts.pending else OK


def _refresh(session: Session, library: HybridLibrary, folder: str, options: dict[str, Any]) -> RefreshCounts:
    """Refresh once: words first, then the vectors, each with its bar."""
    embed = not options["no_embed"] and session.embedder != "none"
    with progress(session, "reading files") as move:
        counts = library.sync(
            folder,
            collection=options["collection"],
            availability=options["availability"],
            ignore=[pattern for pattern in options["ignore"] if pattern] if options["ignore"] else None,
            max_bytes=options["max_size"],
            passage_characters=options["passage_characters"],
            moved=options["moved"],
            embed=embed,
            embed_seconds=0,
            wait_seconds=options["wait"],
            progress=move,
        )
    return _embed(session, library, counts) if embed and counts.pending and not counts.degraded else counts


def _embed(session: Session, library: HybridLibrary, counts: RefreshCounts) -> RefreshCounts:
    try:
        with progress(session, "embedding") as move:
            report = library.embed_pending(progress=move)
    except (EmbedderError, MissingExtra) as error:
        return replace(counts, degraded=str(error))
    return replace(counts, embedded=counts.embedded + report.embedded, pending=report.pending)


def _watch(session: Session, library: HybridLibrary, folder: str, options: dict[str, Any]) -> None:
    """Refresh whenever something changes; one line each time that something was done or is wrong."""
    from hybridkb.cli.watching import looks
    from hybridkb.database import is_address

    own, before = None if is_address(library.path) else os.path.realpath(library.path), None
    stopped = threading.Event()

    def stop(*_: object) -> None:
        stopped.set()  # an interrupt that falls into a finaliser is lost; the next tick sees this
        raise KeyboardInterrupt

    former = signal.signal(signal.SIGINT, stop)
    try:
        for _ in looks(folder, lambda path: _belongs_to(own, path), stopped.is_set):
            try:
                counts = _refresh(session, library, folder, options)
            except DatabaseError as error:
                click.echo(f"hybridkb: {error}", err=True)
                continue
            options["moved"] = False  # said once, of the folder as it was then
            trouble = (counts.folder_missing, counts.busy, counts.degraded, len(counts.unreadable), counts.kept)
            if counts.indexed or counts.removed or trouble != before:
                _tell(session, counts)
            before = trouble
    except KeyboardInterrupt:
        click.echo("hybridkb: stopped", err=True)
    finally:
        signal.signal(signal.SIGINT, former)


def _belongs_to(own: str | None, path: str) -> bool:
    """Whether a file is the library's own, whose changes mean nothing; a library on a server has none."""
    return own is not None and os.path.realpath(path).startswith(own)


def _tell(session: Session, counts: RefreshCounts) -> None:
    if session.as_json:
        print_json(counts_facts(counts))
    else:
        print_text(f"{datetime.now():%H:%M:%S}  {one_line(counts)}")


def counts_facts(counts: RefreshCounts) -> dict[str, Any]:
    """Name everything that a refresh says, as JSON holds it."""
    facts = {entry.name: plain(getattr(counts, entry.name)) for entry in fields(counts)}
    for name in ("unreadable", "skipped", "notes"):
        facts[name] = [note._asdict() for note in getattr(counts, name)]
    return facts


def one_line(counts: RefreshCounts) -> str:
    """A refresh in one line for people."""
    if counts.folder_missing:
        return counts.folder_missing
    if counts.busy:
        return counts.busy
    done = [f"{counts.indexed:,} indexed", f"{counts.removed:,} removed"]
    done += [f"{counts.renamed:,} of them renamed"] if counts.renamed else []
    done += [f"{len(counts.unreadable):,} unreadable"] if counts.unreadable else []
    done += [f"{counts.pending:,} texts without a vector"] if counts.pending else []
    return f"{', '.join(done)}; {counts.passages:,} passages of {counts.files:,} files"


def print_counts(counts: RefreshCounts) -> None:
    """Print a refresh for people: what was done, and every file that is not as it should be."""
    if counts.folder_missing or counts.busy:
        print_text(counts.folder_missing or counts.busy or "")
    else:
        renamed = f" (with {counts.renamed:,} renamed)" if counts.renamed else ""
        print_facts({
            "indexed": f"{counts.indexed:,}{renamed}",
            "removed": f"{counts.removed:,}{renamed}",
            "unchanged": counts.unchanged,
            "unreadable": len(counts.unreadable),
            "skipped": _by_reason(counts) or "0",
            "kept": f"{counts.kept:,} out of sight" if counts.kept else None,
        })  # fmt: skip
    print_facts({
        "in the index": f"{counts.passages:,} passages of {counts.files:,} files",
        "embedded": f"{counts.embedded:,} texts" if counts.embedded else None,
        "pending": f"{counts.pending:,} texts without a vector" if counts.pending else None,
        "words only": counts.degraded,
    })  # fmt: skip
    _print_notes("unreadable", counts.unreadable)
    if counts.indexed:
        _print_notes("note", counts.notes)
    elif counts.notes:
        print_text(f"{len(counts.notes):,} notes on files that did not change; --json lists them")


def _by_reason(counts: RefreshCounts) -> str:
    reasons = Counter(reason for _, reason in counts.skipped)
    return "; ".join(f"{number:,} {reason}" for reason, number in reasons.most_common(MOST_SHOWN))


def _print_notes(word: str, notes: list[Any]) -> None:
    for path, reason in notes[:MOST_SHOWN]:
        reason = reason.removeprefix(f"{path}: ").removeprefix(f"{path} ") if path else reason
        print_text(" ".join(f"{word}: {path}: {reason}".split()) if path else f"{word}: {reason}")
    if len(notes) > MOST_SHOWN:
        print_text(f"and {len(notes) - MOST_SHOWN:,} more; --json lists all")
