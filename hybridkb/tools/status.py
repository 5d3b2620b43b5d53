"""``knowledge_status``: how much there is, as known when, how fresh, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from typing import Any

from hybridkb.snapshot import SnapshotStats
from hybridkb.tools.cards import NOTICE, TYPE_CHARACTERS, name, time_text
from hybridkb.tools.desk import Desk, Target, desk_of
from hybridkb.tools.filter_parameters import BEFORE, CUTOFF
from hybridkb.tools.parameters import Parameter, read_cutoff
from hybridkb.upkeep import LibraryStats

MOST_FILES = 20
MOST_TYPES = 30

PARAMETERS: tuple[Parameter, ...] = (CUTOFF,)


def knowledge_status(target: Target, *, available_at_before: datetime | str | None = None) -> dict[str, Any]:
    """Say what the library holds and what is missing, as plain data.

    Args:
        target: as for :func:`hybridkb.tools.search_knowledge`.
        available_at_before: count what was observable by then.

    Returns:
        ``cutoff``, ``cutoff_is_fixed``, counts, ``pending`` (records or texts without a vector), ``spaces`` and
        ``versions``. Without a cutoff also the state of the file and, of a folder, what the last look at it found.

    Raises:
        InvalidFilter: the cutoff is wrong, or lies after the target's own.
    """
    with desk_of(target) as desk:
        return answer_status(desk, {BEFORE: read_cutoff(available_at_before)})


def answer_status(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a call whose arguments were checked. With a cutoff nothing about today is told."""
    cutoff = desk.within(arguments.get(BEFORE))
    view = desk.view(cutoff)
    stats, settings = view.stats(), view.settings
    answer: dict[str, Any] = {"notice": NOTICE, "cutoff": time_text(cutoff), "cutoff_is_fixed": desk.fixed is not None}
    versions: dict[str, Any] = {"hybridkb": version("hybridkb"), "analyser": settings.analyser_version}
    if isinstance(stats, SnapshotStats):
        answer |= _counted_then(stats)
    else:
        answer |= _counted_now(stats)
        versions |= {"schema": stats.schema_version, **_engine(stats)}
        answer |= _folder(desk)
    return answer | {"language": settings.language, "zone": settings.zone, "versions": versions}


def _engine(stats: LibraryStats) -> dict[str, str]:
    """Versions of what keeps the library: SQLite and sqlite-vec, or the server and pgvector."""
    held = {name: getattr(stats, name) for name in ("sqlite", "sqlite_vec", "postgres", "pgvector")}
    return {name: found for name, found in held.items() if found is not None}


def _counted_then(stats: SnapshotStats) -> dict[str, Any]:
    return {
        "items": stats.items,
        "papers": stats.papers,
        "records": stats.records,
        "records_by_type": _by_type(stats.item_types),
        "pending": stats.pending,
        "spaces": [] if stats.space is None else [{"space": stats.space, "state": "serving"}],
    }


def _counted_now(stats: LibraryStats) -> dict[str, Any]:
    return {
        "items": stats.items,
        "papers": stats.papers,
        "records": stats.visible_records,
        "records_by_type": _by_type(stats.item_types),
        "unknown_availability": stats.unknown_availability,
        "pending": stats.pending,
        "spaces": [
            {
                "space": f"{space.model}, {space.dimensions} dimensions, version {space.version}",
                "state": space.state,
                "vectors": space.vectors,
                "pending": space.pending,
                "failed": space.failed,
            }
            for space in stats.spaces
        ],
        "revisions": stats.revisions,
        "generation": stats.generation,
        "file_bytes": stats.file_bytes,
    }


def _by_type(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """The most frequent types; documents may name their own, so there may be many."""
    most = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return [{"item_type": name(kind, TYPE_CHARACTERS), "records": count} for kind, count in most[:MOST_TYPES]]


def _folder(desk: Desk) -> dict[str, Any]:
    """What the last look at the folder told; nothing for a library without one."""
    if not desk.has_folder:
        return {}
    last = desk.refreshed
    facts: dict[str, Any] = {
        "last_refresh": time_text(last.at if last else None),
        "refreshing_since": time_text(desk.refreshing_since),
        "trouble": name(desk.told(last.trouble)) if last and last.trouble else None,
    }
    counts = last.counts if last else None
    for key in ("files", "indexed", "removed", "passages", "kept"):
        if isinstance(value := getattr(counts, key, None), int):
            facts[key] = value
    for key in ("unreadable", "skipped", "notes"):
        entries = getattr(counts, key, ())
        facts[key] = len(entries)
        if entries:
            facts[f"{key}_files"] = [name(": ".join(map(str, entry)), 200) for entry in entries[:MOST_FILES]]
    return {"folder": facts}
