"""One request at a time, and a pause between any two: what arXiv asks of programs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hybridkb.papers.stopping import check_wanted
from hybridkb.papers.stopping import sleep as sleep_while_wanted

ARXIV_SECONDS = 3.0
"""Seconds that arXiv asks for between two requests."""

_LOOK_UP = 0.1
"""Seconds after which whoever waits for a turn looks whether somebody still waits for him."""


class Pace:
    """Lets one request through at a time, each so many seconds after the last one ended; across threads.

    Args:
        seconds: the pause.
        clock: seconds that only grow.
        sleep: waits so many seconds.
    """

    def __init__(
        self,
        seconds: float = ARXIV_SECONDS,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = sleep_while_wanted,
    ) -> None:
        self.seconds, self._clock, self._sleep = seconds, clock, sleep
        self._lock = threading.Lock()
        self._free_at: float | None = None

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the turn, hold it while the block runs."""
        while not self._lock.acquire(timeout=_LOOK_UP):
            check_wanted()
        try:
            if self._free_at is not None and (pause := self._free_at - self._clock()) > 0:
                self._sleep(pause)
            try:
                yield
            finally:
                self._free_at = self._clock() + self.seconds
        finally:
            self._lock.release()

    def wait(self, seconds: float) -> None:
        """Wait outside a turn, so that others may go on."""
        self._sleep(seconds)


ARXIV_PACE = Pace()
"""The pace of this process: every fetcher of arXiv shares it unless it is given another."""
