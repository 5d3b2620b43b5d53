"""The short trials behind "Decisions fixed by measurement" in ARCHITECTURE.md.

``python bench/trials.py CORPUS.jsonl.gz``: takes 20,000 passages of 180 words from a collection in the shape of BEIR
and measures the shapes that the file format chose between: where analysed words live, how hard payloads are
compressed, how vectors are stored. Times are processor times, which a busy machine blurs less.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, cast

import apsw
import apsw.fts5
import numpy as np
import sqlite_vec
from beir import parts, read_corpus
from measure import facts, processor_milliseconds, spread, store
from numpy.typing import NDArray

from hybridkb.embedders.guard import int8_error_many, to_int8_many
from hybridkb.text import Analyser

PASSAGES = 20_000
PHRASES = 50
NEAREST = (10, 200, 400, 1000)
DIMENSIONS = 384
_BATCH = 1000
_CATEGORIES = "categories 'L* N* Co P* S* M*'"

Analysed = list[list[str]]


@dataclass(frozen=True, slots=True)
class Shape:
    """One way to keep words in FTS5.

    Attributes:
        name: for the table.
        columns, options: of the FTS5 table.
        row: what is inserted for a passage, from its text, its words and their stems.
        phrase: how a phrase is asked.
        content: whether an external content table is written too.
    """

    name: str
    columns: tuple[str, ...]
    options: str
    row: Callable[[str, Sequence[str], Sequence[str]], tuple[str, ...]]
    phrase: Callable[[str], str]
    content: bool = False


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, run the trials, store."""
    parser = argparse.ArgumentParser(description="Run the trials that fixed the file format.")
    parser.add_argument("corpus", metavar="CORPUS.jsonl.gz", type=Path)
    parser.add_argument("--passages", type=int, default=PASSAGES)
    options = parser.parse_args(arguments)
    texts = list(islice(_passages(options.corpus), options.passages))
    results = {
        **facts(),
        "passages": len(texts),
        "characters": round(sum(map(len, texts)) / len(texts)),
        "words": words_trial(texts),
        "payload": payload_trial(texts),
        "vectors": vector_trial(len(texts)),
    }
    store("trials", results)
    print(json.dumps(results, indent=1), file=sys.stderr)
    return 0


def _passages(corpus: Path) -> Iterator[str]:
    for document in read_corpus(corpus):
        for part in parts(document, windows=True):
            if len(part.text.split()) >= 90:
                yield part.text


# --- words -------------------------------------------------------------------------------------------------------


def words_trial(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Store every passage in every shape; phrases of three words are asked of each."""
    analyser = Analyser("english")
    started = time.process_time()
    words = [analyser.words(text) for text in texts]
    analysing = time.process_time() - started
    stems = [[analyser.stem(word) for word in row] for row in words]
    phrases = _phrases(words)
    found = [_words_in(shape, texts, words, stems, phrases, analysing) for shape in _shapes()]
    return [*found, _python_tokenizer(texts, phrases)]


def _shapes() -> list[Shape]:
    spaced = f"unicode61 remove_diacritics 0 {_CATEGORIES}"
    contentless = "content = '', contentless_delete = 1"
    return [
        Shape(
            "contentless, porter, two columns (chosen)",
            ("title", "body"),
            f'{contentless}, tokenize = "porter {spaced}"',
            lambda text, words, stems: ("", " ".join(words)),
            lambda phrase: f'body : "{phrase}"',
        ),
        Shape(
            "contentless, stems and exact words, four columns",
            ("title_stems", "body_stems", "title_exact", "body_exact"),
            f'{contentless}, tokenize = "{spaced}"',
            lambda text, words, stems: ("", " ".join(stems), "", " ".join(words)),
            lambda phrase: f'body_exact : "{phrase}"',
        ),
        Shape(
            "external content, porter, FTS5's own words",
            ("title", "body"),
            "content = 'passage', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'",
            lambda text, words, stems: ("", text),
            lambda phrase: f'body : "{phrase}"',
            content=True,
        ),
    ]


def _words_in(
    shape: Shape, texts: Sequence[str], words: Analysed, stems: Analysed, phrases: Sequence[str], analysing: float
) -> dict[str, Any]:
    rows = [shape.row(text, word, stem) for text, word, stem in zip(texts, words, stems, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        connection = _open(Path(folder) / "words.db")
        connection.execute("CREATE TABLE passage(id INTEGER PRIMARY KEY, title TEXT, body TEXT)").fetchall()
        columns = ", ".join(shape.columns)
        connection.execute(f"CREATE VIRTUAL TABLE words USING fts5({columns}, {shape.options})").fetchall()
        if shape.content:
            _insert(connection, "passage", "id, title, body", [("", text) for text in texts])
        seconds = _insert(connection, "words", f"rowid, {', '.join(shape.columns)}", rows)
        return {
            "shape": shape.name,
            "passages_per_second": round(len(rows) / seconds),
            "passages_per_second_with_analysis": None if shape.content else round(len(rows) / (seconds + analysing)),
            "bytes_per_passage": round(_bytes(connection, "words_%") / len(rows)),
            "phrase_ms": _phrase_times(connection, [shape.phrase(phrase) for phrase in phrases]),
        }


def _python_tokenizer(texts: Sequence[str], phrases: Sequence[str]) -> dict[str, Any]:
    """FTS5 calls a tokenizer written in Python, which analyses and stems."""
    sample = texts[: len(texts) // 4]
    with tempfile.TemporaryDirectory() as folder:
        connection = _open(Path(folder) / "words.db")
        connection.register_fts5_tokenizer("analysed", cast(Any, _tokenizer))
        connection.execute(
            "CREATE VIRTUAL TABLE words USING fts5(title, body, content = '', contentless_delete = 1, "
            "tokenize = 'analysed')"
        ).fetchall()
        seconds = _insert(connection, "words", "rowid, title, body", [("", text) for text in sample])
        rate = round(len(sample) / seconds)
        return {
            "shape": f"contentless, a tokenizer in Python ({len(sample):,} passages)",
            "passages_per_second": rate,
            "passages_per_second_with_analysis": rate,
            "bytes_per_passage": round(_bytes(connection, "words_%") / len(sample)),
            "phrase_ms": _phrase_times(connection, [f'body : "{phrase}"' for phrase in phrases]),
        }


@apsw.fts5.StringTokenizer
def _tokenizer(connection: apsw.Connection, arguments: list[str]) -> Callable[..., Iterator[tuple[int, int, str]]]:
    analyser = Analyser("english")

    def tokens(text: str, flags: int, locale: str | None) -> Iterator[tuple[int, int, str]]:
        for word in analyser.words(text):
            yield 0, 0, analyser.stem(word)

    return tokens


def _phrases(words: Analysed) -> list[str]:
    source = np.random.default_rng(5)
    found: list[str] = []
    for _ in range(100 * PHRASES):
        row = words[int(source.integers(len(words)))]
        start = int(source.integers(max(1, len(row) - 3)))
        chosen = row[start : start + 3]
        if len(found) < PHRASES and all(word.isalpha() and word.isascii() for word in chosen):
            found.append(" ".join(chosen))
    return found


def _phrase_times(connection: apsw.Connection, asked: Sequence[str]) -> dict[str, float]:
    def ask(phrase: str) -> None:
        connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (phrase,)).fetchall()

    for phrase in asked:
        ask(phrase)
    return spread([processor_milliseconds(partial(ask, phrase)) for phrase in asked])


# --- payloads ----------------------------------------------------------------------------------------------------


def payload_trial(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Compress each passage as the JSON of an item, at every level that is worth a thought."""
    payloads = [json.dumps({"item_type": "note", "title": "", "body": text}).encode() for text in texts]
    plain = sum(map(len, payloads))
    found = [{"level": 0, "share": 1.0, "texts_per_second": None}]
    for level in (1, 3, 6, 9):
        started = time.process_time()
        size = sum(len(zlib.compress(payload, level)) for payload in payloads)
        seconds = time.process_time() - started
        found.append({"level": level, "share": round(size / plain, 3), "texts_per_second": round(len(texts) / seconds)})
    return found


# --- vectors -----------------------------------------------------------------------------------------------------


def vector_trial(count: int) -> dict[str, Any]:
    """Store clustered unit vectors as int8 and float32 in vec0 and as float16 in a plain table; ask for neighbours."""
    from corpus import Corpus

    corpus = Corpus(count)
    vectors = np.concatenate([block.vectors for block in corpus.blocks()])
    queries = [query.vector for query in corpus.queries(20)]
    return {
        "rows": len(vectors),
        "largest_int8_error": float(int8_error_many(vectors).max()),
        "shapes": [
            _vec0("vec0 int8, cosine", "int8", vectors, queries, lambda rows: list(to_int8_many(rows))),
            _vec0("vec0 float32, cosine", "float", vectors, queries, lambda rows: list(rows.astype(np.float32))),
            _plain_table(vectors, queries),
        ],
    }


def _vec0(
    name: str,
    kind: str,
    vectors: NDArray[np.float16],
    queries: Sequence[NDArray[np.float16]],
    encode: Callable[[NDArray[np.float16]], list[NDArray[Any]]],
) -> dict[str, Any]:
    wrapped = "vec_int8(?)" if kind == "int8" else "?"
    with tempfile.TemporaryDirectory() as folder:
        connection = _open(Path(folder) / "vectors.db")
        connection.execute(
            f"CREATE VIRTUAL TABLE meaning USING vec0(id INTEGER PRIMARY KEY, v {kind}[{DIMENSIONS}] "
            "distance_metric=cosine)"
        ).fetchall()
        rows = [(vector.tobytes(),) for vector in encode(vectors)]
        seconds = _insert(connection, "meaning", "id, v", rows, marks=f"?, {wrapped}")
        asked = [vector.tobytes() for vector in encode(np.array(queries))]
        sql = f"SELECT id, distance FROM meaning WHERE v MATCH {wrapped} AND k = ?"

        def ask(query: bytes, k: int) -> None:
            connection.execute(sql, (query, k)).fetchall()

        return _vector_row(name, len(rows) / seconds, _bytes(connection, "meaning%") / len(rows), _nearest(ask, asked))


def _plain_table(vectors: NDArray[np.float16], queries: Sequence[NDArray[np.float16]]) -> dict[str, Any]:
    """float16 in a plain table, read whole and compared with numpy."""
    with tempfile.TemporaryDirectory() as folder:
        connection = _open(Path(folder) / "vectors.db")
        connection.execute("CREATE TABLE meaning(id INTEGER PRIMARY KEY, v BLOB)").fetchall()
        rows = [(vector.tobytes(),) for vector in vectors]
        seconds = _insert(connection, "meaning", "id, v", rows)

        def ask(query: NDArray[np.float16], k: int) -> NDArray[np.int64]:
            found = connection.execute("SELECT v FROM meaning ORDER BY id").fetchall()
            matrix = np.frombuffer(b"".join(cast(bytes, row[0]) for row in found), np.float16).reshape(len(found), -1)
            scores = matrix.astype(np.float64) @ query.astype(np.float64)
            return np.argpartition(-scores, min(k, len(scores)) - 1)[:k]

        size = _bytes(connection, "meaning%") / len(rows)
        return _vector_row("float16 in a plain table, numpy float64", len(rows) / seconds, size, _nearest(ask, queries))


def _nearest(ask: Callable[[Any, int], object], queries: Sequence[Any]) -> dict[str, float]:
    """Median time of asking for the k nearest, for every k."""
    return {
        str(k): spread([processor_milliseconds(partial(ask, query, k)) for query in queries])["p50"] for k in NEAREST
    }


def _vector_row(name: str, rate: float, size: float, times: dict[str, float]) -> dict[str, Any]:
    return {
        "shape": name,
        "rows_per_second": round(rate),
        "bytes_per_row": round(size),
        "nearest_ms": times,
    }


# --- files -------------------------------------------------------------------------------------------------------


def _open(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    connection.pragma("page_size", 8192)
    for setting in ("journal_mode = WAL", "synchronous = NORMAL", "mmap_size = 2147483648"):
        connection.execute(f"PRAGMA {setting}").fetchall()
    return connection


def _insert(
    connection: apsw.Connection, table: str, columns: str, rows: Sequence[tuple[Any, ...]], marks: str = ""
) -> float:
    """Insert rows numbered from 1 in transactions of 1,000; returns the seconds."""
    marks = marks or ", ".join("?" * (len(rows[0]) + 1))
    sql = f"INSERT INTO {table}({columns}) VALUES ({marks})"
    started = time.process_time()
    for first in range(0, len(rows), _BATCH):
        with connection:
            connection.executemany(sql, [(n, *row) for n, row in enumerate(rows[first : first + _BATCH], first + 1)])
    return time.process_time() - started


def _bytes(connection: apsw.Connection, pattern: str) -> int:
    """Bytes of all tables whose name is like the pattern."""
    return int(connection.execute("SELECT sum(pgsize) FROM dbstat WHERE name LIKE ?", (pattern,)).get or 0)


if __name__ == "__main__":
    sys.exit(main())
