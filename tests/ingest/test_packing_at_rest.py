"""When a put is over, a tail that every new process would have to read is packed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hybridkb import HybridLibrary
from hybridkb.lexical import packing
from oracles import items

OpenLibrary = Callable[..., HybridLibrary]


def segments(library: HybridLibrary) -> list[int]:
    with library._database.read() as connection:
        return [last - first + 1 for _, first, last in connection.rows("lexical/segments")]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "LEAST_PACKED", 20)
    monkeypatch.setattr(packing, "PACK_AFTER", 80)


def put(library: HybridLibrary, first: int, count: int) -> None:
    library.put_many([items.note(number, f"copper {number}") for number in range(first, first + count)])


def test_a_short_tail_waits_and_a_long_one_is_packed(open_library: OpenLibrary) -> None:
    with open_library(embedder=None) as library:
        put(library, 0, 19)
        assert segments(library) == []
        put(library, 19, 1)
        assert segments(library) == [20]


def test_segments_grow_with_the_library(open_library: OpenLibrary) -> None:
    with open_library(embedder=None) as library:
        put(library, 0, 60)
        assert segments(library) == [60]
        put(library, 60, 29)
        assert segments(library) == [60]
        put(library, 89, 1)
        assert segments(library) == [60, 30]
        put(library, 90, 60)
        assert segments(library) == [60, 30, 60]
        put(library, 150, 39)
        assert segments(library) == [60, 30, 60]
        put(library, 189, 1)
        assert segments(library) == [60, 30, 60, 40]
        assert len(library.search("copper", top_k=1000)) == 190


def test_a_put_that_changes_nothing_packs_nothing(open_library: OpenLibrary) -> None:
    with open_library(embedder=None) as library:
        put(library, 0, 25)
        with library._database.read() as connection:
            before = connection.row("state/get")
        put(library, 0, 25)
        with library._database.read() as connection:
            assert connection.row("state/get") == before


def test_words_are_numbered_once_through_packings_and_purges_of_others(open_library: OpenLibrary) -> None:
    """A writer keeps its numbers through its own packings, and forgets them when somebody may have dropped terms."""
    with open_library(embedder=None) as writer, open_library(embedder=None) as other:
        for step in range(6):
            put(writer, 100 * step, 25)  # packs
            put(writer, 100 * step + 50, 5)
            other.purge(items.note(100 * step, "copper").id)  # drops the word that only this note held
            put(writer, 100 * step, 1)
            assert [hit.title for hit in writer.search(f"copper {100 * step}", match="all")][:1]
        assert writer.check().ok
