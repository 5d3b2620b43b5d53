"""``hybridkb index``: the HNSW index of a library on PostgreSQL, for searches that ask for approximate neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hybridkb.cli.output import plain, print_facts, print_json, print_text
from hybridkb.cli.progress import progress
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.cli.sync import size

if TYPE_CHECKING:
    from hybridkb.upkeep.vector_index import VectorIndex


@click.command()
@click.option("--hnsw", is_flag=True, help="Build an HNSW index of the vectors that serve.")
@click.option("--m", type=click.IntRange(2, 100), default=16, show_default=True, help="Links of a vector on a layer.")
@click.option("--ef-construction", type=click.IntRange(4, 1000), default=64, show_default=True,
              help="How many vectors are looked at to choose them.")  # fmt: skip
@click.option("--memory", type=size, metavar="SIZE",
              help="What the server may use for it, such as 4G; else its maintenance_work_mem.")  # fmt: skip
@click.option("--wait", type=click.FloatRange(min=0), default=0.0, metavar="SECONDS",
              help="How long to wait for another build.")  # fmt: skip
@click.option("--drop", is_flag=True, help="Drop it; searches with --approximate are refused from then on.")
@global_options
@pass_session
def index(
    session: Session, /, hnsw: bool, drop: bool, m: int, ef_construction: int, memory: int | None, wait: float
) -> None:
    """Show, build or drop the HNSW index of a library on PostgreSQL.

    Only searches with --approximate ask it; all others stay exact as they are without it. Others read and write while
    it is built, and new vectors enter it as they are put. Interrupting a build leaves nothing behind.
    """
    if hnsw and drop:
        raise click.UsageError("give --hnsw or --drop, not both")
    with session.open(read_only=not (hnsw or drop), embedder="none") as library:
        if drop:
            _tell_dropped(session, library.drop_vector_index())
            return
        if hnsw:
            with progress(session, "indexing vectors") as move:
                found: VectorIndex | None = library.build_vector_index(
                    m=m, ef_construction=ef_construction, memory=memory, wait_seconds=wait, progress=move
                )
        else:
            found = library.vector_index()
    _show(session, found)


def _tell_dropped(session: Session, dropped: bool) -> None:
    if session.as_json:
        print_json({"dropped": dropped})
    else:
        print_text("dropped" if dropped else "there was no index")


def _show(session: Session, found: VectorIndex | None) -> None:
    if session.as_json:
        print_json({"index": plain(found)})
        return
    if found is None:
        print_text("no index; build one with `hybridkb index --hnsw`, where the library is on PostgreSQL")
        return
    print_facts({
        "space": found.space if found.serving else f"{found.space}, which no longer serves",
        "vectors": found.vectors,
        "m": found.m,
        "ef_construction": found.ef_construction,
        "bytes": found.size,
        "seconds": f"{found.seconds:,.1f}" if found.built else None,
    })  # fmt: skip
    if found.advice:
        print_text(f"note: {found.advice}")
