"""Progress bars on stderr for long work, and silence where nobody is watching."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from hybridkb.cli.session import Session

Progress = Callable[[int, int | None], None]


def _silent(_done: int, _total: int | None) -> None:
    """Show nothing."""


@contextmanager
def progress(session: Session, doing: str, *, kind: str = "count") -> Iterator[Progress]:
    """Show a bar while the block runs; yield the function that moves it.

    Args:
        session: tells whether the user wants bars.
        doing: what is being done, as a short phrase.
        kind: ``"count"`` for things, ``"bytes"`` for files.
    """
    if session.quiet or not sys.stderr.isatty():
        yield _silent
        return
    from rich import progress as bars
    from rich.console import Console

    amount = bars.DownloadColumn() if kind == "bytes" else bars.MofNCompleteColumn()
    columns = (
        bars.TextColumn("{task.description}"), bars.BarColumn(), amount, bars.TimeElapsedColumn(),
        bars.TimeRemainingColumn(),
    )  # fmt: skip
    with bars.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)

        def move(done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total)

        yield move


@contextmanager
def steps(session: Session, doing: Mapping[str, str]) -> Iterator[Callable[[str, int, int | None], None]]:
    """Show one bar that goes from step to step; yield the function that is told (step, done, total).

    Args:
        session: tells whether the user wants bars.
        doing: what each step does, as a short phrase.
    """
    if session.quiet or not sys.stderr.isatty():
        yield lambda _step, _done, _total: None
        return
    from rich import progress as bars
    from rich.console import Console

    columns = (bars.TextColumn("{task.description}"), bars.BarColumn(), bars.TimeElapsedColumn())
    with bars.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def move(step: str, done: int, total: int | None) -> None:
            bar.update(task, description=doing.get(step, step), completed=done, total=total)

        yield move
