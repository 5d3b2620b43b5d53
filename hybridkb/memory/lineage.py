"""Experiment logs: one row, one card, with the verdict that the experiment was kept or discarded."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from hybridkb.documents.encodings import decode
from hybridkb.errors import HybridKBError, InvalidInput, MissingExtra
from hybridkb.memory.card import KnowledgeCard
from hybridkb.memory.collected import CollectedCards, Collector, SkippedCard, UpcomingCard
from hybridkb.memory.described import describe, plain_key
from hybridkb.memory.files import SourceFile, find_files
from hybridkb.memory.tables import LINES, TABLES, WrongRow, json_rows, table_rows

LOGS = (*LINES, *TABLES)
VERDICTS = ("keep", "discard")

_NAMES = {
    "run": ("run", "run_id", "lineage", "study"),
    "experiment": ("experiment", "experiment_id", "id", "trial", "commit"),
    "verdict": ("verdict", "decision", "status"),
    "date": ("date", "finished_at", "ended_at", "published_at", "timestamp"),
}
"""Cells under several names; the first that is filled counts."""

_ABOUT = (
    "title", "tags", "link", "url", "kind", "as_of", "available_at", "fetched_at", "doc_date", "source_class",
)  # fmt: skip
"""Cells that describe the experiment and are no part of its text."""


def collect_lineage_sources(
    path: str | os.PathLike[str],
    *,
    kind: str | None = "experiment",
    prefix: str = "",
    zone: str = "UTC",
    verdicts: Sequence[str] = VERDICTS,
) -> CollectedCards:
    """Read an experiment log, or a folder of them: JSON Lines, CSV or TSV (docs/memory.md names the cells).

    The slug is ``run/experiment``; without a run the file's name stands in. All other cells become the card's text, a
    line each, so that nothing that was measured is lost. A row without a verdict is still running: it is listed, not
    read.

    Args:
        path: the file or the folder.
        kind: the kind of a row that names none.
        prefix: put before every slug, such as ``"lineage/"``.
        zone: the zone in which a day alone is read; give the library's.
        verdicts: the verdicts that a row may end in; rows with another are skipped.

    Raises:
        InvalidInput: no such file or folder.
    """
    describe({}, source="lineage", kind=kind, zone=zone)
    collector = Collector()
    for file in find_files(path, LOGS):
        if isinstance(file, SkippedCard):
            collector.skip(file.place, file.reason)
            continue
        for line, cells in _rows(file):
            place = f"{file.name}, line {line}" if line else file.name
            try:
                if isinstance(cells, WrongRow):
                    raise InvalidInput(cells)
                found, notes = _read(file, cells, kind, prefix, zone, verdicts)
            except HybridKBError as error:
                collector.skip(place, error)
            else:
                collector.note(place, notes)
                collector.add(place, found)
    return collector.collected()


def _rows(file: SourceFile) -> Iterator[tuple[int, Mapping[str, str] | WrongRow]]:
    """The rows of one file; what ends the reading is the last of them."""
    try:
        text = decode(file.read(), file.name).text
    except MissingExtra:
        raise
    except HybridKBError as error:
        yield 0, WrongRow(str(error).removeprefix(f"{file.name} "))
        return
    except OSError as error:
        yield 0, WrongRow(f"cannot be read: {error.strerror or error}")
        return
    rows = table_rows(text, file.name) if file.name.lower().endswith(TABLES) else json_rows(text)
    yield from ((line, _named(row)) for line, row in rows)


def _named(row: Any) -> Mapping[str, str] | WrongRow:
    """A row's cells by plain key."""
    if isinstance(row, WrongRow):
        return row
    if not isinstance(row, dict):
        return WrongRow("is not a JSON object")
    try:
        cells = {plain_key(key): _cell(value) for key, value in row.items()}
    except RecursionError:
        return WrongRow("is nested too deeply")
    return WrongRow("names a cell twice, or not at all") if len(cells) < len(row) or "" in cells else cells


def _cell(value: Any) -> str:
    """A value as text; figures keep their digits as written."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}={_cell(one)}" for key, one in value.items())
    return ", ".join(map(_cell, value)) if isinstance(value, list) else str(value)


def _read(
    file: SourceFile, cells: Mapping[str, str], kind: str | None, prefix: str, zone: str, verdicts: Sequence[str]
) -> tuple[KnowledgeCard | UpcomingCard, tuple[str, ...]]:
    """One row to its card.

    Raises:
        InvalidInput: it names no experiment, ends in an unknown verdict, or says nothing.
    """
    chosen = {name: _first(cells, names) for name, names in _NAMES.items()}
    experiment = chosen["experiment"][1]
    if not experiment:
        raise InvalidInput(f"names no experiment; give it a cell {' or '.join(_NAMES['experiment'])}")
    run = chosen["run"][1] or file.name.rpartition(".")[0]
    slug = f"{prefix}{run}/{experiment}"
    verdict = chosen["verdict"][1].casefold()
    if not verdict:
        return UpcomingCard(slug, "running"), ()
    if verdict not in verdicts:
        raise InvalidInput(f"the verdict {verdict!r} is none of {', '.join(verdicts)}; mend it, or allow it")
    about = {name: cells[name] for name in _ABOUT if cells.get(name, "").strip()}
    said = describe(
        {**about, "verdict": verdict, **({"date": chosen["date"][1]} if chosen["date"][1] else {})},
        source="lineage", kind=kind, zone=zone,
    )  # fmt: skip
    card = KnowledgeCard(
        slug,
        _text(cells, {"run": run, "experiment": experiment, "verdict": verdict}, {key for key, _ in chosen.values()}),
        said.provenance,
        title=said.title or f"{run} {experiment}",
        tags=said.tags,
        as_of=said.as_of,
        available_at=said.available_at,
        source=said.source(file.name, _hash(cells)),
        availability_basis=said.basis,
    )
    return card, said.notes


def _first(cells: Mapping[str, str], names: Sequence[str]) -> tuple[str, str]:
    """The first of these cells that is filled: its name and what it says, on one line."""
    for name in names:
        words = " ".join(cells.get(name, "").split())
        if words:
            return name, words
    return "", ""


def _text(cells: Mapping[str, str], head: Mapping[str, str], used: set[str]) -> str:
    """The experiment in lines: what it is, then every cell that says more, in their order."""
    said = {**head, **{name: value for name, value in cells.items() if name not in used and name not in _ABOUT}}
    lines = (f"{name.replace('_', ' ').capitalize()}: {value.strip()}" for name, value in said.items() if value.strip())
    return "\n".join(lines)


def _hash(cells: Mapping[str, str]) -> str:
    """Hexadecimal SHA-256 of what the row says, wherever it stands in its file."""
    filled = {name: value for name, value in cells.items() if value.strip()}
    return sha256(json.dumps(filled, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
