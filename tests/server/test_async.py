"""asyncio on a server: cancelled tasks cancel their statements, nothing is half-written, a small pool serves many."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from hybridkb import AsyncHybridLibrary, HybridLibrary
from hybridkb.errors import DatabaseError, NotFound
from oracles.items import item_id, note
from support.fake_embedder import HashEmbedder
from support.own_server import OwnServer

WAIT = 20.0


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 60))


@asynccontextmanager
async def opened(address: str, **options: Any) -> AsyncIterator[AsyncHybridLibrary]:
    options.setdefault("embedder", HashEmbedder(8))
    async with await AsyncHybridLibrary.open(f"{address}&pool=4", **options) as library:
        yield library


async def until(true: Callable[[], bool]) -> None:
    """Wait for something that another session does."""
    async with asyncio.timeout(WAIT):
        while not await asyncio.to_thread(true):
            await asyncio.sleep(0.01)


def blocked(server: OwnServer) -> int:
    """How many of our sessions wait for a lock."""
    rows = server.sql(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hybridkb' AND wait_event_type = 'Lock'"
    )
    return int(str(rows[0][0]))


def in_transaction(server: OwnServer) -> int:
    """How many of our sessions have a transaction open."""
    rows = server.sql(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hybridkb' AND state <> 'idle'"
    )
    return int(str(rows[0][0]))


@pytest.fixture
def held(server: OwnServer, address: str) -> Iterator[Callable[[str], psycopg.Connection[Any]]]:
    """Hold a table against everybody until the connection is closed."""

    holding: list[psycopg.Connection[Any]] = []

    def hold(table: str) -> psycopg.Connection[Any]:
        raw = psycopg.connect(server.address())
        holding.append(raw)
        schema = address.partition("schema=")[2]
        raw.execute(f"LOCK {schema}.{table} IN ACCESS EXCLUSIVE MODE".encode())
        return raw

    yield hold
    for raw in holding:
        raw.close()


def test_cancelled_search_cancels_its_statement_and_gives_the_connection_back(
    server: OwnServer, address: str, held: Callable[[str], psycopg.Connection[Any]]
) -> None:
    async def work() -> None:
        async with opened(address) as library:
            await library.put_many([note(n, f"copper gap {n}") for n in range(20)])
            for _ in range(6):  # more often than the pool has connections
                lock = held("record_text")
                task = asyncio.create_task(library.search("copper gap"))
                await until(lambda: blocked(server) == 1)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert blocked(server) == 0, "the statement went on without anybody waiting for it"
                lock.close()
                assert len(await library.search("copper gap")) == 10
            assert in_transaction(server) == 0

    run(work())


def test_timeout_ends_a_search_at_once(
    server: OwnServer, address: str, held: Callable[[str], psycopg.Connection[Any]]
) -> None:
    async def work() -> None:
        async with opened(address) as library:
            await library.put(note(1, "copper"))
            lock = held("record_text")
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3):
                    await library.search("copper")
            assert blocked(server) == 0
            lock.close()
            assert await library.search("copper")

    run(work())


def test_sixty_four_searches_on_four_connections_all_finish(address: str) -> None:
    async def work() -> None:
        async with opened(address) as library:
            await library.put_many([note(n, f"copper gap {n}") for n in range(50)])
            alone = [hit.locator for hit in await library.search("copper gap 7")]
            answers = await asyncio.gather(*(library.search("copper gap 7") for _ in range(64)))
            assert all([hit.locator for hit in answer] == alone for answer in answers)

    run(work())


def test_cancelling_half_of_many_searches_disturbs_no_other(address: str) -> None:
    async def work() -> None:
        async with opened(address) as library:
            await library.put_many([note(n, f"copper gap {n}") for n in range(50)])
            alone = [hit.locator for hit in await library.search("copper gap 7")]
            for _ in range(5):
                tasks = [asyncio.create_task(library.search("copper gap 7")) for _ in range(32)]
                await asyncio.sleep(0)
                for task in tasks[::2]:
                    task.cancel()
                answers = await asyncio.gather(*tasks, return_exceptions=True)
                assert all(isinstance(answer, asyncio.CancelledError) for answer in answers[::2])
                for answer in answers[1::2]:
                    assert not isinstance(answer, BaseException), answer
                    assert [hit.locator for hit in answer] == alone

    run(work())


def test_task_group_that_fails_leaves_a_put_whole_or_undone(
    server: OwnServer, address: str, held: Callable[[str], psycopg.Connection[Any]]
) -> None:
    async def fail() -> None:
        await until(lambda: blocked(server) == 1)
        raise LookupError("the other task")

    async def both(library: AsyncHybridLibrary) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(library.put_many([note(n, f"zinc {n}") for n in range(30)]))
            group.create_task(fail())

    async def work() -> None:
        async with opened(address) as library:
            await library.put(note("before", "copper"))
            lock = held("record_text")  # the put has written items and revisions when it comes here
            with pytest.raises(ExceptionGroup):
                await both(library)
            assert in_transaction(server) == 0
            lock.close()

    async def after() -> None:
        async with opened(address) as library:
            with pytest.raises(NotFound):
                await library.get(item_id(3))
            assert (await library.stats()).items == 1
            assert (await library.check()).ok
            assert (await library.put_many([note(n, f"zinc {n}") for n in range(30)])).added == 30

    run(work())
    run(after())


def test_writers_that_wait_do_not_hold_up_readers(server: OwnServer, address: str) -> None:
    async def work() -> None:
        async with opened(address) as library:
            await library.put(note(1, "copper"))
            with HybridLibrary.open(address, embedder=None) as other, other._database.write():
                puts = [asyncio.create_task(library.put(note(f"new {n}", "zinc"))) for n in range(12)]
                await until(lambda: blocked(server) >= 1)
                for _ in range(20):
                    assert await library.search("copper")
                assert not any(task.done() for task in puts)
            assert sum(report.added for report in await asyncio.gather(*puts)) == 12

    run(work())


class Waiting(HashEmbedder):
    """A model that answers when it is let."""

    def __init__(self) -> None:
        super().__init__(8)
        self.asked, self.let = threading.Event(), threading.Event()

    def embed_documents(self, texts: Any) -> Any:
        self.asked.set()
        assert self.let.wait(WAIT)
        return super().embed_documents(texts)


def test_put_that_is_given_up_while_the_model_thinks_is_never_written(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hybridkb.database.calls.GRACE_SECONDS", 0.05)
    embedder = Waiting()

    async def work() -> None:
        async with opened(address, embedder=embedder) as library:
            task = asyncio.create_task(library.put(note(1, "copper")))
            await until(embedder.asked.is_set)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):  # though the model has not answered
                await task
            embedder.let.set()
            await library.put(note(2, "zinc"))
            assert (await library.stats()).items == 1
            with pytest.raises(NotFound):
                await library.get(item_id(1))

    run(work())


def test_a_cancelled_wait_for_a_job_lets_the_job_go(server: OwnServer, address: str, tmp_path: Any) -> None:
    (tmp_path / "a.md").write_text("copper")

    async def work() -> None:
        async with opened(address) as library:
            with HybridLibrary.open(address, embedder=None) as other:
                with other._database.job_lock("sync", wait_seconds=0):
                    task = asyncio.create_task(library.sync(tmp_path, wait_seconds=30))
                    await asyncio.sleep(0.3)
                    task.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await task
                assert other.sync(tmp_path, wait_seconds=0).indexed == 1

    run(work())


def test_export_that_is_not_read_to_its_end_ends_its_transaction(server: OwnServer, address: str) -> None:
    async def work() -> None:
        async with opened(address) as library:
            await library.put_many([note(n, "copper") for n in range(600)])
            lines = library.export()
            assert await anext(lines)
            assert in_transaction(server) == 1
            await lines.aclose()  # type: ignore[attr-defined]
            assert in_transaction(server) == 0
            assert len([line async for line in library.export()]) == 600

    run(work())


def test_closed_library_says_so(address: str) -> None:
    async def work() -> None:
        async with opened(address) as library:
            await library.put(note(1, "copper"))
        for call in (library.search("copper"), library.put(note(2, "zinc")), library.stats()):
            with pytest.raises(DatabaseError, match="closed; open it again"):
                await call

    run(work())
    HybridLibrary.open(address, embedder=None).close()
