"""Keeps one resident state for all threads and brings it up to the file before each answer.

Every committing transaction, of this process or another, bumps the generation. A reader
compares it inside its own read transaction: equal, and the state is used as it is;
newer, and what changed since is read (new records by id, changed ones from
``record_change``); another packing, and everything packed is loaded again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from hybridkb.database import Connection, Database, ids_parameter
from hybridkb.errors import BrokenInvariant, DatabaseError
from hybridkb.lexical.postings import PostingCache
from hybridkb.lexical.read_texts import ReadTexts
from hybridkb.lexical.tail import Tail
from hybridkb.resident.columns import GrowingColumns
from hybridkb.resident.packed import columns_from_blobs, vectors_from_blobs
from hybridkb.resident.snapshot import Resident
from hybridkb.resident.vectors import VectorColumns
from hybridkb.vector.cache import VectorCache
from hybridkb.vector.spaces import StoredSpace, serving_space

Answer = TypeVar("Answer")


class ReaderBehind(Exception):
    """The transaction sees an older state than the resident one; start a new transaction."""


class Follower:
    """Owns the newest resident state. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._columns = GrowingColumns()
        self._current: Resident | None = None
        self._cache: tuple[int, VectorCache] | None = None

    def resident(self, connection: Connection) -> Resident:
        """Return the state that the connection's read transaction sees.

        Raises:
            ReaderBehind: another thread moved on since this transaction began.
        """
        generation, packing = connection.row("state/get") or (0, 0)
        current = self._current
        if current is not None and (current.generation, current.packing) == (generation, packing):
            return current
        with self._lock:
            current = self._current
            if current is not None and current.generation > generation:
                raise ReaderBehind
            self._current = None  # what fails half-way is not built upon
            if current is None or current.packing != packing:
                current = self._load(connection, generation, packing)
            elif current.generation != generation:
                current = self._follow(connection, current, generation)
            self._current = current
            return current

    @contextmanager
    def follow(self, database: Database) -> Iterator[tuple[Connection, Resident]]:
        """Lend a connection inside a read transaction, and the resident state that it sees."""
        for fresh in (False, True, True):
            with database.read() as connection:
                try:
                    resident = self.resident(connection)
                except ReaderBehind:
                    if fresh:  # a transaction begun just now is older than what we know: the file was put back
                        self.forget()
                    continue
                yield connection, resident
                return
        raise DatabaseError(f"{database.path}: the file changes under every reader; try again", path=database.path)

    def reading(self, database: Database, body: Callable[[Connection, Resident], Answer]) -> Answer:
        """Run ``body`` in one read transaction with the resident state that it sees; see :meth:`Database.repeated`."""

        def read() -> Answer:
            with self.follow(database) as (connection, resident):
                return body(connection, resident)

        return database.repeated(read)

    def forget(self) -> None:
        """Load everything anew at the next answer."""
        with self._lock:
            self._current = None
            self._cache = None

    def _load(self, connection: Connection, generation: int, packing: int) -> Resident:
        packed_until = 0
        rows = connection.rows("lexical/segment_columns")
        if rows:
            packed_until = max(row[1] for row in rows)
        self._columns = GrowingColumns(packed_until + 1)
        for first, last, *blobs in rows:
            packed = columns_from_blobs(tuple(blobs), last - first + 1)
            for target, source in zip(self._columns.now.arrays(), packed.arrays(), strict=True):
                target[first : last + 1] = source
        changed = connection.rows("resident/changed_columns", {"after": -1})
        self._columns.change(changed)
        self._columns.append(connection.rows("resident/columns_after", {"after": packed_until}))
        tail = self._grown_tail(connection, Tail(), 0)
        vectors = self._load_vectors(connection, serving_space(connection), packed_until, [row[0] for row in changed])
        return Resident(generation, packing, self._columns.now, tail, vectors, PostingCache(), ReadTexts())

    def _grown_tail(self, connection: Connection, tail: Tail, known: int) -> Tail:
        rows = connection.rows("lexical/tail_after", {"after": known})
        if rows and rows[-1][0] >= self._columns.now.size:
            raise BrokenInvariant("words of a record that is not there wait to be packed; run check(), then rebuild()")
        return tail.with_rows(rows)

    def _load_vectors(
        self, connection: Connection, serving: StoredSpace | None, packed_until: int, changed: list[int]
    ) -> VectorColumns | None:
        if serving is None:
            return None
        size = self._columns.now.size
        if self._cache is None or self._cache[0] != serving.number:
            self._cache = serving.number, VectorCache(serving.space.dimensions)
        vectors = VectorColumns(serving.number, serving.space.dimensions, size, self._cache[1])
        for first, last, *packed in connection.rows("vector/segments", {"space_no": serving.number}):
            ids, codes = vectors_from_blobs(packed[0], packed[1], last - first + 1, serving.space.dimensions)
            vectors.write_packed(first, ids, codes)
        self._read_vectors(connection, vectors, serving.number, packed_until + 1, changed)
        return vectors

    def _read_vectors(
        self, connection: Connection, vectors: VectorColumns, space_no: int, first: int, changed: list[int]
    ) -> None:
        bounds = {"space_no": space_no, "first": first, "last": self._columns.now.size}
        vectors.write(connection.rows("resident/vectors_between", bounds))
        if changed:
            parameters = {"space_no": space_no, **ids_parameter(changed)}
            vectors.write(connection.rows("vector/embeddings_of_records", parameters))

    def _follow(self, connection: Connection, current: Resident, generation: int) -> Resident:
        known = current.columns.size - 1
        changed = connection.rows("resident/changed_columns", {"after": current.generation})
        self._columns.change(changed)
        self._columns.append(connection.rows("resident/columns_after", {"after": known}))
        tail = self._grown_tail(connection, current.tail, known)
        older = [row[0] for row in changed if row[0] <= known]
        vectors = self._follow_vectors(connection, current.vectors, known, older)
        kept = current.postings, current.texts
        return Resident(generation, current.packing, self._columns.now, tail, vectors, *kept)

    def _follow_vectors(
        self, connection: Connection, current: VectorColumns | None, known: int, changed: list[int]
    ) -> VectorColumns | None:
        serving = serving_space(connection)
        if serving is None:
            return None
        if current is None or current.space_no != serving.number:
            packed_until = max((row[2] for row in connection.rows("lexical/segments")), default=0)
            everything = [row[0] for row in connection.rows("resident/changed_columns", {"after": -1})]
            return self._load_vectors(connection, serving, packed_until, everything)
        vectors = current.copied() if changed else current
        vectors = vectors.grown(self._columns.now.size)
        self._read_vectors(connection, vectors, serving.number, known + 1, changed)
        return vectors
