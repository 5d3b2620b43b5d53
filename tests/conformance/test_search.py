"""Search as SPEC.md and SEMANTICS.md promise it: filters, modes, order, and what a hit carries."""

from __future__ import annotations

import dataclasses
import random
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from hybridkb import HybridLibrary, Locator, SearchHit, SearchQuery, SearchResults
from hybridkb.embedders import Embedder
from hybridkb.errors import EmbedderUnavailable, HybridKBError, InvalidFilter, InvalidInput
from hybridkb.fusion import Fusion
from hybridkb.knowledge import Citation, KnowledgeItem, Provenance, SourceRef
from oracles.cosine import cosine_scores
from oracles.items import EPOCH, day, earnings, filing, item_id, news, note
from support.fake_embedder import HashEmbedder, TableEmbedder

MODES = ("lexical", "semantic", "hybrid")

# Filters

LOCAL = SourceRef(kind="local", uri="desk/energy/oil.md")
ITEMS: dict[str, KnowledgeItem] = {
    "plain": note("plain", "copper"),
    "unknown": note("unknown", "copper", available_at=None),
    "late": note("late", "copper", available_at=day(50), as_of=day(40)),
    "tagged": note("tagged", "copper", tags=("metal", "asia")),
    "metal": note("metal", "copper", tags=("metal",), confidence="low"),
    "local": note("local", "copper", source=LOCAL, confidence="high"),
    "beside": note("beside", "copper", source=SourceRef(kind="local", uri="desk/energyx/gas.md")),
    "article": note("article", "copper", provenance=Provenance("article", "essay", "2024-01-05", "keep")),
    "lineage": note("lineage", "copper", provenance=Provenance("lineage", "memo", "2024-02-05", "drop")),
    "scout": note("scout", "copper", provenance=Provenance("scout")),
    "earnings": earnings("earnings", "BRK.B", "Q3 2024", guidance="copper"),
    "filing": filing("filing", ["copper in section one"], root="copper", ticker="FCX", period="FY 2023"),
    "news": news("news", "copper", "headline"),
}
EVERYTHING = frozenset(ITEMS)
NOTES = EVERYTHING - {"earnings", "filing", "news"}

FILTERS: list[tuple[dict[str, Any], frozenset[str] | set[str]]] = [
    ({}, EVERYTHING),
    ({"item_types": "news"}, {"news"}),
    ({"item_types": ["news", "earnings"]}, {"news", "earnings"}),
    ({"item_types": ["nothing"]}, set()),
    ({"artifact_kinds": ["paper_chunk_set"]}, set()),
    ({"artifact_ids": [item_id("nobody")]}, set()),
    ({"source_kinds": ["local"]}, {"local", "beside"}),
    ({"sources": ["article"]}, {"article"}),
    ({"sources": ["article", "scout"]}, {"article", "scout"}),
    ({"min_trust": "lineage"}, {"article", "lineage"}),
    ({"min_trust": "deep_research"}, {"article", "lineage", "scout"}),
    ({"kinds": ["essay"]}, {"article"}),
    ({"verdicts": ["drop"]}, {"lineage"}),
    ({"confidence": "low"}, {"metal"}),
    ({"confidence": ["low", "high"]}, {"metal", "local"}),
    ({"tags": ["metal"]}, {"tagged", "metal"}),
    ({"tags": ["metal", "asia"]}, {"tagged"}),
    ({"any_tags": ["asia", "metal"]}, {"tagged", "metal"}),
    ({"any_tags": ["europe"]}, set()),
    ({"exclude_tags": ["asia"]}, EVERYTHING - {"tagged"}),
    ({"tags": "metal", "exclude_tags": "asia"}, {"metal"}),
    ({"tree_id": item_id("filing")}, {"filing"}),
    ({"tree_id": str(item_id("filing"))}, {"filing"}),
    ({"path_prefix": "desk"}, {"local", "beside"}),
    ({"path_prefix": "desk/energy"}, {"local"}),
    ({"path_prefix": "desk/energy/"}, {"local"}),
    ({"path_prefix": "desk/energy/oil.md"}, {"local"}),
    ({"path_prefix": "des"}, set()),
    ({"path_prefix": "energy"}, set()),
    ({"path_prefix": "desk/%"}, set()),
    ({"as_of_after": day(40)}, {"late"}),
    ({"as_of_after": day(40) + timedelta(microseconds=1)}, set()),
    ({"as_of_before": day(40) - timedelta(microseconds=1)}, EVERYTHING - {"late"}),
    ({"as_of_before": day(40)}, EVERYTHING),
    ({"available_at_after": day(50)}, {"late"}),
    ({"available_at_after": day(0)}, EVERYTHING - {"unknown"}),
    ({"available_at_before": day(0)}, EVERYTHING - {"unknown", "late"}),
    ({"available_at_before": day(50)}, EVERYTHING - {"unknown"}),
    ({"available_at_before": day(0) - timedelta(microseconds=1)}, set()),
    ({"available_at_after": day(1), "available_at_before": day(50)}, {"late"}),
    ({"doc_date_after": "2024-01-05"}, {"article", "lineage"}),
    ({"doc_date_after": "2024-01-06"}, {"lineage"}),
    ({"doc_date_before": "2024-01-05"}, {"article"}),
    ({"doc_date_before": day(35).date()}, {"article", "lineage"}),
    ({"tickers": ["BRK.B"]}, {"earnings"}),
    ({"tickers": "fcx"}, {"filing"}),
    ({"periods": ["Q3 2024", "FY 2023"]}, {"earnings", "filing"}),
    ({"item_types": "note", "any_tags": ["metal"], "confidence": "low"}, {"metal"}),
    ({"item_types": None, "tags": None}, EVERYTHING),
]


@pytest.fixture(scope="module")
def varied(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path: Path = tmp_path_factory.mktemp("varied") / "library.db"
    with HybridLibrary.open(path, embedder=HashEmbedder(16)) as library:
        library.put_many(ITEMS.values())
        yield library
        assert library.check().ok


@pytest.mark.parametrize(("filters", "expected"), FILTERS, ids=lambda value: str(value)[:60])
@pytest.mark.parametrize("mode", MODES)
def test_filter_leaves_exactly_what_it_names(
    varied: HybridLibrary, filters: dict[str, Any], expected: set[str], mode: str
) -> None:
    names = {item.id: name for name, item in ITEMS.items()}
    results = varied.search("copper", mode=mode, top_k=100, **filters)
    assert {names[hit.item_id] for hit in results if hit.item_id} == set(expected)


@pytest.mark.parametrize(
    "filters",
    [
        {"as_of_after": day(2), "as_of_before": day(1)},
        {"available_at_after": day(2), "available_at_before": day(1)},
        {"doc_date_after": "2024-01-02", "doc_date_before": "2024-01-01"},
        {"tags": ["metal"], "exclude_tags": ["metal"]},
    ],
)
def test_contradictions_are_refused(varied: HybridLibrary, filters: dict[str, Any]) -> None:
    with pytest.raises(InvalidFilter):
        varied.search("copper", **filters)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("item_type", "item_types"),
        ("tag", "tags"),
        ("as_of_befor", "as_of_before"),
        ("available_before", "available_at_before"),
        ("ticker", "tickers"),
        ("path", "path_prefix"),
        ("source", "sources"),
    ],
)
def test_an_unknown_filter_names_the_right_one(varied: HybridLibrary, wrong: str, right: str) -> None:
    with pytest.raises(InvalidFilter, match=right):
        varied.search("copper", **{wrong: "x"})


@pytest.mark.parametrize(
    "filters",
    [
        {"as_of_before": day(1).replace(tzinfo=None)},
        {"available_at_before": "2024-01-01"},
        {"available_at_before": day(1).date()},
        {"confidence": "certain"},
        {"min_trust": "rumour"},
        {"sources": ["rumour"]},
        {"tree_id": "no id"},
        {"tags": []},
        {"artifact_ids": []},
        {"artifact_ids": 5},
        {"tags": 5},
        {"doc_date_after": "yesterday"},
    ],
    ids=str,
)
def test_a_filter_value_that_means_nothing_is_refused(varied: HybridLibrary, filters: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        varied.search("copper", **filters)


def test_a_naive_cutoff_is_refused_with_the_way_to_mend_it(varied: HybridLibrary) -> None:
    with pytest.raises(InvalidInput, match="tz"):
        varied.search("copper", available_at_before=day(1).replace(tzinfo=None))


# Twelve of twenty thousand


@pytest.fixture(scope="module")
def large(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path: Path = tmp_path_factory.mktemp("large") / "library.db"
    with HybridLibrary.open(path, embedder=HashEmbedder(8)) as library:
        library.put_many(note(name, "copper " * 12, tags=("common",)) for name in range(19_988))
        library.put_many(rare_items())
        yield library


def rare_items() -> list[KnowledgeItem]:
    """Twelve notes of twelve words, of which one to twelve are copper."""
    return [
        note(f"rare {number}", " ".join(["copper"] * number + ["wheat"] * (12 - number)), tags=("rare",))
        for number in range(1, 13)
    ]


@pytest.mark.parametrize("optimized", [False, True], ids=["", "optimized"])
@pytest.mark.parametrize("mode", MODES)
def test_a_filter_that_leaves_twelve_of_20000_gives_the_best_of_those(
    large: HybridLibrary, mode: str, optimized: bool
) -> None:
    if optimized:
        large.optimize()
    best_first = [item.id for item in reversed(rare_items())]
    results = large.search("copper", mode=mode, top_k=12, tags=["rare"])
    assert [hit.item_id for hit in results] == best_first
    assert [hit.item_id for hit in large.search("copper", mode=mode, top_k=5, tags=["rare"])] == best_first[:5]
    if mode == "semantic":
        assert [hit.explanation.semantic.score for hit in results] == exact_cosines(large, "copper", best_first)


def exact_cosines(library: HybridLibrary, query: str, wanted: list[UUID]) -> list[float]:
    embedder = HashEmbedder(8)
    texts = {str(name): library.resolve(Locator("item", name)).body for name in wanted}
    vectors = {name: np.array(embedder.embed_documents([text])[0]) for name, text in texts.items()}
    scores = cosine_scores(vectors, np.array(embedder.embed_queries([query])[0]))
    return [scores[str(name)] for name in wanted]


# Modes


def test_results_say_what_ran(varied: HybridLibrary) -> None:
    for mode in MODES:
        results = varied.search("copper", mode=mode)
        assert (results.mode, results.degraded, results.pending, results.cutoff) == (mode, None, 0, None)
    assert varied.search("copper", available_at_before=day(3)).cutoff == day(3)
    assert varied.search("copper").mode == "hybrid"


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_library_answers_in_every_mode(open_library: Any, mode: str) -> None:
    """As a full one does at a cutoff at which nothing was visible."""
    results = open_library().search("copper", mode=mode)
    assert (list(results), results.mode, results.degraded) == ([], mode, None)


@pytest.mark.parametrize("mode", ["keyword", "", "HYBRID", None])
def test_an_unknown_mode_is_refused(varied: HybridLibrary, mode: Any) -> None:
    with pytest.raises(InvalidInput):
        varied.search("copper", mode=mode)


def test_without_an_embedder_words_are_searched_and_the_result_says_why(open_library: Any) -> None:
    library = open_library(embedder=None)
    library.put(note(1, "copper"))
    results = library.search("copper")
    assert results.mode == "lexical"
    assert results.degraded
    assert library.search("copper", mode="lexical").degraded is None
    with pytest.raises(HybridKBError):
        library.search("copper", mode="semantic")


def test_an_embedder_that_fails_at_query_time_leaves_the_words(library: HybridLibrary, embedder: HashEmbedder) -> None:
    library.put(note(1, "copper"))
    embedder.fail_with = ConnectionError("down")
    results = library.search("copper")
    assert (results.mode, len(results)) == ("lexical", 1)
    assert results.degraded
    with pytest.raises(EmbedderUnavailable):
        library.search("copper", mode="semantic")


def test_pending_vectors_are_counted_and_said(library: HybridLibrary, embedder: HashEmbedder) -> None:
    library.put(note(1, "copper"))
    embedder.fail_with = ConnectionError("down")
    report = library.put(note(2, "copper later"))
    assert (report.pending, report.embedded) == (1, 0)
    embedder.fail_with = None
    results = library.search("copper")
    assert {hit.item_id for hit in results} == {item_id(1), item_id(2)}
    assert results.pending == 1
    assert results.degraded
    assert library.search("copper", available_at_before=day(-1)).pending == 0
    assert library.embed_pending().embedded == 1
    results = library.search("copper")
    assert (results.pending, results.degraded) == (0, None)


# Arguments


def test_a_search_query_is_the_same_as_its_arguments(varied: HybridLibrary) -> None:
    query = SearchQuery("copper", top_k=3, mode="lexical", item_types=("note",))
    assert list(varied.search(query)) == list(varied.search("copper", top_k=3, mode="lexical", item_types="note"))
    assert varied.search(query).query == "copper"


def test_a_search_query_is_frozen_and_takes_no_companion(varied: HybridLibrary) -> None:
    query = SearchQuery("copper")
    with pytest.raises((AttributeError, TypeError, ValueError, dataclasses.FrozenInstanceError)):
        query.text = "wheat"  # type: ignore[misc]
    with pytest.raises(InvalidInput):
        varied.search(query, top_k=5)
    with pytest.raises(InvalidInput):
        varied.search(query, tags=["metal"])


@pytest.mark.parametrize("top_k", [0, -1, 10**9, 2.5, "ten"])
def test_a_top_k_that_cannot_be_is_refused(varied: HybridLibrary, top_k: Any) -> None:
    with pytest.raises(InvalidInput):
        varied.search("copper", top_k=top_k)


# Order


@pytest.fixture(scope="module")
def mixed(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path: Path = tmp_path_factory.mktemp("mixed") / "library.db"
    with HybridLibrary.open(path, embedder=HashEmbedder(16)) as library:
        library.put_many(mixed_items(seed=1))
        yield library


def mixed_items(seed: int) -> list[KnowledgeItem]:
    source = random.Random(5)
    words = ["copper", "supply", "wheat", "prices", "mines", "chile", "rising", "BRK.B", "10-K"]
    items: list[KnowledgeItem] = [
        note(name, " ".join(source.choices(words, k=source.randint(1, 30))), source.choice(words))
        for name in range(300)
    ]
    items += [
        filing(f"f{name}", [" ".join(source.choices(words, k=9)) for _ in range(4)], root="copper")
        for name in range(20)
    ]
    random.Random(seed).shuffle(items)
    return items


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fusion", ["rrf", "convex", None])
@pytest.mark.parametrize("collapse", [None, "item"])
def test_fewer_results_are_a_prefix_of_more(mixed: HybridLibrary, mode: str, fusion: Any, collapse: Any) -> None:
    most = mixed.search("copper supply prices", mode=mode, top_k=200, fusion=fusion, collapse=collapse)
    assert len(most) > 50
    for top_k in (1, 2, 10, 50, 100):
        fewer = mixed.search("copper supply prices", mode=mode, top_k=top_k, fusion=fusion, collapse=collapse)
        assert list(fewer) == list(most)[:top_k]


@pytest.mark.parametrize("mode", MODES)
def test_hits_are_ordered_by_score_then_locator(mixed: HybridLibrary, mode: str) -> None:
    hits = list(mixed.search("copper", mode=mode, top_k=200))
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    keys = [(not hit.explanation.guarded, -hit.score, str(hit.locator).encode()) for hit in hits]
    assert keys == sorted(keys)


@pytest.mark.parametrize("mode", MODES)
def test_order_does_not_depend_on_the_order_of_storing(mixed: HybridLibrary, open_library: Any, mode: str) -> None:
    other = open_library()
    for item in mixed_items(seed=2)[:200]:
        other.put(item)
    other.put_many(mixed_items(seed=2)[200:])
    for query in ("copper supply", "BRK.B prices", '"wheat prices" -mines'):
        ours, theirs = (library.search(query, mode=mode, top_k=50) for library in (mixed, other))
        assert [seen(hit) for hit in ours] == [seen(hit) for hit in theirs]


def seen(hit: SearchHit) -> Any:
    """A hit without what only says when and where this library recorded it."""
    return dataclasses.replace(hit, recorded_at=EPOCH, revision=0)


@pytest.mark.parametrize("mode", ["lexical", "semantic"])
@pytest.mark.parametrize("collapse", ["item", "document"])
def test_collapse_leaves_the_best_passage_of_each_helped_by_the_second(
    mixed: HybridLibrary, mode: str, collapse: Any
) -> None:
    """What hybrid does is compared with the reference: its scores depend on how deep the legs are read."""
    every = mixed.search("copper wheat", mode=mode, top_k=1000)
    collapsed = mixed.search("copper wheat", mode=mode, top_k=30, collapse=collapse)
    passages: dict[Any, list[SearchHit]] = {}
    for hit in every:
        passages.setdefault(hit.item_id, []).append(hit)
    earned = {several[0].locator: several[1].score / 4 for several in passages.values() if len(several) > 1}
    scores = {hits[0].locator: hits[0].score + earned.get(hits[0].locator, 0.0) for hits in passages.values()}
    expected = sorted(scores, key=lambda one: (-scores[one], str(one).encode()))[:30]
    assert [hit.locator for hit in collapsed] == expected
    assert [hit.score for hit in collapsed] == [scores[one] for one in expected]
    assert [hit.explanation.others for hit in collapsed] == [earned.get(one, 0.0) for one in expected]


def test_a_document_with_two_good_passages_is_before_one_with_a_slightly_better_one(open_library: Any) -> None:
    library = open_library(embedder=None)
    library.put(filing("twice", ["copper supply of the mines in the north", "copper supply of the smelters in mines"]))
    library.put(filing("once", ["copper supply of the mines", "lunch in the canteen"]))
    passages, documents = (
        library.search("copper supply mines", mode="lexical", collapse=collapse) for collapse in (None, "item")
    )
    assert passages[0].item_id == item_id("once")
    assert [hit.item_id for hit in documents] == [item_id("twice"), item_id("once")]
    assert documents[0].others == 1
    assert documents[0].score == passages_of(passages, "twice")[0].score + passages_of(passages, "twice")[1].score / 4


def passages_of(hits: SearchResults, name: str) -> list[SearchHit]:
    return [hit for hit in hits if hit.item_id == item_id(name)]


def test_min_score_acts_on_relevance_whatever_top_k(mixed: HybridLibrary) -> None:
    hits = list(mixed.search("copper supply", top_k=200))
    assert all(0.0 <= hit.relevance <= 1.0 for hit in hits)
    bar = sorted(hit.relevance for hit in hits)[len(hits) // 2]
    kept = [hit.locator for hit in hits if hit.relevance >= bar]
    assert 0 < len(kept) < len(hits)
    for top_k in (5, 200):
        found = mixed.search("copper supply", top_k=top_k, min_score=bar)
        assert all(hit.relevance >= bar for hit in found)
        assert [hit.locator for hit in found][: len(kept)] == kept[:top_k]


def test_an_exact_identifier_or_title_ranks_first(open_library: Any) -> None:
    library = open_library()
    library.put_many(note(name, "BRK.B BRK.B earnings of BRK.B " * 3, "BRK.B BRK.B") for name in range(30))
    library.put(earnings("the one", "BRK.B", "Q3 2024", guidance="a long text about many other things " * 9))
    library.put(note("titled", "unrelated words " * 30, "Organizing the copper mines"))
    for mode in ("lexical", "hybrid"):
        assert library.search("BRK.B", mode=mode)[0].item_id == item_id("the one"), mode
        assert library.search("organized THE copper mine", mode=mode)[0].item_id == item_id("titled"), mode
        assert library.search("Organizing the Copper Mines", mode=mode)[0].item_id == item_id("titled"), mode


def test_an_exact_name_is_found_however_much_else_matches(open_library: Any) -> None:
    library = open_library()
    library.put_many(note(name, "sector outlook " * 3, "IT sector outlook") for name in range(500))
    library.put(earnings("the one", "IT", "Q3 2024", guidance="many other things " * 99))
    for mode in ("lexical", "hybrid"):
        assert library.search("IT sector outlook for now", mode=mode)[0].item_id == item_id("the one"), mode


def test_relevance_does_not_depend_on_top_k(open_library: Any) -> None:
    """A record that one leg puts behind its two hundred best is still as relevant as that leg finds it."""
    texts = [f"copper supply {number}" for number in range(250)]
    last = "copper supply of many other words"
    table = {text: [0.0, 1.0] for text in texts} | {last: [0.1, 1.0], "copper supply": [1.0, 0.0]}
    library = open_library(embedder=TableEmbedder(table, 2))
    library.put_many(note(text, text) for text in (*texts, last))
    few, many = (library.search("copper supply", top_k=top_k) for top_k in (200, 300))
    relevance = {hit.locator: hit.relevance for hit in many}
    assert item_id(last) in {hit.item_id for hit in few}
    assert {hit.locator: hit.relevance for hit in few} == {hit.locator: relevance[hit.locator] for hit in few}
    for top_k in (200, 300):
        kept = library.search("copper supply", top_k=top_k, min_score=0.3)
        assert item_id(last) in {hit.item_id for hit in kept}


# What a hit carries


def test_a_hit_carries_what_a_reader_needs(open_library: Any, embedder: Embedder) -> None:
    library = open_library()
    source = SourceRef(kind="http", uri="https://example.org/copper", published_at=EPOCH, fetched_at=day(1))
    card = Provenance("article", "essay", "2024-01-05", "keep", "https://example.org/copper")
    cited = Citation(source_id="s1", page=3, quote="copper rose")
    item = note(1, "The price of copper rose.", "Metals", source=source, provenance=card, citations=(cited,))
    library.put(item)
    (hit,) = library.search("copper prices")
    assert hit.locator == Locator("item", item.id)
    assert (hit.rank, hit.item_id, hit.node_id, hit.item_type) == (1, item.id, None, "note")
    assert hit.title == "Metals"
    assert hit.matched_text == "Metals\n\nThe price of copper rose."
    assert "[copper]" in hit.snippet
    assert "[price]" in hit.snippet
    assert (hit.as_of, hit.available_at) == (item.as_of, item.available_at)
    assert hit.source == source
    assert hit.provenance == card
    assert tuple(hit.citations) == (cited,)
    assert library.resolve(hit.locator) == item
    assert (hit.projection.modality, hit.projection.version) == ("text", 1)
    assert embedder.space.model in str(hit.projection.space)


def test_an_explanation_tells_rank_score_and_share_of_each_leg(library: HybridLibrary) -> None:
    library.put_many([note(1, "copper prices"), note(2, "wheat exports")])
    first, second = library.search("copper price")
    words, meaning = first.explanation.lexical, first.explanation.semantic
    assert (words.rank, meaning.rank) == (1, 1)
    assert words.score > 0
    assert words.weight > 1.0
    assert (words.share, meaning.weight, meaning.share) == (words.weight / 61, 1.0, 1 / 61)
    assert first.score == words.share + meaning.share
    assert set(first.explanation.matched_terms) >= {"copper"}
    assert second.explanation.lexical is None
    assert second.explanation.semantic.rank == 2
    (only,) = library.search("copper", mode="lexical")
    assert only.explanation.semantic is None
    by_rank = library.search("copper price", fusion=Fusion(by_relevance=False))[0].explanation
    assert (by_rank.lexical.weight, by_rank.lexical.share) == (1.0, 1 / 61)


def test_words_weigh_what_the_record_holds_of_the_query(open_library: Any) -> None:
    """Who holds the code that is asked for ranks first, however the meaning of the others ranks."""
    library = open_library()
    library.put_many([note(number, f"wheat exports fell {number}") for number in range(2, 40)])
    library.put(note(1, "order 9917X was rejected"))
    for query in ("9917X", "rejected 9917X"):
        first = library.search(query)[0]
        assert first.item_id == item_id(1)
        assert first.explanation.lexical.weight > first.explanation.semantic.weight
    loose = library.search("9917X wheat silver copper zinc tin lead nickel")
    weights = {hit.item_id: hit.explanation.lexical.weight for hit in loose if hit.explanation.lexical}
    assert weights[item_id(1)] < 1.0


def test_a_node_is_addressed_by_its_locator(library: HybridLibrary) -> None:
    tree = filing("f", {"risk": "copper prices may fall", "other": "wheat"}, citations=(Citation(page=1),))
    library.put(tree)
    hit = library.search("copper", mode="lexical")[0]
    assert (hit.locator, hit.item_id, hit.node_id) == (Locator("item", tree.id, "risk"), tree.id, "risk")
    assert library.resolve(hit.locator) == tree.nodes["risk"]
    assert str(hit.locator) == f"item:{tree.id}#risk"


def test_a_trees_root_is_indexed_once(library: HybridLibrary) -> None:
    tree = filing("f", ["first", "second"], title="Copper report", root="uniqueword in the root")
    report = library.put(tree)
    assert report.records == 3
    hits = library.search("uniqueword", mode="lexical")
    assert [(hit.item_id, hit.node_id) for hit in hits] == [(tree.id, None)]


def test_matched_words_are_bracketed_by_stem_case_and_accent(library: HybridLibrary) -> None:
    library.put(note(1, "Señor Müller's ORGANIZATION rose 3.5% on BRK.B news"))
    (hit,) = library.search("senor organizations BRK.B 3.5%", mode="lexical")
    for word in ("[Señor]", "[ORGANIZATION]", "[3.5%]", "[BRK.B]"):
        assert word in hit.snippet


def test_explanations_of_a_past_search_tell_its_statistics(library: HybridLibrary) -> None:
    library.put_many([note(1, "copper"), note(2, "copper", available_at=day(9)), note(3, "wheat", available_at=day(9))])
    now = library.search("copper")[0].explanation
    then = library.search("copper", available_at_before=day(1))[0].explanation
    assert now.lexical.score != then.lexical.score
