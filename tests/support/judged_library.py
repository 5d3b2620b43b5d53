"""A small judged library without a model: documents of made-up words, queries that name some of them, and embedders
whose vectors tell more words apart the more dimensions they have."""

from __future__ import annotations

import random
from typing import Any

from hybridkb import HybridLibrary
from hybridkb.evaluation import EvaluationReport, GoldSet, gold_set_of
from hybridkb.evaluation import evaluate as evaluate_in_full
from hybridkb.fusion import Fusion
from hybridkb.knowledge import Note
from hybridkb.store.settings import LibrarySettings
from oracles.items import item_id, note
from support.fake_embedder import HashEmbedder

DOCUMENTS = 80
QUERIES = 30

WORSE = HashEmbedder(4, "worse")
FAIR = HashEmbedder(16, "fair")
BETTER = HashEmbedder(256, "better")

BY_RANK = LibrarySettings(fusion=Fusion(by_relevance=False))
"""Settings that believe both legs alike, so that a worse model finds less."""


def texts(documents: int = DOCUMENTS, seed: int = 1) -> list[str]:
    """Texts of twenty made-up words each; every word stands in several of them."""
    draw = random.Random(seed)
    words = [f"word{number}" for number in range(200)]
    return [" ".join(draw.choices(words, k=20)) for _ in range(documents)]


def documents(count: int = DOCUMENTS, seed: int = 1) -> list[Note]:
    return [note(number, text) for number, text in enumerate(texts(count, seed))]


def records(queries: int = QUERIES, **fields: Any) -> list[dict[str, Any]]:
    """Queries of three words of one document each."""
    draw = random.Random(7)
    return [
        {"query": " ".join(draw.sample(text.split(), 3)), "relevant": [str(item_id(number))], **fields}
        for number, text in enumerate(texts()[:queries])
    ]


def gold(queries: int = QUERIES, **fields: Any) -> GoldSet:
    return gold_set_of(records(queries, **fields))


def fill(library: HybridLibrary) -> HybridLibrary:
    library.put_many(documents())
    return library


def evaluate(library: HybridLibrary, given: Any = None, **arguments: Any) -> EvaluationReport:
    """Evaluate less deeply than by default, which is quicker."""
    quick = {"depth": 20, "resamples": 200, **arguments}
    return evaluate_in_full(library, gold() if given is None else given, **quick)
