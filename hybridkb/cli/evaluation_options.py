"""Options that every command shares which asks a gold set."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from hybridkb.errors import InvalidGoldSet

Function = TypeVar("Function", bound=Callable[..., Any])
MODES = click.Choice(["lexical", "semantic", "hybrid"])
ENVIRONMENT = "HYBRIDKB_GOLD_SET"
NAMES = ("k", "depth", "tolerance", "absent_share", "gate_mode", "note", "collection")


def evaluation_options(function: Function) -> Function:
    """Add the gold set and how it is asked."""
    options = (
        click.argument("gold", required=False, metavar="[GOLD]"),
        click.option("-k", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many hits count."),
        click.option("--depth", type=click.IntRange(1, 1000), metavar="N",
                     help="How many hits are looked at for the reciprocal rank; at least k, 100 by default."),
        click.option("--tolerance", type=click.FloatRange(0, 1), default=0.0, show_default=True,
                     help="By how much recall may fall below that of the last promoted run."),
        click.option("--absent-share", type=click.FloatRange(0, 1), default=0.0, show_default=True,
                     help="Which share of the answers may be absent from the index; they count as missed."),
        click.option("--gate-mode", type=MODES, help="The ranking the gate looks at: the baseline's, else hybrid."),
        click.option("--note", default="", metavar="TEXT", help="A word to go with the run."),
        click.option("--collection", default="", metavar="NAME",
                     help="Of a BEIR folder: the --collection its documents were added with."),
    )  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


@contextmanager
def named(gold: str | None) -> Iterator[None]:
    """Say that nobody named a gold set, where the packaged one does not fit the library."""
    try:
        yield
    except InvalidGoldSet as error:
        if gold is not None or ENVIRONMENT in os.environ:
            raise
        raise InvalidGoldSet(
            f"no gold set was named, and the packaged one, which judges examples/items, does not fit this library; "
            f"name yours: GOLD, or {ENVIRONMENT} ({error.reasons[0][:200] if error.reasons else error})",
            reasons=error.reasons,
            tried=error.tried,
            path=error.path,
        ) from None


def evaluation_arguments(options: dict[str, Any]) -> dict[str, Any]:
    """What those options say, as ``evaluate`` takes it."""
    return {name: options[name] for name in NAMES}
