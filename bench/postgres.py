"""A library on PostgreSQL beside the same library in a file: same data, same questions, same run.

``python bench/postgres.py --size smoke|10k|100k|1M [--keep DIR] [--json OUT] [--address URL] [--only PART ...]``

Both are built from the generated corpus of ``bench/speed.py``; the server is one of the run's own, on the same machine,
asked through a Unix socket (``bench/own_server.py``; an address names another). Times are those of ``bench/speed.py``:
the median of a query's repetitions after every query was asked once, each engine in a process of its own. The
engines are asked case by case, in turn. ``--only`` measures some parts again and keeps the rest of what is stored.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import own_server
from apart import Apart
from contention import measure_contention
from corpus import Corpus, Query
from engines import Case, Ours, build_ours
from fresh import measure_fresh
from load import Place, searches_a_second, writers
from measure import RESULTS, facts, store
from sql_bm25 import measure_sql_bm25
from storage import bytes_by_table, file_bytes


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured at one size of corpus."""

    passages: int
    queries: int
    repetitions: int
    exact_queries: int
    puts: int
    seconds: float
    clients: tuple[int, ...]
    processes: tuple[int, ...]
    written: int


SIZES = {
    "smoke": Size(1_000, 5, 1, 5, 5, 0.2, (1, 2), (1,), 200),
    "10k": Size(10_000, 40, 3, 20, 100, 4.0, (1, 2, 4, 8, 16), (1, 2, 4, 8, 16), 4_000),
    "100k": Size(100_000, 40, 3, 10, 100, 8.0, (1, 2, 4, 8, 16), (1, 2, 4, 8, 16), 10_000),
    "1M": Size(1_000_000, 20, 2, 5, 100, 15.0, (1, 2, 4, 8, 16), (1, 2, 4), 10_000),
}
CASES = ("hybrid", "lexical", "semantic")
ENGINES = ("sqlite", "postgres")
PARTS = ("ingest", "storage", "new_process", "latency", "concurrency", "while_writing", "writers", "sql_bm25", "hnsw")
SCHEMA = "bench"


@dataclass(frozen=True, slots=True)
class Bench:
    """One run: where both engines keep what."""

    size: Size
    folder: Path
    address: str
    corpus: Corpus
    queries: list[Query]

    def place(self, engine: str, name: str = SCHEMA) -> Place:
        """The file or the address of a library of the run."""
        return self.folder / f"{name}.db" if engine == "sqlite" else own_server.namespace(self.address, name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, store."""
    parser = argparse.ArgumentParser(description="Measure a library on PostgreSQL beside one in a file.")
    parser.add_argument("--size", choices=SIZES, default="smoke")
    parser.add_argument("--keep", metavar="DIR", help="leave what is built there, and measure again what is there")
    parser.add_argument("--json", metavar="OUT", help="write the results there, not to bench/results")
    parser.add_argument("--address", metavar="URL", help="a server to use instead of one of the run's own")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=f"only these: {', '.join(PARTS)}")
    options = parser.parse_args(arguments)
    folder = Path(options.keep or tempfile.mkdtemp(prefix="hybridkb-bench-"))
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)  # the server's user passes through
    try:
        with _server(options.address, folder, small=options.size == "smoke") as address:
            results = measure(options.size, folder, address, options.only, _stored(options))
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    store(f"postgres-{options.size}", results, options.json)
    _say(f"hybrid p50: {' / '.join(str(results['latency']['hybrid'][one]['p50']) for one in ENGINES)} ms")
    return 0


@contextmanager
def _server(address: str | None, folder: Path, *, small: bool) -> Iterator[str]:
    if address is not None:
        yield address
        return
    with own_server.running(folder, small=small) as own:
        yield own


def _stored(options: argparse.Namespace) -> dict[str, Any]:
    path = Path(options.json) if options.json else RESULTS / f"postgres-{options.size}.json"
    return json.loads(path.read_text(encoding="utf-8")) if options.only and path.exists() else {}


def measure(
    name: str, folder: Path, address: str, only: Sequence[str] | None, stored: dict[str, Any]
) -> dict[str, Any]:
    """Build what is not there, then measure part by part; returns what is stored."""
    size = SIZES[name]
    corpus = Corpus(size.passages)
    bench = Bench(size, folder, address, corpus, corpus.queries(size.queries))
    built = _build(bench, name)
    found: dict[str, Any] = {"size": name, "passages": size.passages, **facts(), "method": _method(size)}
    found["versions"] |= {"psycopg": version("psycopg")}
    found["server"] = own_server.facts_of(address)
    for part in PARTS:
        if only is not None and part not in only and part in stored:
            found[part] = stored[part]
            continue
        _say(part)
        found[part] = built if part == "ingest" else _PARTS[part](bench)
    return found


def _method(size: Size) -> dict[str, Any]:
    return {"queries": size.queries, "repetitions": size.repetitions, "seconds_of_load": size.seconds}


# --- building ----------------------------------------------------------------------------------------------------


def _build(bench: Bench, name: str) -> dict[str, Any]:
    """What each building took; what an earlier run left in the folder is not built again."""
    found: dict[str, Any] = {}
    for engine in ENGINES:
        for vectors in (False, True):
            key = engine if vectors else f"{engine}_words"
            record = bench.folder / f"built-{key}-{name}.json"
            if not record.exists():
                _say(f"building {key}")
                record.write_text(json.dumps(_built(bench, engine, vectors)), encoding="utf-8")
            found[key] = json.loads(record.read_text(encoding="utf-8"))
    return found


def _built(bench: Bench, engine: str, vectors: bool) -> dict[str, Any]:
    name = SCHEMA if vectors else f"{SCHEMA}_words"
    _erase(bench, engine, name)
    load = round(os.getloadavg()[0], 1)
    library = Ours(bench.place(engine, name), vectors=vectors)
    built = {**build_ours(library, bench.corpus), "load_average": load}
    library.close()
    if not vectors:
        _erase(bench, engine, name)
    elif engine == "postgres":
        own_server.settle(bench.address, name)
    return built


def _erase(bench: Bench, engine: str, name: str) -> None:
    if engine == "postgres":
        own_server.drop(bench.address, name)
        return
    for part in bench.folder.glob(f"{name}.db*"):
        part.unlink()


# --- parts -------------------------------------------------------------------------------------------------------


def _storage(bench: Bench) -> dict[str, Any]:
    path = bench.folder / f"{SCHEMA}.db"
    tables = {"sqlite": bytes_by_table(path), "postgres": own_server.bytes_by_table(bench.address, SCHEMA)}
    whole = {"sqlite": file_bytes(path), "postgres": sum(tables["postgres"].values())}
    passages = bench.size.passages
    return {
        engine: {
            "bytes_per_passage": round(whole[engine] / passages, 1),
            "tables": {name: round(size / passages, 1) for name, size in tables[engine].items()},
        }
        for engine in ENGINES
    }


def _new_process(bench: Bench) -> dict[str, Any]:
    return {
        engine: measure_fresh("hybridkb", bench.place(engine), bench.queries, folder=bench.folder) for engine in ENGINES
    }


def _cases(corpus: Corpus) -> list[Case]:
    return [
        *(Case(mode, mode) for mode in CASES),  # type: ignore[arg-type]
        Case("hybrid, function words", natural=True),
        *(Case(f"hybrid, {tag}", tag=tag) for tag in ("tag-0.1", "tag-1", "tag-10", "tag-50")),
        *(Case(f"hybrid, cutoff {share:.0%}", before=corpus.cutoff(share)) for share in (0.01, 0.5, 1.0)),
        Case("hybrid, tag-1 and cutoff 50%", tag="tag-1", before=corpus.cutoff(0.5)),
        Case("semantic, tag-1", "semantic", tag="tag-1"),
    ]


def _latency(bench: Bench) -> dict[str, Any]:
    found: dict[str, Any] = {}
    size, queries = bench.size, bench.queries
    known = {query.content for query in queries}
    unheard = [one for one in bench.corpus.queries(2 * size.queries) if one.content not in known][: size.queries]
    expected = [*queries, *unheard]
    with (
        Apart("hybridkb", bench.place("sqlite"), expected) as file,
        Apart("hybridkb", bench.place("postgres"), expected) as other,
    ):
        engines = dict(zip(ENGINES, (file, other), strict=True))
        for case in _cases(bench.corpus):
            _say(f"  {case.name}")
            asked = [(query, case) for query in queries]
            found[case.name] = {name: one.timed(asked, size.repetitions) for name, one in engines.items()}
        new = [(query, Case("new query")) for query in unheard]
        found["hybrid, queries never asked before"] = {
            name: one.timed(new, 1, warm=False) for name, one in engines.items()
        }
        exact = [(query, Case("exact", exact=True)) for query in queries[: size.exact_queries]]
        found["hybrid, exact=True"] = {name: one.timed(exact, size.repetitions) for name, one in engines.items()}
    return found


def _concurrency(bench: Bench) -> dict[str, Any]:
    size = bench.size
    return {
        kind: {
            engine: searches_a_second(
                bench.place(engine), bench.queries, size.seconds, processes=kind == "processes", clients=clients
            )
            for engine in ENGINES
        }
        for kind, clients in (("threads", size.clients), ("processes", size.processes))
    }


def _while_writing(bench: Bench) -> dict[str, Any]:
    """Single puts go into the library that is measured and stay there: a hundred among ten thousand and more."""
    found: dict[str, Any] = {}
    for engine in ENGINES:
        library = Ours(bench.place(engine))
        library.expect(bench.queries)
        library.ask(bench.queries[0], Case("warm"))
        found[engine] = measure_contention(library, bench.corpus.block(0), bench.queries, bench.size.puts)
        library.close()
    return found


def _writers(bench: Bench) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for engine in ENGINES:
        names: list[str] = []

        def make(name: str, engine: str = engine, names: list[str] = names) -> Place:
            names.append(name.replace("-", "_"))
            _erase(bench, engine, names[-1])
            return bench.place(engine, names[-1])

        found[engine] = writers(make, bench.size.written)
        for name in names:
            _erase(bench, engine, name)
    return found


def _sql_bm25(bench: Bench) -> dict[str, Any]:
    return measure_sql_bm25(bench.address, bench.corpus, bench.queries, bench.size.repetitions)


def _hnsw(bench: Bench) -> dict[str, Any]:
    """Build the index, ask by it and without it, put with it, drop it."""
    library = Ours(bench.place("postgres"))
    library.expect(bench.queries)
    library.library.drop_vector_index()
    built = library.library.build_vector_index(memory=2 << 30 if bench.size.passages > 10_000 else 256 << 20)
    found: dict[str, Any] = {
        "m": built.m, "ef_construction": built.ef_construction, "vectors": built.vectors,
        "build_seconds": round(built.seconds, 2), "bytes_per_vector": round(built.size / built.vectors, 1),
        "advice": built.advice,
    }  # fmt: skip
    found["latency"] = _hnsw_latency(bench)
    found["recall"] = _recall(library, bench.queries[: bench.size.exact_queries])
    found["put_1000_seconds"] = _put_block(library)
    library.library.drop_vector_index()
    found["put_1000_seconds_without"] = _put_block(library)
    library.close()
    return found


def _hnsw_latency(bench: Bench) -> dict[str, Any]:
    ways = {"default": {}, "approximate": {"approximate": True}}
    found: dict[str, Any] = {}
    with Apart("hybridkb", bench.place("postgres"), bench.queries) as engine:
        for name, tag in (("semantic", None), ("semantic, tag-50", "tag-50"), ("semantic, tag-1", "tag-1")):
            found[name] = {
                way: engine.timed(
                    [(query, Case(name, "semantic", tag=tag, **more)) for query in bench.queries],
                    bench.size.repetitions,
                )
                for way, more in ways.items()
            }
        few = bench.queries[: bench.size.exact_queries]
        exact = [(query, Case("exact", "semantic", exact=True)) for query in few]
        found["semantic"]["exact"] = engine.timed(exact, bench.size.repetitions)
    return found


def _recall(library: Ours, queries: Sequence[Query]) -> dict[str, Any]:
    """Which share of the exact nearest each way finds."""
    found: dict[str, Any] = {"queries": len(queries)}
    for way, more in (("default", {}), ("approximate", {"approximate": True})):
        shares: dict[int, list[float]] = {10: [], 100: []}
        for query in queries:
            quick = [name for name, _ in library.ask(query, Case("", "semantic", top_k=100, **more))]
            true = [name for name, _ in library.ask(query, Case("", "semantic", top_k=100, exact=True))]
            for depth, several in shares.items():
                several.append(len({*quick[:depth]} & {*true[:depth]}) / len(true[:depth]))
        found[way] = {f"at_{depth}": round(float(np.mean(several)), 4) for depth, several in shares.items()}
    return found


def _put_block(library: Ours) -> float:
    """Seconds that a thousand new passages take, in one batch. They stay, as the single puts do: among ten thousand."""
    corpus = Corpus(1000, seed=time.time_ns() % 2**31)
    return float(build_ours(library, corpus, names=f"more-{corpus.seed}")["seconds"])


_PARTS: dict[str, Callable[[Bench], dict[str, Any]]] = {
    "storage": _storage,
    "new_process": _new_process,
    "latency": _latency,
    "concurrency": _concurrency,
    "while_writing": _while_writing,
    "writers": _writers,
    "sql_bm25": _sql_bm25,
    "hnsw": _hnsw,
}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
