"""Builds and drops the HNSW index of the space that serves, for searches that ask for approximate neighbours.

PostgreSQL alone. The server builds it on a connection of its own, while others read and write; new vectors enter it as
they are put. A build that is interrupted leaves nothing behind.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hybridkb.database import Connection, Database
from hybridkb.errors import InvalidInput
from hybridkb.ingest import ProgressCallback
from hybridkb.vector.hnsw import HnswIndex, hnsw_indexes
from hybridkb.vector.spaces import StoredSpace, for_space, serving_space, stored_spaces

if TYPE_CHECKING:
    from hybridkb.database.postgres_database import PostgresDatabase

LOCK = "index"
MOST_DIMENSIONS = 4000  # of a halfvec in an HNSW index
MINIMUM_VECTOR = (0, 8)  # iterative scans
GRAPH_BYTES, LINK_BYTES = 205, 32  # what a vector, and each of its m, takes beside its numbers in a graph in memory
LEAST_MEMORY = 1 << 20
_LOOK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """The HNSW index of a library on PostgreSQL.

    Attributes:
        space: whose vectors it holds.
        serving: whether that space answers searches; only then may they ask for it.
        vectors: how many there are.
        m, ef_construction: how it was built.
        size: bytes on the server's disk.
        built: whether it was made by this call.
        seconds: time taken.
        advice: what would make the next build faster, if anything.
    """

    space: str
    serving: bool
    vectors: int
    m: int
    ef_construction: int
    size: int
    built: bool = False
    seconds: float = 0.0
    advice: str | None = None


def find_vector_index(database: Database) -> VectorIndex | None:
    """The index of the space that serves, else one of another space, else None."""
    with database.read() as connection:
        found = [index for index in hnsw_indexes(connection) if index.whole]
        spaces = {space.number: space for space in stored_spaces(connection)}
        described = [_described(connection, index, spaces[index.space_number]) for index in found]
    return next((one for one in described if one.serving), described[0] if described else None)


def build_vector_index(
    database: Database,
    *,
    m: int = 16,
    ef_construction: int = 64,
    memory: int | None = None,
    wait_seconds: float = 0.0,
    progress: ProgressCallback | None = None,
) -> VectorIndex:
    """Build the index of the space that serves; one that is there stays as it is.

    Args:
        database: on PostgreSQL, with a role that owns its tables.
        m: links of a vector on a layer, 2 to 100.
        ef_construction: how many are looked at to choose them, 2 * m to 1,000.
        memory: bytes that the server may use; None is its own ``maintenance_work_mem``.
        wait_seconds: how long to wait for another build.
        progress: called with (vectors done, vectors in all).

    Raises:
        InvalidInput: no library on PostgreSQL, no vectors, parameters out of range, or another index is there.
        DatabaseBusy: another client is building.
        DatabaseError: pgvector is too old, or this role may not build.
    """
    server = _server(database)
    _require_parameters(m, ef_construction, memory)
    with database.job_lock(LOCK, wait_seconds=wait_seconds):
        with database.read() as connection:
            space = _space_to_index(connection)
            known = next((one for one in hnsw_indexes(connection) if one.space_number == space.number), None)
        if known is not None and known.whole:
            return _as_it_is(database, known, space, m, ef_construction)
        return _build(server, space, m, ef_construction, memory, progress)


def drop_vector_index(database: Database) -> int:
    """Drop every HNSW index of the library, what is left of killed builds too. Returns how many whole ones went.

    Raises:
        InvalidInput: no library on PostgreSQL.
        DatabaseBusy: a build is going on.
    """
    server = _server(database)
    with database.job_lock(LOCK, wait_seconds=0.0):
        with database.read() as connection:
            known = hnsw_indexes(connection)
        with server.long_work() as connection:
            for index in known:
                _drop(connection, index.space_number)
    return sum(index.whole for index in known)


def _server(database: Database) -> PostgresDatabase:
    if database.engine != "postgres":
        raise InvalidInput(
            f"{database.path}: an HNSW index is something that PostgreSQL keeps; a file needs none, it finds the "
            "nearest vectors through their codes",
            field="path_or_url",
        )
    from hybridkb.database.postgres_database import PostgresDatabase  # an extra

    assert isinstance(database, PostgresDatabase)
    return database


def _require_parameters(m: int, ef_construction: int, memory: int | None) -> None:
    if not 2 <= m <= 100:
        raise InvalidInput(f"m is a whole number from 2 to 100, not {m!r}", field="m")
    if not max(4, 2 * m) <= ef_construction <= 1000:
        raise InvalidInput(
            f"ef_construction is a whole number from 2 * m ({2 * m}) to 1,000, not {ef_construction!r}",
            field="ef_construction",
        )
    if memory is not None and memory < LEAST_MEMORY:
        raise InvalidInput("memory is a number of bytes, at least 1 MiB", field="memory")


def _space_to_index(connection: Connection) -> StoredSpace:
    space = serving_space(connection)
    if space is None:
        raise InvalidInput("the library has no vectors to index; embed first (embed_pending(), hybridkb embed)")
    if space.space.dimensions > MOST_DIMENSIONS:
        raise InvalidInput(
            f"vectors of {space.space.dimensions:,} dimensions cannot be indexed, {MOST_DIMENSIONS:,} is the most; "
            "searches without approximate compare them all the same"
        )
    version = str((connection.row("schema/vector_extension") or ("", "0"))[1])
    if tuple(int(part) for part in version.split(".")[:2]) < MINIMUM_VECTOR:
        raise InvalidInput(
            f"pgvector {version} has no iterative scans, which filters need; install 0.8 or newer on the server and "
            "run ALTER EXTENSION vector UPDATE"
        )
    return space


def _as_it_is(database: Database, known: HnswIndex, space: StoredSpace, m: int, ef_construction: int) -> VectorIndex:
    if (known.m, known.ef_construction) != (m, ef_construction):
        raise InvalidInput(
            f"there is an index with m {known.m} and ef_construction {known.ef_construction}; drop it first "
            "(drop_vector_index(), hybridkb index --drop)",
            field="m",
        )
    with database.read() as connection:
        return _described(connection, known, space)


def _described(connection: Connection, index: HnswIndex, space: StoredSpace) -> VectorIndex:
    return VectorIndex(
        space=str(space.space),
        serving=space.state == "serving",
        vectors=int(connection.value("vector/count_embeddings", {"space_no": space.number})),
        m=index.m,
        ef_construction=index.ef_construction,
        size=index.size,
    )


def _build(
    server: PostgresDatabase,
    space: StoredSpace,
    m: int,
    ef_construction: int,
    memory: int | None,
    progress: ProgressCallback | None,
) -> VectorIndex:
    started = time.monotonic()
    with server.long_work() as connection:
        connection.rows("hnsw/no_timeouts")
        if memory is not None:
            connection.rows("hnsw/use_memory", {"memory": f"{memory // 1024}kB"})
        given = int(connection.value("hnsw/memory"))
        _drop(connection, space.number)  # what a killed build left
        sql = for_space(connection, "hnsw/build", space)
        sql = sql.replace("{m}", str(int(m))).replace("{ef_construction}", str(int(ef_construction)))
        try:
            with _watched(server, int(connection.value("hnsw/backend")), progress):
                connection.text_rows(sql)
        except BaseException:
            with server.long_work() as other:  # the first may be broken
                _drop(other, space.number)
            raise
    found = find_vector_index(server)
    assert found is not None
    return _made(found, space, given, time.monotonic() - started)


def _made(found: VectorIndex, space: StoredSpace, given: int, seconds: float) -> VectorIndex:
    needed = graph_bytes(found.vectors, space.space.dimensions, found.m)
    advice = None
    if needed > given:
        advice = (
            f"the whole graph takes about {needed / 2**20:,.0f} MiB of maintenance_work_mem; with {given / 2**20:,.0f} "
            "MiB the build took several times longer than it had to (memory=, --memory)"
        )
    return VectorIndex(
        found.space, found.serving, found.vectors, found.m, found.ef_construction, found.size, True, seconds, advice
    )


def graph_bytes(vectors: int, dimensions: int, m: int) -> int:
    """What the graph of so many vectors takes in memory while it is built, as measured with pgvector 0.8."""
    return vectors * (2 * dimensions + GRAPH_BYTES + LINK_BYTES * m)


def _drop(connection: Connection, space_number: int) -> None:
    connection.text_rows(connection.statement("hnsw/drop").replace("{space_no}", str(int(space_number))))


@contextmanager
def _watched(server: PostgresDatabase, backend: int, progress: ProgressCallback | None) -> Iterator[None]:
    """Tell how far a build is, from a thread of its own, while the block runs."""
    if progress is None:
        yield
        return
    done = threading.Event()

    def look() -> None:
        while not done.wait(_LOOK_SECONDS):
            with server.read() as connection:
                row = connection.row("hnsw/progress", {"pid": backend})
            if row is not None and row[1]:
                progress(int(row[0]), int(row[1]))

    watcher = threading.Thread(target=look, name="hybridkb-index-progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
