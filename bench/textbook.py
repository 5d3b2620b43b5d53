"""The textbook recipe in one SQLite file: FTS5 with porter and ``bm25()``, vec0 with float32 and cosine, RRF in SQL.

This is what tutorials teach, written with care: query words are quoted and joined by OR, each leg gives its best
100, ranks are fused as 1 / (60 + rank). Filters are a join in FTS5 and ``id IN (SELECT ...)`` in vec0, where they
act before the k nearest are chosen. Connection settings are those of hybridkb.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import apsw
import numpy as np
import sqlite_vec
from numpy.typing import NDArray

DEPTH = 100
PAGE_BYTES = 8192

_TABLES = """
CREATE TABLE passage(id INTEGER PRIMARY KEY, name TEXT NOT NULL, title TEXT, body TEXT, available_at INTEGER);
CREATE INDEX passage_by_time ON passage(available_at);
CREATE TABLE passage_tag(tag TEXT, id INTEGER, PRIMARY KEY (tag, id)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(title, body, tokenize = 'porter unicode61');
"""
_VECTORS = """
CREATE VIRTUAL TABLE meaning USING vec0(id INTEGER PRIMARY KEY, embedding float[{dimensions}] distance_metric=cosine)
"""
_LEXICAL = """
WITH best AS MATERIALIZED (
  SELECT w.rowid AS id, bm25(words) AS score FROM words AS w {passage_join} {join}
  WHERE words MATCH :words {condition} ORDER BY bm25(words) LIMIT :depth
)
SELECT b.id, -b.score, p.name, p.title, p.body FROM best AS b JOIN passage AS p ON p.id = b.id ORDER BY b.score
"""
_SEMANTIC = """
WITH nearest AS MATERIALIZED (
  SELECT id, distance FROM meaning WHERE embedding MATCH :vector AND k = :depth {allowed}
)
SELECT n.id, 1.0 - n.distance AS score, p.name, p.title, p.body
FROM nearest AS n JOIN passage AS p ON p.id = n.id ORDER BY n.distance
"""
_HYBRID = """
WITH nearest AS MATERIALIZED (
  SELECT id, row_number() OVER (ORDER BY distance) AS place FROM meaning
  WHERE embedding MATCH :vector AND k = :depth {allowed}
), worded AS MATERIALIZED (
  SELECT id, row_number() OVER (ORDER BY score) AS place FROM (
    SELECT w.rowid AS id, bm25(words) AS score FROM words AS w {passage_join} {join}
    WHERE words MATCH :words {condition} ORDER BY bm25(words) LIMIT :depth
  )
), fused AS (
  SELECT coalesce(n.id, w.id) AS id, coalesce(1.0 / (60 + n.place), 0.0) + coalesce(1.0 / (60 + w.place), 0.0) AS score
  FROM nearest AS n FULL OUTER JOIN worded AS w ON w.id = n.id
)
SELECT f.id, f.score, p.name, p.title, p.body FROM fused AS f JOIN passage AS p ON p.id = f.id
ORDER BY f.score DESC, f.id LIMIT :top_k
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One passage to be stored. ``available_at`` is in microseconds; None is unknown."""

    name: str
    title: str
    body: str
    available_at: int | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """One hit."""

    name: str
    score: float
    title: str
    body: str


@dataclass(slots=True)
class Seconds:
    """Where the time of adding went."""

    words: float = 0.0
    vectors: float = 0.0
    commits: float = 0.0


@dataclass(frozen=True, slots=True)
class _Narrowing:
    """The pieces of SQL that a filter adds."""

    join: str = ""
    condition: str = ""
    allowed: str = ""
    passage_join: str = ""
    bindings: dict[str, Any] = field(default_factory=dict)


class Textbook:
    """The recipe over one file; a context manager."""

    def __init__(self, path: str, dimensions: int | None = None) -> None:
        """Open the file, and make its tables when it is new; without dimensions there are no vectors."""
        self.path = path
        self.seconds = Seconds()
        self._connection = apsw.Connection(path)
        self._connection.enable_load_extension(True)
        self._connection.load_extension(sqlite_vec.loadable_path())
        self._connection.enable_load_extension(False)
        new = self._connection.pragma("page_count") == 0
        if new:
            self._connection.pragma("page_size", PAGE_BYTES)
        for setting in ("journal_mode = WAL", "synchronous = NORMAL", "mmap_size = 2147483648", "cache_size = -65536"):
            self._connection.execute(f"PRAGMA {setting}").fetchall()
        if new:
            self._connection.execute(_TABLES).fetchall()
            if dimensions:
                self._connection.execute(_VECTORS.format(dimensions=dimensions)).fetchall()
        self._next = 1 + (self._connection.execute("SELECT max(id) FROM passage").get or 0)

    def add(self, rows: Sequence[Row], vectors: NDArray[np.float16] | None = None) -> None:
        """Store rows and their vectors in one transaction."""
        ids = range(self._next, self._next + len(rows))
        started = time.perf_counter()
        self._connection.execute("BEGIN IMMEDIATE").fetchall()
        self._add_words(rows, ids)
        worded = time.perf_counter()
        if vectors is not None:
            data = vectors.astype(np.float32)
            self._connection.executemany(
                "INSERT INTO meaning(id, embedding) VALUES (?, ?)",
                [(row_id, vector.tobytes()) for row_id, vector in zip(ids, data, strict=True)],
            )
        added = time.perf_counter()
        self._connection.execute("COMMIT").fetchall()
        self._next += len(rows)
        self.seconds.words += worded - started
        self.seconds.vectors += added - worded
        self.seconds.commits += time.perf_counter() - added

    def _add_words(self, rows: Sequence[Row], ids: Sequence[int]) -> None:
        many = self._connection.executemany
        many(
            "INSERT INTO passage(id, name, title, body, available_at) VALUES (?, ?, ?, ?, ?)",
            [(i, row.name, row.title, row.body, row.available_at) for i, row in zip(ids, rows, strict=True)],
        )
        many(
            "INSERT INTO passage_tag(tag, id) VALUES (?, ?)",
            [(tag, i) for i, row in zip(ids, rows, strict=True) for tag in row.tags],
        )
        many(
            "INSERT INTO words(rowid, title, body) VALUES (?, ?, ?)",
            [(i, row.title, row.body) for i, row in zip(ids, rows, strict=True)],
        )

    def hybrid(
        self,
        text: str,
        vector: NDArray[np.float16],
        *,
        top_k: int = 10,
        tag: str | None = None,
        before: int | None = None,
    ) -> list[Found]:
        """Both legs, fused in one statement."""
        return self._ask(_HYBRID, _narrowing(tag, before), self._bindings(text, vector, top_k))

    def lexical(
        self, text: str, *, top_k: int = 10, tag: str | None = None, before: int | None = None
    ) -> list[Found]:
        """The best passages by ``bm25()``."""
        return self._ask(_LEXICAL, _narrowing(tag, before), {"words": match(text), "depth": top_k})

    def semantic(
        self, vector: NDArray[np.float16], *, top_k: int = 10, tag: str | None = None, before: int | None = None
    ) -> list[Found]:
        """The nearest passages by cosine."""
        return self._ask(_SEMANTIC, _narrowing(tag, before), {"vector": _blob(vector), "depth": top_k})

    def _bindings(self, text: str, vector: NDArray[np.float16], top_k: int) -> dict[str, Any]:
        return {"words": match(text), "vector": _blob(vector), "depth": max(DEPTH, top_k), "top_k": top_k}

    def _ask(self, sql: str, narrowing: _Narrowing, bindings: dict[str, Any]) -> list[Found]:
        if bindings.get("words") == "":
            return []
        statement = sql.format(
            join=narrowing.join,
            condition=narrowing.condition,
            allowed=narrowing.allowed,
            passage_join=narrowing.passage_join,
        )
        rows = self._connection.execute(statement, {**bindings, **narrowing.bindings})
        return [Found(name, score, title, body) for _, score, name, title, body in rows]

    def finish(self) -> None:
        """Bring everything from the log into the file."""
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def match(text: str) -> str:
    """The query for FTS5: every word quoted, joined by OR."""
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in text.split())


def _blob(vector: NDArray[np.float16]) -> bytes:
    return vector.astype(np.float32).tobytes()


def _narrowing(tag: str | None, before: int | None) -> _Narrowing:
    if tag is not None and before is not None:
        return _Narrowing(
            "JOIN passage_tag AS t ON t.tag = :tag AND t.id = w.rowid",
            "AND p.available_at <= :before",
            "AND id IN (SELECT t.id FROM passage_tag AS t JOIN passage AS p ON p.id = t.id "
            "WHERE t.tag = :tag AND p.available_at <= :before)",
            "JOIN passage AS p ON p.id = w.rowid",
            {"tag": tag, "before": before},
        )
    if tag is not None:
        return _Narrowing(
            join="JOIN passage_tag AS t ON t.tag = :tag AND t.id = w.rowid",
            allowed="AND id IN (SELECT id FROM passage_tag WHERE tag = :tag)",
            bindings={"tag": tag},
        )
    if before is not None:
        return _Narrowing(
            condition="AND p.available_at <= :before",
            allowed="AND id IN (SELECT id FROM passage WHERE available_at <= :before)",
            passage_join="JOIN passage AS p ON p.id = w.rowid",
            bindings={"before": before},
        )
    return _Narrowing()
