"""A folder of documents and its knowledge base, with a clock that tests move."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hybridkb import HybridLibrary, KnowledgeBase, RefreshCounts
from support.fake_embedder import HashEmbedder

START = datetime(2025, 1, 1, tzinfo=UTC)


def later(days: float) -> datetime:
    """An instant, so many days after the desk's clock began."""
    return START + timedelta(days=days)


class Desk:
    """A folder, an index, a clock.

    Attributes:
        folder: the folder of documents.
        index: the index file.
        now: what the clock says.
        embedder: counts what it is asked for.
        knowledge: the knowledge base over both.
    """

    def __init__(self, place: Path, **options: Any) -> None:
        self.folder = place / "docs"
        self.folder.mkdir()
        self.index = place / "index.db"
        self.now = START
        self.embedder = HashEmbedder(16)
        self.options = options
        self.knowledge = self.base()

    def base(self, **options: Any) -> KnowledgeBase:
        """Another knowledge base over the same folder and index."""
        chosen = {"embedder": self.embedder, "clock": lambda: self.now, **self.options, **options}
        return KnowledgeBase(chosen.pop("folder", self.folder), chosen.pop("index", self.index), **chosen)

    @property
    def library(self) -> HybridLibrary:
        return self.knowledge.library

    def write(self, path: str, text: str | bytes, *, modified: datetime | None = None) -> Path:
        """Write a file, with a time of its own if one is given."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        if modified is not None:
            stamp = round(modified.timestamp() * 1_000_000) * 1000
            os.utime(target, ns=(stamp, stamp))
        return target

    def move(self, path: str, other: str) -> None:
        target = self.folder / other
        target.parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).rename(target)

    def remove(self, path: str) -> None:
        (self.folder / path).unlink()

    def refresh(self, days: float = 0, **options: Any) -> RefreshCounts:
        """Refresh, so many days later."""
        self.now += timedelta(days=days)
        return self.knowledge.refresh(**options)

    def found(self, query: str, **options: Any) -> list[str]:
        """Paths that hold the words now, after a refresh."""
        options = {"mode": "lexical", "limit": 100, **options}
        return [hit.path for hit in self.knowledge.search(query, **options)]

    def then(self, query: str, days: float, **options: Any) -> list[str]:
        """Paths that held the words so many days after the beginning."""
        options = {"mode": "lexical", "top_k": 100, "available_at_before": later(days), **options}
        return [hit.path or "" for hit in self.library.search(query, **options)]

    def answers(self, days: float, *queries: str) -> list[object]:
        """Everything that the library answers about an instant."""
        return [
            [(hit.locator, hit.score, hit.path, hit.matched_text, hit.as_of, hit.available_at) for hit in results]
            for query in queries
            for mode in ("lexical", "hybrid")
            for results in [self.library.search(query, mode=mode, top_k=50, available_at_before=later(days))]
        ]
