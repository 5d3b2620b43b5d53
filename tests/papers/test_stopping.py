"""A flow that is cancelled leaves no thread behind that goes on fetching or reading."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from hybridkb.papers import ArxivFetcher, PaperFlowConfig, paper_flow
from hybridkb.papers.pace import Pace
from hybridkb.papers.stopping import Stopped, check_wanted, in_thread, sleep
from support.pdf_layout import make_pdf
from support.raw_server import RawServer

PAGES = (f"Page {number} tells of curves that pay for waiting.\n" for number in range(300))
LONG = make_pdf("% title: Long\n" + "--- page\n".join(PAGES))
NO_SUMMARY = PaperFlowConfig(summarise=False)


async def cancelled(work: Any, when: Callable[[], bool]) -> None:
    """Cancel work once it is so far; no thread of the loop may be busy afterwards."""
    task = asyncio.ensure_future(work)
    while not when():
        assert not task.done(), task
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(asyncio.get_running_loop().shutdown_default_executor(), 10)


def fetcher(server: RawServer, **settings: Any) -> ArxivFetcher:
    return ArxivFetcher(server.url, timeout_seconds=60, total_seconds=60, **{"pace": Pace(0.0), **settings})


@pytest.mark.parametrize("at_once", [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n"], ids=["header", "body"])
@pytest.mark.parametrize("dripped", [b"X-A: b\r\n", b""], ids=["drips", "is-silent"])
def test_a_fetch_under_way_is_left(at_once: bytes, dripped: bytes) -> None:
    with RawServer(at_once, dripped or b"x", every=0.01 if dripped else 30) as server:
        flow = paper_flow("1706.03762", NO_SUMMARY, fetcher=fetcher(server))
        asyncio.run(cancelled(flow, server.asked.is_set))


def test_a_wait_for_a_busy_server_is_left() -> None:
    with RawServer(b"HTTP/1.1 503 Busy\r\nRetry-After: 100\r\nContent-Length: 0\r\n\r\n") as server:
        flow = paper_flow("1706.03762", NO_SUMMARY, fetcher=fetcher(server))
        asyncio.run(cancelled(flow, server.asked.is_set))


def test_a_wait_for_ones_turn_is_left() -> None:
    pace = Pace(0.0)
    with RawServer() as server, pace.turn():
        flow = paper_flow("1706.03762", NO_SUMMARY, fetcher=fetcher(server, pace=pace))
        told: list[str] = []
        asyncio.run(cancelled(flow, lambda: told.append("") or len(told) > 5))
        assert not server.asked.is_set()


def test_reading_stops_at_the_next_page() -> None:
    done: list[int] = []

    def note(step: str, at: int, total: int | None) -> None:
        if step == "read":
            done.append(at)

    asyncio.run(cancelled(paper_flow(LONG, NO_SUMMARY, progress=note), lambda: bool(done)))
    assert max(done) < 300


def test_work_that_nobody_waits_for_is_told() -> None:
    ended = threading.Event()

    def work() -> None:
        try:
            while True:
                sleep(0.001)
                check_wanted()
        except Stopped:
            ended.set()
            raise

    begun: list[int] = []
    asyncio.run(cancelled(in_thread(work), lambda: begun.append(1) or len(begun) > 3))
    assert ended.is_set()


def test_outside_a_flow_nothing_stops() -> None:
    sleep(0.0)
    check_wanted()
