"""Threads for calls that may take long: a few, so that a flood waits, and daemons, so that none holds up the end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")


class Workers:
    """Runs calls on at most ``size`` threads, in the order in which they came.

    A call that is cancelled before its turn never runs; one that runs already ends unheard.
    """

    def __init__(self, size: int, name: str) -> None:
        """Start no thread yet."""
        self._size = size
        self._name = name
        self._queue: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._threads = 0
        self._running = 0
        self._lock = threading.Lock()

    def submit(self, call: Callable[[], Result]) -> Future[Result]:
        """Run a call on one of the threads."""
        future: Future[Result] = Future()
        self._queue.put((future, call))
        with self._lock:
            if self._threads < self._size:
                self._threads += 1
                threading.Thread(target=self._work, name=f"{self._name}-{self._threads}", daemon=True).start()
        return future

    @property
    def busy(self) -> bool:
        """Whether a call is running or waits for its turn."""
        return self._running > 0 or not self._queue.empty()

    async def run(self, call: Callable[[], Result]) -> Result:
        """Run a call on one of the threads and wait for it; cancelling stops the waiting."""
        return await asyncio.wrap_future(self.submit(call))

    def _work(self) -> None:
        while True:
            future, call = self._queue.get()
            if not future.set_running_or_notify_cancel():
                continue
            with self._lock:
                self._running += 1
            try:
                result = call()
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)
            finally:
                with self._lock:
                    self._running -= 1
            del future, call
