"""One artifact of each kind is seen, the others are reached by name and count in nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidInput, NotFound
from oracles.items import day, item_id, note
from support.fake_embedder import HashEmbedder
from support.papers import make_chunk_set, make_result, make_source, make_summary, result_of

QUESTION = "attention instead of recurrence"


@pytest.fixture
def pair(library: HybridLibrary) -> tuple[Any, Any]:
    """The chunk sets of one paper, the first in place of which the second is current."""
    first, second = make_result(summary="One."), make_result(summary="Two.", blocks_per_chunk=2)
    library.put_paper(first)
    library.put_paper(second)
    return first, second


def owners(found: Any) -> set[Any]:
    return {hit.artifact_id for hit in found}


def test_searches_see_the_newest_alone(library: HybridLibrary, pair: tuple[Any, Any]) -> None:
    first, second = pair
    for mode in ("lexical", "semantic", "hybrid"):
        found = owners(library.search(QUESTION, mode=mode, top_k=50))  # type: ignore[arg-type]
        assert found == {second.chunk_set.id, second.summary.id, first.tree.id}, mode
    assert library.stats().artifacts == {"paper_chunk_set": 2, "paper_summary": 2, "paper_tree": 1}
    assert library.stats().visible_records == 8
    assert library.stats().item_types == {"paper_chunk_set": 3, "paper_summary": 1, "paper_tree": 4}


def test_siblings_are_found_when_they_are_named(library: HybridLibrary, pair: tuple[Any, Any]) -> None:
    first, _ = pair
    for mode in ("lexical", "semantic", "hybrid"):
        hits = library.search(QUESTION, mode=mode, artifact_ids=[first.chunk_set.id], top_k=50)  # type: ignore[arg-type]
        assert owners(hits) == {first.chunk_set.id}, mode
        assert hits.pending == 0
    both = [first.chunk_set.id, first.tree.id]
    assert owners(library.search(QUESTION, artifact_ids=both, top_k=50)) == set(both)


def test_siblings_count_in_no_statistic(open_library: Any) -> None:
    """Scores are those of a library that never held the siblings."""
    library, alone = open_library(), open_library("alone.db")
    library.put_paper(make_result(summary="One."))
    for one in (library, alone):
        one.put_paper(make_result(summary="Two.", blocks_per_chunk=2))
        one.put(note("n", "attention to recurrence"))
    for mode in ("lexical", "semantic", "hybrid"):
        found, expected = library.search(QUESTION, mode=mode, top_k=50), alone.search(QUESTION, mode=mode, top_k=50)
        assert [(str(hit.locator), hit.score.hex()) for hit in found] == [
            (str(hit.locator), hit.score.hex()) for hit in expected
        ], mode
        assert found.fingerprint == expected.fingerprint
    named = library.search(QUESTION, mode="lexical", artifact_ids=[make_result().chunk_set.id])
    assert named[0].explanation.records == expected[0].explanation.records == 9
    assert named[0].explanation.document_frequencies == expected[0].explanation.document_frequencies


def test_a_named_search_has_a_fingerprint_of_its_own(library: HybridLibrary) -> None:
    result = make_result(summary=None)
    library.put_paper(result)
    asked: dict[str, Any] = {"artifact_ids": [make_chunk_set(result.source, blocks_per_chunk=2).id], "mode": "lexical"}
    before = library.search(QUESTION, **asked)
    library.put_paper(make_result(summary=None, blocks_per_chunk=2))
    library.make_current(result.chunk_set.id)
    after = library.search(QUESTION, **asked)
    assert (len(before), len(after)) == (0, 3)
    assert before.fingerprint != after.fingerprint
    assert library.search(QUESTION, mode="lexical").fingerprint != after.fingerprint


def test_named_siblings_follow_the_cutoff(library: HybridLibrary) -> None:
    first = make_result(available_at=day(3), summary=None)
    library.put_paper(first)
    library.put_paper(make_result(available_at=day(3), summary=None, blocks_per_chunk=2))
    asked = {"artifact_ids": [first.chunk_set.id], "mode": "lexical"}
    assert not library.search(QUESTION, available_at_before=day(2), **asked)  # type: ignore[arg-type]
    assert library.search(QUESTION, available_at_before=day(3), **asked)  # type: ignore[arg-type]
    assert library.snapshot(at=day(3)).search(QUESTION, **asked)  # type: ignore[arg-type]


def test_make_current_exchanges_them(library: HybridLibrary, pair: tuple[Any, Any]) -> None:
    first, second = pair
    snapshot = library.snapshot(at=day(9))
    assert library.make_current(first.chunk_set.id)
    assert not library.make_current(first.chunk_set.id), "it is current already"
    assert library.get_paper(first.source.id).chunk_set == first.chunk_set
    assert second.chunk_set.id not in owners(library.search(QUESTION, top_k=50))
    assert first.chunk_set.id in owners(library.search(QUESTION, top_k=50))
    assert snapshot.changed
    examples = [one for finding in library.audit().findings for one in finding.examples]
    assert [one.subject for one in examples if one.detail.startswith("current")][:1] == [str(first.chunk_set.id)]
    library.rebuild()
    assert library.get_paper(first.source.id).chunk_set == first.chunk_set, "a rebuild keeps the choice"
    assert first.chunk_set.id in owners(library.search(QUESTION, top_k=50))


def test_another_process_sees_the_exchange(open_library: Any) -> None:
    writer, reader = open_library(), open_library(embedder=HashEmbedder(16))
    first, second = make_result(summary=None), make_result(summary=None, blocks_per_chunk=2)
    writer.put_paper(first)
    assert first.chunk_set.id in owners(reader.search(QUESTION))
    writer.put_paper(second)
    assert owners(reader.search(QUESTION, artifact_kinds=["paper_chunk_set"])) == {second.chunk_set.id}
    writer.optimize()
    writer.make_current(first.chunk_set.id)
    assert owners(reader.search(QUESTION, artifact_kinds=["paper_chunk_set"])) == {first.chunk_set.id}
    writer.optimize()
    assert owners(reader.search(QUESTION, artifact_kinds=["paper_chunk_set"])) == {first.chunk_set.id}


def test_what_is_no_artifact_cannot_be_current(library: HybridLibrary, pair: tuple[Any, Any]) -> None:
    library.put(note("n", "text"))
    for name in (item_id("n"), pair[0].source.id):
        with pytest.raises(NotFound, match="not an artifact"):
            library.make_current(name)
    with pytest.raises(NotFound, match="holds no"):
        library.make_current(item_id("nothing"))
    library.delete(pair[0].chunk_set.id)
    with pytest.raises(InvalidInput, match="withdrawn"):
        library.make_current(pair[0].chunk_set.id)


def test_collapse_by_artifact_and_by_paper(library: HybridLibrary, pair: tuple[Any, Any]) -> None:
    library.put_paper(make_result("another", title="Another", summary="Attention in another paper."))
    library.put(note("n", "attention"))
    by_item = library.search("attention", collapse="item", top_k=50)
    assert len(by_item) == 7
    assert len({str(hit.locator).partition("#")[0] for hit in by_item}) == 7
    by_document = library.search("attention", collapse="document", top_k=50)
    assert len(by_document) == 3
    assert {hit.source_id for hit in by_document if hit.source_id} == {pair[0].source.id, make_source("another")[0].id}
    assert sum(hit.others + 1 for hit in by_document) == len(library.search("attention", top_k=50))


def test_counts_and_lists_see_what_searches_see(library: HybridLibrary, pair: tuple[Any, Any]) -> None:
    first, second = pair
    counts = library.count(artifact_kinds=["paper_chunk_set"])
    assert (counts.records, counts.items, counts.passing) == (8, 1, 3)
    named = library.count(artifact_ids=[first.chunk_set.id])
    assert (named.records, named.passing) == (8, 5)
    assert [(one.alone, one.without) for one in named.filters] == [(5, 8)]
    values = {one.value: (one.records, one.items) for one in library.list_values("artifact_kinds").values}
    assert values == {"paper_chunk_set": (3, 1), "paper_summary": (1, 1), "paper_tree": (4, 1)}
    page = library.list_items()
    assert [(one.item_id, one.item_type, one.title, one.records, str(one.locator)) for one in page.items] == [
        (first.source.id, "paper_source", "Attention in Tests", 8, f"source:{first.source.id}")
    ]
    assert library.list_items(ids=[first.source.id]).items == page.items
    assert library.list_items(artifact_ids=[first.chunk_set.id]).items[0].records == 5
    assert second.chunk_set.id


def test_a_withdrawn_current_one_leaves_its_place(library: HybridLibrary, pair: tuple[Any, Any]) -> None:
    first, second = pair
    library.delete(second.chunk_set.id)
    assert not library.search(QUESTION, artifact_kinds=["paper_chunk_set"])
    assert library.make_current(first.chunk_set.id)
    assert owners(library.search(QUESTION, artifact_kinds=["paper_chunk_set"])) == {first.chunk_set.id}


def test_equal_words_from_other_chunks_correct_the_summary(library: HybridLibrary) -> None:
    """The same text and citations give the same id, though it was made from another chunk set."""
    source, blobs = make_source()
    one, two = make_chunk_set(source), make_chunk_set(source, blocks_per_chunk=2)
    cited = [("c0000", 1)]
    first = make_summary(source, one, "Equal.", cited=cited)
    second = make_summary(source, two, "Equal.", cited=cited)
    assert first.id == second.id
    library.put_paper(replace(result_of(source, blobs), chunk_set=one, summary=first))
    report = library.put_paper(replace(result_of(source, blobs), chunk_set=two, summary=second))
    assert [each.effect for each in report.artifacts] == ["added", "corrected", "unchanged"]
    assert library.get_artifact(first.id) == second
