"""``hybridkb paper page``: the page on which a passage stands, as a picture with the passage marked."""

from __future__ import annotations

import os
from pathlib import Path

import click

from hybridkb.cli.output import print_facts, print_json
from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@click.argument("locator", metavar="LOCATOR")
@click.option("--png", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="OUT",
              help="The picture to write.")  # fmt: skip
@click.option("--page", "number", type=click.IntRange(min=1), metavar="N",
              help="Which page, where it stands on several. At first: the first.")  # fmt: skip
@click.option("--citation", type=click.IntRange(min=1), metavar="N",
              help="Of a summary: which of its citations. At first: the first.")  # fmt: skip
@click.option("--scale", type=click.FloatRange(0.2, 6), default=2.0, show_default=True, help="Pixels a point.")
@global_options
@pass_session
def page(session: Session, /, locator: str, png: Path, number: int | None, citation: int | None, scale: float) -> None:
    """Draw the page that LOCATOR leads to, with its place marked.

    LOCATOR is that of a passage as search prints it (artifact:UUID#c0012), of a summary, of a section, or of a paper
    (source:UUID, with --page).
    """
    from hybridkb.papers.marking import draw_place, find_place

    with session.open(embedder="none") as library:
        place = find_place(library, locator, page=number, citation=citation)
        picture = draw_place(library, place, scale=scale)
    _write(png, picture)
    pages = place.passage.pages if place.passage else (place.page,)
    facts = {
        "paper": place.source.title,
        "page": place.page,
        "of": len(place.source.pages),
        "shows": place.shows,
        "under": " / ".join(place.passage.heading) or None if place.passage else None,
        "marked": f"{len(place.boxes)} place{'' if len(place.boxes) == 1 else 's'}",
        "goes on": f"on page {', '.join(str(one) for one in pages if one != place.page)}" if len(pages) > 1 else None,
        "picture": str(png),
    }
    if session.as_json:
        print_json(facts | {"source_id": place.source.id, "boxes": place.boxes, "pages": pages})
    else:
        print_facts(facts)


def _write(path: Path, picture: bytes) -> None:
    """Write beside the place and move it there, so that a picture is never half there."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(picture)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
