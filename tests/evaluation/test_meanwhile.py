"""What is under way in another library object while a candidate takes over neither undoes it nor loses anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.embedders.registry import _makers, register_embedder
from hybridkb.evaluation import promote, reindex
from oracles.items import item_id, note
from support.fake_embedder import HashEmbedder
from support.judged_library import BETTER, FAIR, evaluate, fill, gold


class Interrupted(HashEmbedder):
    """A fair model; something else happens once, in the middle of its work."""

    then: Callable[[], object] | None = None

    def _vector(self, text: str) -> Any:
        then, self.then = self.then, None
        if then is not None:
            then()
        return super()._vector(text)


@pytest.fixture
def fair() -> Interrupted:
    return Interrupted(16, "fair")


@pytest.fixture
def library(open_library: Any, fair: Interrupted) -> Iterator[HybridLibrary]:
    """A library with a baseline and a better candidate; both models are found by ``"auto"``."""
    before = dict(_makers)
    register_embedder(FAIR.space, lambda: fair)
    register_embedder(BETTER.space, lambda: BETTER)
    library = fill(open_library(embedder=FAIR))
    evaluate(library, k=3)
    promote(library, baseline=True)
    reindex(library, embedder=BETTER, gold=gold(), k=3, depth=20, resamples=200)
    yield library
    _makers.clear()
    _makers.update(before)


def states(library: HybridLibrary) -> dict[str, str]:
    return {space.model: space.state for space in library.stats().spaces}


@pytest.mark.parametrize("given", ["auto", "fair"])
def test_embedding_what_is_pending_does_not_undo_a_promotion(
    library: HybridLibrary, fair: Interrupted, given: str
) -> None:
    library.put_many([note(f"new {number}", f"word{number} pending") for number in range(3)], embed=False)
    with HybridLibrary.open(library.path, embedder=fair if given == "fair" else given) as other:
        fair.then = lambda: promote(library, embedder=BETTER)
        report = other.embed_pending()
        assert report.serving is False
    assert states(library) == {"fair": "retired", "better": "serving"}


@pytest.mark.both_engines
def test_a_put_under_way_is_embedded_for_the_space_that_serves_now(library: HybridLibrary, fair: Interrupted) -> None:
    with HybridLibrary.open(library.path) as other:
        fair.then = lambda: promote(library, embedder=BETTER)
        report = other.put(note("new", "word1 brand new"))
        assert (report.added, report.embedded, report.pending) == (1, 1, 0)
        assert states(other) == {"fair": "retired", "better": "serving"}
        found = other.search("word1 brand new", mode="semantic")
        assert (found[0].item_id, found.pending) == (item_id("new"), 0)


def test_a_put_under_way_with_skipped_items_lists_each_once(library: HybridLibrary, fair: Interrupted) -> None:
    with HybridLibrary.open(library.path) as other:
        fair.then = lambda: promote(library, embedder=BETTER)
        wrong: Any = "no item"
        report = other.put_many([wrong, note("new", "word1 brand new")], on_error="skip")
        assert (len(report.skipped), report.added) == (1, 1)


def test_embedding_ahead_does_not_wake_a_space_that_was_retired_meanwhile(
    library: HybridLibrary, fair: Interrupted
) -> None:
    items = [note(f"new {number}", f"word{number} ahead") for number in range(4)]
    with HybridLibrary.open(library.path) as other:
        fair.then = lambda: promote(library, embedder=BETTER)
        other.embed_ahead(items, batch=2)
        assert states(other) == {"fair": "retired", "better": "serving"}
        assert other.put_many(items).pending == 0


def test_an_embedder_of_a_retired_space_that_was_given_still_fills_it(library: HybridLibrary) -> None:
    promote(library, embedder=BETTER)
    with HybridLibrary.open(library.path, embedder=HashEmbedder(16, "fair")) as other:
        other.put(note("new", "word1 brand new"))
        assert states(other) == {"fair": "building", "better": "serving"}
