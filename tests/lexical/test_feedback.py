"""Words of the best candidates are sought when nothing holds all of the query's, from what is visible, and named."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hybridkb import HybridLibrary, SearchResults
from hybridkb.errors import InvalidInput
from hybridkb.knowledge import Note
from hybridkb.lexical.feedback import MOST_SOURCES, SOURCES, source_places
from hybridkb.lexical.ranking import RankingSettings
from hybridkb.store.settings import LibrarySettings
from oracles.items import day, item_id, note
from support.fake_embedder import HashEmbedder
from support.raw_file import run

OTHERS = ("granite", "harbour", "lantern", "meadow", "orchard", "quarry", "saddle", "timber", "violet", "willow")
QUERY = "smelter wages"
"""No record holds both words; those with ``smelter`` share ``furnace``."""


def records() -> list[Note]:
    """Three that speak of smelters, two of them of furnaces; one of wages and a furnace, one of wages alone."""
    found = [
        note("hot", "smelter furnace furnace", available_at=day(0)),
        note("hotter", "smelter furnace", available_at=day(0)),
        note("near", "wages furnace", available_at=day(0)),
        note("far", "wages violin", available_at=day(0)),
        note("unnamed", "furnace furnace furnace", available_at=day(0)),
    ]
    others = (f"{OTHERS[number % 10]} {OTHERS[(number + 3) % 10]}" for number in range(40))
    return found + [note(f"other {number}", text, available_at=day(0)) for number, text in enumerate(others)]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[HybridLibrary]:
    with HybridLibrary.open(tmp_path / "library.db", embedder=None) as opened:
        opened.put_many(records())
        yield opened


def ids(results: SearchResults) -> list[Any]:
    return [hit.item_id for hit in results]


def test_a_word_that_the_best_share_moves_a_candidate_up(library: HybridLibrary) -> None:
    found = library.search(QUERY, mode="lexical")
    assert ids(found).index(item_id("near")) < ids(found).index(item_id("far"))
    by_id = {hit.item_id: hit for hit in found}
    (word,) = [word for word in by_id[item_id("near")].explanation.feedback if word.stem == "furnac"]
    assert word.holding == 4
    assert by_id[item_id("near")].score > by_id[item_id("far")].score


def test_no_candidate_is_added(library: HybridLibrary) -> None:
    assert item_id("unnamed") not in ids(library.search(QUERY, mode="lexical", top_k=50))


def test_the_answer_names_the_words_and_where_they_come_from(library: HybridLibrary) -> None:
    found = library.search(QUERY, mode="lexical")
    assert found.feedback is not None
    assert "furnac" in [word.stem for word in found.feedback.words]
    assert {locator.owner_id for locator in found.feedback.sources} == {
        item_id(name) for name in ("hot", "hotter", "near", "far")
    }
    assert all(set(hit.explanation.feedback) <= set(found.feedback.words) for hit in found)


@pytest.mark.parametrize(
    "query", ["furnace smelter", "smelter wages 2024", 'smelter "wages furnace" granite', "nothing here", "", "smelter"]
)
def test_it_stays_out_where_the_query_finds_its_words_or_says_exactly_what_it_wants(
    library: HybridLibrary, query: str
) -> None:
    assert library.search(query, mode="lexical").feedback is None


def test_a_filter_narrows_what_words_are_taken_from(library: HybridLibrary) -> None:
    library.put(note("tagged", "wages violin", tags=("desk",), available_at=day(0)))
    found = library.search(QUERY, mode="lexical", tags=["desk"])
    assert found.feedback is None or {one.owner_id for one in found.feedback.sources} == {item_id("tagged")}
    assert all(word.stem != "furnac" for hit in found for word in hit.explanation.feedback)


def test_later_records_change_no_past_answer(library: HybridLibrary) -> None:
    before = library.search(QUERY, mode="lexical", available_at_before=day(1), top_k=50)
    assert before.feedback is not None
    library.put_many([note(f"late {n}", "smelter wages violin violin", available_at=day(5)) for n in range(12)])
    library.put(note("later", "furnace", available_at=day(3)))
    after = library.search(QUERY, mode="lexical", available_at_before=day(1), top_k=50)
    assert [dataclasses.replace(hit, recorded_at=day(0)) for hit in after] == [
        dataclasses.replace(hit, recorded_at=day(0)) for hit in before
    ]
    assert after.feedback == before.feedback
    assert library.search(QUERY, mode="lexical").feedback is None


def test_a_smaller_answer_begins_the_larger(library: HybridLibrary) -> None:
    whole = library.search(QUERY, mode="lexical", top_k=50)
    for top_k in (1, 2, 3):
        assert list(library.search(QUERY, mode="lexical", top_k=top_k)) == list(whole[:top_k])


def test_relevance_stays_on_its_scale(library: HybridLibrary) -> None:
    library.change_settings(ranking=RankingSettings(feedback_weight=50.0), why="to try")
    assert all(0 < hit.relevance <= 1 for hit in library.search(QUERY, mode="lexical"))


@pytest.mark.parametrize(("feedback", "alone", "fused"), [("alone", 1, 0), ("always", 1, 1), ("never", 0, 0)])
def test_the_setting_says_when(tmp_path: Path, feedback: Any, alone: bool, fused: bool) -> None:
    settings = LibrarySettings(ranking=RankingSettings(feedback=feedback))
    with HybridLibrary.open(tmp_path / "library.db", embedder=HashEmbedder(8), settings=settings) as library:
        library.put_many(records())
        assert (library.search(QUERY, mode="lexical").feedback is not None) == alone
        assert (library.search(QUERY).feedback is not None) == fused
    with HybridLibrary.open(tmp_path / "library.db", embedder=None) as library:
        degraded = library.search(QUERY)
        assert degraded.degraded
        assert (degraded.feedback is not None) == alone


@pytest.mark.parametrize("wrong", [{"feedback": "sometimes"}, {"feedback_weight": -1.0}, {"feedback_weight": "much"}])
def test_a_setting_that_means_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        RankingSettings(**wrong)


@pytest.mark.sqlite_only("writes settings of another version into the file")
def test_a_library_made_before_goes_on_without(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    HybridLibrary.open(path, embedder=None).close()
    run(path, """UPDATE library SET value = '{"k1": 1.2, "repeat_weight": 0.5}' WHERE name = 'ranking'""")
    with HybridLibrary.open(path, embedder=None) as library:
        library.put_many(records())
        assert library.settings.ranking == RankingSettings(feedback="never")
        assert library.search(QUERY, mode="lexical").feedback is None


def test_ties_at_the_cut_of_the_sources_are_taken_or_left_together() -> None:
    few = np.array([3.0] * (SOURCES - 1) + [2.0] * 3 + [1.0])
    assert source_places(few).tolist() == list(range(SOURCES + 2))
    many = np.array([3.0] * 4 + [2.0] * (MOST_SOURCES + 1))
    assert source_places(many).tolist() == [0, 1, 2, 3]
    assert source_places(np.array([1.0] * (MOST_SOURCES + 1))).tolist() == []
