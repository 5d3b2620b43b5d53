"""Agents find, read, list and cite papers with the tools they have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidQuery, NotFound
from hybridkb.tools import search_knowledge
from hybridkb.tools.listing import list_sources
from hybridkb.tools.reading import get_knowledge
from hybridkb.tools.status import knowledge_status
from oracles.items import day, note
from support.papers import make_result


@pytest.fixture
def result(library: HybridLibrary) -> Any:
    made = make_result(arxiv_id="1706.03762v7", available_at=day(1), tags=("nlp",))
    library.put_paper(made)
    library.put(note("n", "attention in a note", title="A note"))
    return made


def test_a_passage_is_cited_with_its_page(library: HybridLibrary, result: Any) -> None:
    answer = search_knowledge(library, "multi-head attention functions", item_types=["paper_chunk_set"])
    assert json.loads(json.dumps(answer)) == answer
    hit = answer["hits"][0]
    assert (hit["title"], hit["heading"], hit["page"]) == ("Attention in Tests", "2 Model", 2)
    assert hit["locator"] == f"artifact:{result.chunk_set.id}#c0002"
    assert hit["source"]["uri"] == "https://arxiv.org/abs/attention"


def test_a_summary_is_cited_with_the_pages_it_rests_on(library: HybridLibrary, result: Any) -> None:
    hit = search_knowledge(library, "translates better", item_types=["paper_summary"])["hits"][0]
    assert (hit["title"], hit["cited_pages"]) == ("Attention in Tests", [1, 2, 3])
    assert "page" not in hit
    assert "heading" not in hit


def test_a_passage_is_read_with_its_neighbours(library: HybridLibrary, result: Any) -> None:
    answer = get_knowledge(library, f"artifact:{result.chunk_set.id}#c0002", before=1, after=1)
    assert (answer["title"], answer["part"], answer["parts"]) == ("Attention in Tests", 3, 5)
    assert [(one["heading"], one["page"]) for one in answer["passages"]] == [
        ("1 Introduction", 1), ("2 Model", 2), ("2 Model", 2)
    ]  # fmt: skip
    assert answer["next"] == f"artifact:{result.chunk_set.id}#c0003"
    assert answer["citations"][0]["page"] == 2
    page = get_knowledge(library, f"artifact:{result.chunk_set.id}#c0002", extent="page")
    assert [one["locator"][-5:] for one in page["passages"]] == ["c0002", "c0003"]


def test_a_paper_is_read_from_its_summary_on(library: HybridLibrary, result: Any) -> None:
    answer = get_knowledge(library, f"source:{result.source.id}")
    assert (answer["title"], answer["part"], answer["parts"]) == ("Attention in Tests", 1, 6)
    assert answer["authors"] == ["A. Tester", "B. Checker"]
    assert result.summary.text in answer["passages"][0]["text"]
    assert answer["next"] == f"artifact:{result.chunk_set.id}#c0000"
    whole = get_knowledge(library, f"artifact:{result.tree.id}#2")
    assert whole["passages"][0]["heading"] == "2 Model"


def test_every_hit_can_be_read(library: HybridLibrary, result: Any) -> None:
    for hit in search_knowledge(library, "attention", limit=50)["hits"]:
        assert get_knowledge(library, hit["locator"])["passages"]


def test_wrong_addresses_are_told(library: HybridLibrary, result: Any) -> None:
    for locator, said in (
        (f"item:{result.source.id}", "source:"),
        (f"item:{result.chunk_set.id}", "artifact:"),
        (f"artifact:{result.chunk_set.id}#nothing", "no part of that name"),
        (f"source:{result.source.id}#c0001", "no part of that name"),
        (f"artifact:{result.source.id}", "not an artifact"),
    ):
        with pytest.raises(NotFound, match=said):
            get_knowledge(library, locator)
    with pytest.raises(InvalidQuery):
        get_knowledge(library, f"artifact:{result.chunk_set.id}#c0002", offset=10_000)


def test_papers_are_listed_as_documents(library: HybridLibrary, result: Any) -> None:
    answer = list_sources(library)
    assert answer["total"] == 2
    row = next(one for one in answer["rows"] if one["item_type"] == "paper_source")
    assert (row["title"], row["passages"], row["tags"]) == ("Attention in Tests", 10, ["nlp"])
    assert row["locator"] == f"source:{result.source.id}"
    assert get_knowledge(library, row["locator"])["title"] == "Attention in Tests"
    tags = list_sources(library, "tags")["rows"]
    assert [(one["value"], one["passages"], one["documents"]) for one in tags] == [("nlp", 10, 1)]
    types = {one["value"]: one["documents"] for one in list_sources(library, "types")["rows"]}
    assert types == {"note": 1, "paper_chunk_set": 1, "paper_summary": 1, "paper_tree": 1}


def test_the_tools_look_no_further_than_the_cutoff(library: HybridLibrary, result: Any) -> None:
    early = day(0)
    assert search_knowledge(library, "attention", available_at_before=early, item_types=["paper_summary"])["count"] == 0
    assert list_sources(library, available_at_before=early)["total"] == 1
    for locator in (f"source:{result.source.id}", f"artifact:{result.chunk_set.id}#c0000"):
        with pytest.raises(NotFound):
            get_knowledge(library, locator, available_at_before=early)
        assert get_knowledge(library, locator, available_at_before=day(2))
    assert knowledge_status(library, available_at_before=early)["papers"] == 0
    assert knowledge_status(library)["papers"] == 1


def test_a_withdrawn_paper_is_not_listed(library: HybridLibrary, result: Any) -> None:
    library.delete(result.source.id, at=day(5))
    assert [one["item_type"] for one in list_sources(library)["rows"]] == ["note"]
    assert list_sources(library, available_at_before=day(4))["total"] == 2
