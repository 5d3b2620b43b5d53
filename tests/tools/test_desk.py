"""A folder as the target of the tools, and the threads behind a server; the folder here is a stand-in."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import DatabaseBusy, InvalidFilter
from hybridkb.tools import get_knowledge, knowledge_status, list_sources, openai_tool, search_knowledge
from hybridkb.tools.desk import Desk, make_desk
from hybridkb.tools.refresher import Refresher
from hybridkb.tools.workers import Workers
from oracles.items import day, item_id, note


@dataclass
class Counts:
    indexed: int = 0
    removed: int = 0
    passages: int = 3
    unreadable: list[tuple[str, str]] = field(default_factory=lambda: [("secret\x1b[2J.pdf", "permission denied")])
    folder_missing: str | None = None
    embedded: int = 0
    pending: int = 0


class StandIn:
    """A folder whose looks are counted and may be held up."""

    def __init__(self, library: HybridLibrary) -> None:
        self._library = library
        self.looks = 0
        self.go_on = threading.Event()
        self.go_on.set()
        self.began = threading.Semaphore(0)
        self.fail_with: Exception | None = None
        self.missing: str | None = None
        self.waiting = 0
        self.steps = 0
        self.embedded = threading.Event()

    @property
    def library(self) -> HybridLibrary:
        return self._library

    def refresh(
        self, *, progress: Callable[[int, int | None], None] | None = None, embed: bool = True,
        embed_seconds: float | None = None,
    ) -> Counts:  # fmt: skip
        if embed and embed_seconds == 0:
            return self._embed()
        self.looks += 1
        self.began.release()
        assert self.go_on.wait(30)
        if progress is not None:
            progress(1, 2)
        if self.fail_with is not None:
            raise self.fail_with
        self._library.put(note("fresh", f"look number {self.looks}", available_at=day(self.looks)))
        return Counts(indexed=1, folder_missing=self.missing)

    def _embed(self) -> Counts:
        """One step of embedding."""
        step = min(2, self.waiting)
        self.waiting -= step
        self.steps += 1
        if not self.waiting or not step:
            self.embedded.set()
        return Counts(embedded=step, pending=self.waiting)


@pytest.fixture
def folder(desk: HybridLibrary) -> StandIn:
    return StandIn(desk)


def test_search_looks_at_the_folder_first(folder: StandIn) -> None:
    assert search_knowledge(folder, "look number", mode="lexical")["count"] == 1
    assert folder.looks == 1
    list_sources(folder)
    assert folder.looks == 2
    get_knowledge(folder, f"item:{item_id('fresh')}")
    knowledge_status(folder)
    assert folder.looks == 2


def test_a_folder_that_cannot_be_looked_at_is_told_and_its_index_answers(folder: StandIn) -> None:
    folder.fail_with = DatabaseBusy("another process writes")
    answer = search_knowledge(folder, "copper")
    assert answer["count"] > 0
    assert "another process writes" in answer["stale"]
    folder.fail_with, folder.missing = None, "the folder is not there"
    assert "the folder is not there" in search_knowledge(folder, "copper")["stale"]
    folder.missing = None
    assert "stale" not in search_knowledge(folder, "copper")


def test_status_tells_of_the_last_look_but_not_under_a_cutoff(folder: StandIn) -> None:
    desk = make_desk(folder)
    assert knowledge_status(desk)["folder"]["last_refresh"] is None
    search_knowledge(desk, "copper")
    told = knowledge_status(desk)["folder"]
    assert (told["indexed"], told["unreadable"], told["trouble"]) == (1, 1, None)
    assert told["unreadable_files"] == ["secret.pdf: permission denied"]
    fixed = make_desk(desk, available_before=day(1))
    assert "secret" not in json.dumps(knowledge_status(fixed))


def test_a_fixed_cutoff_holds_for_every_tool_over_a_folder(folder: StandIn) -> None:
    desk = make_desk(folder, available_before=day(0))
    _, call = openai_tool(desk)
    assert json.loads(call(query="copper look number"))["count"] == 1
    assert list_sources(desk)["total"] == 1
    assert knowledge_status(desk)["items"] == 1
    for ask in (search_knowledge, list_sources, knowledge_status):
        extra = ("copper",) if ask is search_knowledge else ()
        with pytest.raises(InvalidFilter, match="no argument changes"):
            ask(desk, *extra, available_at_before=day(1))  # type: ignore[operator]
    with pytest.raises(InvalidFilter, match="no argument changes"):
        make_desk(desk, available_before=day(1))


class TestRefresher:
    def test_a_call_waits_for_a_look_that_began_after_it(self, folder: StandIn) -> None:
        desk = Desk(folder)
        refresher = Refresher(desk)
        folder.go_on.clear()
        early = refresher.start()
        assert folder.began.acquire(timeout=30)
        late = [refresher.start() for _ in range(5)]
        assert all(one is late[0] for one in late)
        assert late[0] is not early
        folder.go_on.set()
        assert (late[0].result(30), folder.looks) == (None, 2)
        assert refresher() is None
        assert folder.looks == 3

    def test_a_call_that_waited_long_enough_is_answered_and_told(self, folder: StandIn) -> None:
        desk = Desk(folder)
        desk.refresh_by = Refresher(desk, wait_seconds=0.01)
        folder.go_on.clear()
        answer = search_knowledge(desk, "copper")
        assert "still being read" in answer["stale"]
        assert answer["count"] > 0
        assert knowledge_status(desk)["folder"]["refreshing_since"] is not None
        folder.go_on.set()


    def test_vectors_follow_in_steps_of_their_own(self, folder: StandIn) -> None:
        folder.waiting = 5
        refresher = Refresher(Desk(folder))
        assert refresher() is None
        assert folder.embedded.wait(30)
        assert (folder.waiting, folder.steps, folder.looks) == (0, 3, 1)

    def test_it_stops_between_two_steps(self, folder: StandIn) -> None:
        desk = Desk(folder)
        refresher = Refresher(desk)
        folder.go_on.clear()
        running, waiting = refresher.start(), None
        assert folder.began.acquire(timeout=30)
        waiting = refresher.start()
        refresher.stop()
        folder.go_on.set()
        assert waiting.result(30) is None
        assert running.exception(30) is not None
        assert (folder.looks, desk.refreshed, desk.refreshing_since) == (1, None, None)


class TestWorkers:
    def test_results_and_errors_come_back(self) -> None:
        async def work() -> None:
            workers = Workers(2, "test")
            assert await workers.run(lambda: 1 + 1) == 2
            with pytest.raises(ZeroDivisionError):
                await workers.run(lambda: 1 / 0)
            assert await asyncio.gather(*(workers.run(lambda n=n: n) for n in range(20))) == list(range(20))

        asyncio.run(work())

    def test_a_cancelled_call_is_not_waited_for_and_one_in_the_queue_never_runs(self) -> None:
        ran: list[Any] = []
        hold, began = threading.Event(), threading.Event()

        def slow() -> None:
            began.set()
            hold.wait(30)

        async def work() -> None:
            workers = Workers(1, "test")
            first = asyncio.ensure_future(workers.run(slow))
            await asyncio.to_thread(began.wait, 30)
            second = asyncio.ensure_future(workers.run(lambda: ran.append(2)))
            await asyncio.sleep(0)
            for task in (first, second):
                task.cancel()
            assert all(isinstance(one, asyncio.CancelledError)
                       for one in await asyncio.gather(first, second, return_exceptions=True))  # fmt: skip
            hold.set()
            await workers.run(lambda: ran.append(3))

        asyncio.run(work())
        assert ran == [3]
