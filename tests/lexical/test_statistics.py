"""N, document frequency and average length are those of the visible records, whatever way they are stored."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb import HybridLibrary
from hybridkb.lexical.ranking import RankingSettings, inverse_document_frequency
from oracles.items import day, item_id, note

TEXTS = {
    1: ("", "copper copper supply", 0),
    2: ("Copper", "demand", 0),
    3: ("", "wheat", 3),
    4: ("Copper notes", "copper wheat wheat wheat", 6),
    5: ("", "tin", None),
}


@pytest.mark.parametrize("packed", [(), (2,), (5,), (1, 3, 5)], ids=str)
@pytest.mark.parametrize("cutoff", [None, -1, 0, 3, 6])
def test_statistics_are_those_of_the_visible(tmp_path: Path, packed: tuple[int, ...], cutoff: int | None) -> None:
    weights = RankingSettings()
    with HybridLibrary.open(tmp_path / "library.db", embedder=None) as library:
        for name, (title, body, available) in TEXTS.items():
            library.put(note(name, body, title, available_at=None if available is None else day(available)))
            if name in packed:
                library.optimize()
        library.delete(item_id(3), at=day(5))
        filters: dict[str, Any] = {} if cutoff is None else {"available_at_before": day(cutoff)}
        found = library.search("copper", mode="lexical", **filters)

        def visible(name: int) -> bool:
            available = TEXTS[name][2]
            if cutoff is None:
                return name != 3
            return available is not None and available <= cutoff and (name != 3 or cutoff < 5)

        seen = [TEXTS[name] for name in TEXTS if visible(name)]
        holding = [text for text in seen if "copper" in f"{text[0]} {text[1]}".lower()]
        length = sum(weights.title_weight * len(t.split()) + weights.body_weight * len(b.split()) for t, b, _ in seen)
        assert len(found) == len(holding)
        for hit in found:
            assert hit.explanation.records == len(seen)
            assert hit.explanation.average_length == length / len(seen)
            assert dict(hit.explanation.document_frequencies) == {"copper": len(holding)}


def test_what_the_query_repeats_counts_for_more(tmp_path: Path) -> None:
    """A long question says twice what it is about."""
    with HybridLibrary.open(tmp_path / "library.db", embedder=None) as library:
        library.put_many([note(1, "copper"), note(2, "zinc"), note(3, "tin")])
        once, twice, thrice = (
            {hit.item_id: hit.score for hit in library.search("zinc" + " copper" * times, mode="lexical")}
            for times in (1, 2, 3)
        )
    assert once[item_id(1)] == once[item_id(2)]
    assert twice == {item_id(1): 1.5 * once[item_id(1)], item_id(2): once[item_id(2)]}
    assert thrice[item_id(1)] == 2.0 * once[item_id(1)]


def test_a_period_finds_its_year_too(tmp_path: Path) -> None:
    with HybridLibrary.open(tmp_path / "library.db", embedder=None) as library:
        library.put_many([note(number, "revenue of 2022") for number in (1, 2, 3)])
        library.put_many([note(4, "revenue of FY2022"), note(5, "revenue of 2021")])
        found = [hit.item_id for hit in library.search("FY2022 revenue", mode="lexical", match="all")]
        assert found[0] == item_id(4)  # rarer as it is asked for
        assert set(found) == {item_id(number) for number in (1, 2, 3, 4)}
        assert library.search('"FY2022"', mode="lexical")[0].item_id == item_id(4)


@given(st.integers(0, 10**7), st.data())
def test_idf_falls_as_more_hold_the_word_and_stays_on_its_grid(records: int, data: st.DataObject) -> None:
    holding = data.draw(st.integers(0, records))
    for formula in ("lucene", "fts5"):
        idf = inverse_document_frequency(records, holding, formula)
        assert idf > 0
        if formula == "lucene" or idf > 1e-5:
            assert (idf * 2**40).is_integer()
        if holding:
            assert inverse_document_frequency(records, holding - 1, formula) >= idf
    exact = math.log(1 + (records - holding + 0.5) / (holding + 0.5))
    assert inverse_document_frequency(records, holding, "lucene") == pytest.approx(exact, abs=2**-40)


@pytest.mark.parametrize("wrong", [{"k1": -1.0}, {"b": 1.5}, {"title_weight": math.nan}, {"formula": "x"}])
def test_weights_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(Exception, match="ranking|formula|weights"):
        RankingSettings(**wrong)
