"""AsyncHybridLibrary: the same names, awaited, and a loop that is never blocked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from hybridkb import AsyncHybridLibrary, HybridLibrary, SearchQuery
from hybridkb.errors import InvalidInput, NotFound
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
