"""Blocking work for asyncio: in threads of the library's own, given up with the task that waits for it.

One body of logic serves both libraries. Its statements wait in a thread, and its scoring is work for the processor, so
that an event loop could run neither itself. What asyncio adds is here: not more threads than the database lends
connections, none of them the loop's default ones; readers do not stand behind writers that wait for the writers' lock;
a task that is cancelled cancels its statement on the server, and what it wrote is rolled back.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import Any, ParamSpec, TypeVar

from hybridkb.database.stopping import Stop
from hybridkb.errors import DatabaseError

WRITERS = 4
"""Writes at once: one commits, the others check, analyse and embed."""
STOPPERS = 4
GRACE_SECONDS = 2.0
"""How long a cancelled task waits for its work to end. A model that is asked cannot be interrupted; what it answers to
is thrown away."""

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Calls:
    """Runs methods of one library in threads, for the tasks of any event loop."""

    def __init__(self, readers: int) -> None:
        """Make the threads when they are needed; ``readers`` at once may read."""
        self._readers = ThreadPoolExecutor(readers, "hybridkb-read")
        self._writers = ThreadPoolExecutor(WRITERS, "hybridkb-write")
        self._stoppers = ThreadPoolExecutor(STOPPERS, "hybridkb-stop")
        self._closed = False

    async def read(
        self, function: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Result:
        """Run what only reads."""
        return await self._run(self._readers, partial(function, *arguments, **named))

    async def write(
        self, function: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Result:
        """Run what may write, or take long."""
        return await self._run(self._writers, partial(function, *arguments, **named))

    async def open(self, function: Callable[[], Result], dispose: Callable[[Result], Any]) -> Result:
        """Run what opens something, and dispose of that when nobody waits for it any more."""
        return await self._run(self._writers, function, dispose)

    async def last(self, function: Callable[[], None]) -> None:
        """Run what closes the library, whoever still waits, and take no more calls; once more is harmless."""
        closed, self._closed = self._closed, True
        if not closed:
            await self._run(self._stoppers, function)
            self.close()

    def close(self) -> None:
        """Take no more calls. Those that wait are run, and find the library closed; nobody waits for that here."""
        for threads in (self._readers, self._writers, self._stoppers):
            threads.shutdown(wait=False)

    async def _run(
        self, threads: Executor, function: Callable[[], Result], dispose: Callable[[Result], Any] | None = None
    ) -> Result:
        stop, context = Stop(), contextvars.copy_context()
        try:
            job = threads.submit(context.run, _under, stop, function)
        except RuntimeError as error:
            raise DatabaseError("the library is closed; open it again") from error
        running = asyncio.wrap_future(job)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            if not job.cancel():  # it began
                running.add_done_callback(partial(_drop, dispose))
                await self._stop(stop, running)
            raise

    async def _stop(self, stop: Stop, running: asyncio.Future[Any]) -> None:
        """Stop work that nobody waits for, and wait a little until it ended."""
        if not running.done():
            asyncio.get_running_loop().run_in_executor(self._stoppers, stop.order)
            await asyncio.wait((running,), timeout=GRACE_SECONDS)


def _under(stop: Stop, function: Callable[[], Result]) -> Result:
    with stop.over():
        return function()


def _drop(dispose: Callable[[Any], Any] | None, ended: asyncio.Future[Any]) -> None:
    """Take what work ended with that nobody waits for: an error is not told, what was opened is closed."""
    if not ended.cancelled() and ended.exception() is None and dispose is not None:
        threading.Thread(target=dispose, args=(ended.result(),), name="hybridkb-dispose").start()  # not in the loop
