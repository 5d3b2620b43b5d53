"""``AsyncHybridLibrary``: the same methods, awaited. The work runs in threads; the event loop is never blocked.

A task that is cancelled gives up its work: its statement is cancelled, what it wrote is rolled back.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Iterable, Iterator
from datetime import datetime
from functools import partial
from itertools import islice
from types import TracebackType
from typing import Any, Literal, Self
from uuid import UUID

from hybridkb.audit import AuditReport
from hybridkb.database.calls import Calls
from hybridkb.folder import FolderSummary, RefreshCounts
from hybridkb.fusion import Fusion
from hybridkb.ingest import EmbedReport, PaperReport, ProgressCallback, PutReport
from hybridkb.knowledge import KnowledgeItem, Locator
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_result import Paper, PaperFlowResult
from hybridkb.lexical.ranking import RankingSettings
from hybridkb.library import HybridLibrary, parts_of
from hybridkb.search.contents import ItemPage, ValuePage
from hybridkb.search.counting import FilterCounts
from hybridkb.search.hit import SearchResults
from hybridkb.search.request import Collapse, FusionArgument, Match, Mode, SearchQuery
from hybridkb.snapshot_async import AsyncSnapshot
from hybridkb.store.reading import Revision
from hybridkb.store.resolving import Resolved
from hybridkb.store.settings import LibrarySettings
from hybridkb.upkeep import CheckReport, Inventory, LibraryStats, RebuildReport
from hybridkb.upkeep.vector_index import VectorIndex

EXPORTED = 256
"""Lines of an export that are read at once."""


class AsyncHybridLibrary:
    """One library, for asyncio. Arguments, results and errors are those of :class:`HybridLibrary`."""

    def __init__(self, library: HybridLibrary) -> None:
        """Wrap an open library; use :meth:`open`."""
        self._library = library
        self._calls = Calls(parts_of(library).database.concurrency)

    @classmethod
    async def open(cls, path_or_url: str | os.PathLike[str], **arguments: Any) -> Self:
        """See :meth:`HybridLibrary.open`."""
        opening = Calls(1)
        try:
            return cls(await opening.open(partial(HybridLibrary.open, path_or_url, **arguments), HybridLibrary.close))
        finally:
            opening.close()

    async def put(self, item: KnowledgeItem, **arguments: Any) -> PutReport:
        """See :meth:`HybridLibrary.put`."""
        return await self._calls.write(self._library.put, item, **arguments)

    async def put_many(self, items: Iterable[KnowledgeItem], **arguments: Any) -> PutReport:
        """See :meth:`HybridLibrary.put_many`; ``progress`` is called from a worker thread."""
        return await self._calls.write(self._library.put_many, items, **arguments)

    async def put_paper(
        self, result: PaperFlowResult, *, require_embeddings: bool = True, progress: ProgressCallback | None = None
    ) -> PaperReport:
        """See :meth:`HybridLibrary.put_paper`; ``progress`` is called from a worker thread."""
        return await self._calls.write(
            self._library.put_paper, result, require_embeddings=require_embeddings, progress=progress
        )

    async def make_current(self, artifact_id: UUID | str) -> bool:
        """See :meth:`HybridLibrary.make_current`."""
        return await self._calls.write(self._library.make_current, artifact_id)

    async def import_lines(self, lines: str | os.PathLike[str] | Iterable[str], **arguments: Any) -> PutReport:
        """See :meth:`HybridLibrary.import_lines`."""
        return await self._calls.write(self._library.import_lines, lines, **arguments)

    async def delete(self, item_id: UUID | str, *, at: datetime | None = None) -> datetime:
        """See :meth:`HybridLibrary.delete`."""
        return await self._calls.write(self._library.delete, item_id, at=at)

    async def purge(self, item_id: UUID | str, *, reason: str = "") -> None:
        """See :meth:`HybridLibrary.purge`."""
        await self._calls.write(self._library.purge, item_id, reason=reason)

    async def sync(self, folder: str | os.PathLike[str], **arguments: Any) -> RefreshCounts:
        """See :meth:`HybridLibrary.sync`; ``progress`` is called from a worker thread."""
        return await self._calls.write(self._library.sync, folder, **arguments)

    async def folders(self) -> tuple[FolderSummary, ...]:
        """See :meth:`HybridLibrary.folders`."""
        return await self._calls.read(self._library.folders)

    async def embed_pending(self, **arguments: Any) -> EmbedReport:
        """See :meth:`HybridLibrary.embed_pending`."""
        return await self._calls.write(self._library.embed_pending, **arguments)

    async def embed_ahead(self, items: Iterable[KnowledgeItem], **arguments: Any) -> EmbedReport:
        """See :meth:`HybridLibrary.embed_ahead`."""
        return await self._calls.write(self._library.embed_ahead, items, **arguments)

    async def get(self, item_id: UUID | str, *, at: datetime | None = None) -> KnowledgeItem:
        """See :meth:`HybridLibrary.get`."""
        return await self._calls.read(self._library.get, item_id, at=at)

    async def history(self, item_id: UUID | str) -> list[Revision]:
        """See :meth:`HybridLibrary.history`."""
        return await self._calls.read(self._library.history, item_id)

    async def resolve(self, locator: Locator | str, *, at: datetime | None = None) -> Resolved:
        """See :meth:`HybridLibrary.resolve`."""
        return await self._calls.read(self._library.resolve, locator, at=at)

    async def get_paper(self, paper: UUID | str | Locator, *, at: datetime | None = None) -> Paper:
        """See :meth:`HybridLibrary.get_paper`."""
        return await self._calls.read(self._library.get_paper, paper, at=at)

    async def get_artifact(self, artifact_id: UUID | str, *, at: datetime | None = None) -> PaperArtifact:
        """See :meth:`HybridLibrary.get_artifact`."""
        return await self._calls.read(self._library.get_artifact, artifact_id, at=at)

    async def get_blob(self, sha256: str) -> bytes:
        """See :meth:`HybridLibrary.get_blob`."""
        return await self._calls.read(self._library.get_blob, sha256)

    async def search(
        self,
        text: str | SearchQuery,
        *,
        top_k: int = 10,
        mode: Mode = "hybrid",
        fusion: FusionArgument = None,
        collapse: Collapse | None = None,
        min_score: float | None = None,
        match: Match = "any",
        exact: bool = False,
        approximate: bool = False,
        **filters: Any,
    ) -> SearchResults:
        """See :meth:`HybridLibrary.search`."""
        return await self._calls.read(
            self._library.search, text, top_k=top_k, mode=mode, fusion=fusion, collapse=collapse, min_score=min_score,
            match=match, exact=exact, approximate=approximate, **filters,
        )  # fmt: skip

    async def count(self, **filters: Any) -> FilterCounts:
        """See :meth:`HybridLibrary.count`."""
        return await self._calls.read(self._library.count, **filters)

    async def list_values(self, name: str, **arguments: Any) -> ValuePage:
        """See :meth:`HybridLibrary.list_values`."""
        return await self._calls.read(self._library.list_values, name, **arguments)

    async def list_items(self, **arguments: Any) -> ItemPage:
        """See :meth:`HybridLibrary.list_items`."""
        return await self._calls.read(self._library.list_items, **arguments)

    async def snapshot(self, *, at: datetime) -> AsyncSnapshot:
        """See :meth:`HybridLibrary.snapshot`."""
        return AsyncSnapshot(await self._calls.read(self._library.snapshot, at=at), self._calls)

    async def stats(self) -> LibraryStats:
        """See :meth:`HybridLibrary.stats`."""
        return await self._calls.read(self._library.stats)

    async def inventory(self, *, item_types: Iterable[str] | None = None) -> Inventory:
        """See :meth:`HybridLibrary.inventory`."""
        return await self._calls.write(self._library.inventory, item_types=item_types)

    async def export(self) -> AsyncIterator[str]:
        """See :meth:`HybridLibrary.export`; iterate with ``async for``."""
        lines = self._library.export()
        try:
            while batch := await self._calls.write(lambda: list(islice(lines, EXPORTED))):
                for line in batch:
                    yield line
        finally:
            await self._calls.write(_close, lines)

    async def change_settings(
        self, *, fusion: Fusion | None = None, ranking: RankingSettings | None = None, why: str
    ) -> LibrarySettings:
        """See :meth:`HybridLibrary.change_settings`."""
        return await self._calls.write(self._library.change_settings, fusion=fusion, ranking=ranking, why=why)

    async def check(self, **arguments: Any) -> CheckReport:
        """See :meth:`HybridLibrary.check`."""
        return await self._calls.write(self._library.check, **arguments)

    async def audit(self, *, since: datetime | None = None, cutoffs: Iterable[datetime] = ()) -> AuditReport:
        """See :meth:`HybridLibrary.audit`."""
        return await self._calls.write(self._library.audit, since=since, cutoffs=cutoffs)

    async def rebuild(self, **arguments: Any) -> RebuildReport:
        """See :meth:`HybridLibrary.rebuild`."""
        return await self._calls.write(self._library.rebuild, **arguments)

    async def optimize(self) -> bool:
        """See :meth:`HybridLibrary.optimize`."""
        return await self._calls.write(self._library.optimize)

    async def compact(self) -> int:
        """See :meth:`HybridLibrary.compact`."""
        return await self._calls.write(self._library.compact)

    async def build_vector_index(self, **arguments: Any) -> VectorIndex:
        """See :meth:`HybridLibrary.build_vector_index`."""
        return await self._calls.write(self._library.build_vector_index, **arguments)

    async def drop_vector_index(self) -> bool:
        """See :meth:`HybridLibrary.drop_vector_index`."""
        return await self._calls.write(self._library.drop_vector_index)

    async def vector_index(self) -> VectorIndex | None:
        """See :meth:`HybridLibrary.vector_index`."""
        return await self._calls.read(self._library.vector_index)

    @property
    def path(self) -> str:
        """See :attr:`HybridLibrary.path`."""
        return self._library.path

    @property
    def settings(self) -> Awaitable[LibrarySettings]:
        """See :attr:`HybridLibrary.settings`; they are asked for, so await it."""
        return self._calls.read(lambda: self._library.settings)

    async def close(self) -> None:
        """See :meth:`HybridLibrary.close`."""
        await self._calls.last(self._library.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        await self.close()
        return False


def _close(lines: Iterator[str]) -> None:
    """End an export that may not have been read to its end: its transaction goes with it."""
    lines.close()  # type: ignore[attr-defined]
