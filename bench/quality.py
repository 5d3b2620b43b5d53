"""How good the ranking is on judged collections, in every mode, beside the textbook recipe.

``python bench/quality.py [--embed CACHE] DATASET_DIR[:QRELS] ...``; a collection is a folder in the shape of BEIR,
judged by ``qrels/test.tsv`` unless another is named. Vectors that lie beside it (``emb-*``) are used as they are;
without them only words are searched, or, with ``--embed``, they are made by the local model and kept in that folder.
Where vectors are of 180-word windows, windows are indexed: hybridkb is asked by document (``collapse``), of the recipe
a document counts by its best window among the first 400. What the second best passage changes is measured too.
Measures and intervals are those of ``hybridkb.evaluation``. Every run is compared with the figures kept in
``bench/expected``; when one is off, the command fails. The setting ``feedback`` of the ranking is measured in each of
its values, with the difference that it makes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from beir import Vectors, read_documents, read_judgements, read_queries, read_vectors
from embedding import make_vectors
from engines import Answer, Mode
from expectations import report
from indexing import Pair
from measure import facts, store

from hybridkb.evaluation.bootstrap import RESAMPLES, SEED, intervals
from hybridkb.evaluation.figures import mean_figures
from hybridkb.evaluation.measures import Values
from hybridkb.evaluation.measures import measure as measure_rankings

Rankings = dict[str, list[str]]
Ask = Callable[..., Answer]
MODES: tuple[Mode, ...] = ("lexical", "semantic", "hybrid")
DEPTH = 100
MEASURES = {
    10: {"ndcg": "ndcg_at_10", "recall": "recall_at_10", "precision": "precision_at_10", "mrr": "mrr"},
    100: {"recall": "recall_at_100"},
}
_WINDOWS_DEPTH = 400


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure each collection, store."""
    parser = argparse.ArgumentParser(description="Measure ranking quality on collections in the shape of BEIR.")
    parser.add_argument("datasets", nargs="+", metavar="DATASET_DIR[:QRELS]")
    parser.add_argument("--embed", type=Path, metavar="CACHE", help="make vectors where there are none, kept there")
    options = parser.parse_args(arguments)
    status = 0
    for dataset in options.datasets:
        folder, _, judgements = dataset.partition(":")
        path = Path(folder)
        vectors = read_vectors(path) or (make_vectors(path, options.embed) if options.embed else None)
        results = measure(path, judgements or "test", vectors)
        store(f"quality-{path.name}", results)
        print(path.name, results["scores"], file=sys.stderr)
        status = max(status, report(results))
    return status


def measure(folder: Path, judgements: str, vectors: Vectors | None) -> dict[str, Any]:
    """Index one collection in both engines and judge every mode."""
    queries = read_queries(folder)
    judged = read_judgements(folder, judgements)
    by_window = vectors is not None and vectors.by_window
    with tempfile.TemporaryDirectory(prefix="hybridkb-quality-") as place, Pair(Path(place), vectors) as pair:
        documents = list(read_documents(folder))
        pair.add(documents)
        asked = {name: queries[name] for name in judged}
        modes = MODES if vectors else MODES[:1]
        ask = _by_document(pair) if by_window else pair.answer_ours
        engines: dict[str, Ask] = {"hybridkb": ask, "textbook": pair.answer_textbook}
        found = {
            engine: {mode: run(answer, asked, mode, by_window) for mode in modes} for engine, answer in engines.items()
        }
        exactness = vector_recall(pair, asked) if vectors else None
        return {
            "dataset": folder.name,
            "judgements": judgements,
            "documents": len(documents),
            "indexed": pair.size,
            "queries": len(asked),
            "vectors": vectors.model if vectors else None,
            **facts(),
            "bootstrap": {"resamples": RESAMPLES, "seed": SEED},
            "scores": {engine: judge(rankings, judged) for engine, rankings in found.items()},
            "vector_recall": exactness,
            "feedback": feedback(pair, ask, asked, judged, by_window),
            **({"by_document": by_documents(pair, asked, judged, found["hybridkb"])} if by_window else {}),
        }


def _by_document(pair: Pair) -> Ask:
    """Asks hybridkb for documents, of which as many are read as are judged."""

    def ask(text: str, query: str, mode: Mode, *, top_k: int) -> Answer:
        return pair.answer_ours(text, query, mode, top_k=min(top_k, DEPTH), by_document=True)

    return ask


def run(ask: Ask, queries: dict[str, str], mode: Mode, by_window: bool) -> Rankings:
    """The best 100 documents of each query."""
    found: Rankings = {}
    for name, text in queries.items():
        hits = ask(text, name, mode, top_k=_WINDOWS_DEPTH if by_window else DEPTH)
        documents = [part.rpartition("#")[0] if by_window else part for part, _ in hits]
        found[name] = list(dict.fromkeys(documents))[:DEPTH]
    return found


def judge(found: Mapping[Mode, Rankings], judged: dict[str, dict[str, int]]) -> dict[str, Any]:
    """By mode, each measure with its 95 % interval; and hybrid minus the better leg, paired."""
    scores: dict[str, Any] = {mode: {} for mode in found}
    for k, wanted in MEASURES.items():
        values: dict[str, Values] = {mode: measure_rankings(judged, rankings, k=k) for mode, rankings in found.items()}
        figures, differences, best = mean_figures(values, resamples=RESAMPLES, seed=SEED)
        for name, label in wanted.items():
            for mode, one in figures.items():
                scores[mode][label] = _rounded(one[name].as_dict())
            if name in differences:
                leg = {"leg": best[name]}
                scores.setdefault("hybrid_minus_best", {})[label] = _rounded(differences[name].as_dict()) | leg
    return scores


def by_documents(
    pair: Pair, queries: dict[str, str], judged: dict[str, dict[str, int]], found: Mapping[Mode, Rankings]
) -> dict[str, Any]:
    """What the second best passage of a document changes, by mode: by the best alone, with it, and the difference."""
    return {
        mode: compare({"best": run(pair.answer_ours, queries, mode, True), "second": rankings}, judged)
        for mode, rankings in found.items()
    }


def feedback(
    pair: Pair, ask: Ask, queries: dict[str, str], judged: dict[str, dict[str, int]], by_window: bool
) -> dict[str, Any]:
    """What words of the best candidates change, by mode: figures without and with them, and the difference."""
    library = pair.ours.library
    before = library.settings.ranking
    modes: list[Mode] = [mode for mode in MODES if mode != "semantic" and (pair.vectors or mode == "lexical")]
    found: dict[str, dict[Mode, Rankings]] = {}
    for setting in ("never", "always"):
        library.change_settings(ranking=replace(before, feedback=setting), why="to measure it")
        found[setting] = {mode: run(ask, queries, mode, by_window) for mode in modes}
    library.change_settings(ranking=before, why="measured")
    return {mode: compare({setting: found[setting][mode] for setting in found}, judged) for mode in modes}


def compare(found: Mapping[str, Rankings], judged: dict[str, dict[str, int]]) -> dict[str, Any]:
    """Each measure of two rankings with its 95 % interval, and the second minus the first, paired."""
    first, second = found
    compared: dict[str, Any] = {first: {}, second: {}, "difference": {}}
    for k, wanted in MEASURES.items():
        values = {name: measure_rankings(judged, rankings, k=k) for name, rankings in found.items()}
        keys = sorted(values[first])
        for name, label in wanted.items():
            columns = [np.array([values[one][key][name] for key in keys]) for one in (first, second)]
            drawn = intervals(np.column_stack([*columns, columns[1] - columns[0]]), resamples=RESAMPLES, seed=SEED)
            for place, interval in zip(compared, drawn, strict=True):
                compared[place][label] = _rounded(interval.as_dict())
    return compared


def _rounded(interval: dict[str, float]) -> dict[str, Any]:
    return {name: round(bound, 4) for name, bound in interval.items()}


def vector_recall(pair: Pair, queries: dict[str, str]) -> dict[str, Any]:
    """Which share of the exact nearest the default vector path finds, on these real vectors."""
    shares: dict[int, list[float]] = {10: [], 100: []}
    for name, text in list(queries.items())[:200]:
        quick = [part for part, _ in pair.answer_ours(text, name, "semantic", top_k=100)]
        exact = [part for part, _ in pair.answer_ours(text, name, "semantic", top_k=100, exact=True)]
        for depth, found in shares.items():
            found.append(len(set(quick[:depth]) & set(exact[:depth])) / max(1, min(depth, len(exact))))
    means = {f"at_{depth}": round(float(np.mean(found)), 4) for depth, found in shares.items()}
    return {"queries": len(shares[10]), **means}


if __name__ == "__main__":
    sys.exit(main())
