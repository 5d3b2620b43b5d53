"""``hybridkb stats``: what the library holds."""

from __future__ import annotations

from typing import Any

import click

from hybridkb.cli.output import plain, print_json, print_text, show
from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@global_options
@pass_session
def stats(session: Session) -> None:
    """Count what the library holds and what is pending."""
    with session.open(embedder="none") as library:
        answer = plain(library.stats())
    if session.as_json:
        print_json(answer)
        return
    width = max(len(name) for name in answer)
    for name, value in answer.items():
        if value is None:  # versions of the engine that does not keep this library
            continue
        label = f"{name.replace('_', ' '):<{width}}  "
        if isinstance(value, list):
            for entry in value or ["none"]:
                print_text(label + (_pairs(entry) if isinstance(entry, dict) else str(entry)))
                label = " " * len(label)
        else:
            print_text(label + (_pairs(value) or "none" if isinstance(value, dict) else show(value)))


def _pairs(facts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {show(value)}" for name, value in facts.items())
