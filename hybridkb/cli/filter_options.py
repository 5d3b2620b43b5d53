"""One option for each filter of a search, and the filters they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from hybridkb.cli.instants import cutoff, day
from hybridkb.knowledge.provenance import SOURCE_CLASSES

Function = TypeVar("Function", bound=Callable[..., Any])

# Options that may be given several times: option, filter, help.
LISTS = (
    ("--type", "item_types", "Only this item type: note, news, earnings, factor, thesis, filing, transcript ..."),
    ("--tag", "tags", "Has this tag; several: has all of them."),
    ("--any-tag", "any_tags", "Has at least one of these tags."),
    ("--exclude-tag", "exclude_tags", "Has none of these tags."),
    ("--ticker", "tickers", "Is about this ticker."),
    ("--period", "periods", "Is about this period, such as FY2022."),
    ("--in-collection", "collections", "Of this folder of documents (see sync --collection)."),
    ("--source", "sources", f"Source class: {', '.join(SOURCE_CLASSES)}."),
    ("--source-kind", "source_kinds", "Kind of source: http, rss, local, transcript, manual, arxiv, doi."),
    ("--kind", "kinds", "Kind of document on its provenance card."),
    ("--verdict", "verdicts", "Verdict on its provenance card."),
    ("--confidence", "confidence", "low, medium or high."),
    ("--artifact-kind", "artifact_kinds", "Kind of derived product: paper_chunk_set, paper_summary, paper_tree."),
    ("--artifact", "artifact_ids", "Only this derived product, also when it is not the current one."),
)
SINGLE: tuple[tuple[str, str, Callable[[str], object] | None, str], ...] = (
    ("--tree", "tree_id", None, "Only parts of this tree."),
    ("--path", "path_prefix", None, "Path starts with these whole segments."),
    ("--min-trust", "min_trust", None, "Source class at least as trusted as this one."),
    ("--available-before", "available_at_before", cutoff, "No look-ahead: what was observable by this day or instant."),
    ("--available-after", "available_at_after", cutoff, "Became observable at this day or instant, or later."),
    ("--as-of-before", "as_of_before", cutoff, "Represents knowledge up to then. Prevents no look-ahead."),
    ("--as-of-after", "as_of_after", cutoff, "Represents knowledge of this day or instant, or later."),
    ("--doc-date-before", "doc_date_before", day, "Date on the provenance card, at most."),
    ("--doc-date-after", "doc_date_after", day, "Date on the provenance card, at least."),
)
_METAVARS: dict[object, str] = {None: "TEXT", cutoff: "TIME", day: "DAY"}
FLAGS = (*((flag, name) for flag, name, _ in LISTS), *((flag, name) for flag, name, _, _ in SINGLE))
NAMES = (*(name for _, name, _ in LISTS), *(name for _, name, _, _ in SINGLE))


def filter_options(function: Function) -> Function:
    """Add every filter as an option."""
    for flag, name, reader, text in reversed(SINGLE):
        function = click.option(flag, name, type=reader or str, metavar=_METAVARS[reader], help=text)(function)
    for flag, name, text in reversed(LISTS):
        function = click.option(flag, name, multiple=True, metavar="TEXT", help=text)(function)
    return function


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Keep what the user gave; the rest filters nothing."""
    filters = {}
    for name in NAMES:
        value = options.get(name)
        if value is not None and value != ():
            filters[name] = list(value) if isinstance(value, tuple) else value
    return filters
