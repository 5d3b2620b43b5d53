"""A candidate carries papers whole; what happens to them meanwhile is neither lost nor undone when it takes over."""

from __future__ import annotations

from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import NotFound
from hybridkb.evaluation import promote, reindex
from oracles.items import day
from support.candidates import holding_of
from support.judged_library import BETTER, FAIR, evaluate, fill, gold
from support.papers import make_result, picture_bytes

KEPT = make_result(available_at=day(1))
SIBLING = make_result(available_at=day(1), blocks_per_chunk=2, summary="Two.", prompt="2")
GONE = make_result("gone", title="Zebrasecret", available_at=day(1))


@pytest.fixture
def library(open_library: Any) -> HybridLibrary:
    library = fill(open_library(embedder=FAIR))
    for result in (KEPT, SIBLING, GONE):
        library.put_paper(result)
    library.make_current(KEPT.chunk_set.id)
    evaluate(library, k=3)
    promote(library, baseline=True)
    return library


def kept(library: HybridLibrary) -> Any:
    paper = library.get_paper(KEPT.source.id)
    return paper.source, paper.chunk_set, paper.summary, paper.tree, {n: library.get_blob(n) for n in KEPT.source.blobs}


@pytest.mark.parametrize("change", [{"embedder": BETTER}, {"embedder": BETTER, "language": "german"}])
def test_papers_go_along_and_stay_as_they_were_chosen(library: HybridLibrary, change: dict[str, Any]) -> None:
    before = kept(library)
    how: dict[str, Any] = {"gold": gold(), "k": 3, "depth": 20, "resamples": 200, **change}
    built = reindex(library, **how)
    with HybridLibrary.open(built.candidate, embedder=BETTER) as copy:
        assert kept(copy) == before
        copy.check().raise_if_broken()
    library.purge(GONE.source.id)
    library.make_current(SIBLING.chunk_set.id)
    library.put_paper(make_result("later", title="Later", available_at=day(2)))
    with HybridLibrary.open(built.candidate, embedder=BETTER) as copy:
        for read in (lambda: copy.get_paper(GONE.source.id), lambda: copy.get_blob(GONE.source.sha256)):
            with pytest.raises(NotFound):
                read()
        copy.check().raise_if_broken()
    reindex(library, **how)
    promote(library, embedder=BETTER, gold=gold())
    library.check().raise_if_broken()
    assert library.get_paper(KEPT.source.id).chunk_set == SIBLING.chunk_set
    hits = library.search("multi-head attention", artifact_kinds=["paper_chunk_set"], top_k=50)
    assert {hit.artifact_id for hit in hits} == {SIBLING.chunk_set.id, make_result("later").chunk_set.id}
    library.compact()
    assert holding_of(library, "Zebrasecret", picture_bytes("gone", 1)) == []
