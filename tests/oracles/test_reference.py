"""The reference itself agrees with answers that owe nothing to hybridkb's formulas."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hybridkb.lexical.ranking import RankingSettings
from hybridkb.text import Analyser
from oracles.bm25 import Formula, best_first, bm25_scores
from oracles.cosine import cosine_scores
from oracles.fts5 import fts5_scores
from oracles.items import note
from oracles.reference import ReferenceLibrary
from support.fake_embedder import HashEmbedder

VOCABULARY = (
    "copper", "supply", "mines", "chile", "wheat", "exports", "rising", "prices", "index", "bonds", "yields", "banks",
)  # fmt: skip


def plain_settings(formula: Formula) -> RankingSettings:
    """One field, no exact words, no bonuses: what everybody calls BM25."""
    return RankingSettings(
        title_weight=1.0, exact_weight=0.0, all_words_bonus=0.0, closeness_bonus=0.0, formula=formula,
        function_words="keep",
    )  # fmt: skip


def texts(seed: int, count: int = 60) -> dict[int, str]:
    source = random.Random(seed)
    return {name: " ".join(source.choices(VOCABULARY, k=source.randint(1, 40))) for name in range(count)}


@pytest.mark.parametrize("formula", ["lucene", "fts5"])
@pytest.mark.parametrize("query", ["copper", "copper supply mine", "the rising wheat", "index of bonds and copper"])
def test_one_field_is_plain_bm25(formula: Formula, query: str) -> None:
    documents = texts(1)
    library = ReferenceLibrary(settings=plain_settings(formula))
    for name, text in documents.items():
        library.put(note(name, text))
    analyser = Analyser()
    stems = {f"item:{note(name, text).id}": analyser.key(text).split() for name, text in documents.items()}
    asked = analyser.key(query).split()
    hits = library.search(query, top_k=100, mode="lexical")
    expected = best_first(bm25_scores(stems, asked, formula=formula))
    assert {hit.locator: hit.score for hit in hits} == pytest.approx(dict(expected), abs=1e-9)
    if formula == "fts5":
        assert fts5_scores(stems, asked) == pytest.approx(dict(expected), abs=1e-9)


def test_meaning_is_numpys_cosine() -> None:
    embedder = HashEmbedder(16)
    library = ReferenceLibrary(embedder)
    documents = texts(2)
    for name, text in documents.items():
        library.put(note(name, text))
    hits = library.search("copper supply", top_k=100, mode="semantic")
    vectors = {
        f"item:{note(name, text).id}": np.array(embedder.embed_documents([text])[0]) for name, text in documents.items()
    }
    expected = cosine_scores(vectors, np.array(embedder.embed_queries(["copper supply"])[0]))
    assert [(hit.locator, hit.score) for hit in hits] == best_first(expected)
