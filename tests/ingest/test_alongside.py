"""What belongs to the items of a batch is written in the batch's own transaction, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hybridkb import HybridLibrary
from hybridkb.database import Connection
from hybridkb.ingest.prepare import Prepared
from oracles.items import item_id, note
from support.fake_embedder import HashEmbedder

KEPT = "kept"


def keep(connection: Connection, _generation: int, prepared: Sequence[Prepared]) -> None:
    value = ",".join(one.item_id for one in prepared)
    connection.rows("library/set", {"name": KEPT, "value": f'"{value}"'})


def kept(library: HybridLibrary) -> str | None:
    with library._database.read() as connection:
        value = connection.value("library/get", {"name": KEPT})
    return None if value is None else str(value)


@pytest.fixture
def library(tmp_path: Path) -> HybridLibrary:
    return HybridLibrary.open(tmp_path / "library.db", embedder=HashEmbedder(8))


def test_it_names_what_was_put_and_not_what_was_skipped(library: HybridLibrary) -> None:
    items = enumerate([note(1, "copper"), note(2), note(3, "wheat")])
    report = library._ingest.put_placed(items, on_error="skip", alongside=keep)
    assert [one.position for one in report.skipped] == [1]
    assert kept(library) == f'"{item_id(1)},{item_id(3)}"'


def test_it_is_called_when_nothing_is_new(library: HybridLibrary) -> None:
    library.put(note(1, "copper"))
    library._ingest.put_placed([(0, note(1, "copper"))], alongside=keep)
    assert kept(library) == f'"{item_id(1)}"'


def test_an_error_in_it_takes_the_batch_back(library: HybridLibrary) -> None:
    def fail(connection: Connection, generation: int, prepared: Sequence[Prepared]) -> None:
        keep(connection, generation, prepared)
        raise KeyError

    with pytest.raises(KeyError):
        library._ingest.put_placed([(0, note(1, "copper"))], alongside=fail)
    assert kept(library) is None
    assert not library.search("copper")


def test_a_batch_of_many_new_texts_waits_for_its_vectors(library: HybridLibrary) -> None:
    items = [note(number, f"copper {number}") for number in range(3)]
    assert library._ingest.put_placed(enumerate(items), embed_at_most=2).pending == 3
    assert library._ingest.put_placed(enumerate([note(9, "wheat")]), embed_at_most=2).pending == 0
    assert library.embed_pending().embedded == 3


def test_catching_up_stops_when_its_time_is_over(library: HybridLibrary) -> None:
    from hybridkb.ingest.catch_up import STEP_TEXTS, embed_pending

    count = STEP_TEXTS + 5
    library.put_many([note(number, f"copper {number}") for number in range(count)], embed=False)
    first = embed_pending(library._ingest, most_seconds=0)
    assert (first.embedded, first.pending) == (STEP_TEXTS, 5)
    assert embed_pending(library._ingest).pending == 0
