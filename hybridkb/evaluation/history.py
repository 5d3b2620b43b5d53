"""The runs of a library, for people and programs: what was evaluated or built, when, and what came of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from hybridkb.knowledge.times import from_microseconds
from hybridkb.library import HybridLibrary, parts_of
from hybridkb.store.runs import Kind, Run, Target, find_runs


def list_runs(
    library: HybridLibrary,
    *,
    number: int | None = None,
    kind: Kind | None = None,
    target: Target | None = None,
    promoted: bool = False,
    limit: int = 100,
) -> list[Run]:
    """Runs, the newest first; promoted ones the last promoted first.

    Args:
        library: whose runs.
        number: only this one. kind, target: only such. promoted: only what was promoted.
        limit: at most so many.
    """
    with parts_of(library).database.read() as connection:
        return find_runs(connection, number=number, kind=kind, target=target, promoted=promoted, limit=limit)


def run_as_dict(run: Run) -> dict[str, Any]:
    """A run as JSON holds it, its times as ISO text."""
    fields = asdict(run)
    for name in ("started_at", "finished_at", "promoted_at"):
        value = fields[name]
        fields[name] = None if value is None else from_microseconds(value).isoformat()
    return fields
