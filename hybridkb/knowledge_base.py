"""``KnowledgeBase``: a folder of documents that is always current, and searched in one call."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, Self

from hybridkb.documents import INDEXED_SUFFIXES
from hybridkb.errors import DatabaseError, MissingExtra
from hybridkb.folder import DEFAULT_COLLECTION, Availability, RefreshCounts
from hybridkb.ingest import ProgressCallback
from hybridkb.knowledge import Locator
from hybridkb.library import Clock, EmbedderArgument, HybridLibrary
from hybridkb.search.hit import SearchHit, SearchResults
from hybridkb.search.request import Collapse, Match, Mode

TABLE_SUFFIXES = (".csv", ".tsv")

__all__ = ["INDEXED_SUFFIXES", "KnowledgeBase", "KnowledgeHit", "KnowledgeHits", "RefreshCounts"]


@dataclass(frozen=True, slots=True)
class KnowledgeHit:
    """One passage that was found.

    Attributes:
        path: the file, relative to the folder.
        heading: the headings above the passage, joined by ``" > "``; the file's name where there are none, and of
            tables.
        snippet: the best part of the passage, matched words in ``[brackets]``.
        page: the page it stands on, counted from 1; None in a file without pages.
        score: fused score (hybrid), BM25 with bonuses (lexical), cosine (semantic).
        relevance: 0 to 1, comparable between searches.
        text: the whole passage as it was ranked, its headings in front.
        as_of, available_at: of the file as it was found (UTC); None is unknown.
        others: with ``collapse``, how many further passages of the same file were found.
        locator: the passage's address, for ``library.resolve``.
        hit: everything else that the library says of it.
    """

    path: str
    heading: str
    snippet: str
    page: int | None = None
    score: float = 0.0
    relevance: float = 0.0
    text: str = ""
    as_of: datetime | None = None
    available_at: datetime | None = None
    others: int = 0
    locator: Locator | None = None
    hit: SearchHit | None = None


class KnowledgeHits(list[KnowledgeHit]):
    """Passages best first, and what the answer rests on.

    Attributes:
        mode: what ran: ``"hybrid"``, ``"lexical"`` or ``"semantic"``.
        degraded: None, or what is missing from the answer and why.
        counts: what the refresh before the search did; None when it could not run.
        results: the library's own answer.
    """

    def __init__(
        self, hits: Iterable[KnowledgeHit], *, mode: str, degraded: str | None, counts: RefreshCounts | None,
        results: SearchResults,
    ) -> None:  # fmt: skip
        """Keep the hits and what is said about them."""
        super().__init__(hits)
        self.mode = mode
        self.degraded = degraded
        self.counts = counts
        self.results = results


class KnowledgeBase:
    """The documents of one folder, kept in step before each search. Safe to share between threads."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        index_file: str | os.PathLike[str],
        *,
        embedder: EmbedderArgument = "local",
        collection: str = DEFAULT_COLLECTION,
        availability: Availability | None = None,
        ignore: Iterable[str] | None = None,
        max_bytes: int | None = None,
        passage_characters: int | None = None,
        embed_seconds: float = 2.0,
        wait_seconds: float = 10.0,
        read_only: bool = False,
        clock: Clock | None = None,
    ) -> None:
        """Describe the knowledge base without touching the disk.

        Args:
            folder: the folder of documents.
            index_file: the library that holds the index, a file or an address; made by the first use. It may hold other
                things too.
            embedder: as for :meth:`HybridLibrary.open`; where ``"local"`` is not installed, words alone are searched
                and the answer says so.
            collection, availability, ignore, max_bytes, passage_characters: see :meth:`HybridLibrary.sync`.
            embed_seconds: how long a search may embed what is new before it answers; the rest follows with the next
                ones, or with :meth:`refresh`. Until then it is found by its words.
            wait_seconds: how long a search waits for another process that refreshes the same index.
            read_only: never write: searches answer from the index as it is, and say when the folder has changed.
            clock: gives the time of writes; the machine's clock by default.
        """
        self._folder = folder
        self._index_file = index_file
        self._embedder = embedder
        self._collection = collection
        self._settings: dict[str, Any] = {
            "availability": availability,
            "ignore": None if ignore is None else (ignore if isinstance(ignore, str) else tuple(ignore)),
            "max_bytes": max_bytes,
            "passage_characters": passage_characters,
        }
        self._embed_seconds = embed_seconds
        self._wait_seconds = wait_seconds
        self._read_only = read_only
        self._clock = clock
        self._opened: HybridLibrary | None = None
        self._open_lock = threading.Lock()
        self._turns = _Turns()

    @property
    def library(self) -> HybridLibrary:
        """The library with the index; opened when it is first needed.

        Raises:
            DatabaseError: the index file cannot be used.
        """
        with self._open_lock:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    def refresh(
        self,
        *,
        moved: bool = False,
        progress: ProgressCallback | None = None,
        embed: bool = True,
        embed_seconds: float | None = None,
    ) -> RefreshCounts:
        """Index new and changed files, forget deleted ones, embed everything.

        Args:
            moved: take the folder as it is, also when it is another than the one that was indexed.
            progress: called with (files done, files to read).
            embed: False leaves vectors for later, ``library.embed_pending`` for example.
            embed_seconds: begin no further step of embedding after this time; None embeds everything.

        Raises:
            InvalidInput: it is another folder than the one that was indexed, or a setting is wrong.
            DatabaseError: the index cannot be written.
        """
        return self._sync(moved=moved, progress=progress, embed=embed, embed_seconds=embed_seconds)

    def search(
        self,
        query: str,
        limit: int = 5,
        *,
        mode: Mode = "hybrid",
        collapse: Collapse | None = None,
        match: Match | None = None,
        min_score: float | None = None,
        **filters: Any,
    ) -> KnowledgeHits:
        """Refresh, then find the passages that answer best.

        Args:
            query: any text.
            limit: the most hits.
            mode: ``"hybrid"``, ``"lexical"`` (passages with every word, if there are any, else with any) or
                ``"semantic"``.
            collapse: ``"document"`` for at most one passage of each file.
            match: another rule of words than that of the mode; see :class:`SearchQuery`.
            min_score: least relevance, 0 to 1.
            **filters: every filter of a search, such as ``tags``, ``path_prefix``, ``available_at_before``.

        Raises:
            InvalidQuery, InvalidFilter: an argument is wrong.
            InvalidInput: the folder is another than the one that was indexed.
            EmbedderUnavailable: ``mode="semantic"`` and the query cannot be embedded.
            DatabaseError: the index cannot be read.
        """
        counts, trouble = self._refreshed()
        results = self.library.search(
            query,
            top_k=limit,
            mode=mode,
            collapse=collapse,
            match=match or ("all_first" if mode == "lexical" else "any"),
            min_score=min_score,
            **{"collections": self._collection, **filters},
        )
        reasons = [trouble, *_troubles(counts), results.degraded]
        return KnowledgeHits(
            map(_hit, results),
            mode=results.mode,
            degraded="; ".join(reason for reason in reasons if reason) or None,
            counts=counts,
            results=results,
        )

    def close(self) -> None:
        """Close the index; the next use opens it again."""
        with self._open_lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        self.close()
        return False

    def _open(self) -> HybridLibrary:
        def open_with(embedder: EmbedderArgument) -> HybridLibrary:
            return HybridLibrary.open(
                self._index_file, embedder=embedder, read_only=self._read_only, clock=self._clock
            )

        try:
            return open_with(self._embedder)
        except MissingExtra:
            if self._embedder != "local":
                raise
            return open_with("auto")  # whatever can be had; the answers say what is missing

    def _sync(self, **options: Any) -> RefreshCounts:
        settings = {name: value for name, value in self._settings.items() if value is not None}
        return self.library.sync(
            self._folder, collection=self._collection, wait_seconds=self._wait_seconds, **options, **settings
        )

    def _refreshed(self) -> tuple[RefreshCounts | None, str | None]:
        """Refresh before a search; an index that cannot be written is searched as it is, and that is said."""
        try:
            return self._turns.take(lambda: self._sync(embed_seconds=self._embed_seconds)), None
        except DatabaseError as error:
            return None, f"the index is as it was at the last refresh: {error}"


class _Turns:
    """Lets threads share a refresh: who came before it began need not make one of his own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = threading.Lock()
        self._begun = 0
        self.waiting = 0  # threads that want a refresh and are not at it
        self._done: tuple[int, RefreshCounts] = (0, RefreshCounts())

    def take(self, refresh: Callable[[], RefreshCounts]) -> RefreshCounts:
        """Refresh, or take the result of a refresh that began after this call."""
        with self._lock:
            needed = self._begun + 1
            self.waiting += 1
        with self._running:
            with self._lock:
                self.waiting -= 1
            number, counts = self._done
            if number >= needed:
                return replace(counts, indexed=0, removed=0, renamed=0)
            with self._lock:
                self._begun += 1
                number = self._begun
            counts = refresh()
            self._done = (number, counts)
            return counts


def _troubles(counts: RefreshCounts | None) -> list[str | None]:
    return [] if counts is None else [counts.folder_missing, counts.busy]


def _heading(hit: SearchHit, path: str) -> str:
    """The heading path; the file's name where there is none, and for rows of a table, whose title says only which."""
    name = path.rpartition("/")[2]
    return name if name.lower().endswith(TABLE_SUFFIXES) else hit.title or name


def _hit(hit: SearchHit) -> KnowledgeHit:
    path = hit.path or ""
    page = next((citation.page for citation in hit.citations if citation.page is not None), None)
    return KnowledgeHit(
        path=path,
        heading=_heading(hit, path),
        snippet=hit.snippet,
        page=page,
        score=hit.score,
        relevance=hit.relevance,
        text=hit.matched_text,
        as_of=hit.as_of,
        available_at=hit.available_at,
        others=hit.others,
        locator=hit.locator,
        hit=hit,
    )
