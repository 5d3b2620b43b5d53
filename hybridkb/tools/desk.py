"""What the tools ask: a library, a snapshot, a folder of documents, or the path of a library, seen alike.

A desk may have a fixed cutoff. Then every tool sees the library through a snapshot, and no argument looks past it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Protocol, TypeAlias
from uuid import UUID

from hybridkb.errors import HybridKBError, InvalidFilter, InvalidInput
from hybridkb.knowledge import KnowledgeItem, Locator
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_result import Paper
from hybridkb.knowledge.times import parse_instant
from hybridkb.library import HybridLibrary
from hybridkb.search import SearchQuery, SearchResults
from hybridkb.search.contents import ItemPage, ValuePage
from hybridkb.search.counting import FilterCounts
from hybridkb.snapshot import Snapshot, SnapshotStats
from hybridkb.store.settings import LibrarySettings
from hybridkb.tools.safe_text import one_line, without_places
from hybridkb.upkeep import LibraryStats


class View(Protocol):
    """What a library and a snapshot both answer."""

    @property
    def settings(self) -> LibrarySettings:
        """Language, ranking and zone."""

    def search(self, text: str | SearchQuery, /) -> SearchResults:
        """Find the best records."""

    def get(self, item_id: UUID | str, /) -> KnowledgeItem:
        """Return an item."""

    def get_paper(self, paper: UUID | str | Locator, /) -> Paper:
        """Return a paper."""

    def get_artifact(self, artifact_id: UUID | str, /) -> PaperArtifact:
        """Return what was made of a paper."""

    def count(self, **filters: Any) -> FilterCounts:
        """Count what filters leave."""

    def list_values(self, name: str, *, limit: int = 100, offset: int = 0, **filters: Any) -> ValuePage:
        """List the values of a filter."""

    def list_items(
        self, *, limit: int = 100, offset: int = 0, ids: Iterable[UUID | str] | None = None, **filters: Any
    ) -> ItemPage:
        """List items."""

    def stats(self) -> LibraryStats | SnapshotStats:
        """Count what there is."""

    def snapshot(self, *, at: datetime) -> Snapshot:
        """Return the view of an instant."""


class Folder(Protocol):
    """What a folder of documents (``KnowledgeBase``) offers to the tools."""

    @property
    def library(self) -> HybridLibrary:
        """The library that indexes it."""

    def refresh(
        self, *, progress: Progress | None = None, embed: bool = True, embed_seconds: float | None = None
    ) -> Counts:
        """Bring the index up to the folder; return counts: indexed, removed, passages, unreadable."""


Target: TypeAlias = "HybridLibrary | Snapshot | Folder | Desk | str | os.PathLike[str]"
Refresh: TypeAlias = Callable[[], str | None]
TitleCache: TypeAlias = dict[tuple[UUID, datetime | None, datetime], str]
Progress: TypeAlias = Callable[[int, int | None], None]
EMBED_SECONDS = 2.0
"""How long a call embeds what is new in a folder before it answers; the rest is found by its words meanwhile."""


class Counts(Protocol):
    """What a look at a folder tells; see ``RefreshCounts``."""

    @property
    def indexed(self) -> int:
        """Files that were new or changed."""

    @property
    def removed(self) -> int:
        """Files that are gone."""

    @property
    def passages(self) -> int:
        """Passages in the index."""

    @property
    def unreadable(self) -> Sequence[Any]:
        """Files that could not be read, and why."""


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The last look at the folder.

    Attributes:
        at: when it ended (UTC).
        counts: what it told; None when it failed.
        trouble: why nothing was brought up to date; None when it was.
    """

    at: datetime
    counts: Counts | None
    trouble: str | None


@dataclass(slots=True)
class Desk:
    """One place to ask.

    Attributes:
        source: the library, snapshot or folder.
        fixed: the cutoff that no argument passes; None when there is none.
        refreshed: the last look at the folder.
        refreshing_since: since when the folder is being looked at; None when it is not.
        refresh_by: brings the folder up to date and returns what to tell about it; None for the plain way.
        titles: titles of documents that were read lately, by id and by when the revision was observable and recorded.
    """

    source: HybridLibrary | Snapshot | Folder
    fixed: datetime | None = None
    refreshed: Refreshed | None = None
    refreshing_since: datetime | None = None
    refresh_by: Refresh | None = field(default=None, repr=False)
    titles: TitleCache = field(default_factory=dict, repr=False)

    def view(self, before: datetime | None = None) -> View:
        """The library as a tool may see it: now, or as it stood at the earlier of ``before`` and the fixed cutoff.

        Raises:
            InvalidFilter: ``before`` lies after the fixed cutoff.
        """
        at = self.within(before)
        library = self.source if isinstance(self.source, HybridLibrary | Snapshot) else self.source.library
        if isinstance(library, Snapshot) and at == library.at:
            return library
        return library if at is None else library.snapshot(at=at)

    def within(self, before: datetime | None) -> datetime | None:
        """The cutoff that holds when ``before`` is asked for.

        Raises:
            InvalidFilter: it lies after the fixed cutoff.
        """
        if before is None or self.fixed is None:
            return before or self.fixed
        if before > self.fixed:
            raise InvalidFilter(
                f"available_at_before={before.isoformat()} lies after the cutoff of this desk, "
                f"{self.fixed.isoformat()}, which no argument changes; leave it out, or give an earlier one",
                field="available_at_before",
            )
        return before

    @property
    def has_folder(self) -> bool:
        """Whether a folder of documents stands behind it."""
        return not isinstance(self.source, HybridLibrary | Snapshot)

    @property
    def folder(self) -> Folder:
        """The folder that stands behind it; ask :attr:`has_folder` first."""
        if isinstance(self.source, HybridLibrary | Snapshot):
            raise InvalidInput("no folder of documents stands behind this desk", field="target")
        return self.source

    @property
    def zone(self) -> str:
        """The time zone in which the library reads a day."""
        return self.view().settings.zone

    def refresh(self) -> str | None:
        """Bring a folder's index up to date; return None, or what the answer must tell about it."""
        if isinstance(self.source, HybridLibrary | Snapshot):
            return None
        return self.refresh_by() if self.refresh_by is not None else self.refresh_now()

    def refresh_now(self, *, progress: Progress | None = None, embed: bool = True) -> str | None:
        """Look at the folder in this thread; a failure leaves the index as it was, and is told."""
        folder = self.folder
        self.refreshing_since = datetime.now(UTC)
        counts, trouble = None, None
        try:
            counts = folder.refresh(progress=progress, embed=embed, embed_seconds=EMBED_SECONDS)
            trouble = getattr(counts, "folder_missing", None) or getattr(counts, "busy", None)
        except HybridKBError as error:
            trouble = one_line(str(error))
        finally:
            self.refreshing_since = None
        self.refreshed = Refreshed(datetime.now(UTC), counts, trouble)
        if trouble is None:
            return None
        return f"the folder was not looked at anew, this is its index as it was: {self.told(trouble)}"

    def told(self, trouble: str) -> str:
        """What is wrong with the folder, without where on this machine it lies."""
        try:
            roots = [folder.root for folder in self.folder.library.folders()]
        except HybridKBError:
            roots = []
        return without_places(trouble, roots)


@contextmanager
def desk_of(target: Target) -> Iterator[Desk]:
    """Lend a desk for one call; a library that was opened for it is closed again.

    Raises:
        InvalidInput: the target is none of those that the tools can ask.
        DatabaseError: the path leads to no library.
    """
    if isinstance(target, str | os.PathLike):
        if os.path.isdir(target):
            raise InvalidInput(
                f"{os.fspath(target)} is a folder; give the file of a library, or KnowledgeBase(folder, index_file)",
                field="target",
            )
        with HybridLibrary.open(target, read_only=True, create=False) as library:
            yield Desk(library)
        return
    yield make_desk(target)


def make_desk(target: Target, *, available_before: str | datetime | None = None) -> Desk:
    """Make a desk that stays; a path is opened read-only and stays open as long as the desk is used.

    Args:
        target: what to ask.
        available_before: a cutoff that no argument of any tool passes; None for none.

    Raises:
        InvalidInput: the target cannot be asked, or the cutoff is no instant or later than the target's own.
        DatabaseError: the path leads to no library.
    """
    fixed = None if available_before is None else parse_instant(available_before, rounding="down")
    if isinstance(target, Desk):
        return target if fixed is None else replace(target, fixed=target.within(fixed))
    if isinstance(target, str | os.PathLike):
        return Desk(HybridLibrary.open(target, read_only=True, create=False), fixed)
    if isinstance(target, Snapshot):
        return Desk(target, Desk(target, target.at).within(fixed))
    if isinstance(target, HybridLibrary) or _is_folder(target):
        return Desk(target, fixed)
    raise InvalidInput(
        f"the tools ask a HybridLibrary, a Snapshot, a KnowledgeBase or the path of a library, not "
        f"{type(target).__name__}",
        field="target",
    )


def _is_folder(target: object) -> bool:
    return callable(getattr(target, "refresh", None)) and hasattr(type(target), "library")
