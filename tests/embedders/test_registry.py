"""``"auto"`` finds embedders of one's own by the space of the stored vectors, also when another begins to serve."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.embedders import Embedder, EmbeddingSpace, choose, registry
from hybridkb.embedders.registry import register_embedder
from hybridkb.errors import InvalidInput
from oracles.items import note
from support.fake_embedder import HashEmbedder

OLD, NEW = HashEmbedder(8, "own-old"), HashEmbedder(8, "own-new")


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    before = dict(registry._makers)
    for one in (OLD, NEW):
        register_embedder(one.space, lambda one=one: one)
    yield
    registry._makers.clear()
    registry._makers.update(before)


def test_auto_finds_the_embedder_of_the_stored_vectors(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    with HybridLibrary.open(path, embedder=OLD) as library:
        library.put(note(1, "copper"))
    with HybridLibrary.open(path) as library:
        found = library.search("copper", mode="semantic")
        assert found.mode == "semantic"
        assert library.put(note(2, "wheat")).pending == 0


def test_an_open_library_follows_a_space_that_begins_to_serve(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    with HybridLibrary.open(path, embedder=OLD) as library:
        library.put(note(1, "copper"))
    with HybridLibrary.open(path) as follower, HybridLibrary.open(path, embedder=NEW) as other:
        assert follower.search("copper").mode == "hybrid"
        other.embed_pending()
        found = follower.search("copper")
        assert (found.mode, found.degraded) == ("hybrid", None)
        assert follower.put(note(2, "wheat")).pending == 0
        spaces = {space.model: (space.state, space.vectors) for space in follower.stats().spaces}
        assert spaces == {"own-old": ("retired", 1), "own-new": ("serving", 2)}


def test_an_embedder_that_was_given_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    with HybridLibrary.open(path, embedder=OLD) as given, HybridLibrary.open(path, embedder=NEW) as other:
        given.put(note(1, "copper"))
        other.embed_pending()
        given.put(note(2, "wheat"))
        assert {space.model: space.vectors for space in given.stats().spaces} == {"own-old": 2, "own-new": 1}


def test_what_cannot_be_registered_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no embedding space"):
        register_embedder("own", lambda: OLD)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="cannot be called"):
        register_embedder(EmbeddingSpace("own", 8, "1"), OLD)  # type: ignore[arg-type]


def broken() -> Embedder:
    raise RuntimeError("no weights")


@pytest.mark.parametrize(
    ("make", "why"),
    [(broken, "no weights"), (lambda: None, "own-new"), (lambda: "x", "own-new"), (lambda: OLD, "own-old")],
)
def test_what_is_registered_wrongly_stops_no_search_and_is_told(tmp_path: Path, make: Any, why: str) -> None:
    path = tmp_path / "library.db"
    with HybridLibrary.open(path, embedder=OLD) as library:
        library.put(note(1, "copper"))
    register_embedder(NEW.space, make)
    with HybridLibrary.open(path) as follower:
        assert follower.search("copper").mode == "hybrid"
        with HybridLibrary.open(path, embedder=NEW) as other:
            other.embed_pending()
        found = follower.search("copper")
        assert (found.mode, len(found)) == ("lexical", 1)
        assert why in str(found.degraded)
        follower.put(note(2, "wheat"))
    with HybridLibrary.open(path) as opened_later:
        found = opened_later.search("copper")
        assert (found.mode, len(found)) == ("lexical", 1)
        assert why in str(found.degraded)


def test_a_library_without_any_model_follows_one_that_begins_to_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choose, "_local_installed", lambda: False)
    path = tmp_path / "library.db"
    with HybridLibrary.open(path) as follower, HybridLibrary.open(path, embedder=None) as words:
        follower.put(note(1, "copper"))
        assert follower.search("copper").mode == "lexical"
        with HybridLibrary.open(path, embedder=NEW) as other:
            other.embed_pending()
        found = follower.search("copper")
        assert (found.mode, found.degraded) == ("hybrid", None)
        assert follower.put(note(2, "wheat")).pending == 0
        assert words.search("copper").mode == "lexical"
