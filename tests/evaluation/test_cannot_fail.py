"""A gold set with which an evaluation would prove nothing is refused, with every reason."""

from __future__ import annotations

from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidGoldSet
from hybridkb.evaluation import gold_set_of
from hybridkb.knowledge import Provenance
from hybridkb.knowledge.card import card_id
from hybridkb.memory import KnowledgeCard, ingest_sources
from oracles.items import day, filing, item_id, note
from support.judged_library import documents, evaluate, records

Records = list[dict[str, Any]]


def reasons(library: HybridLibrary, given: Records, **arguments: Any) -> str:
    with pytest.raises(InvalidGoldSet) as caught:
        evaluate(library, given, **arguments)
    assert caught.value.reasons
    return str(caught.value)


def test_nothing_and_only_negative_queries_are_refused(library: HybridLibrary) -> None:
    library.put_many(documents())
    assert "it is empty" in reasons(library, [])
    assert "no query has an answer" in reasons(library, [{"query": "a", "relevant": []}])


def test_a_search_that_stands_there_twice_is_refused(library: HybridLibrary) -> None:
    library.put_many(documents())
    twice = [{**records()[0], "id": "first"}, {**records()[0], "relevant": [str(item_id(3))], "id": "second"}]
    said = reasons(library, twice)
    assert "'first'" in said
    assert "'second'" in said
    narrowed = [records()[0], {**records()[0], "cutoff": "2024-06-01"}]
    assert evaluate(library, narrowed, k=5).queries == 2


def test_absent_answers_are_listed_with_the_reason(library: HybridLibrary) -> None:
    library.put_many(documents())
    library.put(note("later", "copper", available_at=day(100)))
    library.delete(item_id(0), at=day(50))
    given = [
        *records(5)[1:],
        {"query": "gone", "relevant": [str(item_id("never"))]},
        {"query": "withdrawn", "relevant": [str(item_id(0))]},
        {"query": "too late", "relevant": [str(item_id("later"))], "cutoff": "2024-01-31"},
        {"query": "right type", "relevant": [str(item_id(7))], "filters": {"item_types": "note"}},
    ]
    said = reasons(library, given)
    assert "3 of 8 answers cannot be found" in said
    assert f"'gone'): {item_id('never')} (the library does not hold it)" in said
    assert f"'withdrawn'): {item_id(0)} (filters, cutoff or a withdrawal hide it)" in said
    assert "'too late'" in said
    assert "'right type'" not in said


def test_a_share_of_absent_answers_may_be_allowed_and_counts_as_missed(library: HybridLibrary) -> None:
    library.put_many(documents())
    given = [*records(9), {"query": "gone", "relevant": [str(item_id("never"))]}]
    assert "1 of 10" in reasons(library, given, absent_share=0.09)
    report = evaluate(library, given, absent_share=0.1, k=5)
    assert len(report.absent) == 1
    assert report.by_query[-1].values["hybrid"]["recall"] == 0
    assert report.recall("lexical") <= 0.9


def test_k_as_large_as_what_can_be_found_is_refused(library: HybridLibrary) -> None:
    library.put_many(documents(10))
    given = records(3)
    assert "k = 10 is not smaller" in reasons(library, given, k=10)
    assert evaluate(library, given, k=9).queries == 3


def test_a_filter_that_leaves_no_more_than_k_is_named_and_refused_when_most_are_such(library: HybridLibrary) -> None:
    library.put_many([*documents(), *(note(f"t{n}", f"tagged {n}", tags=("rare",)) for n in range(4))])
    narrow = {"query": "tagged", "relevant": [str(item_id("t0"))], "filters": {"tags": ["rare"]}, "id": "narrow"}
    notes = " ".join(evaluate(library, [*records(3), narrow], k=4).notes)
    assert "for 1 of 4 queries" in notes
    assert "'narrow'" in notes
    assert "line 1" not in notes
    assert not evaluate(library, [*records(3), narrow], k=3).notes
    others = [{**narrow, "query": f"tagged {n}", "id": f"narrow {n}"} for n in range(3)]
    assert "for 4 of 7 queries" in reasons(library, [*records(3), narrow, *others], k=4)


def test_documents_are_counted_where_documents_are_judged(library: HybridLibrary) -> None:
    library.put_many([filing(n, [f"part {n} {m}" for m in range(6)]) for n in range(4)])
    whole = [{"query": "part 1", "relevant": [str(item_id(1))]}]
    part = [{"query": "part 1", "relevant": [f"item:{item_id(1)}#s3"]}]
    assert "k = 4 is not smaller" in reasons(library, whole, k=4)
    assert evaluate(library, part, k=4).queries == 1


def test_a_query_that_everything_answers_is_refused(library: HybridLibrary) -> None:
    library.put_many(documents(6))
    every = {"query": "word1", "relevant": [str(item_id(number)) for number in range(6)]}
    assert "everything that can be found is judged right for 1 queries" in reasons(library, [every], k=3)


def test_all_reasons_are_told_at_once(library: HybridLibrary) -> None:
    library.put_many(documents(5))
    given = [records(1)[0], {"query": "gone", "relevant": [str(item_id("never"))]}]
    with pytest.raises(InvalidGoldSet) as caught:
        evaluate(library, given, k=5)
    assert len(caught.value.reasons) == 2


def test_a_refused_gold_set_leaves_no_run(library: HybridLibrary) -> None:
    from hybridkb.evaluation import list_runs

    library.put_many(documents(5))
    reasons(library, gold_set_of([]).records, k=3)  # type: ignore[arg-type]
    assert list_runs(library) == []


def test_one_document_under_two_names_would_count_twice_and_is_refused(library: HybridLibrary) -> None:
    library.put_many(documents())
    article = Provenance("article")
    cards = [KnowledgeCard(f"cards/{one}", f"zinc{one} ore tin{one} ore", article) for one in range(8)]
    ingest_sources(library, cards, words_per_chunk=2, overlap=0)
    same = {"item": str(card_id("cards/1"))}
    for other in ({"document": "cards/1"}, {"document": "cards/1", "quote": "zinc1"}):
        said = reasons(library, [{"query": "zinc1", "relevant": [same, other]}, *records()])
        assert "1 answers are judged under two names" in said
        assert "cards/1" in said
    parts = [["cards/1", 0], {"document": "cards/1", "quote": "tin1"}]
    assert evaluate(library, [{"query": "zinc1 tin1", "relevant": parts}, *records()], k=3).queries == 31
