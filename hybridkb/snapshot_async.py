"""``AsyncSnapshot``: a snapshot for asyncio. The work runs in threads; the event loop is never blocked."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import datetime
from typing import Any
from uuid import UUID

from hybridkb.database.calls import Calls
from hybridkb.knowledge import KnowledgeItem, Locator
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_result import Paper
from hybridkb.search.contents import ItemPage, ValuePage
from hybridkb.search.counting import FilterCounts
from hybridkb.search.hit import SearchResults
from hybridkb.search.request import Collapse, FusionArgument, Match, Mode, SearchQuery
from hybridkb.snapshot import Snapshot, SnapshotStats
from hybridkb.store.reading import Revision
from hybridkb.store.resolving import Resolved
from hybridkb.store.settings import LibrarySettings


class AsyncSnapshot:
    """The library at one instant, for asyncio. Arguments, results and errors are those of :class:`Snapshot`."""

    def __init__(self, snapshot: Snapshot, calls: Calls) -> None:
        """Wrap a snapshot; made by :meth:`AsyncHybridLibrary.snapshot`."""
        self._snapshot = snapshot
        self._calls = calls

    @property
    def at(self) -> datetime:
        """See :attr:`Snapshot.at`."""
        return self._snapshot.at

    @property
    def settings(self) -> Awaitable[LibrarySettings]:
        """See :attr:`Snapshot.settings`; they are asked for, so await it."""
        return self._calls.read(lambda: self._snapshot.settings)

    @property
    def fingerprint(self) -> str:
        """See :attr:`Snapshot.fingerprint`."""
        return self._snapshot.fingerprint

    @property
    def changed(self) -> Awaitable[bool]:
        """See :attr:`Snapshot.changed`; it asks the file, so await it."""
        return self._calls.read(lambda: self._snapshot.changed)

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
        **filters: Any,
    ) -> SearchResults:
        """See :meth:`Snapshot.search`."""
        return await self._calls.read(
            self._snapshot.search, text, top_k=top_k, mode=mode, fusion=fusion, collapse=collapse, min_score=min_score,
            match=match, exact=exact, **filters,
        )  # fmt: skip

    async def get(self, item_id: UUID | str) -> KnowledgeItem:
        """See :meth:`Snapshot.get`."""
        return await self._calls.read(self._snapshot.get, item_id)

    async def history(self, item_id: UUID | str) -> list[Revision]:
        """See :meth:`Snapshot.history`."""
        return await self._calls.read(self._snapshot.history, item_id)

    async def resolve(self, locator: Locator | str) -> Resolved:
        """See :meth:`Snapshot.resolve`."""
        return await self._calls.read(self._snapshot.resolve, locator)

    async def get_paper(self, paper: UUID | str | Locator) -> Paper:
        """See :meth:`Snapshot.get_paper`."""
        return await self._calls.read(self._snapshot.get_paper, paper)

    async def get_artifact(self, artifact_id: UUID | str) -> PaperArtifact:
        """See :meth:`Snapshot.get_artifact`."""
        return await self._calls.read(self._snapshot.get_artifact, artifact_id)

    async def get_blob(self, sha256: str) -> bytes:
        """See :meth:`Snapshot.get_blob`."""
        return await self._calls.read(self._snapshot.get_blob, sha256)

    async def count(self, **filters: Any) -> FilterCounts:
        """See :meth:`Snapshot.count`."""
        return await self._calls.read(self._snapshot.count, **filters)

    async def list_values(self, name: str, **arguments: Any) -> ValuePage:
        """See :meth:`Snapshot.list_values`."""
        return await self._calls.read(self._snapshot.list_values, name, **arguments)

    async def list_items(self, **arguments: Any) -> ItemPage:
        """See :meth:`Snapshot.list_items`."""
        return await self._calls.read(self._snapshot.list_items, **arguments)

    async def snapshot(self, *, at: datetime) -> AsyncSnapshot:
        """See :meth:`Snapshot.snapshot`."""
        return AsyncSnapshot(await self._calls.read(self._snapshot.snapshot, at=at), self._calls)

    async def stats(self) -> SnapshotStats:
        """See :meth:`Snapshot.stats`."""
        return await self._calls.read(self._snapshot.stats)

    def __repr__(self) -> str:
        return f"<AsyncSnapshot at {self.at.isoformat()}>"
