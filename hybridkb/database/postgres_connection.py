"""One connection to a PostgreSQL server, speaking as :class:`~hybridkb.database.connection.Connection` asks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, Literal

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.pq import TransactionStatus

from hybridkb.database.connection import Bindings, Connection, Row
from hybridkb.database.postgres_text import copy_of, for_driver, quoted_name
from hybridkb.database.postgres_types import HalfVector, storable_json
from hybridkb.database.postgres_words import Quoted, phrase_query, quoted_stems, tsvector
from hybridkb.database.stopping import require_wanted

_FEW = 8  # rows; below, a COPY costs more than it saves


_BINARY_KINDS: dict[type, str] = {int: "int8", bytes: "bytea", HalfVector: "halfvec"}


class PostgresConnection(Connection):
    """A thin wrapper of the driver's connection. Results travel in binary."""

    engine = "postgres"

    def __init__(self, raw: psycopg.Connection[Row], *, vectors: str | None = None) -> None:
        """Wrap a connection. ``vectors``: the namespace of pgvector, which no search path holds; statements name it
        ``{vector}``."""
        self._raw = raw
        self._vectors = vectors
        self._cursor = raw.cursor(binary=True)
        self._opening: str | None = None
        self._stems: Quoted | None = None

    def statement(self, name: str) -> str:
        return self.with_vectors(super().statement(name))

    def with_vectors(self, sql: str) -> str:
        """Name the namespace of pgvector where a statement says ``{vector}``."""
        return sql if self._vectors is None else sql.replace("{vector}", quoted_name(self._vectors))

    def begin(self, name: str) -> None:
        """Open a transaction with its first statement: one way to the server and back instead of two."""
        self._opening = self.statement(name)

    def text_rows(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        return self._cursor.fetchall() if self._run(sql, bindings) else []

    def text_row(self, sql: str, bindings: Bindings = ()) -> Row | None:
        return self._cursor.fetchone() if self._run(sql, bindings) else None

    def _run(self, sql: str, bindings: Bindings) -> bool:
        """Run a statement; tells whether it gives rows."""
        text = for_driver(sql)
        if not text:
            return False
        require_wanted()
        with self._opened() as prepare:
            self._cursor.execute(text, bindings, prepare=prepare)
        return self._cursor.description is not None

    @contextmanager
    def _opened(self) -> Iterator[Literal[False] | None]:
        """Send what opens the transaction along with what the block sends. Gives whether that may be prepared.

        The driver takes what it sends together for prepared before the server has said so, and when the transaction
        was not opened (its BEGIN was cancelled), no rollback makes it forget that: then nothing would run ever again.
        """
        opening, self._opening = self._opening, None
        if opening is None:
            yield None
            return
        with self._raw.pipeline():
            self._raw.execute(opening, prepare=False)
            yield False

    def text_many(self, sql: str, rows: Iterable[Bindings]) -> None:
        text = for_driver(sql)
        if not text:
            return
        require_wanted()
        if self._opening is not None:  # no COPY may stand among what is sent together
            opening, self._opening = self._opening, None
            self._raw.execute(opening)
        following = iter(rows)
        first = list(islice(following, _FEW))
        copy = copy_of(sql) if len(first) == _FEW else None
        if copy is None:
            self._cursor.executemany(text, chain(first, following))
            return
        kinds = _binary_kinds(tuple(first[0]))
        with self._cursor.copy(f"{copy} (FORMAT BINARY)" if kinds else copy) as target:
            if kinds:
                target.set_types(kinds)
            for row in chain(first, following):
                target.write_row(tuple(row))

    def array_parameter(self, ids: NDArray[np.int64]) -> dict[str, Any]:
        return {"ids": json.dumps(ids.tolist())}

    def vector_parameter(self, vector: bytes) -> HalfVector:
        return HalfVector(vector)

    def json_parameter(self, text: str) -> str:
        return storable_json(text)

    def words_row(self, record_id: int, title: Sequence[str], body: Sequence[str]) -> Row:
        stems = self._stemmed()
        (its_title, title_whole), (its_body, body_whole) = tsvector(title, stems), tsvector(body, stems)
        return record_id, its_title, its_body, "true" if title_whole and body_whole else "false"

    def phrase_match(self, words: Sequence[str]) -> str:
        return phrase_query(words, self._stemmed())

    def indexed_word(self, word: str) -> str:
        return self._stemmed().stems[word]

    def _stemmed(self) -> Quoted:
        if self._stems is None:
            self._stems = quoted_stems("porter" in (self.value("schema/words_table") or ""))
        return self._stems

    def stored_bytes(self) -> int:
        return int(self.value("upkeep/file_bytes"))

    def changes(self) -> int:
        return max(0, self._cursor.rowcount)

    @property
    def in_transaction(self) -> bool:
        return self._raw.info.transaction_status not in (TransactionStatus.IDLE, TransactionStatus.UNKNOWN)

    @property
    def raw(self) -> psycopg.Connection[Row]:
        """The driver's connection, for what only this room may do with it."""
        return self._raw

    def close(self) -> None:
        self._raw.close()


def _binary_kinds(row: Row) -> list[str]:
    """The types of a row that holds a vector, whose text would be ten times as long; empty for any other row."""
    if not any(isinstance(value, HalfVector) for value in row):
        return []
    return [_BINARY_KINDS[type(value)] for value in row]
