"""Counts of what the library holds."""

from __future__ import annotations

from dataclasses import dataclass

from hybridkb.database import Connection
from hybridkb.database.statements import Engine
from hybridkb.store.settings import LibrarySettings
from hybridkb.vector.spaces import StoredSpace, stored_spaces


@dataclass(frozen=True, slots=True)
class SpaceStats:
    """One embedding space.

    Attributes:
        model, dimensions, version: the space.
        state: ``"serving"``, ``"building"`` or ``"retired"``.
        vectors: distinct texts that have a vector.
        pending: distinct texts of records that have none.
        failed: how many of those the model could not embed.
    """

    model: str
    dimensions: int
    version: str
    state: str
    vectors: int
    pending: int
    failed: int


@dataclass(frozen=True, slots=True)
class LibraryStats:
    """What the library holds.

    Attributes:
        items, revisions: canonical knowledge.
        records: searchable projections; visible_records: those that searches without a cutoff see.
        unknown_availability: current records that no search with a cutoff can see.
        words: distinct words in the vocabulary.
        unpacked: records whose words are not packed yet.
        pending: texts without a vector in the serving space.
        item_types: current records by item type.
        papers: papers among the items; artifacts: what was made of them by kind, current or not.
        blobs, blob_bytes: how many files and pictures are kept for papers, and their bytes.
        spaces: embedding spaces.
        language: the analyser's language; analyser_version: its version.
        generation: how many transactions changed the library.
        file_bytes: size of the file, its write-ahead log included; on a server of the tables and their indexes.
        engine: ``"sqlite"`` or ``"postgres"``.
        sqlite, sqlite_vec: versions of SQLite and sqlite-vec; None on a server.
        postgres, pgvector: versions of the server and of pgvector; None for a file.
    """

    items: int
    revisions: int
    records: int
    visible_records: int
    unknown_availability: int
    words: int
    unpacked: int
    pending: int
    item_types: dict[str, int]
    papers: int
    artifacts: dict[str, int]
    blobs: int
    blob_bytes: int
    spaces: tuple[SpaceStats, ...]
    language: str
    analyser_version: int
    schema_version: int
    generation: int
    file_bytes: int
    engine: Engine
    sqlite: str | None
    sqlite_vec: str | None
    postgres: str | None
    pgvector: str | None


def read_stats(connection: Connection, settings: LibrarySettings) -> LibraryStats:
    """Count inside the caller's read transaction."""
    spaces = tuple(_space(connection, stored) for stored in stored_spaces(connection))
    counts = connection.row("upkeep/counts")
    assert counts is not None
    items, revisions, records, visible, unknown, words, unpacked, generation, engine, vectors = counts
    on_file = connection.engine == "sqlite"
    papers, blobs, blob_bytes = connection.row("papers/counts") or (0, 0, 0)
    return LibraryStats(
        items=items,
        revisions=revisions,
        records=records,
        visible_records=visible,
        unknown_availability=unknown,
        words=words,
        unpacked=unpacked,
        pending=next((space.pending for space in spaces if space.state == "serving"), 0),
        item_types=dict(connection.rows("upkeep/item_types")),
        papers=papers,
        artifacts=dict(connection.rows("papers/artifact_kinds")),
        blobs=blobs,
        blob_bytes=blob_bytes,
        spaces=spaces,
        language=settings.language,
        analyser_version=settings.analyser_version,
        schema_version=int(connection.value("schema/version")),
        generation=generation,
        file_bytes=connection.stored_bytes(),
        engine=connection.engine,
        sqlite=engine if on_file else None,
        sqlite_vec=vectors if on_file else None,
        postgres=None if on_file else engine,
        pgvector=None if on_file else vectors,
    )


def _space(connection: Connection, stored: StoredSpace) -> SpaceStats:
    name = {"space_no": stored.number}
    return SpaceStats(
        model=stored.space.model,
        dimensions=stored.space.dimensions,
        version=stored.space.version,
        state=stored.state,
        vectors=int(connection.value("vector/count_embeddings", name)),
        pending=int(connection.value("vector/count_pending", name)),
        failed=len(connection.rows("vector/failures", name)),
    )
