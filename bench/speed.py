"""How fast hybridkb is, and how fast the textbook recipe on the same data in the same run.

``python bench/speed.py --size smoke|10k|100k|1M [--keep DIR] [--json OUT]``

Both engines are built from one generated corpus and asked the same questions, each in a process of its own. Every query
of a case is asked once to warm up, then a stated number of times, engine by engine; a query's time is the median of its
repetitions. "Never asked before" are other queries, the first time they are asked of a process that is warm. Times
are wall clock on a machine that may be busy: the ratios within one run decide. ``cpu`` is the processor time of one
query, the mean over all of them: a busy machine blurs it less (BLAS threads that wait for each other still count).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from apart import Apart
from contention import measure_contention
from corpus import DIMENSIONS, TAGS, Corpus, Query
from engines import Case, Ours, Recipe, build_ours, build_recipe
from fresh import measure_fresh
from measure import facts, store
from storage import bytes_by_table, file_bytes


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured at one size of corpus."""

    passages: int
    queries: int
    repetitions: int
    exact_queries: int
    puts: int


SIZES = {
    "smoke": Size(1_000, 5, 1, 5, 10),
    "10k": Size(10_000, 40, 3, 20, 100),
    "100k": Size(100_000, 40, 3, 10, 100),
    "1M": Size(1_000_000, 20, 2, 5, 100),
}
NEVER_ASKED = "hybrid, queries never asked before"
CUTOFFS = (0.01, 0.1, 0.5, 1.0)
TURNS = 5
"""How often a cutoff and no cutoff are asked in turn."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, store."""
    parser = argparse.ArgumentParser(description="Measure hybridkb beside the textbook recipe.")
    parser.add_argument("--size", choices=SIZES, default="smoke")
    parser.add_argument("--keep", metavar="DIR", help="leave the built files there, and measure again what is there")
    parser.add_argument("--json", metavar="OUT", help="write the results there, not to bench/results")
    options = parser.parse_args(arguments)
    folder = Path(options.keep or tempfile.mkdtemp(prefix="hybridkb-bench-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        results = measure(options.size, folder)
    finally:
        if not options.keep:
            shutil.rmtree(folder)
    store(f"speed-{options.size}", results, options.json)
    _say(f"hybrid p50 {results['latency']['hybrid']['hybridkb']['p50']} ms, "
         f"{results['latency']['hybrid']['ratio']} x the textbook recipe")
    return 0


def measure(name: str, folder: Path) -> dict[str, Any]:
    """Build, then measure everything; returns what is stored."""
    size = SIZES[name]
    corpus = Corpus(size.passages)
    queries = corpus.queries(size.queries)
    results: dict[str, Any] = {"size": name, "passages": size.passages, **facts(), "method": _method(size)}
    results["ingest"] = _build(corpus, folder)
    results["storage"] = _storage(folder, size.passages)
    _say("new processes")
    results["new_process"] = {
        "hybridkb": measure_fresh("hybridkb", folder / "hybridkb.db", queries),
        "textbook": measure_fresh("textbook", folder / "textbook.db", queries),
    }
    results["latency"], results["cutoffs"] = _latency(folder, corpus, queries, size)
    ours = Ours(folder / "hybridkb.db")
    try:
        ours.expect(queries)
        results["recall"] = _recall(ours, queries[: size.exact_queries])
        _say("puts while reading")
        results["while_writing"] = measure_contention(ours, corpus.block(0), queries, size.puts)
    finally:
        ours.close()
    return results


def _method(size: Size) -> dict[str, Any]:
    return {
        "queries": size.queries,
        "repetitions": size.repetitions,
        "exact_queries": size.exact_queries,
        "time": "median of a query's repetitions, after every query was asked once, each engine in its own process",
    }


def _build(corpus: Corpus, folder: Path) -> dict[str, Any]:
    """What each building took; what an earlier run left in the folder is not built again."""
    found: dict[str, Any] = {}
    for name, file, make in (
        ("hybridkb_words", "words.db", _build_words),
        ("hybridkb", "hybridkb.db", _build_vectors),
        ("textbook", "textbook.db", _build_textbook),
    ):
        record = folder / f"built-{name}-{corpus.size}.json"
        if not record.exists():
            _remove(folder, file)
            _say(f"building {file}")
            built = {**make(corpus, folder / file), "load_average": round(os.getloadavg()[0], 1)}
            record.write_text(json.dumps(built), encoding="utf-8")
        found[name] = json.loads(record.read_text(encoding="utf-8"))
    _remove(folder, "words.db")
    return found


def _remove(folder: Path, file: str) -> None:
    for part in folder.glob(f"{file}*"):
        part.unlink()


def _build_words(corpus: Corpus, path: Path) -> dict[str, Any]:
    return _built(Ours(path, vectors=False), corpus)


def _build_vectors(corpus: Corpus, path: Path) -> dict[str, Any]:
    return _built(Ours(path), corpus)


def _build_textbook(corpus: Corpus, path: Path) -> dict[str, Any]:
    recipe = Recipe(path, DIMENSIONS)
    try:
        return build_recipe(recipe, corpus)
    finally:
        recipe.close()


def _built(engine: Ours, corpus: Corpus) -> dict[str, Any]:
    found = build_ours(engine, corpus)
    engine.close()
    return found


def _storage(folder: Path, passages: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for engine in ("hybridkb", "textbook"):
        path = folder / f"{engine}.db"
        found[engine] = {
            "file": round(file_bytes(path) / passages, 1),
            "tables": {name: round(size / passages, 1) for name, size in bytes_by_table(path).items()},
        }
    return found


def cases(corpus: Corpus) -> list[Case]:
    """Every way of asking that is timed."""
    return [
        Case("hybrid"),
        Case("hybrid, function words", natural=True),
        Case("lexical", "lexical"),
        Case("lexical, function words", "lexical", natural=True),
        Case("semantic", "semantic"),
        *(Case(f"hybrid, {name}", tag=name) for name in TAGS),
        *(Case(f"hybrid, cutoff {share:.0%}", before=corpus.cutoff(share)) for share in CUTOFFS),
        Case("hybrid, tag-1 and cutoff 50%", tag="tag-1", before=corpus.cutoff(0.5)),
    ]


def _latency(
    folder: Path, corpus: Corpus, queries: list[Query], size: Size
) -> tuple[dict[str, Any], dict[str, dict[str, float]]]:
    """Each engine in a process of its own, asked in turn, case by case; and each cutoff beside no cutoff."""
    known = {query.content for query in queries}
    unheard = [query for query in corpus.queries(2 * size.queries) if query.content not in known][: size.queries]
    expected = [*queries, *unheard]
    with (
        Apart("hybridkb", folder / "hybridkb.db", expected) as ours,
        Apart("textbook", folder / "textbook.db", expected) as recipe,
    ):
        return _every_case(ours, recipe, corpus, queries, unheard, size), _cutoffs(ours, corpus, queries)


def _cutoffs(ours: Apart, corpus: Corpus, queries: list[Query]) -> dict[str, dict[str, float]]:
    """What a cutoff costs: all queries without one and all with it, in turn, so that a busy minute befalls both.

    The ratio is the median over the turns.
    """
    found: dict[str, dict[str, float]] = {}
    for share in CUTOFFS:
        _say(f"cutoff {share:.0%} beside none")
        both = [
            [(query, Case("beside", before=moment)) for query in queries] for moment in (None, corpus.cutoff(share))
        ]
        for asked in both:
            ours.timed(asked, 1)
        turns = np.array([[ours.timed(asked, 1, warm=False)["p50"] for asked in both] for _ in range(TURNS)])
        without, cut = np.median(turns, axis=0).tolist()
        ratio = round(float(np.median(turns[:, 1] / turns[:, 0])), 3)
        found[f"{share:.0%}"] = {"without": round(without, 3), "cutoff": round(cut, 3), "ratio": ratio}
    return found


def _every_case(
    ours: Apart, recipe: Apart, corpus: Corpus, queries: list[Query], unheard: list[Query], size: Size
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for case in cases(corpus):
        _say(case.name)
        asked = [(query, case) for query in queries]
        mine, theirs = ours.timed(asked, size.repetitions), recipe.timed(asked, size.repetitions)
        found[case.name] = {"hybridkb": mine, "textbook": theirs, "ratio": _ratio(mine["p50"], theirs["p50"])}
    new = [(query, Case("new query")) for query in unheard]
    mine, theirs = ours.timed(new, 1, warm=False), recipe.timed(new, 1, warm=False)
    found[NEVER_ASKED] = {"hybridkb": mine, "textbook": theirs, "ratio": _ratio(mine["p50"], theirs["p50"])}
    moments = [corpus.cutoff(0.5) + 60_000_000 * (place + 1) for place in range(len(queries))]
    cutoffs = [(query, Case("new cutoff", before=moment)) for query, moment in zip(queries, moments, strict=True)]
    found["hybrid, a cutoff never asked before"] = {"hybridkb": ours.timed(cutoffs, 1, warm=False)}
    exact = [(query, Case("exact", exact=True)) for query in queries[: size.exact_queries]]
    found["hybrid, exact=True"] = {"hybridkb": ours.timed(exact, size.repetitions)}
    return found


def _recall(ours: Ours, queries: list[Query]) -> dict[str, Any]:
    """Which share of the exact nearest the default path finds."""
    _say("recall")
    shares: dict[int, list[float]] = {10: [], 100: []}
    for query in queries:
        quick = [name for name, _ in ours.ask(query, Case("", "semantic", top_k=100))]
        exact = [name for name, _ in ours.ask(query, Case("", "semantic", top_k=100, exact=True))]
        for depth, found in shares.items():
            found.append(len(set(quick[:depth]) & set(exact[:depth])) / max(1, len(exact[:depth])))
    means = {f"at_{depth}": round(float(np.mean(found)), 4) for depth, found in shares.items()}
    return {"queries": len(queries), **means}


def _ratio(mine: float, theirs: float) -> float:
    return round(mine / theirs, 3) if theirs else 0.0


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
