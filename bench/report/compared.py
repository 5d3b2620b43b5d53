"""The parts about what one part of the ranking changes, by collection: without it, with it, and the difference."""

from __future__ import annotations

from collections.abc import Sequence

from peers.cells import table, three

from report.parts import MEASURES, Found, paragraphs

_FEEDBACK = """### With and without words of the best candidates

The setting `feedback` ([ranking](ranking.md)): figures without it and with it, and the difference on the same queries
with the 95 % interval of a paired bootstrap. By default it acts where words alone rank (`lexical`); `feedback="always"`
makes it act in hybrid answers too, where meaning finds most of the same documents anyway, and where it harms questions
that one passage answers in other words (the example desk)."""
_DOCUMENTS = """### Documents by their two best passages

With `collapse` a document ranks by its best passage and a quarter of its second best ([ranking](ranking.md)): figures
by the best alone and with the second, and the difference as above, where documents of many passages are judged."""


def feedback(runs: Sequence[Found]) -> str:
    """What words of the best candidates change; nothing where no run has measured it."""
    return _part(_FEEDBACK, runs, "feedback", ("never", "always"))


def documents(runs: Sequence[Found]) -> str:
    """What the second best passage of a document changes; nothing where no run has measured it."""
    return _part(_DOCUMENTS, runs, "by_document", ("best", "second"))


def _part(top: str, runs: Sequence[Found], measured: str, settings: tuple[str, str]) -> str:
    rows = [
        [found["dataset"], mode, *(_cell(one, label, settings) for label in MEASURES)]
        for found in runs
        for mode, one in found.get(measured, {}).items()
    ]
    return paragraphs(top, table(["collection", "mode", *MEASURES.values()], rows)) if rows else ""


def _cell(one: Found, label: str, settings: tuple[str, str]) -> str:
    apart = one["difference"][label]
    before, after = (three(one[setting][label]["value"]) for setting in settings)
    return f"{before}, {after}: {apart['value']:+.3f} [{apart['low']:+.3f}, {apart['high']:+.3f}]"
