"""Cards: what is refused at the door, what names them, what their hash tells."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest

from hybridkb.errors import InvalidInput
from hybridkb.knowledge import Locator, Provenance, SourceRef, TreeNode, parse_item
from hybridkb.knowledge.canonical import canonical_json
from hybridkb.knowledge.card import MemoryCard, card_id, chunk_locator
from hybridkb.memory import KnowledgeCard
from hybridkb.memory.card import make_item
from hybridkb.memory.chunking import split_chunks
from oracles.items import day

ARTICLE = Provenance("article", "essay", "2024-01-05", None, "https://example.org/a")


def item(card: KnowledgeCard, words: int = 3, overlap: int = 1) -> MemoryCard:
    chunks = split_chunks(card.text, words, overlap)
    return make_item(card, chunks, words_per_chunk=words, overlap=overlap, as_of=day(0))


@pytest.mark.parametrize(
    "slug",
    ["", " a", "a ", "../a", "a/../b", "/a", "a//b", "a/", ".", "a\\b", "C:/a", "a\nb", "a\0b", "a\u2028b", "x" * 301],
)
def test_a_slug_that_is_no_plain_name_is_refused(slug: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        KnowledgeCard(slug, "text", ARTICLE)
    assert caught.value.field == "slug"


@pytest.mark.parametrize("slug", ["a", "rates/basis-trade", "über.alles", "研究/铜", "a b", "x" * 300, "..a", "a:b"])
def test_a_plain_slug_is_kept_as_it_is(slug: str) -> None:
    assert KnowledgeCard(slug, "text", ARTICLE).slug == slug


@pytest.mark.parametrize("unseen", ["\u200b", "\u202e", "\u2066", "\ufeff", "\u00ad", "\u2060", "\U000e0041"])
def test_a_slug_that_looks_like_another_is_refused(unseen: str) -> None:
    with pytest.raises(InvalidInput, match="invisible") as caught:
        KnowledgeCard(f"rates{unseen}/carry", "text", ARTICLE)
    assert caught.value.field == "slug"


def test_a_slug_is_one_in_every_unicode_form_and_case_tells_apart() -> None:
    """A folder that is copied between systems keeps its slugs, though their file names are spelled anew."""
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert KnowledgeCard(decomposed, "text", ARTICLE).slug == composed
    assert card_id(decomposed) == card_id(composed) != card_id("CAF\u00c9")
    assert chunk_locator(decomposed, 2) == chunk_locator(composed, 2)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"text": " \n"}, "text"),
        ({"text": "a\ud800"}, "text"),
        ({"provenance": "article"}, "provenance"),
        ({"available_at": "2024-01-01"}, "available_at"),
        ({"available_at": date(2024, 1, 1)}, "available_at"),
        ({"as_of": datetime(2024, 1, 1)}, "as_of"),
        ({"tags": ["", "a"]}, "tags.0"),
        ({"availability_basis": "guessed"}, "availability_basis"),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        KnowledgeCard(**{"slug": "a", "text": "text", "provenance": ARTICLE, **fields})
    assert caught.value.field == field


def test_an_unknown_source_class_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="article, lineage, scout, deep_research"):
        KnowledgeCard("a", "text", Provenance("blog"))


def test_cards_are_frozen_and_compare() -> None:
    card = KnowledgeCard("a", "text", ARTICLE, tags=["x", "x", "y"])
    assert card == KnowledgeCard("a", "text", ARTICLE, tags=("x", "y"))
    with pytest.raises(Exception, match="frozen"):
        card.text = "other"  # type: ignore[misc]


def test_the_id_depends_on_the_slug_alone() -> None:
    assert item(KnowledgeCard("a", "x", ARTICLE)).id == card_id("a") != card_id("b")
    assert chunk_locator("a", 3) == Locator("item", card_id("a"), "3")


def test_chunks_are_nodes_by_number_and_slices_of_the_text() -> None:
    made = item(KnowledgeCard("a", "one  two\nthree four five", ARTICLE, title="Title"))
    assert made.chunks == ("one  two\nthree", "three four five")
    assert [node.title for node in made.nodes.values()] == ["", "Title", "Title"]
    assert [node.citations[0].char_offset for node in list(made.nodes.values())[1:]] == [0, 9]
    assert parse_item(canonical_json(made)) == made


def test_nodes_must_be_numbered() -> None:
    made = item(KnowledgeCard("a", "one two three four", ARTICLE))
    nodes = {"root": TreeNode(node_id="root"), "1": made.nodes["1"]}
    with pytest.raises(InvalidInput, match="in order"):
        made.model_copy(update={"nodes": nodes})


def test_without_a_title_the_slug_stands_in() -> None:
    assert item(KnowledgeCard("rates/basis", "x", ARTICLE, title="  ")).title == "rates/basis"


def test_what_availability_rests_on_is_noted() -> None:
    assert item(KnowledgeCard("a", "x", ARTICLE)).availability_basis is None
    assert item(KnowledgeCard("a", "x", ARTICLE, available_at=day(1))).availability_basis == "stated"
    fetched = KnowledgeCard("a", "x", ARTICLE, available_at=day(1), availability_basis="fetched")
    assert item(fetched).availability_basis == "fetched"


def test_the_hash_tells_every_edit_and_is_the_file_s_when_there_is_one() -> None:
    base: dict[str, Any] = {"slug": "a", "text": "x", "provenance": ARTICLE}
    edits: list[dict[str, Any]] = [
        {}, {"text": "y"}, {"title": "t"}, {"tags": ["t"]}, {"as_of": day(1)}, {"provenance": Provenance("scout")},
    ]  # fmt: skip
    assert KnowledgeCard(**base).content_hash == KnowledgeCard(**base, available_at=day(1)).content_hash
    assert len({KnowledgeCard(**{**base, **edit}).content_hash for edit in edits}) == len(edits)
    read = KnowledgeCard(**base, source=SourceRef(kind="local", uri="a.md", content_hash="f00"))
    assert read.content_hash == "f00"
    assert item(read).source == SourceRef(kind="local", uri="a.md", content_hash="f00")
    assert item(KnowledgeCard(**base)).source.uri == "https://example.org/a"
