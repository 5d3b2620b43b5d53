"""A snapshot shows one instant, and nothing in it can look further."""

from __future__ import annotations

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from hybridkb import AsyncHybridLibrary, HybridLibrary, SearchQuery
from hybridkb.errors import InvalidFilter, InvalidInput, InvalidQuery, NotFound
from hybridkb.snapshot import Snapshot
from hybridkb.snapshot_async import AsyncSnapshot
from hybridkb.store.settings import change_settings
from oracles.items import day, earnings, filing, item_id, note
from support.fake_embedder import HashEmbedder

T = day(10)


@pytest.fixture
def library(open_library: Any) -> HybridLibrary:
    """Items before, at and after T; one revised and one withdrawn after it, one withdrawn before it."""
    library: HybridLibrary = open_library()
    library.put_many([
        note("kept", "copper supply", available_at=day(1)),
        note("revised", "copper demand first", available_at=day(2)),
        note("gone", "copper gone", available_at=day(3)),
        note("at T", "copper exactly then", available_at=T),
        filing("tree", {"a": "copper mines", "b": "zinc mines"}, available_at=day(5)),
        note("unknown", "copper unknown", available_at=None),
        note("later", "copper later", available_at=day(11)),
        note("left later", "copper left", available_at=day(4)),
    ])
    library.put(note("revised", "copper demand second", available_at=day(12)))
    library.put(filing("tree", {"a": "copper mines revised"}, available_at=day(15)))
    library.delete(item_id("gone"), at=day(6))
    library.delete(item_id("left later"), at=day(14))
    return library


def ids(results: Any) -> set[str]:
    return {str(hit.item_id) for hit in results}


def named(*names: str) -> set[str]:
    return {str(item_id(name)) for name in names}


def test_search_is_that_of_the_cutoff(library: HybridLibrary) -> None:
    snapshot = library.snapshot(at=T)
    expected = library.search("copper", available_at_before=T)
    found = snapshot.search("copper")
    assert found == expected
    assert found.cutoff == T == snapshot.at
    assert ids(found) == named("kept", "revised", "at T", "tree", "left later")


def test_every_argument_of_a_search_is_there(library: HybridLibrary) -> None:
    arguments: dict[str, Any] = {
        "top_k": 3, "mode": "semantic", "collapse": "item", "min_score": 0.1, "exact": True, "item_types": ["note"],
        "available_at_after": day(2),
    }  # fmt: skip
    expected = library.search("copper", available_at_before=T, **arguments)
    assert expected
    snapshot = library.snapshot(at=T)
    assert snapshot.search("copper", **arguments) == expected
    assert snapshot.search(SearchQuery("copper", **arguments)) == expected
    with pytest.raises(InvalidQuery):
        snapshot.search(SearchQuery("copper"), top_k=3)
    with pytest.raises(InvalidFilter, match="did you mean"):
        snapshot.search("copper", item_typ="note")


def test_nothing_widens_it(library: HybridLibrary) -> None:
    snapshot = library.snapshot(at=T)
    later = T + timedelta(microseconds=1)
    for wider in ({"available_at_before": later}, {"available_at_after": later}):
        with pytest.raises(InvalidFilter) as caught:
            snapshot.search("copper", **wider)
        assert caught.value.field in wider
        with pytest.raises(InvalidFilter):
            snapshot.search(SearchQuery("copper", **wider))
    assert snapshot.search("copper", available_at_before=T).cutoff == T


def test_an_earlier_cutoff_shows_less_with_its_own_statistics(library: HybridLibrary) -> None:
    narrower = library.snapshot(at=T).search("copper", available_at_before=day(2))
    assert narrower == library.search("copper", available_at_before=day(2))
    assert narrower[0].explanation.records == 2


def test_a_query_is_not_changed_by_a_snapshot(library: HybridLibrary) -> None:
    query = SearchQuery("copper", mode="lexical")
    library.snapshot(at=T).search(query)
    assert query.filters.cutoff is None
    assert "later" in {hit.matched_text.split()[-1] for hit in library.search(query)}


def test_get_and_resolve_show_the_state_of_then(library: HybridLibrary) -> None:
    snapshot = library.snapshot(at=T)
    assert snapshot.get(item_id("revised")).body == "copper demand first"  # type: ignore[attr-defined]
    assert snapshot.resolve(f"item:{item_id('tree')}#b").content == "zinc mines"  # type: ignore[union-attr]
    assert snapshot.resolve(f"item:{item_id('tree')}") == snapshot.get(str(item_id("tree")))
    with pytest.raises(NotFound):
        snapshot.resolve(f"item:{item_id('tree')}#c")
    with pytest.raises(InvalidInput):
        snapshot.get("no id")


@pytest.mark.parametrize("name", ["later", "unknown", "never heard of", "purged"])
def test_errors_tell_nothing_of_later_times(library: HybridLibrary, name: str) -> None:
    library.put(note("purged", "copper", available_at=day(20)))
    library.purge(item_id("purged"), reason="a secret reason")
    snapshot = library.snapshot(at=T)
    for ask in (snapshot.get, snapshot.history, lambda one: snapshot.resolve(f"item:{one}")):
        with pytest.raises(NotFound) as caught:
            ask(item_id(name))
        assert str(caught.value) == f"nothing of item {item_id(name)} was observable at {T.isoformat()}"


def test_a_withdrawal_before_is_known_and_one_after_is_not(library: HybridLibrary) -> None:
    snapshot = library.snapshot(at=T)
    with pytest.raises(NotFound, match="withdrawn from 2024-01-07"):
        snapshot.get(item_id("gone"))
    assert snapshot.get(item_id("left later"))


def test_history_has_no_future(library: HybridLibrary) -> None:
    snapshot = library.snapshot(at=T)
    (first,) = snapshot.history(item_id("revised"))
    assert (first.available_at, first.visible_until, first.withdrawn_at, first.current) == (day(2), None, None, True)
    (left,) = snapshot.history(item_id("left later"))
    assert (left.visible_until, left.withdrawn_at, left.current) == (None, None, True)
    (gone,) = snapshot.history(item_id("gone"))
    assert (gone.visible_until, gone.withdrawn_at, gone.current) == (day(6), day(6), False)
    later = library.snapshot(at=day(12)).history(item_id("revised"))
    assert [(one.visible_until, one.current) for one in later] == [(day(12), False), (None, True)]
    assert later == library.history(item_id("revised"))


def test_stats_count_what_was_visible(library: HybridLibrary) -> None:
    stats = library.snapshot(at=T).stats()
    visible = library.search("copper", available_at_before=T)[0].explanation.records
    assert (stats.at, stats.items, stats.revisions, stats.records) == (T, 5, 6, visible)
    assert stats.item_types == {"filing": 3, "note": 4}
    assert sum(stats.item_types.values()) == stats.records
    assert stats.pending == 0
    assert "fake" in str(stats.space)


def test_before_everything_there_is_nothing(library: HybridLibrary) -> None:
    snapshot = library.snapshot(at=day(-400))
    assert len(snapshot.search("copper")) == 0
    assert (snapshot.stats().items, snapshot.stats().records, snapshot.stats().words) == (0, 0, 0)


def test_a_naive_instant_is_refused_and_a_finer_one_rounded_down(library: HybridLibrary) -> None:
    with pytest.raises(InvalidInput, match="naive"):
        library.snapshot(at=datetime(2024, 1, 1))
    assert library.snapshot(at="2024-01-11T00:00:00.0000009Z").at == T  # type: ignore[arg-type]


def test_nothing_writes(library: HybridLibrary) -> None:
    public = {name for name in dir(library.snapshot(at=T)) if not name.startswith("_")}
    reads = {"count", "get", "history", "list_items", "list_values", "resolve", "search", "snapshot", "stats"}
    reads |= {"get_artifact", "get_blob", "get_paper"}
    assert public == reads | {"at", "changed", "fingerprint", "settings"}


def test_what_comes_later_never_changes_it(library: HybridLibrary) -> None:
    snapshot = library.snapshot(at=T)
    library.put(note("new", "copper", available_at=day(30)))
    library.put(note("kept", "copper supply once more", available_at=day(31)))
    library.put(note("kept", "copper supply corrected", available_at=day(31)))
    library.put(note("no time", "copper", available_at=None))
    library.delete(item_id("at T"), at=day(32))
    library.purge(item_id("new"))
    library.optimize()
    library.rebuild()
    library.compact()
    assert not snapshot.changed
    assert snapshot.fingerprint == library.snapshot(at=T).fingerprint


def back_fill(library: HybridLibrary) -> None:
    library.put(note("back-filled", "wheat", available_at=day(3)))


def correct(library: HybridLibrary) -> None:
    library.put(note("kept", "copper supply corrected", available_at=day(1)))


def correct_and_undo(library: HybridLibrary) -> None:
    correct(library)
    library.put(note("kept", "copper supply", available_at=day(1)))


def correct_what_no_record_shows(library: HybridLibrary) -> None:
    library.put(note("kept", "copper supply", available_at=day(1), disclaimers=("not audited",)))


def insert(library: HybridLibrary) -> None:
    library.put(note("revised", "copper between", available_at=day(4)))


def withdraw(library: HybridLibrary) -> None:
    library.delete(item_id("kept"), at=day(9))


def purge(library: HybridLibrary) -> None:
    library.purge(item_id("tree"))


def purge_what_was_withdrawn(library: HybridLibrary) -> None:
    library.purge(item_id("gone"))


def learn_when(library: HybridLibrary) -> None:
    library.put(note("unknown", "copper unknown", available_at=day(8)))


def tune(library: HybridLibrary) -> None:
    with library._database.write() as connection:
        change_settings(connection, library.settings, now=0, why="tuned")


EDITS = (
    back_fill, correct, correct_and_undo, correct_what_no_record_shows, insert, withdraw, purge,
    purge_what_was_withdrawn, learn_when, tune,
)  # fmt: skip


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_an_edit_of_the_past_is_said(library: HybridLibrary, edit: Any) -> None:
    before, same, elsewhere = library.snapshot(at=T), library.snapshot(at=T), library.snapshot(at=day(-300))
    assert not before.changed
    edit(library)
    assert before.changed
    assert same.changed
    assert not elsewhere.changed
    assert not library.snapshot(at=T).changed


def test_another_process_may_make_the_edit(library: HybridLibrary, open_library: Any) -> None:
    reader = open_library(read_only=True)
    snapshot = reader.snapshot(at=T)
    library.put(note("new", "copper", available_at=day(30)))
    assert not snapshot.changed
    correct(library)
    assert snapshot.changed


def test_vectors_and_spaces_change_it(open_library: Any) -> None:
    with open_library(embedder=None) as words:
        words.put(note(1, "copper", available_at=day(0)))
    library = open_library()
    snapshot = library.snapshot(at=T)
    library.embed_pending()
    assert snapshot.changed
    other = open_library(embedder=HashEmbedder(8, "other"))
    snapshot = other.snapshot(at=T)
    other.put(note(2, "wheat", available_at=day(20)))
    assert not snapshot.changed
    other.embed_pending()
    assert snapshot.changed


def test_fingerprint_names_what_is_visible_wherever_it_is_stored(open_library: Any) -> None:
    items = [note(name, f"copper {name}", available_at=day(name)) for name in range(20)]
    one, two = open_library("one.db"), open_library("two.db")
    one.put_many(items)
    two.put_many(reversed(items[:11]))
    assert one.snapshot(at=T).fingerprint == two.snapshot(at=T).fingerprint
    assert one.snapshot(at=day(11)).fingerprint != two.snapshot(at=day(11)).fingerprint


def test_purge_while_a_snapshot_is_open(library: HybridLibrary, tmp_path: Path) -> None:
    snapshot = library.snapshot(at=T)
    assert named("kept") <= ids(snapshot.search("copper"))
    library.purge(item_id("kept"), reason="licence ended")
    library.compact()
    assert snapshot.changed
    assert not named("kept") & ids(snapshot.search("copper"))
    with pytest.raises(NotFound):
        snapshot.get(item_id("kept"))
    assert not any(b"copper supply" in file.read_bytes() for file in tmp_path.glob("library.db*"))


def test_purge_while_an_answer_is_being_read(library: HybridLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is whole: that of the state in which its transaction began."""
    snapshot = library.snapshot(at=T)
    expected = [hit.matched_text for hit in snapshot.search("copper")]
    inside, purged = Event(), Event()
    from hybridkb.search import pipeline

    hydrate = pipeline.hydrate

    def waiting(*arguments: Any, **named: Any) -> Any:
        inside.set()
        assert purged.wait(20)
        return hydrate(*arguments, **named)

    monkeypatch.setattr(pipeline, "hydrate", waiting)
    answers: list[list[str]] = []
    reader = Thread(target=lambda: answers.append([hit.matched_text for hit in snapshot.search("copper")]))
    reader.start()
    assert inside.wait(20)
    library.purge(item_id("kept"))
    purged.set()
    reader.join(20)
    assert answers == [expected]
    assert len(snapshot.search("copper")) == len(expected) - 1


def test_many_threads_walk_while_another_writes(library: HybridLibrary) -> None:
    expected = [library.snapshot(at=day(number)).stats() for number in range(12)]
    prints = [library.snapshot(at=day(number)).fingerprint for number in range(12)]
    done = Event()

    def walk(number: int) -> int:
        rounds = 0
        while not (done.is_set() and rounds):
            snapshot = library.snapshot(at=day(number))
            assert snapshot.fingerprint == prints[number]
            assert snapshot.stats() == expected[number]
            assert all(hit.available_at <= day(number) for hit in snapshot.search("copper", mode="lexical"))
            assert not snapshot.changed
            rounds += 1
        return rounds

    with ThreadPoolExecutor(4) as pool:
        walks = [pool.submit(walk, number) for number in (3, 6, 9, 11)]
        for number in range(30):
            library.put(note(f"new {number}", "copper", available_at=day(40 + number)))
        done.set()
        assert all(one.result(60) for one in walks)


def test_async_twin_has_the_same_names_and_answers(tmp_path: Path) -> None:
    def names(cls: type) -> set[str]:
        return {name for name, _ in inspect.getmembers(cls) if not name.startswith("_")}

    assert names(AsyncSnapshot) == names(Snapshot)

    async def scenario() -> None:
        async with await AsyncHybridLibrary.open(tmp_path / "async.db", embedder=HashEmbedder(16)) as library:
            await library.put_many([note(1, "copper", available_at=day(1)), earnings(2, "MRDN", "Q1", day(20))])
            snapshot = await library.snapshot(at=T)
            assert snapshot.at == T
            assert [str(hit.item_id) for hit in await snapshot.search("copper")] == [str(item_id(1))]
            assert (await snapshot.get(item_id(1))).id == item_id(1)
            assert (await snapshot.resolve(f"item:{item_id(1)}")) == await snapshot.get(item_id(1))
            assert len(await snapshot.history(item_id(1))) == 1
            assert (await snapshot.stats()).items == 1
            assert not await snapshot.changed
            await library.put(note(3, "zinc", available_at=day(2)))
            assert await snapshot.changed
            assert (await library.audit()).items == 3

    asyncio.run(scenario())
