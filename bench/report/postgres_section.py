"""The figures of docs/postgres.md: a library on a server beside the same library in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from peers.cells import number, short, table

from report.parts import SIZES, Found, Results, and_list, missing, paragraphs

ENGINES = {"sqlite": "file", "postgres": "PostgreSQL"}
SCALES = {"1M": 10**6, "10M": 10**7, "100M": 10**8}
RECORD_BYTES = 32 + 8 + 48  # of a record in a reading process: columns; number and code of a vector of 384 dimensions
SEEN_BYTES = 24  # ... and of masks, lengths and norms for cutoffs and settings in use
OWN_BYTES = 0.24e9  # of a reading process whatever the size: code, and its bounded caches when they are full
GRAPH_BYTES = 2 * 384 + 205 + 32 * 16  # of a vector while an HNSW index is built


def stored_runs(results: Results) -> list[Found]:
    """The runs that are stored, by size."""
    return [results[f"postgres-{size}"] for size in SIZES if f"postgres-{size}" in results]


def render_measured(results: Results) -> str:
    """Everything between the marks of the page."""
    runs = stored_runs(results)
    lacking = [size for size in SIZES if f"postgres-{size}" not in results]
    commands = [f"python bench/postgres.py --size {size}" for size in lacking]
    parts = [
        _method(runs[0]), *(_provenance(found) for found in runs), _latency(runs), _concurrency(runs), _writing(runs),
        _ingest(runs), _storage(runs), _process(runs), _hnsw(runs), _sql_bm25(runs),
    ] if runs else []  # fmt: skip
    if lacking:
        parts.append(missing(f"figures at {and_list(lacking)}", commands))
    return "\n" + paragraphs(*parts) + "\n\n"


def render_sizing(results: Results) -> str:
    """What other sizes take, counted from the largest run that is stored."""
    runs = stored_runs(results)
    if not runs:
        return "\n" + missing("figures to count from", ["python bench/postgres.py --size 100k"]) + "\n\n"
    found = runs[-1]
    table_bytes, index_bytes = found["storage"]["postgres"]["bytes_per_passage"], found["hnsw"]["bytes_per_vector"]
    rows = [
        ["tables with their indexes", *(_gigabytes(table_bytes * count) for count in SCALES.values())],
        ["memory of each reading process",
         *(_gigabytes(OWN_BYTES + (RECORD_BYTES + SEEN_BYTES) * count) for count in SCALES.values())],
        ["read from the server before a new process answers", *(_gigabytes(RECORD_BYTES * n) for n in SCALES.values())],
        ["HNSW index on disk, m = 16", *(_gigabytes(index_bytes * count) for count in SCALES.values())],
        ["memory that holds its graph while it is built", *(_gigabytes(GRAPH_BYTES * n) for n in SCALES.values())],
    ]  # fmt: skip
    heads = [f"from the bytes of the run at {found['size']}, by number of passages", *SCALES]
    return "\n" + table(heads, rows) + "\n\n"


def _gigabytes(value: float) -> str:
    return f"{value / 1e9:,.0f} GB" if value >= 9.5e9 else f"{value / 1e9:.1f} GB"


def _method(found: Found) -> str:
    settings = ", ".join(f"`{name} = {value}`" for name, value in found["server"]["settings"].items())
    return (
        "The same generated passages and queries as in the [benchmarks](benchmarks.md#speed), both engines on the same "
        "machine in the same run, the server asked through a Unix socket: over a network each answer adds its round "
        "trips. Trust the ratios within a run more than milliseconds. Server: PostgreSQL "
        f"{found['server']['version']}, pgvector {found['server']['pgvector']}, {settings}."
    )


def _provenance(found: Found) -> str:
    machine, method = found["machine"], found["method"]
    return (
        f"`python bench/postgres.py --size {found['size']}`: {found['passages']:,} passages, {method['queries']} "
        f"queries a case, {method['repetitions']} repetitions, {method['seconds_of_load']:g} s of load for each "
        f"number of clients. {found['date']}, commit {found['revision']}, {machine['processor']}, "
        f"{machine['cores']} cores, {machine['memory_gib']} GiB, load average {machine['load_average']} at the start."
    )


def _heads(first: str, runs: Sequence[Found], columns: Sequence[str]) -> list[str]:
    return [first, *(f"{found['size']}: {column}" for found in runs for column in columns)]


def _latency(runs: Sequence[Found]) -> str:
    names = dict.fromkeys(name for found in runs for name in found["latency"])
    rows = [[name, *(cell for found in runs for cell in _times(found["latency"].get(name)))] for name in names]
    return table(_heads("search, ms", runs, ["file p50", "p95", "PostgreSQL p50", "p95", "ratio p50"]), rows)


def _times(case: dict[str, Any] | None) -> list[str]:
    if case is None:
        return [""] * 5
    file, server = case["sqlite"], case["postgres"]
    ratio = f"{server['p50'] / file['p50']:.1f}" if file["p50"] else ""
    return [short(file["p50"]), short(file["p95"]), short(server["p50"]), short(server["p95"]), ratio]


def _concurrency(runs: Sequence[Found]) -> str:
    tables = []
    for kind, title in (("threads", "threads of one process"), ("processes", "processes")):
        clients = sorted({
            one["clients"] for found in runs for several in found["concurrency"][kind].values() for one in several
        })  # fmt: skip
        rows = [
            [str(count), *(cell for found in runs for engine in ENGINES for cell in _load(found, kind, engine, count))]
            for count in clients
        ]
        heads = [f"{name} {what}" for name in ENGINES.values() for what in ("searches/s", "p95 ms")]
        tables.append(table(_heads(f"hybrid, {title} at once", runs, heads), rows))
    return "\n\n".join(tables)


def _load(found: Found, kind: str, engine: str, count: int) -> list[str]:
    for one in found["concurrency"][kind][engine]:
        if one["clients"] == count:
            return [short(one["searches_per_second"]), short(one["p95"])]
    return ["", ""]


def _writing(runs: Sequence[Found]) -> str:
    rows = []
    for found in runs:
        for engine, title in ENGINES.items():
            busy, writers = found["while_writing"][engine], found["writers"][engine]
            rows.append([
                found["size"], title, short(busy["put_ms"]["p50"]), short(busy["put_ms"]["max"]),
                short(busy["search_ms_alone"]["p50"]), short(busy["search_ms_while_writing"]["p50"]),
                f"{busy['stale_answers']} of {busy['freshness_checks']}",
                number(writers["one"]["passages_per_second"]), number(writers["two"]["passages_per_second"]),
            ])  # fmt: skip
    heads = ["size", "engine", "single put ms p50", "slowest", "search p50 alone", "while putting", "stale answers",
             "one writer, passages/s", "two at once, together"]  # fmt: skip
    return table(heads, rows)


def _ingest(runs: Sequence[Found]) -> str:
    rows = []
    for key, title in (
        ("sqlite_words", "file, no vectors"), ("postgres_words", "PostgreSQL, no vectors"),
        ("sqlite", "file, given vectors"), ("postgres", "PostgreSQL, given vectors"),
    ):  # fmt: skip
        built = [found["ingest"][key] for found in runs]
        cells = [(number(one["passages_per_second"]), short(one["batch_ms"]["max"])) for one in built]
        rows.append([title, *(cell for pair in cells for cell in pair)])
    return table(_heads("put_many, batches of 1,000", runs, ["passages/s", "slowest batch ms"]), rows)


def _storage(runs: Sequence[Found]) -> str:
    rows = []
    for found in runs:
        for engine, title in ENGINES.items():
            one = found["storage"][engine]
            large = [f"{name} {size:,.0f}" for name, size in one["tables"].items() if size >= 50]
            rows.append([found["size"], title, number(one["bytes_per_passage"]), ", ".join(large)])
    return table(["size", "engine", "bytes a passage", "by table, with its indexes"], rows)


def _process(runs: Sequence[Found]) -> str:
    rows = []
    for found in runs:
        for engine, title in ENGINES.items():
            one = found["new_process"][engine]
            rows.append([
                found["size"], title, short(one["open_and_first_query_ms"]),
                short(one["whole_process_to_first_answer_ms"]), short(one["memory_mb"]["own"]),
                short(one["memory_mb_before"]["own"]),
            ])  # fmt: skip
    heads = ["size", "new process on", "open and first query ms", "from start to first answer ms",
             "its own memory MB after warm queries", "before opening"]  # fmt: skip
    return table(heads, rows)


def _hnsw(runs: Sequence[Found]) -> str:
    rows, shares = [], []
    for found in runs:
        one = found["hnsw"]
        for name, ways in one["latency"].items():
            rows.append([found["size"], name, *(_way(ways, way) for way in ("approximate", "default", "exact"))])
        recall = [
            f"{way} {one['recall'][way]['at_10']:.3f} @10 and {one['recall'][way]['at_100']:.3f} @100"
            for way in ("approximate", "default")
        ]
        shares.append(
            f"At {found['size']}: built in {short(one['build_seconds'])} s (m {one['m']}, ef_construction "
            f"{one['ef_construction']}), {number(one['bytes_per_vector'])} bytes a vector; 1,000 new passages take "
            f"{short(one['put_1000_seconds'])} s with it and {short(one['put_1000_seconds_without'])} s without. "
            f"Recall against `exact=True`: {', '.join(recall)} ({one['recall']['queries']} queries)."
        )
    heads = ["size", "HNSW: search, ms p50", "approximate=True", "default", "exact=True"]
    return paragraphs(table(heads, rows), *shares)


def _way(ways: dict[str, Any], way: str) -> str:
    return short(ways[way]["p50"]) if way in ways else ""


def _sql_bm25(runs: Sequence[Found]) -> str:
    rows = []
    for found in runs:
        one = found["sql_bm25"]
        lexical = found["latency"]["lexical"]["postgres"]
        rows.append([
            found["size"], short(lexical["p50"]), short(lexical["p95"]),
            *(short(one[name][part]) for name in ("no cutoff", "cutoff 50%", "cutoff 1%") for part in ("p50", "p95")),
            number(one["bytes_per_passage"]), number(_words_bytes(found)),
        ])  # fmt: skip
    heads = ["size", "lexical search here, ms p50", "p95", "BM25 in SQL p50", "p95", "at a cutoff of 50 % p50", "p95",
             "of 1 % p50", "p95", "bytes a passage, token table", "words and postings here"]  # fmt: skip
    return table(heads, rows)


def _words_bytes(found: Found) -> float:
    tables = found["storage"]["postgres"]["tables"]
    return float(sum(tables.get(name, 0.0) for name in ("posting", "segment", "record_terms", "term")))
