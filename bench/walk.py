"""A walk through time: what does a backtest pay for asking each day as of that day?

``python bench/walk.py --fomc PATH [--profile]``: dated Federal Reserve documents, in windows of 180 words with their
vectors, are stored once; then 2,500 working days pass. Each day gets a snapshot of its own and asks it two questions
(titles of speeches, in turn). Timed is all of it: making the snapshot and both answers. Checked is that no hit became
available later than its day's first instant. Minutes count as available three weeks after their meeting, everything
else at the end of its day (UTC).
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from beir import Part, Vectors, parts, read_documents, read_queries, read_vectors
from corpus import GivenVectors
from measure import facts, spread, store

from hybridkb import HybridLibrary
from hybridkb.knowledge import Note, SourceRef, stable_id

DAYS = 2500
A_DAY = 2
TOP_K = 10
FIRST = datetime(2010, 1, 1, tzinfo=UTC)
MODES = ("hybrid", "lexical")
_BATCH = 1000


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, store."""
    parser = argparse.ArgumentParser(description="Time searches as of each of 2,500 days.")
    parser.add_argument("--fomc", metavar="PATH", required=True, help="the dated collection, with vectors")
    parser.add_argument("--days", type=int, default=DAYS, help="how many working days")
    parser.add_argument("--profile", action="store_true", help="say which functions take the time; stores nothing")
    parser.add_argument("--json", metavar="FILE", help="where to write the result")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="hybridkb-walk-") as place:
        results = measure(Path(options.fomc), Path(place), options.days, profile=options.profile)
    if not options.profile:
        store("walk", {**facts(), **results}, options.json)
    print(render_walk(results), file=sys.stderr)
    return int(bool(results["late_hits"]))


def measure(folder: Path, place: Path, days: int, *, profile: bool = False) -> dict[str, Any]:
    """Store the collection and walk, once for each mode."""
    vectors = read_vectors(folder)
    assert vectors is not None, "the collection has no vectors beside it"
    embedder = GivenVectors(vectors.dimensions, vectors.model)
    with HybridLibrary.open(place / "walk.db", embedder=embedder) as library:
        started = time.perf_counter()
        passages = _fill(library, embedder, folder, vectors)
        seconds = time.perf_counter() - started
        texts = read_queries(folder)
        embedder.answer({text: vectors.queries[name] for name, text in texts.items()})
        walks = {mode: _walk(library, list(texts.values()), days, mode, profile) for mode in MODES}
    return {
        "collection": folder.name,
        "passages": passages,
        "seconds_to_store": round(seconds, 1),
        "days": days,
        "queries_a_day": A_DAY,
        "top_k": TOP_K,
        "first_day": FIRST.date().isoformat(),
        "late_hits": sum(walk["late_hits"] for walk in walks.values()),
        "modes": walks,
    }


def render_walk(results: dict[str, Any]) -> str:
    """The results as Markdown."""
    lines = [
        f"{results['days']:,} working days from {results['first_day']}, {results['queries_a_day']} questions a day, "
        f"each asked of a snapshot of that day over {results['passages']:,} passages{_provenance(results)}.",
        "",
        "| mode | passages visible | queries/s | p50 ms | p95 ms | snapshot p50 ms | hits | later than their day |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for mode, walk in results["modes"].items():
        first, last = walk["visible"]
        lines.append(
            f"| {mode} | {first:,} to {last:,} | {walk['queries_per_second']:,} | {walk['query_ms']['p50']} | "
            f"{walk['query_ms']['p95']} | {walk['snapshot_ms']['p50']} | {walk['hits']:,} | {walk['late_hits']} |"
        )
    return "\n".join(lines) + "\n"


def _provenance(results: dict[str, Any]) -> str:
    if "machine" not in results:
        return ""
    machine = results["machine"]
    return (
        f" ({results['date']}, commit {results['revision']}, {machine['processor']}, {machine['cores']} cores, "
        f"load average {machine['load_average']} at the end)"
    )


def _walk(library: HybridLibrary, texts: list[str], days: int, mode: str, profile: bool) -> dict[str, Any]:
    library.search(texts[0], mode=mode, available_at_before=FIRST)  # what is read once is not the walk's
    profiler = cProfile.Profile() if profile else None
    if profiler is not None:
        profiler.enable()
    found = _ask_every_day(library, texts, days, mode)
    if profiler is not None:
        profiler.disable()
        pstats.Stats(profiler, stream=sys.stderr).sort_stats("tottime").print_stats(25)
    return found


def _ask_every_day(library: HybridLibrary, texts: list[str], days: int, mode: str) -> dict[str, Any]:
    making: list[float] = []
    asking: list[float] = []
    hits = late = 0
    visible: list[int] = []
    for number, day in enumerate(_working_days(days)):
        before = time.perf_counter()
        snapshot = library.snapshot(at=day)
        making.append((time.perf_counter() - before) * 1e3)
        for offset in range(A_DAY):
            text = texts[(A_DAY * number + offset) % len(texts)]
            before = time.perf_counter()
            results = snapshot.search(text, mode=mode, top_k=TOP_K)
            asking.append((time.perf_counter() - before) * 1e3)
            hits += len(results)
            late += sum(hit.available_at is None or hit.available_at > day for hit in results)
        if number in (0, days - 1):
            visible.append(snapshot.stats().records)
    total = (sum(making) + sum(asking)) / 1e3
    return {
        "queries_per_second": round(len(asking) / total, 1),
        "query_ms": spread(asking),
        "snapshot_ms": spread(making),
        "visible": [visible[0], visible[-1]],
        "hits": hits,
        "late_hits": late,
    }


def _working_days(count: int) -> Iterator[datetime]:
    every = (FIRST + timedelta(days=number) for number in range(2 * count + 7))
    return islice((day for day in every if day.weekday() < 5), count)


def _fill(library: HybridLibrary, embedder: GivenVectors, folder: Path, vectors: Vectors) -> int:
    every = (part for document in read_documents(folder) for part in parts(document, windows=vectors.by_window))
    count = 0
    while batch := list(islice(every, _BATCH)):
        notes = [_note(part) for part in batch]
        rows = np.array([vectors.documents[part.name] for part in batch])
        embedder.expect([f"{note.title}\n\n{note.body}" if note.title else note.body for note in notes], rows)
        library.put_many(notes)
        count += len(batch)
    library.optimize()
    return count


def _note(part: Part) -> Note:
    day = datetime.fromisoformat(part.document.date).replace(tzinfo=UTC)
    wait = timedelta(days=22 if part.document.name.startswith("minutes") else 1)
    return Note(
        id=stable_id("walk", part.name),
        title=part.document.title,
        body=part.text,
        as_of=day,
        available_at=day + wait - timedelta(microseconds=1),
        source=SourceRef(kind="local", uri=part.document.name),
    )


if __name__ == "__main__":
    sys.exit(main())
