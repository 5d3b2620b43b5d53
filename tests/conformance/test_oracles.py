"""The engine's two legs against plain BM25, SQLite's own bm25() and numpy."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from hybridkb.lexical.ranking import RankingSettings
from hybridkb.store.settings import LibrarySettings
from hybridkb.text import Analyser
from oracles.bm25 import Formula, best_first, bm25_scores
from oracles.cosine import cosine_scores
from oracles.fts5 import fts5_scores
from oracles.items import item_id, note
from support.fake_embedder import HashEmbedder

VOCABULARY = (
    "copper", "supply", "mines", "chile", "wheat", "exports", "rising", "prices", "index", "bonds", "the", "of", "to",
)  # fmt: skip
QUERIES = (
    "copper",
    "copper supply mine",
    "the rising wheat",
    "index of bonds and copper",
    "Coppers supplied unheard",
    "the of to",
)


def plain(formula: Formula) -> LibrarySettings:
    """One field, no exact words, no bonuses, no word left out."""
    return LibrarySettings(
        ranking=RankingSettings(
            exact_weight=0.0, all_words_bonus=0.0, closeness_bonus=0.0, formula=formula, function_words="keep"
        )
    )


def documents(seed: int, count: int) -> dict[str, str]:
    source = random.Random(seed)
    texts = [" ".join(source.choices(VOCABULARY, k=source.randint(1, 40))) for _ in range(count)]
    return {f"item:{item_id(name)}": text for name, text in enumerate(texts)}


def stored(library: Any, seed: int, count: int) -> dict[str, str]:
    texts = documents(seed, count)
    library.put_many(note(name, text) for name, text in enumerate(texts.values()))
    return texts


@pytest.mark.parametrize("optimized", [False, True], ids=["", "optimized"])
@pytest.mark.parametrize("formula", ["lucene", "fts5"])
def test_words_are_scored_as_plain_bm25(open_library: Any, formula: Formula, optimized: bool) -> None:
    library = open_library(settings=plain(formula))
    texts = stored(library, 1, 400)
    if optimized:
        library.optimize()
    analyser = Analyser()
    stems = {name: [analyser.stem(word) for word in analyser.words(text)] for name, text in texts.items()}
    for query in QUERIES:
        asked = [analyser.stem(word) for word in analyser.words(query)]
        expected = bm25_scores(stems, asked, formula=formula)
        found = {str(hit.locator): hit.score for hit in library.search(query, mode="lexical", top_k=400)}
        assert found == pytest.approx(expected, abs=1e-9)
        assert order_agrees(list(found), expected)
        if formula == "fts5":
            assert found == pytest.approx(fts5_scores(stems, asked), abs=1e-9)


def order_agrees(found: list[str], expected: dict[str, float]) -> bool:
    """Best first, where a difference below 1e-9 may be a tie."""
    scores = [expected[name] for name in found]
    return all(left >= right - 1e-9 for left, right in itertools.pairwise(scores))


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("count", [50, 1_500])
@pytest.mark.parametrize("dimensions", [3, 16, 384])
def test_vectors_are_ordered_as_numpy_orders_them(open_library: Any, exact: bool, count: int, dimensions: int) -> None:
    embedder = HashEmbedder(dimensions)
    library = open_library(embedder=embedder)
    texts = stored(library, 2, count)
    rows = embedder.embed_documents(list(texts.values()))
    vectors = dict(zip(texts, rows, strict=True))
    for query in ("copper supply", "wheat", "the rising index of bonds"):
        expected = best_first(cosine_scores(vectors, np.array(embedder.embed_queries([query])[0])))
        for top_k in (10, count):
            results = library.search(query, mode="semantic", top_k=top_k, exact=exact)
            assert [(str(hit.locator), hit.score) for hit in results] == expected[:top_k]
            assert not results.approximate


@pytest.mark.parametrize(
    ("text", "alone", "together"),
    [("用户", "用户", "copper OR 用户"), ("用户", "用户", "用户 OR copper"), ("5 BRK.B", "BRK.B", "BRK.B OR 10-K")],
)
def test_an_alternative_that_nobody_has_adds_nothing(library: Any, text: str, alone: str, together: str) -> None:
    """The groups of ``a OR b`` are those of a and of b, each with its own weight and pieces."""
    library.put_many([note(1, text), note(2, "wheat"), note(3, "10 of wheat")])
    scores = [library.search(query, mode="lexical")[0].score for query in (alone, together)]
    assert scores[0] == scores[1]
