"""Filters over provenance cards narrow both legs before ranking, in every mode and at every cutoff."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidFilter, InvalidInput
from hybridkb.filters import filters as filters_module
from hybridkb.knowledge import SOURCE_CLASSES, Provenance, at_least_as_trusted, provenance
from hybridkb.memory import KnowledgeCard, ingest_sources
from oracles.items import day
from support.fake_embedder import HashEmbedder

CARDS = {
    "essay": Provenance("article", "essay", "2024-01-01"),
    "report": Provenance("article", "report", "2024-02-01"),
    "kept": Provenance("lineage", "experiment", "2024-01-15", "keep"),
    "discarded": Provenance("lineage", "experiment", "2024-02-15", "discard"),
    "go": Provenance("scout", "scout", "2024-03-01", "feasible"),
    "no-go": Provenance("scout", "scout", None, "infeasible"),
    "web": Provenance("deep_research", None, "2024-01-31"),
}
ALL = set(CARDS)


@pytest.fixture(scope="module")
def memory(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HybridLibrary]:
    cards = [
        KnowledgeCard(slug, f"copper {slug}", card, available_at=day(number))
        for number, (slug, card) in enumerate(CARDS.items())
    ]
    # Two hundred near neighbours that no filter below lets through.
    noise = Provenance("deep_research", "noise", "2020-01-01", "noise")
    cards += [KnowledgeCard(f"noise/{number}", "copper", noise) for number in range(200)]
    path = tmp_path_factory.mktemp("memory") / "library.db"
    with HybridLibrary.open(path, embedder=HashEmbedder(16)) as library:
        ingest_sources(library, cards)
        yield library
        assert library.check().ok


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "semantic"])
@pytest.mark.parametrize(
    ("filters", "slugs"),
    [
        ({"sources": ["article"]}, {"essay", "report"}),
        ({"sources": ["lineage", "scout"]}, {"kept", "discarded", "go", "no-go"}),
        ({"min_trust": "article"}, {"essay", "report"}),
        ({"min_trust": "lineage"}, {"essay", "report", "kept", "discarded"}),
        ({"min_trust": "scout"}, ALL - {"web"}),
        ({"min_trust": "deep_research", "doc_date_after": "2024-01-01"}, ALL - {"no-go"}),
        ({"kinds": ["experiment"]}, {"kept", "discarded"}),
        ({"kinds": ["essay", "scout"]}, {"essay", "go", "no-go"}),
        ({"verdicts": ["keep", "feasible"]}, {"kept", "go"}),
        ({"sources": ["lineage"], "verdicts": ["discard"]}, {"discarded"}),
        ({"doc_date_after": "2024-01-31"}, {"report", "discarded", "go", "web"}),
        ({"doc_date_after": "2024-01-15", "doc_date_before": "2024-02-01"}, {"kept", "report", "web"}),
        ({"min_trust": "lineage", "available_at_before": day(2)}, {"essay", "report", "kept"}),
        ({"sources": ["scout"], "path_prefix": "no-go"}, {"no-go"}),
        ({"sources": ["scout"], "verdicts": ["keep"]}, set()),
    ],
)
def test_a_filter_leaves_exactly_its_cards(
    memory: HybridLibrary, mode: Any, filters: dict[str, Any], slugs: set[str]
) -> None:
    hits = memory.search("copper", mode=mode, top_k=10, **filters)
    assert {hit.title for hit in hits} == slugs
    assert all(hit.provenance == CARDS[hit.title] for hit in hits)


def test_an_unknown_class_is_refused_with_the_known_ones(memory: HybridLibrary) -> None:
    for filters in ({"sources": ["gossip"]}, {"min_trust": "gossip"}):
        with pytest.raises(InvalidFilter, match="article, lineage, scout, deep_research"):
            memory.search("copper", **filters)


def test_the_card_as_a_row() -> None:
    card = Provenance("scout", "memo", "2024-01-05", "feasible", "https://example.org")
    assert card.as_row() == ("scout", "memo", "2024-01-05", "feasible", "https://example.org")
    assert Provenance(*card.as_row()) == card
    assert Provenance("article").as_row() == ("article", None, None, None, None)


def test_classes_are_ordered_by_trust_and_guarded() -> None:
    assert SOURCE_CLASSES == ("article", "lineage", "scout", "deep_research")
    assert [Provenance(name).trust for name in SOURCE_CLASSES] == [0, 1, 2, 3]
    assert at_least_as_trusted("scout") == SOURCE_CLASSES[:3]
    for wrong in ("", "Article", "blog"):
        with pytest.raises(InvalidInput):
            Provenance(wrong)


def test_a_new_class_is_added_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    classes = ("article", "lineage", "interview", "scout", "deep_research")
    monkeypatch.setattr(provenance, "SOURCE_CLASSES", classes)
    assert Provenance("interview").trust == 2
    assert at_least_as_trusted("interview") == classes[:3]
    assert filters_module._KNOWN_VALUES["sources"] is SOURCE_CLASSES  # the filters have no list of their own
