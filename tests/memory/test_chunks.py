"""The chunks of a card, and that their numbers and hashes stay while their text does."""

from __future__ import annotations

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import NotFound
from hybridkb.knowledge import Provenance
from hybridkb.knowledge.card import chunk_locator
from hybridkb.memory import KnowledgeCard, ingest_sources
from hybridkb.memory.chunks import chunk_texts
from oracles.items import day


def put(library: HybridLibrary, text: str, available: int = 1, title: str | None = "T") -> None:
    card = KnowledgeCard("a", text, Provenance("article"), title=title, available_at=day(available))
    ingest_sources(library, [card], words_per_chunk=4, overlap=1)


def test_chunks_are_slices_with_their_places(library: HybridLibrary) -> None:
    text = "one two  three four\nfive six seven eight"
    put(library, text)
    chunks = chunk_texts(library, "a")
    assert [(chunk.slug, chunk.number, chunk.start) for chunk in chunks] == [("a", 0, 0), ("a", 1, 15), ("a", 2, 29)]
    assert all(text[chunk.start :].startswith(chunk.text) for chunk in chunks)


def test_hashes_are_those_of_what_is_ranked(library: HybridLibrary) -> None:
    put(library, "one two three four five six seven eight")
    first = {chunk.number: chunk.text_hash for chunk in chunk_texts(library, "a")}
    put(library, "one two three four five six seven eight, and more words", available=2)
    second = {chunk.number: chunk.text_hash for chunk in chunk_texts(library, "a")}
    assert [first[number] == second[number] for number in range(3)] == [True, True, False]
    put(library, "one two three four", available=3, title="Another")
    assert chunk_texts(library, "a")[0].text_hash != first[0]


def test_the_past_can_be_asked(library: HybridLibrary) -> None:
    put(library, "old words")
    put(library, "new words", available=5)
    assert chunk_texts(library, "a", at=day(2))[0].text == "old words"
    with pytest.raises(NotFound):
        chunk_texts(library, "a", at=day(0))


def test_an_unknown_card_is_named(library: HybridLibrary) -> None:
    with pytest.raises(NotFound, match="no card 'zinc'") as caught:
        chunk_texts(library, "zinc")
    assert caught.value.target == "zinc"


def test_addresses_lead_to_the_chunks(library: HybridLibrary) -> None:
    put(library, "one two three four five six seven eight")
    for chunk in chunk_texts(library, "a"):
        assert library.resolve(chunk_locator("a", chunk.number)).content == chunk.text  # type: ignore[union-attr]
