"""``HybridLibrary``: everything a caller can do with one library. Safe to share between threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Literal, Self
from uuid import UUID

from hybridkb.audit import AuditReport
from hybridkb.audit.audit import audit
from hybridkb.database import Connection, Database, open_database
from hybridkb.embedders import load_embedder
from hybridkb.embedders.space import Embedder, EmbeddingSpace
from hybridkb.errors import InvalidInput
from hybridkb.folder import DEFAULT_COLLECTION, Availability, FolderSummary, RefreshCounts
from hybridkb.folder.sync import WAIT_SECONDS, FolderSync
from hybridkb.fusion import Fusion
from hybridkb.ingest import EmbedReport, PaperReport, ProgressCallback, PutReport
from hybridkb.ingest.ahead import embed_ahead
from hybridkb.ingest.catch_up import embed_pending
from hybridkb.ingest.paper_current import make_current
from hybridkb.ingest.papers import put_paper
from hybridkb.ingest.pipeline import Ingest, OnError
from hybridkb.ingest.removal import purge, withdraw
from hybridkb.ingest.restore import restore_lines
from hybridkb.knowledge import KnowledgeItem, Locator
from hybridkb.knowledge.identity import id_text
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_result import Paper, PaperFlowResult
from hybridkb.knowledge.times import from_microseconds, parse_instant, read_zone, to_microseconds
from hybridkb.lexical.index import create_words_table
from hybridkb.lexical.ranking import RankingSettings
from hybridkb.resident import Follower
from hybridkb.search.contents import ItemPage, ValuePage
from hybridkb.search.counting import FilterCounts
from hybridkb.search.hit import SearchResults
from hybridkb.search.overview import Overview
from hybridkb.search.pipeline import Search
from hybridkb.search.request import Collapse, FusionArgument, Match, Mode, SearchQuery, read_query
from hybridkb.snapshot import Snapshot
from hybridkb.store.embedders import EmbedderChoice
from hybridkb.store.paper_reading import artifact_of, paper_of
from hybridkb.store.papers import read_blob
from hybridkb.store.reading import Revision, Sight, get_item, history
from hybridkb.store.resolving import Resolved, resolve
from hybridkb.store.settings import LibrarySettings, SettingsReader, change_settings, load_settings, save_settings
from hybridkb.store.unfinished import require_whole
from hybridkb.text import Analyser, shared_analyser
from hybridkb.upkeep import CheckReport, Inventory, LibraryStats, RebuildReport
from hybridkb.upkeep.candidate_copy import purge_candidate
from hybridkb.upkeep.check import check
from hybridkb.upkeep.export import export_lines
from hybridkb.upkeep.inventory import take_inventory
from hybridkb.upkeep.packing import compact, optimize
from hybridkb.upkeep.rebuild import rebuild
from hybridkb.upkeep.stats import read_stats
from hybridkb.upkeep.vector_index import (
    VectorIndex,
    build_vector_index,
    drop_vector_index,
    find_vector_index,
)
from hybridkb.vector.spaces import serving_space

EmbedderArgument = Embedder | str | None
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a library is made of, for the rooms of hybridkb that are built upon it."""

    database: Database
    follower: Follower
    ingest: Ingest
    search: Search


def parts_of(library: HybridLibrary) -> Parts:
    """The parts of an open library. Callers from outside use its methods."""
    return Parts(library._database, library._follower, library._ingest, library._search)


class HybridLibrary:
    """One library of knowledge in one file. Made by :meth:`open`; a context manager."""

    def __init__(self, database: Database, settings: LibrarySettings, embedders: EmbedderChoice, clock: Clock) -> None:
        """Put the parts together; use :meth:`open`."""
        analyser = shared_analyser(settings.language)
        self._database = database
        self._settings = SettingsReader()
        self._clock = clock
        self._follower = Follower()
        self._ingest = Ingest(database, analyser, embedders, self._now)
        self._folders = FolderSync(self._ingest)
        self._search = Search(database, self._follower, analyser, self._settings, embedders)
        self._overview = Overview(database, self._follower)

    @classmethod
    def open(
        cls,
        path_or_url: str | os.PathLike[str],
        *,
        embedder: EmbedderArgument = "auto",
        read_only: bool = False,
        create: bool = True,
        clock: Clock | None = None,
        settings: LibrarySettings | None = None,
    ) -> Self:
        """Open a library, and make it if there is none.

        Args:
            path_or_url: the SQLite file, or ``postgresql://user@host/database?schema=name`` (docs/postgres.md).
            embedder: ``"auto"`` (the stored vectors' model if it can be loaded, else the local one if installed,
                else none), ``"local"``, ``"multilingual"``, ``"openai:MODEL"``, None for words only, or an embedder.
                No model is loaded before it is needed.
            read_only: never write; several processes may do so on a file that nobody may write.
            create: make it when it is missing.
            clock: gives the time of writes; the machine's clock by default.
            settings: language and ranking of a library that is made now; an existing one keeps its own.

        Raises:
            DatabaseError, SchemaTooNew, SchemaTooOld: it cannot be used; the text says why.
            UnfinishedCopy: it is a copy that was not finished.
            InvalidInput: the embedder is none of these.
            MissingExtra: the embedder's package is not installed.
        """
        if embedder != "auto":
            load_embedder(embedder, stored=None)  # refuse what cannot be before a file is made
        if settings is not None:
            Analyser(settings.language)
            read_zone(settings.zone)
        database = open_database(path_or_url, read_only=read_only, create=create)
        try:
            stored = _settings_of(database, settings)
            choice = _choose_embedder(database, embedder)
        except BaseException:
            database.close()
            raise
        return cls(database, stored, choice, clock or _system_clock)

    # --- writing -----------------------------------------------------------------------------------------------

    def put(self, item: KnowledgeItem, *, require_embeddings: bool = False) -> PutReport:
        """Store one item: canonical rows, records, words and vectors in one transaction.

        Putting the same again writes nothing and embeds nothing; another state of a known id follows the
        table of puts (docs/time.md).

        Raises:
            InvalidInput: the item cannot be stored; nothing was written.
            EmbedderError: ``require_embeddings``, and a text got no vector; nothing was written.
            DatabaseError: the file could not be written.
        """
        return self._ingest.put_many([item], require_embeddings=require_embeddings)

    def put_many(
        self,
        items: Iterable[KnowledgeItem],
        *,
        progress: ProgressCallback | None = None,
        on_error: OnError = "raise",
        require_embeddings: bool = False,
        embed: bool = True,
    ) -> PutReport:
        """Store items in batches of 1,000, each all or nothing. See :meth:`put`.

        Args:
            items: any iterable; read as needed.
            progress: called with (items done, items in all or None) after each batch.
            on_error: ``"raise"`` before the batch is written, or ``"skip"`` what is invalid and list it.
            require_embeddings: fail a batch whose texts do not all get vectors.
            embed: False stores words only and leaves vectors to :meth:`embed_pending`.
        """
        return self._ingest.put_many(
            items, progress=progress, on_error=on_error, require_embeddings=require_embeddings, embed=embed
        )

    def put_paper(
        self, result: PaperFlowResult, *, require_embeddings: bool = True, progress: ProgressCallback | None = None
    ) -> PaperReport:
        """Store a paper with all that was made of it, bytes, records, words and vectors: all of it or nothing.

        What was made in the same way from the same is not stored again; what was made otherwise stands beside it, and
        is what searches see from then on (:meth:`make_current` changes that). See docs/papers.md.

        Args:
            result: as ``paper_flow`` returns it. Blobs that the library holds may be left out.
            require_embeddings: store nothing when a text gets no vector. Without an embedder words are all there is,
                and the report says so.
            progress: called with (texts embedded, texts to embed).

        Raises:
            InvalidInput: something in it does not fit together; nothing was written.
            EmbedderError, MissingExtra: ``require_embeddings``, and a text got no vector; nothing was written.
            DatabaseError: the file could not be written.
        """
        return put_paper(self._ingest, result, require_embeddings=require_embeddings, progress=progress)

    def make_current(self, artifact_id: UUID | str) -> bool:
        """Let searches see an artifact of a paper in place of the one of its kind that they see now.

        Answers about the past change with it, so the audit lists it. Returns whether it was another one before.

        Raises:
            NotFound: there is no such artifact.
            InvalidInput: it is withdrawn.
        """
        return make_current(self._ingest, id_text(artifact_id))

    def import_lines(
        self,
        lines: str | os.PathLike[str] | Iterable[str],
        *,
        progress: ProgressCallback | None = None,
        on_error: OnError = "raise",
        embed: bool = True,
    ) -> PutReport:
        """Store what :meth:`export` wrote: items with all revisions, withdrawals, notes of purges.

        Args:
            lines: a path, or JSON Lines.
            progress, on_error, embed: as in :meth:`put_many`; a line that cannot be read is an error of its own.
        """
        return restore_lines(self._ingest, lines, progress=progress, on_error=on_error, embed=embed)

    def delete(self, item_id: UUID | str, *, at: datetime | None = None) -> datetime:
        """Withdraw an item from ``at`` on (now by the library's clock); earlier cutoffs still see it.

        Returns the instant. An item of unknown availability leaves altogether. With the source of a paper goes all
        that was made of it.

        Raises:
            NotFound: not held, or withdrawn already.
            InvalidInput: ``at`` is naive, or lies before the item became available.
        """
        return from_microseconds(withdraw(self._ingest, id_text(item_id), _instant_or_none(at, "up")))

    def purge(self, item_id: UUID | str, *, reason: str = "") -> None:
        """Erase every revision, record, word and vector of an item; a tombstone says when and why.

        With the source of a paper goes all that was made of it, and every blob that no other paper needs. It leaves a
        candidate that is evaluated beside the library, too (docs/evaluation.md).

        Raises:
            NotFound: not held.
            DatabaseError: it is erased, but a candidate cannot be written and may hold it still; the text says so.
        """
        purge(self._ingest, id_text(item_id), reason)
        purge_candidate(self._database)

    def sync(
        self,
        folder: str | os.PathLike[str],
        *,
        collection: str = DEFAULT_COLLECTION,
        availability: Availability | None = None,
        ignore: Iterable[str] | None = None,
        max_bytes: int | None = None,
        passage_characters: int | None = None,
        moved: bool = False,
        embed: bool = True,
        embed_seconds: float | None = None,
        wait_seconds: float = WAIT_SECONDS,
        progress: ProgressCallback | None = None,
    ) -> RefreshCounts:
        """Keep the documents of a folder in step: index new and changed files, withdraw what is gone.

        Unchanged files are not read. What was indexed stays when the folder is not there. Only one process works at
        a time; when another one does not end in time, nothing is done and the counts say so. See docs/folder.md.

        Args:
            folder: the folder; everything below it is read but what is hidden, ignored, too large or of another kind.
            collection: under which the documents are kept; one folder each.
            availability: when a file that does not say so itself became observable: ``"unknown"``, its
                ``"file-time"``, or the end of the day in its name, ``"name-date"``.
            ignore: patterns as in ``.gitignore``, besides those of the folder's own ``.hybridkbignore``.
            max_bytes: larger files are not read (50 MiB at first).
            passage_characters: about how long a passage is (1,500 at first).
            moved: take the folder as it is, also when it is another than before, or looks like a drive that is not
                mounted.
            embed: False stores words only and leaves vectors to :meth:`embed_pending`.
            embed_seconds: begin no further step of embedding after this time; None embeds everything.
            wait_seconds: how long to wait for another process.
            progress: called with (files done, files to read) after each batch.

        Settings that are None stay as they were when the collection was last read.

        Raises:
            InvalidInput: it is another folder than the one that was read before, or an argument is wrong.
            UnreadableDocument, MissingExtra: its ignore patterns cannot be read.
            DatabaseError: the library cannot be written.
        """
        return self._folders.refresh(
            folder, collection=collection, availability=availability, ignore=ignore, max_bytes=max_bytes,
            passage_characters=passage_characters, moved=moved, embed=embed, embed_seconds=embed_seconds,
            wait_seconds=wait_seconds, progress=progress,
        )  # fmt: skip

    def folders(self) -> tuple[FolderSummary, ...]:
        """List the folders of documents that :meth:`sync` keeps in step, with counts; nothing is looked at."""
        return self._folders.folders()

    def embed_pending(self, *, progress: ProgressCallback | None = None) -> EmbedReport:
        """Embed every text that has no vector in the space of this library's embedder.

        May be interrupted; what was embedded stays. When the space is complete it serves searches.

        Raises:
            EmbedderUnavailable: there is no embedder, or it cannot be reached.
            EmbedderError: it fails every text.
        """
        return embed_pending(self._ingest, progress=progress)

    def embed_ahead(
        self, items: Iterable[KnowledgeItem], *, batch: int = 16, progress: ProgressCallback | None = None
    ) -> EmbedReport:
        """Embed the texts of items before they are put, so that their words and vectors appear together.

        May be interrupted; what was embedded stays, by its text. Texts that have a vector are passed over.

        Args:
            items: not put yet, or put and waiting for vectors.
            batch: texts for one call of the model and one commit.
            progress: called with (texts done, texts to embed).

        Raises:
            EmbedderUnavailable: there is no embedder, or it cannot be reached.
            EmbedderError: it fails every text.
        """
        return embed_ahead(self._ingest, items, batch=batch, progress=progress)

    # --- reading -----------------------------------------------------------------------------------------------

    def get(self, item_id: UUID | str, *, at: datetime | None = None) -> KnowledgeItem:
        """Return an item as it is now, or as it stood at ``at``; also the source of a paper, or what was made of it.

        Raises:
            NotFound: not held, purged, withdrawn or not observable then; the text says which and when.
        """
        moment = _instant_or_none(at, "down")
        return self._database.reading(lambda connection: get_item(connection, id_text(item_id), moment))

    def history(self, item_id: UUID | str) -> list[Revision]:
        """Return an item's revisions, oldest availability first.

        Raises:
            NotFound: not held, or purged.
        """
        return self._database.reading(lambda connection: history(connection, id_text(item_id)))

    def resolve(self, locator: Locator | str, *, at: datetime | None = None) -> Resolved:
        """Return what a locator points to, as it is now or as it stood at ``at``.

        That is an item or a node of it, the source of a paper, something that was made of it, or a chunk or section.

        Raises:
            NotFound: no such item or member.
            InvalidInput: not a locator.
            BrokenInvariant: it is stored damaged.
        """
        address = Locator.parse(locator) if isinstance(locator, str) else locator
        sight = Sight(_instant_or_none(at, "down"))
        return self._database.reading(lambda connection: resolve(connection, address, sight))

    def get_paper(self, paper: UUID | str | Locator, *, at: datetime | None = None) -> Paper:
        """Return a paper with what searches see of it, and a list of all that was made of it.

        Args:
            paper: the id of its source; the id or locator of anything that was made of it; or its arXiv id, without
                a version that of the newest version held.
            at: as it stood then; None is now.

        Raises:
            NotFound: no such paper, or not then.
            InvalidInput: the text names nothing, or ``at`` is naive.
            BrokenInvariant: it is stored damaged.
        """
        sight = Sight(_instant_or_none(at, "down"))
        return self._database.reading(lambda connection: paper_of(connection, paper, sight))

    def get_artifact(self, artifact_id: UUID | str, *, at: datetime | None = None) -> PaperArtifact:
        """Return a chunk set, summary or tree of a paper, whether or not searches see it.

        Raises:
            NotFound: no such artifact, or not then.
            BrokenInvariant: it is stored damaged.
        """
        sight = Sight(_instant_or_none(at, "down"))
        return self._database.reading(lambda connection: artifact_of(connection, id_text(artifact_id), sight))

    def get_blob(self, sha256: str) -> bytes:
        """Return the bytes of a paper or of one of its pictures, checked against their name.

        Raises:
            NotFound: no stored paper names them.
            BrokenInvariant: they are missing or damaged.
        """
        return self._database.reading(lambda connection: read_blob(connection, sha256))

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
        approximate: bool = False,
        **filters: Any,
    ) -> SearchResults:
        """Find the best records. Any text is a valid query.

        Args:
            text: what to look for; ``"phrases"``, ``-without``, ``prefix*`` and OR work as on the web. Or a whole
                :class:`SearchQuery`, with no further arguments.
            top_k, mode, fusion, collapse, min_score, match, exact, approximate: see :class:`SearchQuery`.
            **filters: every filter of :class:`hybridkb.filters.Filters`, such as ``item_types``, ``tags``,
                ``available_at_before``.

        Raises:
            InvalidQuery, InvalidFilter: an argument is wrong; the text says how to mend it.
            EmbedderUnavailable: ``mode="semantic"`` and the query cannot be embedded.
        """
        arguments = {
            "top_k": top_k, "mode": mode, "fusion": fusion, "collapse": collapse, "min_score": min_score,
            "match": match, "exact": exact, "approximate": approximate,
        }  # fmt: skip
        return self._search.search(read_query(text, {**arguments, **filters}))

    def count(self, **filters: Any) -> FilterCounts:
        """Count the records visible at the cutoff, or now, and what each filter of a search would leave of them.

        Raises:
            InvalidFilter: a filter is wrong; the text says how to mend it.
        """
        return self._overview.count(filters)

    def list_values(self, name: str, *, limit: int = 100, offset: int = 0, **filters: Any) -> ValuePage:
        """List the values that a filter may ask for, the most frequent first, with counts and ranges of dates.

        Args:
            name: the filter: ``"item_types"``, ``"tags"``, ``"tickers"``, ``"path_prefix"`` (folders) ...
            limit, offset: which of them, at most 10,000 at once.
            **filters: only values of records that pass these.

        Raises:
            InvalidInput, InvalidFilter: an argument is wrong; the text says how to mend it.
        """
        return self._overview.list_values(name, limit, offset, filters)

    def list_items(
        self, *, limit: int = 100, offset: int = 0, ids: Iterable[UUID | str] | None = None, **filters: Any
    ) -> ItemPage:
        """List items without their text, by path, then id; those without a path last.

        Args:
            limit, offset: which of them, at most 10,000 at once.
            ids: only these, whatever ``limit`` and ``offset`` say.
            **filters: only items with a record that passes these.

        Raises:
            InvalidInput, InvalidFilter: an argument is wrong; the text says how to mend it.
        """
        return self._overview.list_items(limit, offset, ids, filters)

    def snapshot(self, *, at: datetime) -> Snapshot:
        """Return a read-only view of the library as it stood at ``at``; nothing in it can look further.

        What a backtest hands to its strategy. Cheap enough to make one for each of thousands of days.

        Raises:
            InvalidInput: ``at`` is naive.
        """
        return Snapshot(self._database, self._follower, self._search, _instant(at, "down"))

    def stats(self) -> LibraryStats:
        """Count what the library holds."""
        return self._database.reading(lambda connection: read_stats(connection, load_settings(connection)))

    def inventory(self, *, item_types: Iterable[str] | None = None) -> Inventory:
        """List what stands in the library now, item by item: records, missing vectors, texts not read to the end.

        Args:
            item_types: only these; None is all.
        """
        types = item_types if item_types is None or isinstance(item_types, str) else list(item_types)
        return self._database.reading(
            lambda connection: take_inventory(connection, self._ingest.embedders, self._now(), types)
        )

    def export(self) -> Iterator[str]:
        """Write everything canonical as JSON Lines: all revisions, withdrawals, notes of purges."""
        return export_lines(self._database)

    # --- upkeep ------------------------------------------------------------------------------------------------

    def change_settings(
        self, *, fusion: Fusion | None = None, ranking: RankingSettings | None = None, why: str
    ) -> LibrarySettings:
        """Store how searches rank from now on, for every process that has the file open. Returns all settings.

        Answers about the past change with it, so the audit lists it: weights that were tuned on later data are
        look-ahead.

        Args:
            fusion: how the legs become one list; None leaves it.
            ranking: how words are scored; None leaves it.
            why: what they were chosen on, for the audit.

        Raises:
            InvalidInput: nothing to change, no reason, or settings of another kind; nothing was stored.
        """
        if fusion is None and ranking is None:
            raise InvalidInput("give the fusion or the ranking to store", field="fusion")
        if not isinstance(why, str) or not why.strip():
            raise InvalidInput("say why: the audit shows it to whoever relied on earlier answers", field="why")

        def write(connection: Connection) -> LibrarySettings:
            stored = load_settings(connection)
            wished = replace(
                stored,
                fusion=stored.fusion if fusion is None else fusion,
                ranking=stored.ranking if ranking is None else ranking,
            )
            if wished != stored:
                change_settings(connection, wished, now=self._now(), why=why)
            return wished

        return self._database.writing(write)

    def check(self, *, quick: bool = False, progress: ProgressCallback | None = None) -> CheckReport:
        """Compare every derived row with what it was made from. ``quick`` reads structures only."""
        return check(self._ingest, quick=quick, progress=progress)

    def audit(self, *, since: datetime | None = None, cutoffs: Iterable[datetime] = ()) -> AuditReport:
        """List what makes answers about the past unsafe, and what has changed them; see docs/time.md.

        Args:
            since: look for purges, edits of the past and back-filled items recorded from then on, and take them
                for severe: whoever relied on answers given at that time can no longer have them.
            cutoffs: the instants that searches use, to compare models and tuned weights with.

        Raises:
            InvalidInput: a time is naive.
        """
        return audit(self._database, _instant_or_none(since, "up"), [_instant(one, "down") for one in cutoffs])

    def rebuild(self, *, progress: ProgressCallback | None = None) -> RebuildReport:
        """Make every derived row anew from canonical knowledge; nothing canonical is touched or embedded.

        Raises:
            BrokenInvariant: canonical rows are damaged; nothing was changed.
        """
        return rebuild(self._ingest, progress=progress)

    def optimize(self) -> bool:
        """Pack what is not packed yet; answers stay the same. Happens by itself as the library grows."""
        return optimize(self._database)

    def compact(self) -> int:
        """Give back the space of what was deleted; purged bytes leave the file. Returns the bytes won."""
        return compact(self._database)

    def build_vector_index(
        self,
        *,
        m: int = 16,
        ef_construction: int = 64,
        memory: int | None = None,
        wait_seconds: float = 0.0,
        progress: ProgressCallback | None = None,
    ) -> VectorIndex:
        """Build an HNSW index for searches with ``approximate=True``, on PostgreSQL; see docs/postgres.md.

        Others read and write meanwhile. One that is there stays as it is; of a build that is interrupted nothing stays.

        Args:
            m: links of a vector on a layer, 2 to 100.
            ef_construction: how many vectors are looked at to choose them, 2 * m to 1,000.
            memory: bytes that the server may use for it; None is its own setting (``maintenance_work_mem``).
            wait_seconds: how long to wait for another build.
            progress: called with (vectors done, vectors in all), from a thread of its own.

        Raises:
            InvalidInput: the library is a file or has no vectors, or an argument is wrong.
            DatabaseBusy: another client is building.
            DatabaseError: this role may not build.
        """
        return build_vector_index(
            self._database, m=m, ef_construction=ef_construction, memory=memory, wait_seconds=wait_seconds,
            progress=progress,
        )  # fmt: skip

    def drop_vector_index(self) -> bool:
        """Drop what :meth:`build_vector_index` built. Returns whether there was one.

        Raises:
            InvalidInput: the library is a file.
            DatabaseBusy: a build is going on.
        """
        return drop_vector_index(self._database) > 0

    def vector_index(self) -> VectorIndex | None:
        """The HNSW index that searches may ask, or one of a space that no longer serves; None without any."""
        return find_vector_index(self._database)

    @property
    def path(self) -> str:
        """The file, or the address without its password."""
        return self._database.path

    @property
    def settings(self) -> LibrarySettings:
        """Language, ranking and fusion of the file."""
        return self._database.reading(load_settings)

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        self.close()
        return False

    def _now(self) -> int:
        return to_microseconds(self._clock())


def _system_clock() -> datetime:
    return datetime.now(UTC)


def _settings_of(database: Database, wished: LibrarySettings | None) -> LibrarySettings:
    """Read the file's settings; a file that has none yet gets them, whichever process comes first."""
    with database.read() as connection:
        require_whole(connection, database.path)
        if connection.value("library/get", {"name": "language"}) is not None:
            return load_settings(connection)
    if database.read_only:
        return LibrarySettings()
    settings = wished or LibrarySettings()
    Analyser(settings.language)  # refuse an unknown language before it is stored
    with database.write() as connection:
        if connection.value("library/get", {"name": "language"}) is None:
            save_settings(connection, settings)
            create_words_table(connection, stemmed=settings.language == "english")
        return load_settings(connection)


def _choose_embedder(database: Database, embedder: EmbedderArgument) -> EmbedderChoice:
    def serving() -> EmbeddingSpace | None:
        with database.read() as connection:
            found = serving_space(connection)
        return found.space if found else None

    return EmbedderChoice(*load_embedder(embedder, stored=serving()), serving if embedder == "auto" else None)


def _instant(moment: datetime, rounding: Literal["up", "down"]) -> int:
    return to_microseconds(parse_instant(moment, rounding=rounding))


def _instant_or_none(moment: datetime | None, rounding: Literal["up", "down"]) -> int | None:
    return None if moment is None else _instant(moment, rounding)
