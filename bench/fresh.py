"""Runs in a process of its own: the first query after opening, and the memory that warm queries leave.

``python fresh.py ENGINE FILE QUERIES STARTED``; QUERIES is a pickle of a list of queries, STARTED the clock when the
process was asked for. Prints JSON.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corpus import Query


def measure_fresh(
    engine: str, path: Path | str, queries: Sequence[Query], *, folder: Path | None = None
) -> dict[str, Any]:
    """Start a new process and let it open the file, or the address, and search; ``folder`` is for what it is told."""
    stored = (folder or Path(path).parent) / "asked.queries"
    stored.write_bytes(pickle.dumps(list(queries)))
    try:
        done = subprocess.run(
            [sys.executable, __file__, engine, str(path), str(stored), str(time.time())],
            check=True,
            capture_output=True,
            text=True,
        )
    finally:
        stored.unlink()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _run(engine: str, path: str, stored: str, started: str) -> dict[str, Any]:
    from engines import Case, Ours, Recipe
    from measure import resident_megabytes

    queries = pickle.loads(Path(stored).read_bytes())
    before = resident_megabytes()
    opening = time.perf_counter()
    opened = Ours(path) if engine == "hybridkb" else Recipe(Path(path))
    if isinstance(opened, Ours):
        opened.expect(queries)
    opened.ask(queries[0], Case("first"))
    answered, whole = time.perf_counter(), time.time() - float(started)
    for natural in (False, True):
        for query in queries:
            opened.ask(query, Case("warm", natural=natural))
    return {
        "open_and_first_query_ms": round((answered - opening) * 1e3, 1),
        "whole_process_to_first_answer_ms": round(whole * 1e3, 1),
        "memory_mb_before": before,
        "memory_mb": resident_megabytes(),
    }


if __name__ == "__main__":
    print(json.dumps(_run(*sys.argv[1:])))
