"""Vectors before words: committed step by step, found by the put, never made twice."""

from __future__ import annotations

import pytest

from conftest import Opener
from hybridkb import HybridLibrary
from hybridkb.errors import EmbedderError, EmbedderUnavailable, InvalidInput
from oracles.items import filing, note
from support.fake_embedder import HashEmbedder, TableEmbedder


def test_a_put_finds_the_vectors_that_were_made_ahead(library: HybridLibrary, embedder: HashEmbedder) -> None:
    items = [note("a", "copper"), filing("b", ["one", "two"], title="T")]
    report = library.embed_ahead(items, batch=2)
    assert (report.embedded, report.pending, report.serving) == (4, 0, True)
    assert embedder.document_calls == 2
    assert library.stats().items == 0
    put = library.put_many(items)
    assert (put.embedded, put.reused, embedder.document_calls) == (0, 4, 2)
    assert library.search("copper", mode="semantic").pending == 0


def test_nothing_is_embedded_twice(library: HybridLibrary, embedder: HashEmbedder) -> None:
    library.put(note("a", "copper"))
    report = library.embed_ahead([note("other", "copper"), note("b", "tin"), note("c", "tin")])
    assert (report.embedded, embedder.document_texts) == (1, ["copper", "tin"])


def test_items_that_wait_get_their_vectors(open_library: Opener) -> None:
    open_library(embedder=None).put_many([note("a", "copper"), note("b", "tin")])
    library = open_library()
    library.embed_ahead([note("a", "copper")])
    assert library.stats().pending == 1
    assert library.search("copper", mode="semantic")[0].matched_text == "copper"


def test_progress_counts_texts_to_embed(library: HybridLibrary) -> None:
    library.put(note("known", "x0"))
    seen: list[tuple[int, int | None]] = []
    library.embed_ahead(
        [note(number, f"x{number}") for number in range(6)], batch=2, progress=lambda done, of: seen.append((done, of))
    )
    assert seen == [(2, 5), (4, 5), (5, 5)]


def test_what_was_committed_stays_when_the_model_goes_away(library: HybridLibrary, embedder: HashEmbedder) -> None:
    def fail(done: int, _of: int | None) -> None:
        embedder.fail_with = EmbedderUnavailable("gone") if done == 2 else None

    items = [note(number, f"x{number}") for number in range(4)]
    with pytest.raises(EmbedderUnavailable):
        library.embed_ahead(items, batch=2, progress=fail)
    embedder.fail_with = None
    assert library.embed_ahead(items).embedded == 2


def test_unusable_vectors_are_named_and_stay_pending(open_library: Opener) -> None:
    library = open_library(embedder=TableEmbedder({"good": [1, 0], "bad": [0, 0]}, 2))
    report = library.embed_ahead([note("a", "good"), note("b", "bad")])
    assert (report.embedded, report.pending) == (1, 1)
    ((locator, reason),) = report.failed
    assert locator.startswith("item:")
    assert reason


def test_without_a_model_it_says_so(open_library: Opener) -> None:
    with pytest.raises(EmbedderUnavailable, match="no embedder"):
        open_library(embedder=None).embed_ahead([note("a", "x")])


def test_a_model_that_fails_every_text_raises(library: HybridLibrary, embedder: HashEmbedder) -> None:
    embedder.fail_with = EmbedderError("broken")
    with pytest.raises(EmbedderError):
        library.embed_ahead([note(number, f"x{number}") for number in range(10)], batch=10)


def test_a_batch_holds_at_least_one_text(library: HybridLibrary) -> None:
    with pytest.raises(InvalidInput):
        library.embed_ahead([note("a", "x")], batch=0)
