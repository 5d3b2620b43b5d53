"""``Snapshot``: the library as someone saw it who stood at one instant, and could see nothing later.

What a backtest hands to its strategy: the whole reading interface, with the cutoff
inside, where the strategy cannot reach it. Making one costs less than a search, so a
loop may make one for each of thousands of days.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any
from uuid import UUID

import numpy as np

from hybridkb.database import Connection, Database
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.errors import InvalidFilter
from hybridkb.knowledge import KnowledgeItem, Locator
from hybridkb.knowledge.identity import id_text
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_result import Paper
from hybridkb.knowledge.times import from_microseconds, parse_instant, to_microseconds
from hybridkb.resident import Follower, Resident
from hybridkb.search.contents import ItemPage, ValuePage
from hybridkb.search.counting import FilterCounts
from hybridkb.search.hit import SearchResults
from hybridkb.search.overview import Overview
from hybridkb.search.pipeline import Search
from hybridkb.search.request import Collapse, FusionArgument, Match, Mode, SearchQuery, read_query
from hybridkb.store.paper_reading import artifact_of, paper_of
from hybridkb.store.papers import read_blob
from hybridkb.store.reading import Revision, Sight, get_known, history_known
from hybridkb.store.resolving import Resolved, resolve
from hybridkb.store.settings import LibrarySettings, load_settings
from hybridkb.vector.spaces import serving_space


@dataclass(frozen=True, slots=True)
class SnapshotStats:
    """What was visible at the snapshot's instant.

    Attributes:
        at: the instant (UTC).
        items: items of which something is visible.
        revisions: revisions observable by then, those of withdrawn items too.
        records: visible searchable projections: N of the ranking.
        words: words in them.
        item_types: visible records by item type.
        pending: visible records without a vector in the serving space.
        space: the space that answers searches by meaning; None when there is none.
        papers: how many papers are visible; each counts among the items with each thing that was made of it.
    """

    at: datetime
    items: int
    revisions: int
    records: int
    words: int
    item_types: dict[str, int]
    pending: int
    space: str | None
    papers: int = 0


class Snapshot:
    """The library at one instant, read-only. Made by :meth:`HybridLibrary.snapshot`. Safe to share between threads.

    It follows the library: a later edit of the time up to :attr:`at` shows, and :attr:`changed` says so. It needs
    no closing, and it ends with its library.
    """

    def __init__(self, database: Database, follower: Follower, search: Search, cutoff: int) -> None:
        """Remember what the library holds about the time up to ``cutoff`` (microseconds since 1970 UTC)."""
        self._database = database
        self._follower = follower
        self._search = search
        self._cutoff = cutoff
        self._sight = Sight(cutoff, bounded=True)
        self._overview = Overview(database, follower, within=cutoff)
        self._fingerprint, self._mark = self._look()

    @property
    def at(self) -> datetime:
        """The instant (UTC)."""
        return from_microseconds(self._cutoff)

    @property
    def settings(self) -> LibrarySettings:
        """Language, ranking, fusion and time zone of the library."""
        return self._database.reading(load_settings)

    @property
    def fingerprint(self) -> str:
        """Names what answers rest on, as it was when the snapshot was made.

        That is: the records visible at :attr:`at`, the settings, the space that serves, and how many of the records
        wait for a vector. Two libraries that agree in these agree in it, whatever they hold of later times.
        """
        return self._fingerprint

    @property
    def changed(self) -> bool:
        """Whether what the library holds about the time up to :attr:`at` was edited since the snapshot was made.

        An edit that was undone counts as well. What becomes available later never does.
        """
        now, mark = self._look()
        if now != self._fingerprint:
            return True
        if mark == self._mark:
            return False
        asked = {"mark": self._mark, "cutoff": self._cutoff}
        return bool(self._database.reading(lambda connection: connection.value("snapshot/edited_since", asked)))

    def search(
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
        """Find the best records visible then. Arguments are those of :meth:`HybridLibrary.search`.

        An earlier ``available_at_before`` is allowed: it shows less, with the statistics of that earlier instant.

        Raises:
            InvalidFilter: it asks for something later than :attr:`at`.
            InvalidQuery, EmbedderUnavailable: as for the library.
        """
        arguments = {
            "top_k": top_k, "mode": mode, "fusion": fusion, "collapse": collapse, "min_score": min_score,
            "match": match, "exact": exact,
        }  # fmt: skip
        return self._search.search(read_query(text, {**arguments, **filters}).within(self._cutoff))

    def get(self, item_id: UUID | str) -> KnowledgeItem:
        """Return an item as it stood then.

        Raises:
            NotFound: nothing of it was observable, or it was withdrawn; the text tells nothing of later times.
        """
        return self._database.reading(lambda connection: get_known(connection, id_text(item_id), self._cutoff))

    def history(self, item_id: UUID | str) -> list[Revision]:
        """Return the revisions observable by then; an interval that ended later has no end yet.

        Raises:
            NotFound: none was.
        """
        return self._database.reading(lambda connection: history_known(connection, id_text(item_id), self._cutoff))

    def resolve(self, locator: Locator | str) -> Resolved:
        """Return what a locator points to, as it stood then.

        Raises:
            NotFound: no such item or member then.
            InvalidInput: not a locator.
        """
        address = Locator.parse(locator) if isinstance(locator, str) else locator
        return self._database.reading(lambda connection: resolve(connection, address, self._sight))

    def get_paper(self, paper: UUID | str | Locator) -> Paper:
        """Return a paper as it stood then; see :meth:`HybridLibrary.get_paper`.

        Raises:
            NotFound: no such paper then.
        """
        return self._database.reading(lambda connection: paper_of(connection, paper, self._sight))

    def get_artifact(self, artifact_id: UUID | str) -> PaperArtifact:
        """Return what was made of a paper that was observable then; see :meth:`HybridLibrary.get_artifact`.

        Raises:
            NotFound: no such artifact then.
        """
        return self._database.reading(lambda connection: artifact_of(connection, id_text(artifact_id), self._sight))

    def get_blob(self, sha256: str) -> bytes:
        """Return bytes that a paper names which was observable then; see :meth:`HybridLibrary.get_blob`.

        Raises:
            NotFound: no paper did then.
        """
        return self._database.reading(lambda connection: read_blob(connection, sha256, self._cutoff))

    def count(self, **filters: Any) -> FilterCounts:
        """Count what was visible then, and what each filter leaves of it; see :meth:`HybridLibrary.count`.

        Raises:
            InvalidFilter: a filter is wrong, or asks for something later than :attr:`at`.
        """
        return self._overview.count(filters)

    def list_values(self, name: str, *, limit: int = 100, offset: int = 0, **filters: Any) -> ValuePage:
        """List the values of a filter, as visible then; see :meth:`HybridLibrary.list_values`.

        Raises:
            InvalidInput, InvalidFilter: as for the library, or it asks for something later than :attr:`at`.
        """
        return self._overview.list_values(name, limit, offset, filters)

    def list_items(
        self, *, limit: int = 100, offset: int = 0, ids: Iterable[UUID | str] | None = None, **filters: Any
    ) -> ItemPage:
        """List the items visible then; see :meth:`HybridLibrary.list_items`.

        Raises:
            InvalidInput, InvalidFilter: as for the library, or it asks for something later than :attr:`at`.
        """
        return self._overview.list_items(limit, offset, ids, filters)

    def snapshot(self, *, at: datetime) -> Snapshot:
        """Return the view of an instant that is not later than :attr:`at`.

        Raises:
            InvalidFilter: ``at`` is later.
            InvalidInput: ``at`` is naive.
        """
        instant = to_microseconds(parse_instant(at, rounding="down"))
        if instant > self._cutoff:
            raise InvalidFilter(
                f"{at.isoformat()} lies after the snapshot's own {self.at.isoformat()}; give an earlier instant",
                field="at",
            )
        return Snapshot(self._database, self._follower, self._search, instant)

    def stats(self) -> SnapshotStats:
        """Count what was visible then."""
        return self._follower.reading(self._database, self._count)

    def __repr__(self) -> str:
        return f"<Snapshot of {self._database.path} at {self.at.isoformat()}>"

    def _count(self, connection: Connection, resident: Resident) -> SnapshotStats:
        name = {"cutoff": self._cutoff}
        items, revisions, papers = connection.row("snapshot/counts", name) or (0, 0, 0)
        visible, pending = resident.visibility(self._cutoff), self._pending(resident)
        space = self._space(connection, visible.records, pending)
        return SnapshotStats(
            at=self.at,
            items=items,
            revisions=revisions,
            records=visible.records,
            words=visible.title_words + visible.body_words,
            item_types=dict(connection.rows("snapshot/item_types", name)),
            pending=pending,
            space=None if space is None else str(space),
            papers=papers,
        )

    def _space(self, connection: Connection, visible: int, pending: int) -> EmbeddingSpace | None:
        """The space that serves; one in which nothing visible has a vector makes no difference then."""
        serving = serving_space(connection)
        return serving.space if serving is not None and pending < visible else None

    def _pending(self, resident: Resident) -> int:
        visible = resident.visibility(self._cutoff)
        if resident.vectors is None:
            return visible.records
        return int(np.count_nonzero(visible.mask & (resident.vectors.embedding_ids == 0)))

    def _look(self) -> tuple[str, int]:
        """The fingerprint now, and the newest row of the journal."""
        return self._follower.reading(
            self._database,
            lambda connection, resident: (
                self._name(connection, resident), int(connection.value("snapshot/journal_mark"))
            ),
        )  # fmt: skip

    def _name(self, connection: Connection, resident: Resident) -> str:
        visible, pending = resident.visibility(self._cutoff), self._pending(resident)
        space = self._space(connection, visible.records, pending)
        name = space and space.fingerprint
        seen = (load_settings(connection).digest(), name, visible.digest, visible.records, pending)
        return blake2b(repr(seen).encode(), digest_size=16).hexdigest()
