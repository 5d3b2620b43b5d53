"""What is quoted is required, unless nothing holds it and the query says more than its quotes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from oracles.items import item_id, note
from support.fake_embedder import HashEmbedder

NOTE = "nothing holds what is quoted"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[HybridLibrary]:
    with HybridLibrary.open(tmp_path / "library.db", embedder=HashEmbedder(8)) as opened:
        opened.put_many([note(1, "supply of copper"), note(2, "copper demand", tags=("asia",)), note(3, "wheat")])
        yield opened


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_words_answer_when_nothing_holds_the_quotes_and_there_are_others(library: HybridLibrary, mode: Any) -> None:
    found = library.search('remarks on "copper supply"', mode=mode)
    assert found[0].item_id == item_id(1)
    assert NOTE in (found.degraded or "")


def test_quotes_alone_stay_required(library: HybridLibrary) -> None:
    found = library.search('"copper supply"')
    assert (len(found), found.degraded) == (0, None)


@pytest.mark.parametrize("query", ['remarks on "copper demand"', 'wheat "supply of copper"'])
def test_quotes_that_something_holds_stay_required(library: HybridLibrary, query: str) -> None:
    found = library.search(query)
    assert len(found) == 1
    assert found.degraded is None


def test_every_word_asked_for_keeps_quotes_required(library: HybridLibrary) -> None:
    assert len(library.search('copper "copper supply"', match="all")) == 0


def test_what_is_excluded_stays_out(library: HybridLibrary) -> None:
    found = library.search('remarks on "copper supply" -demand', mode="lexical")
    assert [hit.item_id for hit in found] == [item_id(1)]


def test_only_what_passes_the_filters_counts_as_holding(library: HybridLibrary) -> None:
    found = library.search('remarks on "supply of copper"', mode="lexical", tags=["asia"])
    assert [hit.item_id for hit in found] == [item_id(2)]
    assert NOTE in (found.degraded or "")
    assert library.search('remarks on "supply of copper"', tags=["nowhere"]).degraded is None
