"""``hybridkb copy``: move a library between a file and a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import click

from hybridkb.cli.output import print_facts, print_json, print_text
from hybridkb.cli.progress import Progress, progress
from hybridkb.cli.session import Session, global_options, pass_session

if TYPE_CHECKING:
    from hybridkb.copying import CopyProgress, CopyReport

_SHOWN = (
    ("items", "item"), ("revisions", "revision"), ("records", "record"), ("vectors", "embedding"), ("blobs", "blob"),
    ("runs", "run"), ("folders", "folder"),
)  # fmt: skip


@click.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--restart", is_flag=True, help="Throw away an unfinished copy in TO, and nothing else, and begin anew.")
@global_options
@pass_session
def copy(session: Session, /, source: str, target: str, restart: bool) -> None:
    """Copy a library from one place to another.

    FROM and TO are each a file or an address, postgresql://user@host/database?schema=name. Everything goes along:
    revisions, papers, vectors, runs, folders. Nothing is embedded again, FROM is only read, TO must be new or empty.

    May be interrupted: the same command goes on where it was. Until every table has been read back and compared, TO is
    no library, and opening it says so.
    """
    from hybridkb.copying import copy_library

    with _stages(session) as move:
        report = copy_library(source, target, restart=restart, progress=move)
    if session.as_json:
        print_json(report)
    else:
        _print(report)


def _print(report: CopyReport) -> None:
    went_on = ", going on where an earlier run ended" if report.resumed else ""
    print_text(f"{report.source} is copied to {report.target}{went_on}; every table was read back and compared")
    facts: dict[str, object] = {name: report.tables[table] for name, table in _SHOWN}
    print_facts({**facts, "rows": report.rows, "bytes": report.bytes, "seconds": report.seconds})


@contextmanager
def _stages(session: Session) -> Iterator[CopyProgress]:
    """One bar for each stage, in turn."""
    with ExitStack() as stack:
        shown: dict[str, Progress] = {}

        def move(stage: str, done: int, total: int) -> None:
            if stage not in shown:
                stack.close()
                shown[stage] = stack.enter_context(progress(session, f"{stage} rows"))
            shown[stage](done, total)

        yield move
