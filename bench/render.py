"""Renders the figures in ``docs`` from the results stored in ``bench/results``.

``docs/benchmarks.md``, the tables in ``docs/ranking.md`` and ``docs/postgres.md``, and ``docs/quality.md`` with its
plots in ``docs/plots``.

``python bench/render.py [--check]``. No figure there is typed by hand; a test compares the files with what this makes.
A plot that is no longer made is removed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from desk_quality import render_desk
from expectations import render_expected
from folder_sync import render_folder
from peers.page import TOP as _PEERS
from peers.page import render_peers
from report.page import render_page
from report.parts import FOLDER as _PLOTS
from report.postgres_section import render_measured, render_sizing
from walk import render_walk

FOLDER = Path(__file__).parent / "results"
DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "benchmarks.md"
RANKING = DOCS / "ranking.md"
POSTGRES = DOCS / "postgres.md"
_MEASURED = ("<!-- measured: rendered by bench/render.py -->\n", "<!-- end -->")
_SIZING = ("<!-- sizing: rendered by bench/render.py -->\n", "<!-- end -->")
SIZES = ("10k", "100k", "1M")
Results = dict[str, dict[str, Any]]

_TOP = """# Benchmarks

This page is rendered from stored results by `python bench/render.py`; every table names the command that makes its
figures again. Machines differ and are rarely idle: trust the ratios within one run, not the milliseconds. The peer in
every run, but for those under "Peers", is the *textbook recipe*: FTS5 with porter and `bm25()`, vec0 with float32
vectors, reciprocal-rank fusion in one SQL statement, in a SQLite file with the same settings (`bench/textbook.py`).
The short answer, with plots: [how good is it](quality.md).
"""
_SPEED = """## Speed

Generated corpora (`bench/corpus.py`): passages of about 180 words (1.15 KB), 384 dimensions. Queries have two to five
content words of one passage; "function words" adds one to three of those that every sentence has. Both engines return
the ten best with their text; hybridkb's hits also carry snippet and explanation. Times are milliseconds a query:
wall clock p50 and p95, and `cpu`, the processor time of a query on average. A busy machine blurs `cpu` less than wall
clock, but blurs it: caches are shared, and threads that wait for each other inside numpy's BLAS count as busy.
"""
_LOOKAHEAD = """## Look-ahead

Share of queries whose ten best answers at T change when later documents are added (`bench/lookahead.py`): in the hits
themselves, in their order, in any score by one bit.
"""
_WALK = """## A walk through time

What a backtest pays for asking each day as of that day (`python bench/walk.py --fomc PATH`): Federal Reserve documents
in windows of 180 words, with vectors made before. The time of making each day's snapshot is included.
"""
_QUALITY = """## Ranking quality

Measures of trec_eval on judged collections (`bench/quality.py`, through `hybridkb.evaluation`); vectors are those of
the model named. Differences are those of the same queries, with the 95 % interval of a paired bootstrap over them; the
leg in brackets is the better one. "Vector recall" compares the default vector path with `exact=True` on the same
vectors; up to 20,000 candidates both are exact.
"""
_MEASURES = {
    "ndcg_at_10": "nDCG@10", "recall_at_10": "recall@10", "precision_at_10": "precision@10", "mrr": "MRR",
    "recall_at_100": "recall@100",
}  # fmt: skip
_DIFFERENCES = ("ndcg_at_10", "recall_at_10", "recall_at_100")
_DESK = """## The example desk

Judged questions about the documents of `examples/desk` (`examples/desk_questions.jsonl`), asked as a desk asks them:
`python bench/desk_quality.py`. `@1` and `@5` are the shares of questions with an answer in the first place and among
the first five. Texts and questions are our own, and few: they show kinds of questions, not how two engines compare.
"""
_FOLDER = """## A folder kept in step

`python bench/folder_sync.py --size {size}{pages}`: what a refresh costs after each kind of change. The embedder counts
what it is asked and answers at once, so no model's time is in these figures; the bundled one embeds some tens of
passages a second.
"""
_TRIALS = """## Trials behind the file format

`bench/trials.py` on {passages:,} passages of {characters:,} characters of real text, in processor time. ARCHITECTURE.md
says what was decided.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or only compare."""
    parser = argparse.ArgumentParser(description="Render the pages of figures and their plots from stored results.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is not current")
    options = parser.parse_args(arguments)
    made = files(load())
    stale = sorted(set((DOCS / _PLOTS).glob("*.svg")) - set(made))
    if options.check:
        current = all(path.exists() and path.read_text(encoding="utf-8") == text for path, text in made.items())
        return int(bool(stale) or not current)
    for path in stale:
        path.unlink()
    for path, text in made.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


def files(results: Results) -> dict[Path, str]:
    """Everything that is rendered, by where it goes."""
    pages = {PAGE: render(results), RANKING: render_ranking(results), POSTGRES: render_postgres(results)}
    return pages | {DOCS / name: text for name, text in render_page(results).items()}


def load(folder: Path = FOLDER) -> Results:
    """All stored results by name."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def render(results: Results) -> str:
    """The whole page."""
    speed = [results[f"speed-{size}"] for size in SIZES if f"speed-{size}" in results]
    quality = [found for name, found in results.items() if name.startswith("quality-")]
    parts = [_TOP]
    if speed:
        parts += [_SPEED, *map(_speed, speed)]
    if "lookahead" in results:
        parts += [_LOOKAHEAD, _lookahead(results["lookahead"])]
    if "walk" in results:
        parts += [_WALK, render_walk(results["walk"])]
    if quality:
        parts += [_QUALITY, _quality(quality)]
    peers = [found for name, found in results.items() if name.startswith("peers-")]
    if peers:
        parts += [_PEERS, *map(render_peers, peers)]
    if "desk" in results:
        parts += [_DESK, render_desk(results["desk"])]
    if "folder" in results:
        found = results["folder"]
        pages = "" if found["text"] == "generated" else f" --pages PATH/{found['text']}"
        parts += [_FOLDER.format(size=found["size"], pages=pages), render_folder(found)]
    if "trials" in results:
        parts += [_TRIALS.format(**results["trials"]), _trials(results["trials"])]
    return "\n".join(part.strip("\n") + "\n" for part in parts)


def render_ranking(results: Results) -> str:
    """The page about ranking as it is, with what cutoffs, filters and exactness cost put between its marks."""
    return _between(_MEASURED, RANKING.read_text(encoding="utf-8"), _costs(results))


def render_postgres(results: Results) -> str:
    """The page about PostgreSQL as it is, with what was measured put between its marks."""
    page = _between(_MEASURED, POSTGRES.read_text(encoding="utf-8"), render_measured(results))
    return _between(_SIZING, page, render_sizing(results))


def _between(marks: tuple[str, str], page: str, made: str) -> str:
    before, rest = page.split(marks[0])
    after = rest.split(marks[1], 1)[1]
    return before + marks[0] + made + marks[1] + after


def _costs(results: Results) -> str:
    sizes = [size for size in SIZES if f"speed-{size}" in results]
    latency = {size: results[f"speed-{size}"]["latency"] for size in sizes}
    names = dict.fromkeys(name for size in sizes for name in latency[size] if name.startswith("hybrid"))
    rows = [
        [name, *(_milliseconds(latency[size].get(name)) for size in sizes)] for name in names
    ]
    recall = [results[f"speed-{size}"]["recall"] for size in sizes]
    rows += [
        [f"vector recall@{depth}, generated vectors", *(f"{one[f'at_{depth}']:.3f}" for one in recall)]
        for depth in (10, 100)
    ]
    heads = ["query, milliseconds p50", *(f"{size} passages" for size in sizes)]
    measured = f"\n`python bench/speed.py --size {'|'.join(sizes)}`:\n\n{_table(heads, rows)}\n\n"
    return measured + _cutoffs({size: results[f"speed-{size}"].get("cutoffs", {}) for size in sizes})


def _cutoffs(measured: dict[str, dict[str, dict[str, float]]]) -> str:
    """What a cutoff costs, by the sizes for which it was measured beside none."""
    sizes = [size for size, found in measured.items() if found]
    if not sizes:
        return ""
    shares = dict.fromkeys(share for size in sizes for share in measured[size])
    rows = [[f"cutoff at {share}", *(_beside(measured[size].get(share)) for size in sizes)] for share in shares]
    heads = ["hybrid queries, with and without in turn", *(f"{size} passages" for size in sizes)]
    return f"{_table(heads, rows)}\n\n"


def _beside(one: dict[str, float] | None) -> str:
    return f"{_short(one['cutoff'])} / {_short(one['without'])} ms: {one['ratio']:.2f}" if one else ""


def _milliseconds(case: dict[str, Any] | None) -> str:
    return _short(case["hybridkb"]["p50"]) if case else ""


# --- speed -------------------------------------------------------------------------------------------------------


def _speed(found: dict[str, Any]) -> str:
    sections = [_latency(found), _ingest(found), _storage(found), _process(found), _also(found)]
    return f"### {found['passages']:,} passages\n\n{_provenance(found)}\n\n" + "\n\n".join(sections)


def _provenance(found: dict[str, Any]) -> str:
    machine, versions, method = found["machine"], found["versions"], found["method"]
    return (
        f"`python bench/speed.py --size {found['size']}`: {method['queries']} queries a case, {method['time']} "
        f"({method['repetitions']} repetitions). {found['date']}, commit {found['revision']}, {machine['processor']}, "
        f"{machine['cores']} cores, {machine['memory_gib']} GiB, load average {machine['load_average']} at the start; "
        f"Python {versions['python']}, SQLite {versions['sqlite']}, sqlite-vec {versions['sqlite-vec']}, "
        f"numpy {versions['numpy']}."
    )


def _latency(found: dict[str, Any]) -> str:
    rows = []
    for name, case in found["latency"].items():
        mine, theirs = case["hybridkb"], case.get("textbook")
        ratios = [_quotient(mine, theirs, name) for name in ("p50", "cpu")]
        rows.append([name, *_times(mine), *_times(theirs), *ratios])
    heads = ["query", "p50", "p95", "cpu", "textbook p50", "p95", "cpu", "ratio p50", "ratio cpu"]
    return _table(heads, rows)


def _times(case: dict[str, float] | None) -> list[str]:
    return [_short(case.get(name)) if case else "" for name in ("p50", "p95", "cpu")]


def _quotient(mine: dict[str, float], theirs: dict[str, float] | None, name: str) -> str:
    if not theirs or not theirs.get(name) or name not in mine:
        return ""
    return f"{mine[name] / theirs[name]:.2f}"


def _ingest(found: dict[str, Any]) -> str:
    names = {
        "hybridkb_words": "hybridkb, no vectors",
        "hybridkb": "hybridkb, given vectors",
        "textbook": "textbook, given vectors",
    }
    rows = [
        [
            names[engine],
            f"{one['passages_per_second']:,}",
            f"{one['passages_per_processor_second']:,}",
            _short(one["batch_ms"]["p50"]),
            _short(one["batch_ms"]["max"]),
        ]
        for engine, one in found["ingest"].items()
    ]
    heads = ["ingest, batches of 1,000", "passages/s", "passages/s of processor", "batch ms, median", "slowest"]
    return _table(heads, rows)


def _storage(found: dict[str, Any]) -> str:
    rows = []
    for engine, one in found["storage"].items():
        large = [f"{name} {size:,.0f}" for name, size in one["tables"].items() if size >= 10]
        rows.append([engine, f"{one['file']:,.0f}", ", ".join(large)])
    return _table(["bytes a passage", "file", "by table, with its indexes and shadow tables"], rows)


def _process(found: dict[str, Any]) -> str:
    rows = [
        [
            engine,
            _short(one["open_and_first_query_ms"]),
            _short(one["whole_process_to_first_answer_ms"]),
            _short(one["memory_mb"]["own"]),
            _short(one["memory_mb"]["total"]),
            _short(one["memory_mb_before"]["own"]),
        ]
        for engine, one in found["new_process"].items()
    ]
    heads = ["new process (file in the page cache)", "open and first query ms", "from start to first answer ms",
             "memory MB after warm queries", "with mapped pages", "before opening"]  # fmt: skip
    return _table(heads, rows)


def _also(found: dict[str, Any]) -> str:
    recall, busy = found["recall"], found["while_writing"]
    alone, during = busy["search_ms_alone"], busy["search_ms_while_writing"]
    return (
        f"Vector recall of the default path against `exact=True`, generated vectors, {recall['queries']} queries: "
        f"{recall['at_10']:.3f} @10, {recall['at_100']:.3f} @100.\n\n"
        f"One thread puts {busy['puts']} single items (p50 {_short(busy['put_ms']['p50'])} ms, slowest "
        f"{_short(busy['put_ms']['max'])}) while another searches: hybrid p50 {_short(during['p50'])} ms, slowest "
        f"{_short(during['max'])}; alone {_short(alone['p50'])} and {_short(alone['max'])}. Stale answers: "
        f"{busy['stale_answers']} of {busy['freshness_checks']} checks."
    )


# --- the rest ----------------------------------------------------------------------------------------------------


def _lookahead(found: dict[str, Any]) -> str:
    rows = [
        [
            f"{corpus['name']}, T = {corpus['cutoff'][:10]}, {corpus['queries']} queries, "
            f"{corpus['passages_at_cutoff']:,} + {corpus['passages_later']:,} passages",
            engine,
            mode,
            *(f"{share[name]:.0%}" for name in ("hits", "order", "scores")),
        ]
        for corpus in found["corpora"]
        for engine, modes in corpus["changed"].items()
        for mode, share in modes.items()
    ]
    return _table(["corpus", "engine", "mode", "hits", "order", "scores"], rows)


def _quality(every: Sequence[dict[str, Any]]) -> str:
    rows = []
    for found in every:
        name = (
            f"{found['dataset']} ({found['judgements']}; {found['documents']:,} documents, {found['queries']} queries)"
        )
        for engine, modes in found["scores"].items():
            rows += [
                [name, engine, mode, *(_measured(score[label]) for label in _MEASURES)]
                for mode, score in modes.items()
                if mode != "hybrid_minus_best"
            ]
    heads = ["collection", "engine", "mode", *_MEASURES.values()]
    tables = [_table(heads, rows), _differences(every), _recall(every), render_expected(every)]
    return "\n\n".join(table for table in tables if table)


def _measured(score: dict[str, float]) -> str:
    return f"{score['value']:.3f}"


def _differences(every: Iterable[dict[str, Any]]) -> str:
    """Hybrid minus the better leg, with the interval of the paired bootstrap."""
    rows = [
        [found["dataset"], engine,
         *(f"{one['value']:+.3f} [{one['low']:+.3f}, {one['high']:+.3f}] ({one['leg']})"
           for one in (modes["hybrid_minus_best"][label] for label in _DIFFERENCES))]
        for found in every
        for engine, modes in found["scores"].items()
        if "hybrid_minus_best" in modes
    ]  # fmt: skip
    heads = ["hybrid minus the better leg", "engine", *(_MEASURES[label] for label in _DIFFERENCES)]
    return _table(heads, rows)


def _recall(every: Iterable[dict[str, Any]]) -> str:
    rows = [
        [found["dataset"], found["vectors"], f"{found['indexed']:,}", _share(recall, 10), _share(recall, 100)]
        for found in every
        if (recall := found["vector_recall"])
    ]
    return _table(["vector recall", "model", "vectors", "@10", "@100"], rows)


def _share(recall: dict[str, float], depth: int) -> str:
    return f"{recall[f'at_{depth}']:.3f}"


def _trials(found: dict[str, Any]) -> str:
    words = [
        [
            one["shape"],
            f"{one['passages_per_second']:,}",
            f"{one['passages_per_second_with_analysis'] or one['passages_per_second']:,}",
            f"{one['bytes_per_passage']:,}",
            _short(one["phrase_ms"]["p50"]),
        ]
        for one in found["words"]
    ]
    payload = [
        [str(one["level"]), f"{one['share']:.1%}", f"{one['texts_per_second']:,}" if one["texts_per_second"] else ""]
        for one in found["payload"]
    ]
    vectors = found["vectors"]
    nearest = list(vectors["shapes"][0]["nearest_ms"])
    stored = [
        [one["shape"], f"{one['rows_per_second']:,}", f"{one['bytes_per_row']:,}",
         *(_short(one["nearest_ms"][k]) for k in nearest)]
        for one in vectors["shapes"]
    ]  # fmt: skip
    heads = ["words in FTS5", "passages/s", "with analysis", "bytes a passage", "phrase ms"]
    tables = [
        _table(heads, words),
        _table(["zlib level of payloads", "size", "texts/s"], payload),
        _table([f"{vectors['rows']:,} vectors", "rows/s", "bytes a row", *(f"k = {k}, ms" for k in nearest)], stored),
        f"Quantising to int8 moved no unit vector by more than {vectors['largest_int8_error']:.4f}.",
    ]
    return "\n\n".join(tables)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _short(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


if __name__ == "__main__":
    sys.exit(main())
