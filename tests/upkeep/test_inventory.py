"""The inventory: what stands now, item by item, and nothing of what stood before."""

from __future__ import annotations

from typing import Any

from conftest import Opener
from hybridkb import HybridLibrary
from hybridkb.embedders import EmbeddingSpace, certainly_read
from hybridkb.knowledge import Provenance, SourceRef
from oracles.items import day, filing, item_id, note
from support.fake_embedder import HashEmbedder


def held(library: HybridLibrary, **options: Any) -> dict[str, Any]:
    return {str(item.item_id): item for item in library.inventory(**options).items}


def test_every_item_is_listed_once_as_it_stands(open_library: Opener) -> None:
    library = open_library(clock=lambda: day(30))
    source = SourceRef(kind="local", uri="reports/q1.md", content_hash="abc")
    library.put(note("a", "copper", available_at=day(1), source=source, provenance=Provenance("scout")))
    library.put(note("a", "copper again", available_at=day(2), source=source))
    library.put(filing("b", ["one", "two", "three"], available_at=None))
    inventory = library.inventory()
    assert inventory.taken_at == day(30)
    assert [(item.item_type, item.path, item.records) for item in inventory.items] == [
        ("filing", None, 4), ("note", "reports/q1.md", 1),
    ]  # fmt: skip
    tree, flat = inventory.items
    assert (flat.source_class, flat.source_hash, flat.available_at) == (None, "abc", day(2))
    assert (tree.available_at, tree.recorded_at) == (None, day(30))
    assert flat.content_hash == library.history(item_id("a"))[-1].content_hash


def test_item_types_narrow_it_and_one_may_be_given_bare(library: HybridLibrary) -> None:
    library.put_many([note("a", "x"), filing("b", ["y"])])
    assert held(library, item_types=["filing", "news"]).keys() == {str(item_id("b"))}
    assert held(library, item_types="note").keys() == {str(item_id("a"))}
    assert held(library, item_types=[]) == {}


def test_withdrawn_items_do_not_stand(library: HybridLibrary) -> None:
    library.put_many([note("a", "x"), note("b", "y")])
    library.delete(item_id("a"))
    assert held(library).keys() == {str(item_id("b"))}


def test_missing_vectors_are_counted_in_the_serving_space(open_library: Opener, embedder: HashEmbedder) -> None:
    open_library(embedder=None).put(filing("a", ["one", "two"]))
    library = open_library()
    assert held(library)[str(item_id("a"))].without_vector == 3
    assert library.inventory().space is None
    library.embed_pending()
    open_library(embedder=None).put(note("b", "words only"))
    assert {key: item.without_vector for key, item in held(library).items()} == {
        str(item_id("a")): 0, str(item_id("b")): 1,
    }  # fmt: skip
    assert library.inventory().space == str(embedder.space)


class _Reader(HashEmbedder):
    """Reads ten words of at most three letters."""

    max_windows = 1

    def __init__(self) -> None:
        super().__init__(8)
        self.space = EmbeddingSpace("reader", 8, "1", max_tokens=10)
        self.asked: list[str] = []

    def is_truncated(self, text: str) -> bool:
        self.asked.append(text)
        return len(text.split()) > 10


def test_texts_not_read_to_the_end_are_counted_and_short_ones_not_asked_about(open_library: Opener) -> None:
    embedder = _Reader()
    library = open_library(embedder=embedder)
    library.put(filing("a", ["tin", "word " * 12, "word " * 9], title="T"))
    embedder.asked.clear()
    assert held(library)[str(item_id("a"))].truncated == 1
    assert embedder.asked == [("word " * 12), ("word " * 9)]
    assert library.inventory().model_reason is None


def test_without_a_model_nobody_knows_what_is_truncated(open_library: Opener) -> None:
    open_library().put(note("a", "x"))
    library = open_library(embedder=None)
    assert held(library)[str(item_id("a"))].truncated is None
    assert "no embedder" in str(library.inventory().model_reason)


def test_an_embedder_that_does_not_say_reads_everything() -> None:
    assert certainly_read(HashEmbedder(8)) > 10**12
    assert certainly_read(_Reader()) == 5
