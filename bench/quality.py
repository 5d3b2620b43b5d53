"""How good the ranking is on judged collections: nDCG@10 and recall@100 of every mode, beside the textbook recipe.

``python bench/quality.py DATASET_DIR[:QRELS] ...``; a collection is a folder in the shape of BEIR, judged by
``qrels/test.tsv`` unless another is named. Vectors that lie beside it (``emb-*``) are used as they are; without them
only words are searched. Where vectors are of 180-word windows, windows are indexed and a document counts by its best
one among the first 400. Measures are those of trec_eval (package ``ir-measures``).
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from beir import read_documents, read_judgements, read_queries, read_vectors
from engines import Answer, Mode
from indexing import Pair
from measure import facts, store

Ask = Callable[..., Answer]
MODES: tuple[Mode, ...] = ("lexical", "semantic", "hybrid")
DEPTH = 100
_WINDOWS_DEPTH = 400


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure each collection, store."""
    parser = argparse.ArgumentParser(description="Measure ranking quality on collections in the shape of BEIR.")
    parser.add_argument("datasets", nargs="+", metavar="DATASET_DIR[:QRELS]")
    for dataset in parser.parse_args(arguments).datasets:
        folder, _, judgements = dataset.partition(":")
        path = Path(folder)
        results = measure(path, judgements or "test")
        store(f"quality-{path.name}", results)
        print(path.name, results["scores"], file=sys.stderr)
    return 0


def measure(folder: Path, judgements: str) -> dict[str, Any]:
    """Index one collection in both engines and judge every mode."""
    queries = read_queries(folder)
    judged = read_judgements(folder, judgements)
    vectors = read_vectors(folder)
    with tempfile.TemporaryDirectory(prefix="hybridkb-quality-") as place, Pair(Path(place), vectors) as pair:
        documents = list(read_documents(folder))
        pair.add(documents)
        asked = {name: queries[name] for name in judged}
        modes = MODES if vectors else MODES[:1]
        engines: dict[str, Ask] = {"hybridkb": pair.answer_ours, "textbook": pair.answer_textbook}
        return {
            "dataset": folder.name,
            "judgements": judgements,
            "documents": len(documents),
            "indexed": pair.size,
            "queries": len(asked),
            "vectors": vectors.model if vectors else None,
            **facts(),
            "scores": {
                engine: {mode: judge(run(ask, asked, mode, vectors is not None and vectors.by_window), judged)
                         for mode in modes}
                for engine, ask in engines.items()
            },
            "vector_recall": vector_recall(pair, asked) if vectors else None,
        }  # fmt: skip


def run(ask: Ask, queries: dict[str, str], mode: Mode, by_window: bool) -> dict[str, dict[str, float]]:
    """The best 100 documents of each query; their score falls with their rank."""
    found: dict[str, dict[str, float]] = {}
    for name, text in queries.items():
        hits = ask(text, name, mode, top_k=_WINDOWS_DEPTH if by_window else DEPTH)
        documents = [part.rpartition("#")[0] if by_window else part for part, _ in hits]
        ranked = list(dict.fromkeys(documents))[:DEPTH]
        found[name] = {document: 1.0 / rank for rank, document in enumerate(ranked, start=1)}
    return found


def judge(found: dict[str, dict[str, float]], judged: dict[str, dict[str, int]]) -> dict[str, float]:
    """Mean nDCG@10 and recall@100."""
    measures = importlib.import_module("ir_measures")  # only this script needs it
    wanted = {"ndcg_at_10": measures.nDCG @ 10, "recall_at_100": measures.R @ 100}
    values = measures.calc_aggregate(list(wanted.values()), judged, found)
    return {name: round(float(values[one]), 4) for name, one in wanted.items()}


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
