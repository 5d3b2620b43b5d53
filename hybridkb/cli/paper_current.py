"""``hybridkb paper current``: which of several artifacts of one kind searches see."""

from __future__ import annotations

import click

from hybridkb.cli.output import print_json, print_text
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.knowledge import Locator


@click.command()
@click.argument("artifact", metavar="ARTIFACT")
@global_options
@pass_session
def current(session: Session, /, artifact: str) -> None:
    """Let searches see ARTIFACT in place of its siblings.

    ARTIFACT is its id or locator, as `paper show` lists them. Nothing is embedded again; answers about the past show it
    too, and the audit says so.
    """
    owner = Locator.parse(artifact if ":" in artifact else f"artifact:{artifact}").owner_id
    with session.open(read_only=False, embedder="none") as library:
        library.make_current(owner)
        paper = library.get_paper(owner)
    made = next(one for one in paper.artifacts if one.artifact_id == owner)
    if session.as_json:
        print_json(made)
    else:
        print_text(f"{made.kind} {made.artifact_id} of {paper.source.title!r} is what searches see now")
