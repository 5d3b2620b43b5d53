"""AsyncHybridLibrary: the same names, awaited, and a loop that is never blocked."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from hybridkb import AsyncHybridLibrary, HybridLibrary, SearchQuery
from hybridkb.errors import DatabaseError, InvalidInput, NotFound
from oracles.items import day, item_id, note
from support.fake_embedder import HashEmbedder


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


def public(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_")}


def test_both_libraries_have_the_same_names() -> None:
    assert public(AsyncHybridLibrary) == public(HybridLibrary)


def test_both_libraries_answer_alike(tmp_path: Path) -> None:
    items = [note(1, "copper supply"), note(2, "wheat"), note(2, "wheat later", available_at=day(5))]

    async def work() -> None:
        async with await AsyncHybridLibrary.open(tmp_path / "a.db", embedder=HashEmbedder(8)) as library:
            report = await library.put_many(items)
            assert (report.added, report.revised) == (2, 1)
            assert await library.get(item_id(1)) == items[0]
            assert len(await library.history(item_id(2))) == 2
            answers = [await library.search("copper wheat", mode=mode) for mode in ("lexical", "semantic", "hybrid")]
            query = SearchQuery("wheat", available_at_before=day(1))
            answers.append(await library.search(query))
            assert (await library.check()).ok
            await library.delete(item_id(1), at=day(3))
            with pytest.raises(NotFound):
                await library.get(item_id(1))
            with pytest.raises(InvalidInput):
                await library.search("x", nonsense=1)
            await library.purge(item_id(1))
            await library.rebuild()
            assert await library.stats()
            found.extend(answers)

    found: list[Any] = []
    run(work())
    with HybridLibrary.open(tmp_path / "b.db", embedder=HashEmbedder(8)) as library:
        library.put_many(items)
        expected = [library.search("copper wheat", mode=mode) for mode in ("lexical", "semantic", "hybrid")]
        expected.append(library.search("wheat", available_at_before=day(1)))
    for ours, theirs in zip(found, expected, strict=True):
        assert [(hit.locator, hit.score) for hit in ours] == [(hit.locator, hit.score) for hit in theirs]


class Slow(HashEmbedder):
    """Takes its time, as a model does."""

    def embed_documents(self, texts: Any) -> Any:
        time.sleep(0.3)
        return super().embed_documents(texts)

    def embed_queries(self, texts: Any) -> Any:
        time.sleep(0.3)
        return super().embed_queries(texts)


def test_the_loop_is_never_blocked(tmp_path: Path) -> None:
    async def work() -> None:
        async with await AsyncHybridLibrary.open(tmp_path / "a.db", embedder=Slow(8)) as library:
            ticking = asyncio.create_task(tick())
            for task in (
                lambda: library.put_many(note(name, f"copper {name}") for name in range(500)),
                lambda: library.search("copper"),
                lambda: library.rebuild(),
            ):
                before = ticks[0]
                await task()
                assert ticks[0] > before, "nothing else ran meanwhile"
            ticking.cancel()

    ticks = [0]

    async def tick() -> None:
        while True:
            await asyncio.sleep(0)
            ticks[0] += 1

    run(work())


def test_many_searches_at_once(tmp_path: Path) -> None:
    async def work() -> None:
        async with await AsyncHybridLibrary.open(tmp_path / "a.db", embedder=HashEmbedder(8)) as library:
            await library.put_many(note(name, f"copper {name}") for name in range(50))
            alone = list(await library.search("copper"))
            puts = [library.put(note(f"unseen {name}", "wheat", available_at=day(9))) for name in range(5)]
            searches = [library.search("copper", available_at_before=day(1)) for _ in range(40)]
            answers = await asyncio.gather(*puts, *searches)
            assert all([hit.locator for hit in answer] == [hit.locator for hit in alone] for answer in answers[5:])

    run(work())


class Waiting(HashEmbedder):
    """A model that answers when it is let."""

    def __init__(self) -> None:
        super().__init__(8)
        self.asked, self.let = threading.Event(), threading.Event()

    def embed_documents(self, texts: Any) -> Any:
        self.asked.set()
        assert self.let.wait(20)
        return super().embed_documents(texts)


def test_a_put_that_is_cancelled_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridkb.database.calls.GRACE_SECONDS", 0.05)
    embedder = Waiting()

    async def work() -> None:
        async with await AsyncHybridLibrary.open(tmp_path / "a.db", embedder=embedder) as library:
            task = asyncio.create_task(library.put(note(1, "copper")))
            await asyncio.to_thread(embedder.asked.wait, 20)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            embedder.let.set()
            await library.put(note(2, "zinc"))
            assert (await library.stats()).items == 1
            with pytest.raises(NotFound):
                await library.get(item_id(1))

    run(work())


def test_a_cancelled_task_interrupts_its_statement(tmp_path: Path) -> None:
    """Whatever a method does, its connection is interrupted: here by a statement that would take minutes."""
    slow = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3000000000) SELECT count(*) FROM n"

    async def work() -> None:
        async with await AsyncHybridLibrary.open(tmp_path / "a.db", embedder=HashEmbedder(8)) as library:
            await library.put(note(1, "copper"))
            database, begun = library._library._database, threading.Event()

            def long_read() -> None:
                with database.read() as connection:
                    begun.set()
                    connection.text_rows(slow)

            task = asyncio.create_task(library._calls.read(long_read))
            await asyncio.to_thread(begun.wait, 20)
            await asyncio.sleep(0.1)
            task.cancel()
            async with asyncio.timeout(30):
                with pytest.raises(asyncio.CancelledError):
                    await task
            for _ in range(20):
                assert await library.search("copper")

    run(work())


def test_a_task_that_did_not_begin_is_taken_from_the_queue(tmp_path: Path) -> None:
    async def work() -> None:
        async with await AsyncHybridLibrary.open(tmp_path / "a.db", embedder=HashEmbedder(8)) as library:
            await library.put(note(1, "copper"))
            tasks = [asyncio.create_task(library.search("copper")) for _ in range(200)]
            await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            assert all(isinstance(one, asyncio.CancelledError) for one in
                       await asyncio.gather(*tasks, return_exceptions=True))  # fmt: skip
            assert await library.search("copper")

    run(work())


def test_opening_that_is_cancelled_leaves_nothing_open(tmp_path: Path) -> None:
    async def work() -> None:
        for _ in range(10):
            task = asyncio.create_task(AsyncHybridLibrary.open(tmp_path / "a.db", embedder=HashEmbedder(8)))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        async with await AsyncHybridLibrary.open(tmp_path / "a.db", embedder=HashEmbedder(8)) as library:
            assert (await library.put(note(1, "copper"))).added == 1

    run(work())


def test_closing_twice_is_harmless_and_stands_behind_no_writer(tmp_path: Path) -> None:
    embedder = Waiting()

    async def work() -> None:
        library = await AsyncHybridLibrary.open(tmp_path / "a.db", embedder=embedder)
        puts = [asyncio.create_task(library.put(note(number, f"copper {number}"))) for number in range(8)]
        await asyncio.to_thread(embedder.asked.wait, 20)
        await library.close()
        await library.close()
        embedder.let.set()
        for outcome in await asyncio.gather(*puts, return_exceptions=True):
            assert isinstance(outcome, DatabaseError), outcome
            assert "closed; open it again" in str(outcome)
        with pytest.raises(DatabaseError, match="closed"):
            await library.search("copper")

    run(work())
