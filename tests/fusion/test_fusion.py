"""Properties of the fused order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.errors import InvalidInput
from hybridkb.fusion import Fusion, LegShare, fuse, in_order

keys = st.integers(1, 30)
scores = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]) | st.floats(0, 1)
fusions = st.builds(
    Fusion,
    method=st.sampled_from(["rrf", "convex"]),
    k=st.sampled_from([0.0, 1.0, 60.0]),
    lexical_weight=st.sampled_from([0.0, 0.5, 1.0, 3.0]),
    semantic_weight=st.sampled_from([0.0, 0.5, 1.0, 3.0]),
    alpha=st.sampled_from([0.0, 0.3, 1.0]),
    by_relevance=st.booleans(),
)
legs = st.dictionaries(keys, scores, max_size=15)
ORDER = {key: f"item:{key * 7 % 31:02}".encode() for key in range(1, 31)}


def names(wanted: Sequence[int]) -> dict[int, bytes]:
    """Locators of what was asked for, and of nothing else."""
    return {key: ORDER[key] for key in wanted}


def leg(drawn: dict[int, float]) -> dict[int, LegShare]:
    best = sorted(drawn.items(), key=lambda one: (-one[1], ORDER[one[0]]))
    return {key: LegShare(rank, score, score) for rank, (key, score) in enumerate(best, start=1)}


def plain_score(key: int, lexical: dict[int, LegShare], semantic: dict[int, LegShare], fusion: Fusion) -> float:
    if fusion.method == "rrf":
        words = meaning = 0.0
        if key in lexical:
            words = fusion.lexical_weight * (lexical[key].relevance / 0.25 if fusion.by_relevance else 1.0)
            words /= fusion.k + lexical[key].rank
        if key in semantic:
            meaning = fusion.semantic_weight / (fusion.k + semantic[key].rank)
        return words + meaning
    first = (1 - fusion.alpha) * lexical[key].relevance if key in lexical else 0.0
    return first + (fusion.alpha * semantic[key].relevance if key in semantic else 0.0)


@given(legs, legs, st.frozensets(keys, max_size=4), fusions)
def test_the_order_is_total_and_as_defined(
    words: dict[int, float], meaning: dict[int, float], guarded: frozenset[int], fusion: Fusion
) -> None:
    lexical, semantic = leg(words), leg(meaning)
    fused = fuse(lexical, semantic, fusion=fusion, guarded=guarded, names=names)
    assert {one.key for one in fused} == words.keys() | meaning.keys() | guarded
    assert len(fused) == len({one.key for one in fused})
    for one in fused:
        assert one.score == plain_score(one.key, lexical, semantic, fusion)
        assert one.guarded == (one.key in guarded)
    places = [(not one.guarded, -one.score, ORDER[one.key]) for one in fused]
    assert places == sorted(places)


@given(legs, legs, st.frozensets(keys, max_size=4), fusions, st.randoms())
def test_the_order_of_giving_does_not_matter(
    words: dict[int, float], meaning: dict[int, float], guarded: frozenset[int], fusion: Fusion, chance: Any
) -> None:
    def shuffled(shares: dict[int, LegShare]) -> dict[int, LegShare]:
        pairs = list(shares.items())
        chance.shuffle(pairs)
        return dict(pairs)

    lexical, semantic = leg(words), leg(meaning)
    once = fuse(lexical, semantic, fusion=fusion, guarded=guarded, names=names)
    again = fuse(shuffled(lexical), shuffled(semantic), fusion=fusion, guarded=guarded, names=names)
    assert once == again


@given(legs, legs, st.frozensets(keys, max_size=4), fusions, st.integers(0, 20))
def test_fewer_wanted_are_a_prefix(
    words: dict[int, float], meaning: dict[int, float], guarded: frozenset[int], fusion: Fusion, limit: int
) -> None:
    asked = {"fusion": fusion, "guarded": guarded, "names": names}
    everything = fuse(leg(words), leg(meaning), **asked)
    assert fuse(leg(words), leg(meaning), limit=limit, **asked) == everything[:limit]


def test_names_are_asked_for_only_where_they_decide() -> None:
    asked: list[list[int]] = []

    def remember(wanted: Sequence[int]) -> dict[int, bytes]:
        asked.append(sorted(wanted))
        return names(wanted)

    assert in_order([1, 2, 3, 4, 5], [0.5, 0.1, 0.7, 0.5, 0.7], remember, 3) == [1, 0, 3]
    assert asked == [[1, 4]]
    assert in_order([1, 2, 3], [0.5, 0.1, 0.7], remember) == [1, 0, 2]
    assert len(asked) == 1


@given(legs, fusions)
def test_one_leg_alone_keeps_its_order(words: dict[int, float], fusion: Fusion) -> None:
    lexical = leg(words)
    fused = fuse(lexical, {}, fusion=fusion, guarded=frozenset(), names=names)
    share = fusion.lexical_weight if fusion.method == "rrf" else 1 - fusion.alpha
    if share:
        by_rank = sorted(lexical, key=lambda key: lexical[key].rank)
        if fusion.method == "rrf":
            assert [one.key for one in fused] == by_rank
        else:
            wanted = sorted((share * one.relevance for one in lexical.values()), reverse=True)
            assert [one.score for one in fused] == wanted
    else:
        assert {one.score for one in fused} <= {0.0}


@given(legs, legs, keys)
def test_a_better_rank_never_hurts(words: dict[int, float], meaning: dict[int, float], key: int) -> None:
    lexical, semantic = leg(words), leg(meaning)
    lifted = leg({**words, key: 2.0})
    place = {
        name: [one.key for one in fuse(some, semantic, fusion=Fusion(), guarded=frozenset(), names=names)].index(key)
        for name, some in (("before", {**lexical, key: lexical.get(key) or LegShare(99, 0, 0)}), ("after", lifted))
    }
    assert place["after"] <= place["before"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"method": "max"}, {"k": -1.0}, {"k": math.inf}, {"lexical_weight": math.nan}, {"semantic_weight": -0.1},
        {"alpha": 1.1}, {"alpha": -0.1}, {"by_relevance": 1}, {"by_relevance": None},
    ],
)  # fmt: skip
def test_weights_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        Fusion(**wrong)
    assert caught.value.field == "fusion"
