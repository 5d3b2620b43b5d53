"""What may leave the house: how recall went, how much there is, and when. No text, query, name, path or link.

Columns are listed one by one (``sql/sqlite/runs/public_*.sql``), and a value gets out only as a number, as an instant,
or as a word of a list that stands in this program: whatever else a column should ever hold stays inside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from hybridkb.database import Connection
from hybridkb.errors import InvalidInput
from hybridkb.evaluation.figures import DIFFERENCE
from hybridkb.evaluation.measures import MEASURES
from hybridkb.evaluation.plan import MODES
from hybridkb.knowledge.times import from_microseconds
from hybridkb.library import HybridLibrary, parts_of
from hybridkb.store.runs import KINDS, TARGETS

EXPORT_VERSION = 1

Reader = Callable[[Any], Any]


def public_export(library: HybridLibrary) -> dict[str, Any]:
    """Aggregates that may be published: every run's figures, counts and dates, and how much the library holds.

    Runs are numbered, modes and measures are named by words of this program; everything else is a number or a date.
    Runs of one ``series``, the number of its first, share gold set, k, mode, filters and depth: they may be compared.
    """
    with parts_of(library).database.read() as connection:
        runs = [_row(_RUN, row) for row in connection.rows("runs/public_runs")]
        figures = _figures(connection)
        counts = _row(_COUNTS, connection.row("runs/public_counts") or ())
    for run in runs:
        run["figures"] = figures.get(run["run"], {})
    return {"version": EXPORT_VERSION, "library": counts, "runs": runs}


def _figures(connection: Connection) -> dict[Any, dict[str, dict[str, Any]]]:
    """By run, mode and measure: value and interval."""
    found: dict[Any, dict[str, dict[str, Any]]] = {}
    for row in connection.rows("runs/public_figures"):
        figure = _row(_FIGURE, row)
        run, mode, measure = (figure.pop(name) for name in ("run", "mode", "measure"))
        if run is not None and mode is not None and measure is not None:
            found.setdefault(run, {}).setdefault(mode, {})[measure] = figure
    return found


def _row(columns: Iterable[tuple[str, Reader]], values: Iterable[Any]) -> dict[str, Any]:
    return {name: read(value) for (name, read), value in zip(columns, values, strict=True)}


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _flag(value: Any) -> bool | None:
    return bool(value) if isinstance(value, int) else None


def _instant(value: Any) -> str | None:
    try:
        return from_microseconds(value).isoformat() if isinstance(value, int) else None
    except InvalidInput:  # no instant at all
        return None


def _word(*known: str) -> Reader:
    return lambda value: value if value in known else None


_RUN: tuple[tuple[str, Reader], ...] = (
    ("run", _whole),
    ("kind", _word(*KINDS)),
    ("target", _word(*TARGETS)),
    ("started_at", _instant),
    ("finished_at", _instant),
    ("k", _whole),
    ("mode", _word(*MODES)),
    ("queries", _whole),
    ("negatives", _whole),
    ("items", _whole),
    ("records", _whole),
    ("pending", _whole),
    ("embedded", _whole),
    ("promote", _flag),
    ("promoted_at", _instant),
    ("series", _whole),
)
_FIGURE: tuple[tuple[str, Reader], ...] = (
    ("run", _whole),
    ("mode", _word(*MODES, DIFFERENCE)),
    ("measure", _word(*MEASURES)),
    ("value", _number),
    ("low", _number),
    ("high", _number),
)
_COUNTS: tuple[tuple[str, Reader], ...] = (
    ("items", _whole),
    ("revisions", _whole),
    ("records", _whole),
    ("visible_records", _whole),
    ("unknown_availability", _whole),
    ("first_available", _instant),
    ("last_available", _instant),
)
