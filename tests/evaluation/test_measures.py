"""The measures are trec_eval's; a few lines of plain arithmetic must agree."""

from __future__ import annotations

import math
import random

import pytest

from hybridkb.errors import InvalidInput
from hybridkb.evaluation.measures import MEASURES, ceiling, measure


def by_hand(grades: dict[str, int], ranking: list[str], k: int) -> dict[str, float]:
    """The same with plain loops: linear gains, precision divided by k."""
    right = {name for name, grade in grades.items() if grade > 0}
    first = [name for name in ranking[:k] if name in right]
    gain = sum(grades.get(name, 0) / math.log2(place + 2) for place, name in enumerate(ranking[:k]))
    best = sorted(grades.values(), reverse=True)[:k]
    ideal = sum(grade / math.log2(place + 2) for place, grade in enumerate(best))
    ranks = [place + 1 for place, name in enumerate(ranking) if name in right]
    return {
        "recall": len(first) / len(right),
        "precision": len(first) / k,
        "ndcg": gain / ideal,
        "mrr": 1 / ranks[0] if ranks else 0.0,
        "success": float(bool(first)),
    }


@pytest.mark.parametrize("k", [1, 3, 10])
def test_measures_agree_with_plain_arithmetic(k: int) -> None:
    draw = random.Random(k)
    units = [f"unit {number}#{number}" for number in range(30)]
    judged, rankings = {}, {}
    for query in map(str, range(40)):
        judged[query] = {unit: draw.choice([0, 1, 1, 2, 3]) for unit in draw.sample(units, draw.randint(1, 8))}
        judged[query][draw.choice(units)] = 1
        rankings[query] = draw.sample(units, draw.choice([0, 2, 5, 30]))
    found = measure(judged, rankings, k=k)
    for query, grades in judged.items():
        expected = by_hand(grades, rankings[query], k)
        assert found[query] == pytest.approx(expected, abs=1e-9), query
        assert tuple(found[query]) == MEASURES


def test_a_query_that_found_nothing_counts_as_nothing() -> None:
    assert measure({"a": {"x": 1}, "b": {"x": 1}}, {"a": []}, k=5) == {
        query: dict.fromkeys(MEASURES, 0.0) for query in ("a", "b")
    }


def test_the_ceiling_says_what_no_ranking_can_exceed() -> None:
    judged = {"a": {str(number): 1 for number in range(10)}, "b": {"x": 1, "y": 0}}
    assert ceiling(judged, 5) == pytest.approx((0.5 + 1.0) / 2)
    assert ceiling(judged, 10) == 1.0
    perfect = measure(judged, {"a": [str(number) for number in range(10)], "b": ["x"]}, k=5)
    assert sum(one["recall"] for one in perfect.values()) / 2 == pytest.approx(ceiling(judged, 5))


def test_a_ranking_that_names_something_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match="twice"):
        measure({"a": {"x": 1}}, {"a": ["x", "y", "x"]}, k=2)


@pytest.mark.parametrize("k", [0, -1, True, 2.0])
def test_k_is_a_whole_number_from_one(k: object) -> None:
    with pytest.raises(InvalidInput, match="k is a whole number"):
        measure({"a": {"x": 1}}, {}, k=k)  # type: ignore[arg-type]
