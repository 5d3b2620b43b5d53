"""What was prepared in a copy takes the place of what serves in one transaction; what arrived since is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hybridkb import HybridLibrary
from hybridkb.embedders.guard import check_vector, to_stored
from hybridkb.errors import BrokenInvariant, InvalidInput
from hybridkb.fusion import Fusion
from hybridkb.library import parts_of
from hybridkb.records import hash_text
from hybridkb.upkeep.take_over import Change, Embedded, take_over
from oracles.items import day, note
from support.fake_embedder import HashEmbedder

OLD, NEW = HashEmbedder(8, "old"), HashEmbedder(12, "new")
TEXTS = ("Die Häuser stehen", "Ein Haus am See", "Der Markt faellt")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[HybridLibrary]:
    with HybridLibrary.open(tmp_path / "library.db", embedder=OLD) as made:
        made.put_many([note(number, text) for number, text in enumerate(TEXTS)])
        yield made
        assert made.check().ok


def vectors_of(texts: tuple[str, ...]) -> list[Embedded]:
    rows = NEW.embed_documents(list(texts))
    return [
        (hash_text(text), to_stored(check_vector(row, 12)))  # type: ignore[arg-type]
        for text, row in zip(texts, rows, strict=True)
    ]


def bodies(library: HybridLibrary, query: str, **arguments: object) -> list[str]:
    return [hit.matched_text for hit in library.search(query, **arguments)]  # type: ignore[arg-type]


def test_another_space_serves_at_once_and_says_what_waits(library: HybridLibrary) -> None:
    library.put(note("late", "Spaeter Text"))
    made = take_over(
        parts_of(library).ingest, Change(space=NEW.space, why="gold set 0123"), vectors=[vectors_of(TEXTS)]
    )
    assert (made.vectors, made.pending) == (3, 1)
    with HybridLibrary.open(library.path, embedder=NEW) as reader:
        found = reader.search("Haus am See", mode="semantic")
        assert found[0].matched_text == TEXTS[1]
        assert found.pending == 1
        assert reader.embed_pending().embedded == 1
        assert reader.search("Spaeter", mode="semantic").pending == 0
    assert {space.model: space.state for space in library.stats().spaces} == {"old": "retired", "new": "serving"}
    details = [row for row in library.audit(cutoffs=[day(1)]).findings if "space" in str(row)]
    assert details


def test_vectors_of_texts_that_left_are_passed_over(library: HybridLibrary) -> None:
    vectors = vectors_of((*TEXTS, "Nobody shows this"))
    assert take_over(parts_of(library).ingest, Change(space=NEW.space), vectors=[vectors]).vectors == 3


def test_a_damaged_vector_ends_it_and_the_old_space_serves_on(library: HybridLibrary) -> None:
    before = bodies(library, "Haus am See")
    damaged = [(vectors_of(TEXTS)[0][0], b"\x00\x00")]
    with pytest.raises(BrokenInvariant):
        take_over(parts_of(library).ingest, Change(space=NEW.space), vectors=[damaged])
    assert bodies(library, "Haus am See") == before
    assert [space.model for space in library.stats().spaces] == ["old"]


def test_texts_the_model_cannot_embed_are_told(library: HybridLibrary) -> None:
    vectors, failed = vectors_of(TEXTS[:2]), hash_text(TEXTS[2])
    take_over(
        parts_of(library).ingest, Change(space=NEW.space), vectors=[vectors], failures=[(failed, "too odd")]
    )
    (new,) = [space for space in library.stats().spaces if space.model == "new"]
    assert (new.state, new.pending, new.failed) == ("serving", 1, 1)


def test_another_language_takes_a_rebuild(library: HybridLibrary) -> None:
    german = replace(library.settings, language="german")
    with pytest.raises(InvalidInput, match="rebuild"):
        take_over(parts_of(library).ingest, Change(settings=german))
    assert library.settings.language == "english"


def test_every_open_library_reads_the_new_language_at_once(library: HybridLibrary) -> None:
    with HybridLibrary.open(library.path, embedder=OLD) as other:
        assert bodies(other, "Haus", mode="lexical") == [TEXTS[1]]
        german = replace(library.settings, language="german")
        made = take_over(parts_of(library).ingest, Change(settings=german, rebuild=True, why="German texts"))
        assert made.records == 3
        for one in (library, other):
            assert sorted(bodies(one, "Haus", mode="lexical")) == sorted(TEXTS[:2])
        other.put(note("late", "Viele Haeuser und Häuser"))
        assert len(bodies(library, "haus", mode="lexical")) == 3
        assert other.check().ok


def test_all_of_it_or_nothing(library: HybridLibrary) -> None:
    before, settings = bodies(library, "Haus"), library.settings
    wished = replace(settings, language="german", fusion=Fusion("convex"))

    def refuse(_: object) -> None:
        raise InvalidInput("stop")

    with pytest.raises(InvalidInput, match="stop"):
        take_over(
            parts_of(library).ingest, Change(wished, True, NEW.space), vectors=[vectors_of(TEXTS)], last=refuse
        )
    assert (bodies(library, "Haus"), library.settings) == (before, settings)
    assert [space.model for space in library.stats().spaces] == ["old"]
    library.put(note("after", "Ein weiteres Haus"))
    assert "Ein weiteres Haus" in bodies(library, "Haus", mode="lexical")
