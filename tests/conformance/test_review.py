"""Kinds that a review of the engine found wrong once."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary, SearchQuery
from hybridkb.errors import DatabaseError, InvalidInput, InvalidQuery
from hybridkb.fusion import Fusion
from hybridkb.knowledge import SourceRef
from hybridkb.lexical.ranking import RankingSettings
from oracles.items import day, filing, item_id, note


@pytest.mark.parametrize("mode", ["hybrid", "lexical"])
def test_vectors_of_later_records_make_no_difference(open_library: Any, mode: str) -> None:
    """The first vectors of a library come with a later record: at T it answers as one without vectors."""
    first = open_library("words.db")
    first.put_many([note(1, "copper falls", available_at=day(1)), note(2, "wheat", available_at=day(2))], embed=False)
    before = first.search("copper", mode=mode, available_at_before=day(3))
    first.put(note(3, "copper supply", available_at=day(9)))
    after = first.search("copper", mode=mode, available_at_before=day(3))
    assert (after.hits, after.mode, after.degraded, after.pending) == (
        before.hits, before.mode, before.degraded, before.pending
    )  # fmt: skip
    nothing = first.search("copper", mode=mode, available_at_before=day(0))
    assert (list(nothing), nothing.mode, nothing.degraded) == ([], mode, None)


def test_a_hit_names_its_revision_within_the_item(open_library: Any) -> None:
    library = open_library()
    library.put_many([note(number, f"filler {number}") for number in range(5)])
    library.put_many([note("a", "copper one", available_at=day(1)), note("a", "copper two", available_at=day(5))])
    assert [hit.revision for hit in library.search("copper", mode="lexical")] == [2]
    assert [hit.revision for hit in library.search("copper", mode="lexical", available_at_before=day(2))] == [1]


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "semantic"])
def test_a_hit_names_the_space_of_its_vector_in_every_mode(open_library: Any, embedder: Any, mode: str) -> None:
    library = open_library()
    library.put(note(1, "copper"))
    assert [hit.projection.space for hit in library.search("copper", mode=mode)] == [embedder.space]


@pytest.mark.sqlite_only("puts another file in its place")
def test_a_file_put_back_in_place_is_read_anew(open_library: Any, tmp_path: Path) -> None:
    library = open_library()
    library.put(note(1, "copper"))
    library.compact()
    shutil.copy(library.path, tmp_path / "old.db")
    for number in range(2, 6):
        library.put(note(number, f"copper {number}"))
    assert len(library.search("copper", mode="lexical")) == 5
    library.close()
    reader = open_library(read_only=True)
    assert len(reader.search("copper", mode="lexical")) == 5
    for end in ("-wal", "-shm"):
        Path(library.path + end).unlink(missing_ok=True)
    with open(tmp_path / "old.db", "rb") as old, open(library.path, "r+b") as file:
        file.write(old.read())
        file.truncate()
    fresh = open_library(read_only=True)
    assert len(fresh.search("copper", mode="lexical")) == 1


@pytest.mark.parametrize("path", [":memory:", b"\xff\0", "bad\udc80\ud800.db", "", 5])
@pytest.mark.sqlite_only("about paths")
def test_impossible_paths_are_refused_in_words(path: Any) -> None:
    with pytest.raises(DatabaseError):
        HybridLibrary.open(path, embedder=None)


def test_a_query_can_be_replaced_and_read_back() -> None:
    query = SearchQuery("copper", top_k=5, tags=["metal"], available_at_before=day(3))
    other = dataclasses.replace(query, top_k=3)
    assert (other.top_k, other.tags, other.available_at_before) == (3, ("metal",), day(3))
    with pytest.raises(InvalidQuery):
        SearchQuery("copper", filters=query.filters, tags="other")


def test_search_takes_its_arguments_by_name(open_library: Any) -> None:
    library = open_library()
    library.put(note(1, "copper"))
    assert [hit.item_id for hit in library.search(text="copper", top_k=1, mode="lexical")] == [item_id(1)]
    with pytest.raises(InvalidQuery):
        library.search(SearchQuery("copper"), top_k=3)


@pytest.mark.parametrize(
    "make",
    [
        lambda: RankingSettings(closeness_window=-1),
        lambda: RankingSettings(closeness_window=1.5),  # type: ignore[arg-type]
        lambda: RankingSettings(title_weight=1.1),
        lambda: RankingSettings(k1="x"),  # type: ignore[arg-type]
        lambda: Fusion(k="x"),  # type: ignore[arg-type]
    ],
)
def test_impossible_settings_are_refused(make: Any) -> None:
    with pytest.raises(InvalidInput):
        make()


@pytest.mark.parametrize("mode", ["lexical", "hybrid", "semantic"])
@pytest.mark.parametrize("collapse", ["item", "document"])
def test_one_long_document_leaves_room_for_others(open_library: Any, mode: str, collapse: str) -> None:
    library = open_library()
    long = filing("long", ["copper copper copper"] * 300, root="copper")
    library.put_many([long, *(note(number, f"copper {number} and much else beside it") for number in range(12))])
    results = library.search("copper", mode=mode, top_k=10, collapse=collapse)
    assert len({hit.item_id for hit in results}) == len(results) == 10


def test_an_empty_library_keeps_its_name_when_later_knowledge_comes(open_library: Any) -> None:
    library = open_library()
    snapshot = library.snapshot(at=day(5))
    before = snapshot.search("copper").fingerprint
    library.put(note(9, "copper", available_at=day(90)))
    assert not snapshot.changed
    assert snapshot.search("copper").fingerprint == before


def test_the_fingerprint_differs_with_everything_a_hit_shows_or_ranks_by(open_library: Any) -> None:
    """Where the title ends, the source, the disclaimers: each is a correction that the fingerprint must tell."""
    library = open_library()
    kinds = [
        {"title": "", "body": "Alpha beta\n\ngamma delta"},
        {"title": "Alpha beta", "body": "gamma delta"},
        {"title": "Alpha beta", "body": "gamma delta", "disclaimers": ("not advice",)},
        {"title": "Alpha beta", "body": "gamma delta", "source": SourceRef(kind="http", uri="https://example.org/a")},
        {"title": "Alpha beta", "body": "gamma delta", "source": SourceRef(kind="http", uri="https://example.org/b")},
    ]
    seen = set()
    for fields in kinds:
        library.put(note(1, fields["body"], available_at=day(1)).model_copy(update=fields))
        seen.add(library.search("alpha", available_at_before=day(3)).fingerprint)
    assert len(seen) == len(kinds)


def test_a_few_vectors_do_not_crowd_out_the_words(open_library: Any) -> None:
    """While most candidates wait for a vector, those that have one must not rank first for having one."""
    library = open_library()
    library.put_many([note(number, f"copper supply {number}") for number in range(30)], embed=False)
    library.put_many([note(number, f"wheat harvest {number}") for number in range(100, 104)])
    words = library.search("copper supply", mode="lexical")
    some = library.search("copper supply")
    assert (some.mode, some.pending) == ("lexical", 30)
    assert "more than half" in (some.degraded or "")
    assert [hit.locator for hit in some] == [hit.locator for hit in words]
    library.embed_pending()
    assert (library.search("copper supply").mode, library.search("copper supply").degraded) == ("hybrid", None)
