"""Both engines behind one small face, so that every measurement asks both the same."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from corpus import BLOCK, DIMENSIONS, Corpus, GivenVectors, Passage, Query
from numpy.typing import NDArray
from textbook import Row, Textbook

from hybridkb import HybridLibrary
from hybridkb.knowledge import Note, SourceRef, stable_id
from hybridkb.knowledge.times import from_microseconds

Mode = Literal["hybrid", "lexical", "semantic"]
Answer = list[tuple[str, float]]

_SOURCE = SourceRef(kind="manual")
_MADE = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Case:
    """One way to ask.

    Attributes:
        name: of the case in results and tables.
        mode: which legs run.
        natural: ask the query with its function words.
        tag: only passages that carry it.
        before: only passages available by this instant, microseconds; for hybridkb also in its statistics.
        exact: compare every vector.
        approximate: let the server's HNSW index find the nearest.
        top_k: how many hits.
        peer: whether the textbook recipe is asked too.
    """

    name: str
    mode: Mode = "hybrid"
    natural: bool = False
    tag: str | None = None
    before: int | None = None
    exact: bool = False
    approximate: bool = False
    top_k: int = 10
    peer: bool = True


class Engine(Protocol):
    """What a measurement needs of an engine."""

    def ask(self, query: Query, case: Case) -> Answer:
        """Names and scores, best first."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class Ours:
    """hybridkb over one file, or on a server."""

    def __init__(
        self, path: Path | str, *, vectors: bool = True, dimensions: int = DIMENSIONS, read_only: bool = False
    ) -> None:
        """Open or make the library."""
        self.embedder = GivenVectors(dimensions) if vectors else None
        self.library = HybridLibrary.open(path, embedder=self.embedder, read_only=read_only)

    def expect(self, queries: Sequence[Query]) -> None:
        """Give the vectors of the queries to come, in both their forms."""
        if self.embedder is not None:
            self.embedder.answer({text: one.vector for one in queries for text in (one.content, one.natural)})

    def add(self, items: Sequence[Note], texts: Sequence[str], vectors: NDArray[np.float16] | None) -> None:
        """Store items whose records have these texts and vectors."""
        if self.embedder is not None and vectors is not None:
            self.embedder.expect(texts, vectors)
        self.library.put_many(items)

    def ask(self, query: Query, case: Case) -> Answer:
        """Search; hits come with text, snippet and explanation."""
        filters: dict[str, Any] = {}
        if case.tag is not None:
            filters["tags"] = case.tag
        if case.before is not None:
            filters["available_at_before"] = from_microseconds(case.before)
        text = query.natural if case.natural else query.content
        if case.approximate:
            filters["approximate"] = True
        found = self.library.search(text, mode=case.mode, top_k=case.top_k, exact=case.exact, **filters)
        return [(str(hit.item_id), hit.score) for hit in found]

    def close(self) -> None:
        """Close the file."""
        self.library.close()


class Recipe:
    """The textbook recipe over one file."""

    def __init__(self, path: Path, dimensions: int | None = None) -> None:
        """Open or make the file."""
        self.textbook = Textbook(str(path), dimensions)

    def ask(self, query: Query, case: Case) -> Answer:
        """Search; hits come with text."""
        text = query.natural if case.natural else query.content
        narrow: dict[str, Any] = {"top_k": case.top_k, "tag": case.tag, "before": case.before}
        if case.mode == "lexical":
            found = self.textbook.lexical(text, **narrow)
        elif case.mode == "semantic":
            found = self.textbook.semantic(query.vector, **narrow)
        else:
            found = self.textbook.hybrid(text, query.vector, **narrow)
        return [(one.name, one.score) for one in found]

    def close(self) -> None:
        """Close the file."""
        self.textbook.close()


def item_of(passage: Passage, names: str = "bench") -> Note:
    """The knowledge item of a generated passage; its id is made of ``names`` and the passage's number."""
    moment = from_microseconds(passage.available_at)
    return Note(
        id=stable_id(names, passage.number),
        title=passage.title,
        body=passage.body,
        tags=passage.tags,
        as_of=moment,
        available_at=moment,
        created_at=_MADE,
        source=_SOURCE,
    )


def row_of(passage: Passage) -> Row:
    """The textbook row of a generated passage."""
    name = str(stable_id("bench", passage.number))
    return Row(name, passage.title, passage.body, passage.available_at, passage.tags)


def build_ours(engine: Ours, corpus: Corpus, *, names: str = "bench") -> dict[str, Any]:
    """Store a corpus in batches of 1,000; what is timed is ``put_many`` alone."""
    batches: list[float] = []
    making = computing = 0.0
    for block in corpus.blocks():
        started = time.perf_counter()
        items = [item_of(passage, names) for passage in block.passages]
        texts = [passage.text for passage in block.passages]
        made, computed = time.perf_counter(), time.process_time()
        engine.add(items, texts, block.vectors)
        batches.append(time.perf_counter() - made)
        computing += time.process_time() - computed
        making += made - started
    seconds = sum(batches)
    return {
        "passages_per_second": round(corpus.size / seconds),
        "passages_per_second_with_making_items": round(corpus.size / (seconds + making)),
        "passages_per_processor_second": round(corpus.size / computing),
        "seconds": round(seconds, 2),
        "batch_ms": _batch_times(batches),
    }


def build_recipe(recipe: Recipe, corpus: Corpus) -> dict[str, Any]:
    """Store a corpus in transactions of 1,000; words and vectors are timed apart."""
    batches: list[float] = []
    computing = 0.0
    for block in corpus.blocks():
        rows = [row_of(passage) for passage in block.passages]
        started, computed = time.perf_counter(), time.process_time()
        recipe.textbook.add(rows, block.vectors)
        batches.append(time.perf_counter() - started)
        computing += time.process_time() - computed
    recipe.textbook.finish()
    seconds = recipe.textbook.seconds
    return {
        "passages_per_second": round(corpus.size / sum(batches)),
        "passages_per_second_without_vectors": round(corpus.size / (seconds.words + seconds.commits)),
        "passages_per_processor_second": round(corpus.size / computing),
        "seconds": round(sum(batches), 2),
        "batch_ms": _batch_times(batches),
    }


def _batch_times(seconds: Sequence[float]) -> dict[str, float]:
    times: NDArray[np.float64] = np.array(seconds) * 1e3
    return {"p50": round(float(np.median(times)), 1), "max": round(float(times.max()), 1), "items": BLOCK}
