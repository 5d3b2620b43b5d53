"""The part about words of the best candidates: what they change, by collection."""

from __future__ import annotations

from collections.abc import Sequence

from peers.cells import table, three

from report.parts import MEASURES, Found, paragraphs

_TOP = """### With and without words of the best candidates

The setting `feedback` ([ranking](ranking.md)): figures without it and with it, and the difference on the same queries
with the 95 % interval of a paired bootstrap. By default it acts where words alone rank (`lexical`); `feedback="always"`
makes it act in hybrid answers too, where meaning finds most of the same documents anyway."""


def part(runs: Sequence[Found]) -> str:
    """The table; nothing where no run has measured it."""
    rows = [
        [found["dataset"], mode, *(_cell(one, label) for label in MEASURES)]
        for found in runs
        for mode, one in found.get("feedback", {}).items()
    ]
    return paragraphs(_TOP, table(["collection", "mode", *MEASURES.values()], rows)) if rows else ""


def _cell(one: Found, label: str) -> str:
    apart = one["difference"][label]
    before, after = (three(one[setting][label]["value"]) for setting in ("never", "always"))
    return f"{before}, {after}: {apart['value']:+.3f} [{apart['low']:+.3f}, {apart['high']:+.3f}]"
