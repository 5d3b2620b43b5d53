"""``match``: any word, every word, or every word when anything holds them all."""

from __future__ import annotations

from typing import Any

import pytest

from hybridkb import HybridLibrary, SearchQuery
from hybridkb.errors import InvalidQuery
from oracles import items

BODIES = (
    "The desk gapped up on copper",  # 1
    "copper alone",  # 2
    "a gap in the gold market, far from any desk",  # 3
    "BRK.B files a 10-K",  # 4
    "BRKB and the long view of a short term",  # 5
    "the 10 best letters after k; long-term",  # 6
    "本季度用户增长放缓",  # 7
    "用户 then 增长 apart, 户增 too",  # 8
    "red metal prices",  # 9
)


@pytest.fixture
def desk(library: HybridLibrary) -> HybridLibrary:
    library.put_many([items.note(number, body) for number, body in enumerate(BODIES, start=1)])
    return library


def found(library: HybridLibrary, text: str, match: str, **more: Any) -> set[int]:
    results = library.search(text, match=match, mode=more.pop("mode", "lexical"), **more)
    return {number for number in range(1, len(BODIES) + 1) for hit in results if hit.item_id == items.item_id(number)}


@pytest.mark.parametrize(
    ("text", "holders"),
    [
        ("desk copper", {1}),
        ("gaps desks", {1, 3}),  # by stem
        ("the desk of copper", {1}),  # function words do not count
        ("BRK.B", {4, 5}),  # with or without its signs
        ("10-K", {4}),  # not by its scattered pieces
        ("long-term", {5, 6}),  # a compound, or all of its parts
        ("用户增长", {7, 8}),  # every pair
        ("copper OR gold desk", {1, 3}),
        ('"red metal" OR copper', {1, 2, 9}),
        ("cop* desk", {1}),
        ("copper silver", set()),
        ("copper -desk", {2}),
    ],
)
def test_all_keeps_what_holds_every_word(desk: HybridLibrary, text: str, holders: set[int]) -> None:
    assert found(desk, text, "all") == holders
    assert found(desk, text, "all", mode="hybrid") == holders


def test_all_first_takes_any_word_only_when_nothing_holds_all(desk: HybridLibrary) -> None:
    assert found(desk, "copper desk", "all_first") == {1}
    assert desk.search("copper desk", match="all_first").match == "all"
    assert found(desk, "copper silver", "all_first") == {1, 2}
    assert desk.search("copper silver", match="all_first").match == "any"


def test_whether_anything_holds_all_is_asked_of_what_passes_the_filter(library: HybridLibrary) -> None:
    library.put_many([items.note(1, "copper desk", tags=("a",)), items.note(2, "copper", tags=("b",))])
    assert found(library, "copper desk", "all_first", tags="b") == {2}


def test_every_word_narrows_candidates_not_statistics(desk: HybridLibrary) -> None:
    every = {hit.locator: hit.score for hit in desk.search("gap desk", match="all", mode="lexical")}
    some = {hit.locator: hit.score for hit in desk.search("gap desk", mode="lexical")}
    assert every
    assert all(some[locator] == score for locator, score in every.items())


def test_semantic_search_is_narrowed_too(desk: HybridLibrary) -> None:
    assert found(desk, "copper desk", "all", mode="semantic") == {1}


def test_a_query_without_words_is_not_narrowed(desk: HybridLibrary) -> None:
    assert len(desk.search("???", match="all")) == 0
    assert desk.search("???", match="all").match == "any"


def test_another_value_is_refused(desk: HybridLibrary) -> None:
    with pytest.raises(InvalidQuery, match="match is one of 'any', 'all', 'all_first'"):
        desk.search("copper", match="every")  # type: ignore[arg-type]
    with pytest.raises(InvalidQuery, match="match"):
        desk.search(SearchQuery("copper"), match="all")
