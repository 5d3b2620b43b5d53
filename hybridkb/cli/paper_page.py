"""``hybridkb paper page``: the page on which a passage stands, as a picture with the passage marked."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click

from hybridkb.cli.output import print_facts, print_json
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.errors import InvalidInput

_PNG = b"\x89PNG\r\n\x1a\n"


@click.command()
@click.argument("locator", metavar="LOCATOR")
@click.option("--png", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="OUT",
              help="The picture to write.")  # fmt: skip
@click.option("--page", "number", type=click.IntRange(min=1), metavar="N",
              help="Which page, where it stands on several. Default: the first.")  # fmt: skip
@click.option("--citation", type=click.IntRange(min=1), metavar="N",
              help="Of a summary: which of its citations. Default: the first.")  # fmt: skip
@click.option("--scale", type=click.FloatRange(0.2, 6), default=2.0, show_default=True, help="Pixels a point.")
@global_options
@pass_session
def page(session: Session, /, locator: str, png: Path, number: int | None, citation: int | None, scale: float) -> None:
    """Draw the page that LOCATOR leads to, with its place marked.

    LOCATOR is that of a passage as search prints it (artifact:UUID#c0012), of a summary, of a section, or of a paper
    (source:UUID, with --page). A picture that is there is written over; any other file is left as it is.
    """
    from hybridkb.papers.marking import draw_place, find_place

    _check_place(png)
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


def _check_place(path: Path) -> None:
    """Say no before anything is drawn: what is there stays, unless it is a picture as this one will be.

    Raises:
        InvalidInput: something else is there, or the folder is not.
    """
    if not path.name:
        raise InvalidInput("--png is no file; name the picture to write, such as page.png", field="png")
    if not path.parent.is_dir():
        raise InvalidInput(f"{path} cannot be written: there is no folder {path.parent}; make it first", field="png")
    if os.path.lexists(path) and not _is_png(path):
        raise InvalidInput(f"{path} is there, and is no PNG; it is left as it is, give another name", field="png")


def _is_png(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_PNG)) == _PNG


def _write(path: Path, picture: bytes) -> None:
    """Write beside the place and move it there, so that a picture is never half there."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".hybridkb-", delete=False) as beside:
        try:
            beside.write(picture)
            beside.close()
            os.chmod(beside.name, _usual_mode())
            os.replace(beside.name, path)
        except BaseException:
            os.unlink(beside.name)
            raise


def _usual_mode() -> int:
    """What a new file may be used for, as the user has it."""
    masked = os.umask(0)
    os.umask(masked)
    return 0o666 & ~masked
