"""Many clients at once: searches a second from 1 to 16 of them, as threads of one process and as processes; writers.

``Place`` is a file or an address. Every client asks the same queries, each beginning elsewhere, for a stated time; a
client is warm, and all begin together.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from corpus import Corpus, Query
from engines import Case, Ours, build_ours
from measure import spread

Place = Path | str
CLIENTS = (1, 2, 4, 8, 16)
_WAIT_SECONDS = 600.0


def searches_a_second(
    place: Place, queries: Sequence[Query], seconds: float, *, processes: bool, clients: Sequence[int] = CLIENTS
) -> list[dict[str, Any]]:
    """What each number of clients gets done."""
    run = _in_processes if processes else _in_threads
    return [_summed(count, run(place, list(queries), seconds, count), seconds) for count in clients]


def _summed(count: int, times: list[list[float]], seconds: float) -> dict[str, Any]:
    every = [one for client in times for one in client]
    return {"clients": count, "searches_per_second": round(len(every) / seconds, 1), **spread(every)}


def _in_threads(place: Place, queries: list[Query], seconds: float, count: int) -> list[list[float]]:
    engine = _warm(place, queries)
    times: list[list[float]] = [[] for _ in range(count)]
    barrier = threading.Barrier(count)
    threads = [
        threading.Thread(target=_ask, args=(engine, queries, seconds, number, barrier.wait, times[number]))
        for number in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.close()
    return times


def _in_processes(place: Place, queries: list[Query], seconds: float, count: int) -> list[list[float]]:
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(count), context.SimpleQueue()
    workers = [
        context.Process(target=_client, args=(place, queries, seconds, number, barrier, results), daemon=True)
        for number in range(count)
    ]
    for worker in workers:
        worker.start()
    times = [results.get() for _ in workers]
    for worker in workers:
        worker.join(_WAIT_SECONDS)
    return times


def _client(place: Place, queries: list[Query], seconds: float, number: int, barrier: Barrier, results: Any) -> None:
    times: list[float] = []
    try:
        engine = _warm(place, queries)
        _ask(engine, queries, seconds, number, lambda: barrier.wait(_WAIT_SECONDS), times)
        engine.close()
    finally:
        results.put(times)


def _warm(place: Place, queries: list[Query]) -> Ours:
    engine = Ours(place, read_only=True)
    engine.expect(queries)
    for query in queries:
        engine.ask(query, Case("warm"))
    return engine


def _ask(
    engine: Ours, queries: list[Query], seconds: float, number: int, wait: Callable[[], object], times: list[float]
) -> None:
    place = number * 7
    wait()
    until = time.perf_counter() + seconds
    while (started := time.perf_counter()) < until:
        engine.ask(queries[place % len(queries)], Case("load"))
        times.append((time.perf_counter() - started) * 1e3)
        place += 1


def writers(make: Callable[[str], Place], passages: int) -> dict[str, Any]:
    """One process puts so many passages; then two put half of them each into another library, at once."""
    alone = _put_at_once(make("one-writer"), [passages], passages)
    both = _put_at_once(make("two-writers"), [passages // 2, passages // 2], passages)
    return {"passages": passages, "one": alone, "two": both}


def _put_at_once(place: Place, shares: Sequence[int], passages: int) -> dict[str, Any]:
    Ours(place).close()
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(len(shares)), context.SimpleQueue()
    workers = [
        context.Process(target=_writer, args=(place, share, seed, barrier, results), daemon=True)
        for seed, share in enumerate(shares, start=1)
    ]
    for worker in workers:
        worker.start()
    spans = [results.get() for _ in workers]
    for worker in workers:
        worker.join(_WAIT_SECONDS)
    wall = max(end for _, end in spans) - min(start for start, _ in spans)
    with Ours(place).library as library:
        held, whole = library.stats().items, library.check(quick=True).ok
    return {"passages_per_second": round(passages / wall), "held": held, "whole": whole}


def _writer(place: Place, share: int, seed: int, barrier: Barrier, results: Any) -> None:
    engine = Ours(place)
    corpus = Corpus(share, seed=seed)
    block = corpus.block(0)  # makes the vocabulary before the clock runs
    assert block.passages
    barrier.wait(_WAIT_SECONDS)
    started = time.time()
    build_ours(engine, corpus, names=f"writer-{seed}")
    results.put((started, time.time()))
    engine.close()
