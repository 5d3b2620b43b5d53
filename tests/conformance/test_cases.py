"""CASES.md: small inputs that broke other systems, each with the right outcome."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary, SearchResults
from hybridkb.errors import HybridKBError
from oracles.items import filing, item_id, news, note
from support.fake_embedder import HashEmbedder, TableEmbedder
from support.raw_rows import address_of

MODES = ("lexical", "semantic", "hybrid")


def names(results: SearchResults, known: dict[Any, Any]) -> list[Any]:
    return [known[hit.item_id] for hit in results]


def ids(*known: Any) -> dict[Any, Any]:
    return {item_id(name): name for name in known}


# A1 Punctuation kills the query


@pytest.fixture
def punctuated(library: HybridLibrary) -> HybridLibrary:
    library.put_many(
        [
            note(1, "BRK.B rose after the 10-K"),
            note(2, "S&P 500 closed at 1,234.50"),
            note(3, "we use C++ for $AAPL quotes"),
        ]
    )
    return library


@pytest.mark.parametrize(
    ("query", "first"), [("BRK.B", 1), ("10-K", 1), ("S&P 500", 2), ("1,234.50", 2), ("C++", 3), ("$AAPL", 3)]
)
@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_a1_punctuation_finds_what_was_written(punctuated: HybridLibrary, query: str, first: int, mode: str) -> None:
    results = punctuated.search(query, mode=mode)
    assert names(results, ids(1, 2, 3))[0] == first
    assert results.mode == mode


@pytest.mark.parametrize(
    "query", ["(", "'", '"', "-k", "x:foo", "", " ", '""', "*", "-", "OR", "a OR", "NEAR(", "\0", '"a']
)
@pytest.mark.parametrize("mode", MODES)
def test_a1_any_text_gives_a_normal_result(punctuated: HybridLibrary, query: str, mode: str) -> None:
    assert isinstance(punctuated.search(query, mode=mode), SearchResults)


def test_a1_a_colon_makes_no_column(library: HybridLibrary) -> None:
    library.put_many([note(1, "foo is here"), note(2, "neither", title="bar")])
    assert names(library.search("title:foo", mode="lexical"), ids(1, 2)) == [1]


# A2 Apostrophe safe in keyword mode, not in hybrid


@pytest.mark.parametrize("mode", MODES)
def test_a2_apostrophes_are_safe_in_every_mode(library: HybridLibrary, mode: str) -> None:
    library.put(note(1, "the desk's view on copper"))
    assert names(library.search("what's the desk's view?", mode=mode), ids(1)) == [1]


# A5 A question in words finds nothing


def test_a5_a_question_in_words_finds_the_answer(open_library: Any) -> None:
    library = open_library(embedder=None)
    library.put_many([note(1, "Copper supply gap widens as Chile output falls"), note(2, "Wheat exports rise")])
    results = library.search("why did copper become scarce after the mines in Chile produced less?")
    assert names(results, ids(1, 2)) == [1]
    assert results.mode == "lexical"
    assert results.degraded


# B1 Near neighbours of another type crowd out the target


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_b1_a_filter_is_applied_before_ranking(open_library: Any, mode: str) -> None:
    many = [news(name, f"near {name}", "copper") for name in range(200)]
    target = filing("target", [], root="far away")
    table = {f"copper\n\nnear {name}": [1.0, 0.0] for name in range(200)}
    table |= {"copper": [1.0, 0.0], "Annual report\n\nfar away": [0.0, 1.0]}
    library = open_library(embedder=TableEmbedder(table, 2))
    library.put_many([*many, target])
    results = library.search("copper", mode=mode, top_k=5, item_types="filing")
    assert [hit.item_id for hit in results] == [target.id]


# B5 More than 4096


@pytest.mark.parametrize("mode", MODES)
def test_b5_five_thousand_are_given_when_asked_for(open_library: Any, mode: str) -> None:
    library = open_library(embedder=HashEmbedder(4))
    library.put_many([note(name, f"copper {name}") for name in range(5_000)])
    results = library.search("copper", mode=mode, top_k=5_000)
    assert len({hit.locator for hit in results}) == 5_000


# C1 Old date, learnt late


@pytest.mark.parametrize("mode", MODES)
def test_c1_what_was_learnt_late_is_absent_before(open_library: Any, mode: str) -> None:
    library = open_library(clock=lambda: datetime(2024, 3, 2, tzinfo=UTC))
    known = datetime(2024, 3, 1, tzinfo=UTC)
    about = datetime(2024, 1, 15, tzinfo=UTC)
    library.put_many([note(1, "copper", available_at=known, as_of=about), note(2, "copper", available_at=None)])
    known_names = ids(1, 2)
    assert (
        names(library.search("copper", mode=mode, available_at_before=datetime(2024, 2, 1, tzinfo=UTC)), known_names)
        == []
    )
    assert names(library.search("copper", mode=mode, available_at_before=known), known_names) == [1]
    assert sorted(names(library.search("copper", mode=mode), known_names)) == [1, 2]


# C4 Restated filing carries the old period


def test_c4_a_restatement_is_not_seen_before_it_was_filed(library: HybridLibrary) -> None:
    filed, restated = datetime(2023, 2, 20, tzinfo=UTC), datetime(2024, 6, 5, tzinfo=UTC)
    about = {"period": "FY 2022", "as_of": datetime(2022, 12, 31, tzinfo=UTC)}
    library.put(filing("original", {"r": "revenue 100"}, available_at=filed, **about))
    library.put(filing("restated", {"r": "revenue 90 restated"}, available_at=restated, **about))
    cutoff = datetime(2023, 12, 31, tzinfo=UTC)
    results = library.search("revenue", periods="FY 2022", available_at_before=cutoff)
    assert {hit.item_id for hit in results} == {item_id("original")}
    assert all((hit.as_of, hit.available_at) == (about["as_of"], filed) for hit in results)
    assert {hit.item_id for hit in library.search("revenue", periods="fy 2022")} == set(ids("original", "restated"))


# C5 Offsets compared as text


def test_c5_offsets_are_compared_as_instants(library: HybridLibrary) -> None:
    one = note(1, "copper", available_at=datetime.fromisoformat("2024-03-10T23:30:00-05:00"))
    two = note(2, "copper", available_at=datetime.fromisoformat("2024-03-11T03:00:00+00:00"))
    library.put_many([one, two])
    for cutoff in ("2024-03-11T04:00:00Z", "2024-03-11T04:00:00.000Z", "2024-03-11T00:00:00-04:00"):
        assert names(library.search("copper", available_at_before=cutoff), ids(1, 2)) == [2]


# D1 Same scores, other order each run

EQUAL = [f"equal {number}" for number in range(20)]
ASK = """
import json, sys
from hybridkb import HybridLibrary
from support.fake_embedder import HashEmbedder
with HybridLibrary.open(sys.argv[1], embedder=HashEmbedder(16), create=False) as library:
    results = [library.search("copper", top_k=5, mode=mode) for mode in ("lexical", "semantic", "hybrid")]
    print(json.dumps([[str(hit.locator) for hit in result] for result in results]))
"""


def test_d1_equal_scores_come_in_one_order_everywhere(open_library: Any, tmp_path: Path) -> None:
    orders = (EQUAL, EQUAL[::-1], EQUAL[7:] + EQUAL[:7])
    first = sorted(f"item:{item_id(name)}" for name in EQUAL)[:5]
    for number, order in enumerate(orders):
        library = open_library(f"{number}.db")
        for name in order:
            library.put(note(name, "copper supply"))
        for _ in range(10):
            for mode in MODES:
                assert [str(hit.locator) for hit in library.search("copper", top_k=5, mode=mode)] == first
        assert ask_elsewhere(tmp_path / f"{number}.db") == [first] * 3


def ask_elsewhere(path: Path) -> Any:
    tests = Path(__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-c", ASK, address_of(path)], cwd=tests, capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(run.stdout)


# E1 Bad vectors from the embedder

GOOD = [f"good {number}" for number in range(10)]


class PartlyBroken(TableEmbedder):
    """Answers one list a text, ragged and all."""

    def embed_documents(self, texts: Any) -> Any:
        return [self.table[text] for text in texts]


def test_e1_bad_vectors_are_listed_and_their_words_are_found(open_library: Any) -> None:
    bad = {"bad nan": [float("nan"), 1.0], "bad zero": [0.0, 0.0], "bad inf": [float("inf"), 1.0], "bad empty": []}
    table = bad | {text: [1.0, float(place)] for place, text in enumerate(GOOD)} | {"good": [1.0, 0.0]}
    library = open_library(embedder=PartlyBroken(table, 2))
    report = library.put_many([note(text, text) for text in (*bad, *GOOD)])
    assert report.added == 14
    assert report.pending == 4
    assert {locator for locator, _ in report.failed_texts} == {f"item:{item_id(text)}" for text in bad}
    assert all(reason for _, reason in report.failed_texts)
    found = library.search("good", mode="semantic", top_k=50)
    assert {hit.item_id for hit in found} == set(ids(*GOOD))
    assert found.pending == 4
    assert found.degraded
    assert len(library.search("bad OR good", mode="lexical", top_k=50)) == 14


# E2 Other model, same size


def test_e2_vectors_of_two_models_never_meet(open_library: Any) -> None:
    first, second = HashEmbedder(8, "a"), HashEmbedder(8, "b")
    library = open_library(embedder=first)
    library.put_many([note(1, "copper supply"), note(2, "wheat exports")])
    library.close()
    library = open_library(embedder=second)
    results = library.search("copper")
    assert results.mode == "lexical"
    assert results.degraded
    with pytest.raises(HybridKBError):
        library.search("copper", mode="semantic")
    assert "a" in str(library.stats())
    assert "b" in str(library.stats())
    report = library.embed_pending()
    assert report.embedded == 2
    assert report.serving
    results = library.search("copper")
    assert (results.mode, results.degraded) == ("hybrid", None)
    assert names(library.search("copper supply", mode="semantic"), ids(1, 2)) == [1, 2]


# F2 One NUL document


def test_f2_a_nul_spoils_nothing(library: HybridLibrary) -> None:
    library.put_many([note(1, "abc\0def"), note(2, "plain words"), note(3, "other words")])
    assert names(library.search("plain", mode="lexical"), ids(1, 2, 3)) == [2]
    assert names(library.search("other", mode="lexical"), ids(1, 2, 3)) == [3]
    assert names(library.search("def", mode="lexical"), ids(1, 2, 3)) == [1]
    assert library.check().ok
    stored = library.get(item_id(1))
    assert stored == note(1, "abc\0def")


# G1 Two-character word inside a run


@pytest.mark.parametrize(("query", "first"), [("用户", 1), ("库存", 2), ("AAPL财报", 3)])
def test_g1_words_inside_a_run_are_found(library: HybridLibrary, query: str, first: int) -> None:
    library.put_many([note(1, "本季度用户增长放缓"), note(2, "原油库存下降"), note(3, "AAPL财报超预期")])
    assert names(library.search(query, mode="lexical"), ids(1, 2, 3))[0] == first
    assert names(library.search(query), ids(1, 2, 3))[0] == first


def test_g1_one_character_does_not_fail(library: HybridLibrary) -> None:
    library.put_many([note(1, "本季度用户增长放缓"), note(2, "原油库存下降")])
    assert names(library.search("库", mode="lexical"), ids(1, 2)) == [2]
