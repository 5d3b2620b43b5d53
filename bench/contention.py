"""One thread puts single items while another searches: the largest stall, and whether any answer was stale."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from corpus import Block, Passage, Query
from engines import Case, Ours, item_of
from measure import spread


@dataclass(slots=True)
class _Shared:
    """What the two threads tell each other."""

    newest: str = ""
    done: bool = False
    puts: list[float] = field(default_factory=list)
    searches: list[float] = field(default_factory=list)
    asked: int = 0
    stale: int = 0


def measure_contention(engine: Ours, block: Block, queries: list[Query], puts: int) -> dict[str, Any]:
    """Put copies of a block's passages, each with a word of its own, while a reader searches.

    The reader alternates a hybrid search, which is timed, with one for the word of the newest item whose put had
    returned before: a miss is a stale answer.
    """
    alone = [_timed_search(engine, query) for query in queries]
    shared = _Shared()
    writer = threading.Thread(target=_write, args=(engine, block, puts, shared))
    writer.start()
    _read(engine, queries, shared)
    writer.join()
    return {
        "puts": len(shared.puts),
        "put_ms": spread(shared.puts),
        "searches": len(shared.searches),
        "search_ms_alone": spread(alone),
        "search_ms_while_writing": spread(shared.searches),
        "freshness_checks": shared.asked,
        "stale_answers": shared.stale,
    }


def _write(engine: Ours, block: Block, puts: int, shared: _Shared) -> None:
    assert engine.embedder is not None
    try:
        for place in range(puts):
            passage = block.passages[place % len(block.passages)]
            word = f"zq{uuid4().hex[:12]}"
            fresh = Passage(passage.number, passage.title, f"{passage.body} {word}", passage.available_at, passage.tags)
            item = item_of(fresh).model_copy(update={"id": uuid4()})
            engine.embedder.expect([fresh.text], block.vectors[place % len(block.vectors)][None])
            started = time.perf_counter()
            engine.library.put(item)
            shared.puts.append((time.perf_counter() - started) * 1e3)
            shared.newest = word
    finally:
        shared.done = True


def _read(engine: Ours, queries: list[Query], shared: _Shared) -> None:
    place = 0
    while not shared.done:
        shared.searches.append(_timed_search(engine, queries[place % len(queries)]))
        place += 1
        word = shared.newest
        if word:
            shared.asked += 1
            shared.stale += not len(engine.library.search(word, mode="lexical", top_k=1))


def _timed_search(engine: Ours, query: Query) -> float:
    started = time.perf_counter()
    engine.ask(query, Case("while writing"))
    return (time.perf_counter() - started) * 1e3
