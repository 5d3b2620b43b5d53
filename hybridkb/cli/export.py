"""``hybridkb export``: everything that was put, as JSON Lines."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write here instead of standard output.")  # fmt: skip
@global_options
@pass_session
def export(session: Session, output: Path | None) -> None:
    """Write everything as JSON Lines: all revisions and withdrawals. `hybridkb add` restores them."""
    with session.open(embedder="none") as library:
        if output is None:
            for line in library.export():
                sys.stdout.buffer.write(line.rstrip("\n").encode("utf-8", "surrogatepass") + b"\n")
            sys.stdout.buffer.flush()
            return
        unfinished = output.with_name(output.name + ".part")
        count = 0
        with unfinished.open("wb") as file:
            for line in library.export():
                file.write(line.rstrip("\n").encode("utf-8", "surrogatepass") + b"\n")
                count += 1
        os.replace(unfinished, output)
    click.echo(f"{count:,} lines written to {output}", err=True)
