"""Opens one SQLite connection, with every setting hybridkb relies on and why.

Nothing else in hybridkb opens a file. A connection is used by one thread at a
time; :mod:`hybridkb.database.sqlite_database` lends them out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

import apsw
import numpy as np
import sqlite_vec
from numpy.typing import NDArray

from hybridkb.database.connection import Bindings, Connection, Row
from hybridkb.errors import DatabaseError

APPLICATION_ID = 0x68796B62  # "hykb": tells our files from other SQLite databases
MINIMUM_SQLITE = 3_043_000  # contentless-delete FTS5 tables
PAGE_BYTES = 8192  # a float16 vector of 384 dimensions wastes less of it than of 4096
BUSY_MILLISECONDS = 30_000
MOST_MAPPED = 2**30
"""A file up to this size is read in place, which is faster; a larger one would fill the memory."""


class SqliteConnection(Connection):
    """A thin wrapper of the driver's connection."""

    engine = "sqlite"

    def __init__(self, raw: apsw.Connection) -> None:
        self._raw = raw
        self._tokenizer: tuple[str, apsw.FTS5Tokenizer] | None = None

    def text_rows(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        return self._raw.execute(sql, bindings).fetchall()

    def text_row(self, sql: str, bindings: Bindings = ()) -> Row | None:
        return self._raw.execute(sql, bindings).fetchone()

    def text_many(self, sql: str, rows: Iterable[Bindings]) -> None:
        self._raw.executemany(sql, rows)

    def array_parameter(self, ids: NDArray[np.int64]) -> dict[str, Any]:
        return {"ids": apsw.carray(np.ascontiguousarray(ids, np.int64))}

    def vector_parameter(self, vector: bytes) -> bytes:
        return vector

    def json_parameter(self, text: str) -> str:
        return text

    def words_row(self, record_id: int, title: Sequence[str], body: Sequence[str]) -> Row:
        return record_id, " ".join(title), " ".join(body)

    def phrase_match(self, words: Sequence[str]) -> str:
        return '"' + " ".join(words).replace('"', '""') + '"'

    def indexed_word(self, word: str) -> str:
        declared = self.value("schema/words_table") or ""
        if self._tokenizer is None or self._tokenizer[0] != declared:  # another language makes another table
            self._tokenizer = declared, words_tokenizer(self._raw, stemmed="porter" in declared)
        return first_token(self._tokenizer[1], word)

    def stored_bytes(self) -> int:
        return sum(_file_bytes(self._raw.filename + end) for end in ("", "-wal"))

    def changes(self) -> int:
        return self._raw.changes()

    @property
    def in_transaction(self) -> bool:
        return self._raw.in_transaction

    @property
    def raw(self) -> apsw.Connection:
        """The driver's connection, for what only this room may do with it."""
        return self._raw

    def close(self) -> None:
        self._raw.close()


def words_tokenizer(raw: apsw.Connection, *, stemmed: bool) -> apsw.FTS5Tokenizer:
    """FTS5's tokenizer as ``record_words`` has it."""
    arguments = ["unicode61", "remove_diacritics", "0", "categories", "L* N* Co P* S* M*"]
    name = "porter" if stemmed else arguments.pop(0)
    return raw.fts5_tokenizer(name, arguments)


def first_token(tokenizer: apsw.FTS5Tokenizer, word: str) -> str:
    """The term that a tokenizer makes of one word."""
    found = tokenizer(word.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False)
    return str(next(iter(found), ""))


def _file_bytes(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:  # not there yet
        return 0


def open_connection(path: str, *, read_only: bool, create: bool) -> SqliteConnection:
    """Open ``path`` and make every setting. Driver errors pass through for the caller to translate."""
    if _sqlite_version() < MINIMUM_SQLITE:
        raise DatabaseError(f"SQLite {apsw.sqlite_lib_version()} is too old; install a newer apsw", path=path)
    raw = apsw.Connection(*_address(path, read_only=read_only, create=create))
    try:
        raw.set_busy_timeout(BUSY_MILLISECONDS)
        _load_vectors(raw, path)
        raw.execute("PRAGMA foreign_keys = ON").fetchall()
        raw.execute("PRAGMA trusted_schema = OFF").fetchall()  # a file from elsewhere runs no functions of its own
        raw.execute("PRAGMA temp_store = MEMORY").fetchall()
        mapped = MOST_MAPPED if _file_bytes(path) <= MOST_MAPPED else 0
        raw.execute(f"PRAGMA mmap_size = {mapped}").fetchall()
        raw.execute("PRAGMA cache_size = -65536").fetchall()
        if not read_only:
            raw.execute("PRAGMA synchronous = NORMAL").fetchall()  # with WAL: consistent after any crash
            # 64 MiB of log before it is folded into the file: a batch of 1,000 would otherwise do so each time
            raw.execute("PRAGMA wal_autocheckpoint = 8192").fetchall()
    except BaseException:
        raw.close()
        raise
    return SqliteConnection(raw)


def prepare_file(connection: SqliteConnection) -> None:
    """Give a new file its page size and write-ahead log. Several processes may do so at once."""
    raw = connection.raw
    if raw.pragma("user_version") == 0 and raw.pragma("page_count") == 0:
        raw.execute(f"PRAGMA page_size = {PAGE_BYTES}").fetchall()
    deadline = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:  # the switch ignores the busy timeout when another process switches too
            mode = str(raw.execute("PRAGMA journal_mode = WAL").fetchall()[0][0])
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
            continue
        if mode != "wal":
            raise DatabaseError(
                f"this file system allows no write-ahead log (SQLite answers {mode!r}), which readers beside a writer "
                "need; put the library on a local disk"
            )
        return


def _sqlite_version() -> int:
    major, minor, patch = (int(part) for part in apsw.sqlite_lib_version().split(".")[:3])
    return major * 1_000_000 + minor * 1_000 + patch


def _address(path: str, *, read_only: bool, create: bool) -> tuple[str, int]:
    if not read_only:
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
        return path, flags
    folder = os.path.dirname(os.path.abspath(path))
    log_is_there = os.path.exists(path + "-shm")
    if os.access(folder, os.W_OK) or log_is_there:
        return path, apsw.SQLITE_OPEN_READONLY
    # A write-ahead log needs a shared-memory file beside it. Where none can be made nobody can write
    # either, so the file is read as one that does not change.
    return f"file:{quote(os.path.abspath(path))}?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI


def _load_vectors(raw: apsw.Connection, path: str) -> None:
    try:
        raw.enable_load_extension(True)
        raw.load_extension(sqlite_vec.loadable_path())
    except apsw.Error as error:
        raise DatabaseError(
            f"{path}: the sqlite-vec extension cannot be loaded ({error}); reinstall sqlite-vec for this platform",
            path=path,
        ) from error
    finally:
        raw.enable_load_extension(False)
