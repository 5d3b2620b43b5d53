"""Opens one SQLite connection, with every setting hybridkb relies on and why.

Nothing else in hybridkb opens a database. A connection is used by one thread at a
time; :mod:`hybridkb.database.database` lends them out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import quote

import apsw
import sqlite_vec

from hybridkb.database.statements import statement
from hybridkb.errors import DatabaseError

APPLICATION_ID = 0x68796B62  # "hykb": tells our files from other SQLite databases
MINIMUM_SQLITE = 3_043_000  # contentless-delete FTS5 tables
PAGE_BYTES = 8192  # a float16 vector of 384 dimensions wastes less of it than of 4096
BUSY_MILLISECONDS = 30_000
MOST_MAPPED = 2**30
"""A file up to this size is read in place, which is faster; a larger one would fill the memory."""

Value: TypeAlias = str | int | float | bytes | None
Row: TypeAlias = tuple[Any, ...]
Bindings: TypeAlias = Mapping[str, Any] | Sequence[Any]


class Connection:
    """A thin wrapper that runs named statements from ``sql/``."""

    def __init__(self, raw: apsw.Connection) -> None:
        self._raw = raw
        self._tokenizer: tuple[str, apsw.FTS5Tokenizer] | None = None

    def rows(self, name: str, bindings: Bindings = ()) -> list[Row]:
        """Run the statement in ``sql/sqlite/<name>.sql`` and return all rows."""
        return self._raw.execute(statement(name), bindings).fetchall()

    def row(self, name: str, bindings: Bindings = ()) -> Row | None:
        """Run a statement that gives at most one row."""
        return self._raw.execute(statement(name), bindings).fetchone()

    def value(self, name: str, bindings: Bindings = ()) -> Any:
        """Run a statement and return the first column of its first row, or None."""
        found = self.row(name, bindings)
        return None if found is None else found[0]

    def many(self, name: str, rows: Iterable[Bindings]) -> None:
        """Run one statement for each set of bindings."""
        self._raw.executemany(statement(name), rows)

    def text_rows(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Run SQL that the filter compiler or a per-space template made. Values are always bound."""
        return self._raw.execute(sql, bindings).fetchall()

    def text_many(self, sql: str, rows: Iterable[Bindings]) -> None:
        """Run one templated statement for each set of bindings."""
        self._raw.executemany(sql, rows)

    def fts5_term(self, word: str) -> str:
        """The term under which FTS5 keeps a word in this library's table."""
        declared = self.value("schema/words_table") or ""
        if self._tokenizer is None or self._tokenizer[0] != declared:  # another language makes another table
            arguments = ["unicode61", "remove_diacritics", "0", "categories", "L* N* Co P* S* M*"]
            name = "porter" if "porter" in declared else arguments.pop(0)
            self._tokenizer = declared, self._raw.fts5_tokenizer(name, arguments)
        found = self._tokenizer[1](
            word.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
        )
        return str(next(iter(found), ""))

    def changes(self) -> int:
        """Count the rows that the last statement changed."""
        return self._raw.changes()

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._raw.in_transaction

    def close(self) -> None:
        """Close the connection; closing twice is harmless."""
        self._raw.close()


def _file_bytes(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:  # not there yet
        return 0


def open_connection(path: str, *, read_only: bool, create: bool) -> Connection:
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
    return Connection(raw)


def prepare_file(connection: Connection) -> None:
    """Give a new file its page size and write-ahead log. Several processes may do so at once."""
    raw = connection._raw
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
