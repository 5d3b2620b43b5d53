"""The other way to keep cutoffs exact on a server: BM25 in SQL over a token table, its statistics counted as of T.

What was measured before the decision to keep one scorer for both engines. The table is the best plain form found: whole
numbers, length and date beside each token, so that an index alone answers; N, df and average length are counted at the
cutoff by the statement itself. One field, no exact spellings, phrases, bonuses or filters: what hybridkb's lexical leg
does beside that, this does not.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import psycopg
from corpus import Corpus, Query
from measure import milliseconds, spread

from hybridkb.text import shared_analyser

SCHEMA = "bench_bm25"
_TABLES = (
    f"CREATE SCHEMA {SCHEMA}",
    f"CREATE TABLE {SCHEMA}.term(term_id INTEGER PRIMARY KEY, stem TEXT COLLATE \"C\" NOT NULL)",
    f"CREATE TABLE {SCHEMA}.passage(passage_id INTEGER PRIMARY KEY, words INTEGER NOT NULL, "
    "available_at BIGINT NOT NULL)",
    f"CREATE TABLE {SCHEMA}.token(term_id INTEGER NOT NULL, passage_id INTEGER NOT NULL, count SMALLINT NOT NULL, "
    "words INTEGER NOT NULL, available_at BIGINT NOT NULL)",
)
_INDEXES = (
    f"CREATE INDEX ON {SCHEMA}.term(stem)",
    f"CREATE INDEX ON {SCHEMA}.passage(available_at) INCLUDE (words)",
    f"CREATE INDEX ON {SCHEMA}.token(term_id, passage_id) INCLUDE (count, words, available_at)",
    f"VACUUM ANALYZE {SCHEMA}.term",
    f"VACUUM ANALYZE {SCHEMA}.passage",
    f"VACUUM ANALYZE {SCHEMA}.token",
)
_BEST = f"""
WITH visible AS MATERIALIZED (
  SELECT CAST(count(*) AS DOUBLE PRECISION) AS n, avg(words) AS average FROM {SCHEMA}.passage
  WHERE available_at <= %(before)s
), held AS MATERIALIZED (
  SELECT k.term_id, k.passage_id, k.count, k.words FROM {SCHEMA}.token AS k
  WHERE k.term_id IN (SELECT term_id FROM {SCHEMA}.term WHERE stem = ANY(%(stems)s)) AND k.available_at <= %(before)s
), weighed AS (
  SELECT h.term_id, ln(1 + (v.n - count(*) + 0.5) / (count(*) + 0.5)) AS idf, v.average
  FROM held AS h CROSS JOIN visible AS v GROUP BY h.term_id, v.n, v.average
)
SELECT h.passage_id,
  sum(w.idf * h.count * 2.2 / (h.count + 1.2 * (0.25 + 0.75 * h.words / CAST(w.average AS DOUBLE PRECISION)))) AS score
FROM held AS h JOIN weighed AS w USING (term_id) GROUP BY h.passage_id ORDER BY score DESC, h.passage_id LIMIT 10
"""
_EVER = 2**62


def measure_sql_bm25(address: str, corpus: Corpus, queries: Sequence[Query], repetitions: int) -> dict[str, Any]:
    """Build the table, ask it with and without a cutoff, drop it."""
    with psycopg.connect(address, autocommit=True) as raw:
        raw.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
        for statement in _TABLES:
            raw.execute(statement)
        found = {"build": _load(raw, corpus)}
        found["bytes_per_passage"] = round(_size(raw) / corpus.size, 1)
        raw.execute("SET jit = off")
        for share in (None, 0.5, 0.01):
            name = "no cutoff" if share is None else f"cutoff {share:.0%}"
            before = None if share is None else corpus.cutoff(share)
            found[name] = _asked(raw, queries, before, repetitions)
        raw.execute(f"DROP SCHEMA {SCHEMA} CASCADE")
    return found


def _load(raw: psycopg.Connection[Any], corpus: Corpus) -> dict[str, float]:
    analyser = shared_analyser("english")
    numbers: dict[str, int] = {}
    copying = 0.0
    for block in corpus.blocks():
        tokens: list[tuple[int, int, int, int, int]] = []
        passages = []
        for passage in block.passages:
            stems = [analyser.stem(word) for word in analyser.words(passage.text)]
            passages.append((passage.number, len(stems), passage.available_at))
            for stem, count in Counter(stems).items():
                number = numbers.setdefault(stem, len(numbers))
                tokens.append((number, passage.number, count, len(stems), passage.available_at))
        started = time.perf_counter()
        with raw.transaction():
            _copy(raw, "passage(passage_id, words, available_at)", ("int4", "int4", "int8"), passages)
            columns = "token(term_id, passage_id, count, words, available_at)"
            _copy(raw, columns, ("int4", "int4", "int2", "int4", "int8"), tokens)
        copying += time.perf_counter() - started
    _copy(raw, "term(term_id, stem)", ("int4", "text"), [(number, stem) for stem, number in numbers.items()])
    started = time.perf_counter()
    for statement in _INDEXES:
        raw.execute(statement)
    return {"copy_seconds": round(copying, 2), "index_seconds": round(time.perf_counter() - started, 2)}


def _copy(raw: psycopg.Connection[Any], target: str, kinds: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    with raw.cursor() as cursor, cursor.copy(f"COPY {SCHEMA}.{target} FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(list(kinds))
        for row in rows:
            copy.write_row(row)


def _size(raw: psycopg.Connection[Any]) -> int:
    row = raw.execute(
        "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relkind = 'r'", [SCHEMA]
    ).fetchone()  # fmt: skip
    assert row is not None
    return int(row[0])


def _asked(
    raw: psycopg.Connection[Any], queries: Sequence[Query], before: int | None, repetitions: int
) -> dict[str, float]:
    analyser = shared_analyser("english")
    bound = [
        {"stems": [analyser.stem(word) for word in analyser.words(query.content)], "before": before or _EVER}
        for query in queries
    ]
    for one in bound:
        raw.execute(_BEST, one).fetchall()
    times = [
        sorted(milliseconds(lambda one=one: raw.execute(_BEST, one).fetchall()) for _ in range(repetitions))
        for one in bound
    ]  # type: ignore[misc]
    return spread([several[len(several) // 2] for several in times])
