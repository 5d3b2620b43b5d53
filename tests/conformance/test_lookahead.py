"""Nothing that becomes available after T changes an answer at T by one bit."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from typing import Any

import pytest

from hybridkb import HybridLibrary, SearchHit
from hybridkb.knowledge import KnowledgeItem
from oracles.items import EPOCH, day, earnings, filing, item_id, news, note
from support.fake_embedder import HashEmbedder

MODES = ("lexical", "semantic", "hybrid")
CUTOFF = day(10)
WORDS = ["copper", "supply", "mines", "chile", "wheat", "rising", "prices", "BRK.B", "10-K", "the", "of"]
QUESTIONS = (
    "copper supply",
    "the price of copper in chile",
    '"copper supply" prices',
    "cop* whe*",
    "copper OR wheat -mines",
    "BRK.B 10-K",
    "unheard copper",
    "of the",
)


def earlier(seed: int) -> list[KnowledgeItem]:
    source = random.Random(seed)
    items: list[KnowledgeItem] = [
        note(name, text(source, 25), source.choice(WORDS), available_at=day(source.randint(0, 10)))
        for name in range(60)
    ]
    items += [filing(f"f{name}", [text(source, 12) for _ in range(3)], available_at=day(name)) for name in range(5)]
    return items


def later(seed: int) -> list[KnowledgeItem]:
    """Shared words, new words, long texts, other types, revisions, unknown availability, late arrivals."""
    source = random.Random(seed + 1000)
    words = [*WORDS, "coppery", "coptic", "unheard", "copious", "wheaten"]

    def after() -> Any:
        return day(source.randint(11, 40))

    items: list[KnowledgeItem] = [
        note(f"later {name}", " ".join(source.choices(words, k=source.choice([1, 20, 900]))), available_at=after())
        for name in range(60)
    ]
    items += [news(f"news {name}", "copper supply", "copper", available_at=after()) for name in range(20)]
    items += [earnings(f"e {name}", "BRK.B", "Q3 2024", available_at=after()) for name in range(3)]
    items += [note(name, "copper revised " * 30, available_at=after()) for name in range(20)]
    items += [filing(f"f{name}", ["copper supply chile"] * 8, available_at=after()) for name in range(5)]
    items += [note(f"unknown {name}", "copper supply", "copper", available_at=None) for name in range(10)]
    return items


def text(source: random.Random, most: int) -> str:
    return " ".join(source.choices(WORDS, k=source.randint(1, most)))


def answers(library: HybridLibrary) -> dict[tuple[str, str], Sequence[Any]]:
    return {(mode, question): answer(library, question, mode) for mode in MODES for question in QUESTIONS}


def answer(library: HybridLibrary, question: str, mode: str) -> list[Any]:
    results = library.search(question, mode=mode, top_k=40, available_at_before=CUTOFF)
    return [*map(strip, results), results.mode, results.degraded, results.pending, results.fingerprint]


def strip(hit: SearchHit) -> SearchHit:
    """All that a reader sees of a hit, but for when and as which number this library recorded it."""
    return dataclasses.replace(hit, recorded_at=EPOCH, revision=0)


@pytest.mark.parametrize("seed", [1, 2])
def test_later_additions_change_no_answer_at_t(open_library: Any, seed: int) -> None:
    library = open_library()
    library.put_many(earlier(seed))
    before = answers(library)
    assert all(len(before[mode, "copper supply"]) > 14 for mode in MODES)
    additions = later(seed)
    library.put_many(additions[:50])
    assert answers(library) == before
    for item in additions[50:]:
        library.put(item)
    assert answers(library) == before
    for name in range(20, 30):
        library.delete(item_id(name), at=day(15))
    assert answers(library) == before
    library.optimize()
    assert answers(library) == before
    library.rebuild()
    assert answers(library) == before
    library.close()
    assert answers(open_library()) == before


@pytest.mark.parametrize("seed", [3, 4])
def test_answers_at_t_are_those_of_a_library_that_never_held_anything_later(open_library: Any, seed: int) -> None:
    everything = [*earlier(seed), *later(seed)]
    random.Random(seed).shuffle(everything)
    full = open_library("full.db")
    for start in range(0, len(everything), 40):
        full.put_many(everything[start : start + 40])
    fresh = open_library("fresh.db")
    fresh.put_many(item for item in earlier(seed))
    assert answers(full) == answers(fresh)


@pytest.mark.parametrize("seed", [5])
def test_fingerprint_at_t_is_moved_by_edits_of_the_past_alone(open_library: Any, seed: int) -> None:
    library = open_library()
    library.put_many(earlier(seed))

    def fingerprint() -> str:
        return str(library.search("copper", available_at_before=CUTOFF).fingerprint)

    before = fingerprint()
    library.put_many(later(seed))
    assert fingerprint() == before
    library.optimize()
    assert fingerprint() == before
    library.put(note("back-fill", "copper", available_at=day(3)))
    assert fingerprint() != before


@pytest.mark.skipif(not hasattr(HybridLibrary, "snapshot"), reason="snapshots are not there yet")
def test_a_snapshot_is_a_cutoff_that_does_not_move(library: HybridLibrary) -> None:
    library.put_many(earlier(6))
    library.put_many(later(6))
    snapshot = library.snapshot(at=CUTOFF)
    for mode in MODES:
        expected = library.search("copper supply", mode=mode, available_at_before=CUTOFF)
        assert [strip(hit) for hit in snapshot.search("copper supply", mode=mode)] == [strip(hit) for hit in expected]
    assert not snapshot.changed
    library.put(note("later still", "copper", available_at=day(90)))
    assert not snapshot.changed
    library.put(note("back-fill", "copper", available_at=day(3)))
    assert snapshot.changed


def test_words_made_later_do_not_widen_a_prefix(open_library: Any, embedder: HashEmbedder) -> None:
    library = open_library()
    library.put_many([note(1, "copper"), note(2, "wheat")])
    question = "cop* copp* copper"
    before = [strip(hit) for hit in library.search(question, mode="lexical", available_at_before=day(1))]
    library.put_many(note(f"x{name}", f"copious coptic copula{name}", available_at=day(2)) for name in range(5))
    assert [strip(hit) for hit in library.search(question, mode="lexical", available_at_before=day(1))] == before


def test_words_first_met_later_do_not_move_the_scale(library: HybridLibrary) -> None:
    library.put_many([note(1, "copper supply"), note(2, "wheat")])
    question = "xyzzy plugh copper unheard-of xyzzies"
    before = [strip(hit) for hit in library.search(question, available_at_before=day(1), fusion="convex")]
    library.put(note(3, "xyzzy plugh unheard-of", available_at=day(2)))
    assert [strip(hit) for hit in library.search(question, available_at_before=day(1), fusion="convex")] == before


@pytest.mark.slow
def test_the_accelerated_vector_leg_keeps_the_promise(open_library: Any) -> None:
    """More candidates than are compared one by one: codes choose, from what is visible alone."""
    library = open_library(embedder=HashEmbedder(32))
    source = random.Random(7)
    words = [f"word{number}" for number in range(400)]

    def notes(prefix: str, count: int, number: int) -> list[KnowledgeItem]:
        return [
            note(f"{prefix}{name}", " ".join(source.choices(words, k=6)), available_at=day(number))
            for name in range(count)
        ]

    def asked(**options: Any) -> list[list[SearchHit]]:
        filters = {"available_at_before": day(1)} | options
        return [list(library.search(f"word{number} word3", mode="semantic", **filters)) for number in range(8)]

    library.put_many(notes("early", 22_000, 0))
    before = asked()
    assert library.search("word1", mode="semantic").approximate
    library.put_many(notes("late", 3_000, 2))
    assert asked() == before
    library.optimize()
    assert asked() == before
    library.close()
    library = open_library(embedder=HashEmbedder(32))
    assert asked() == before
    exact = asked(exact=True)
    found = sum(
        len({hit.locator for hit in ours} & {hit.locator for hit in best})
        for ours, best in zip(before, exact, strict=True)
    )
    assert found >= 0.9 * sum(map(len, exact))
