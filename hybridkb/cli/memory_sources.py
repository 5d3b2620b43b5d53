"""Options that name the sources of the managed memory, and the cards that are read from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from hybridkb.memory import CollectedCards

Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS = (
    ("--articles", "articles", "A folder of articles: Markdown with front matter."),
    ("--deep-research", "deep_research", "A folder of the same shape, of the least trusted class."),
    ("--scouts", "scouts", "A folder of research notes whose front matter gives a verdict."),
    ("--lineage", "lineage", "An experiment log (.jsonl, .csv, .tsv), or a folder of them."),
    ("--cards", "cards", "JSON Lines, one card a line: slug, text, source, kind ..."),
)


def source_options(function: Function) -> Function:
    """Add an option for each kind of source; each may be given several times."""
    for flag, name, text in reversed(OPTIONS):
        option = click.option(flag, name, multiple=True, metavar="PATH", type=click.Path(path_type=Path), help=text)
        function = option(function)
    prefix = click.option("--prefix", default="", metavar="TEXT", help="Put before every slug, such as essays/.")
    return prefix(function)


def collect(options: Mapping[str, Any], zone: str) -> CollectedCards | None:
    """Read all the sources that were named; None when none was.

    Args:
        options: as :func:`source_options` gives them.
        zone: the library's time zone, in which a day alone is read.
    """
    from hybridkb.memory import CollectedCards, collect_article_sources, collect_lineage_sources, collect_scout_sources
    from hybridkb.memory.card_lines import collect_card_lines

    prefix = options["prefix"]
    readers: dict[str, Callable[[Path], CollectedCards]] = {
        "articles": lambda path: collect_article_sources(path, prefix=prefix, zone=zone),
        "deep_research": lambda path: collect_article_sources(
            path, source="deep_research", kind="deep_research", prefix=prefix, zone=zone
        ),
        "scouts": lambda path: collect_scout_sources(path, prefix=prefix, zone=zone),
        "lineage": lambda path: collect_lineage_sources(path, prefix=prefix, zone=zone),
        "cards": lambda path: collect_card_lines(path, prefix=prefix, zone=zone),
    }
    found = [readers[name](path) for _, name, _ in OPTIONS for path in options[name]]
    return sum(found, CollectedCards()) if found else None
