"""``hybridkb export``: everything that was put, as JSON Lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import click

from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.errors import InvalidInput


@click.command()
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write here instead of standard output.")  # fmt: skip
@global_options
@pass_session
def export(session: Session, output: Path | None) -> None:
    """Write everything as JSON Lines: all revisions and withdrawals. `hybridkb add` restores them."""
    with session.open(embedder="none") as library:
        if output is None:
            _write(library.export(), sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return
        _refuse_target(output, library.path)
        unfinished = output.with_name(output.name + ".part")
        try:
            with unfinished.open("wb") as file:
                count = _write(library.export(), file)
            os.replace(unfinished, output)
        except OSError as error:
            raise InvalidInput(f"{output} cannot be written: {error.strerror or error}", field="output") from error
    click.echo(f"{count:,} lines written to {output}", err=True)


def _write(lines: Iterator[str], file: BinaryIO) -> int:
    count = 0
    for line in lines:
        file.write(line.rstrip("\n").encode("utf-8", "surrogatepass") + b"\n")
        count += 1
    return count


def _refuse_target(output: Path, library: str) -> None:
    """An export must never take the place of the library, or of anything that is not a plain file."""
    own = [Path(library + end) for end in ("", "-wal", "-shm")]
    for target in (output, output.with_name(output.name + ".part")):
        if any(file.exists() and target.exists() and file.samefile(target) for file in own):
            raise InvalidInput(f"{target} is the library itself; write the export to another file", field="output")
    if output.exists() and not output.is_file():
        raise InvalidInput(f"{output} is not a plain file; write the export to one", field="output")
