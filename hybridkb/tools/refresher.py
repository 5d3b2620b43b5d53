"""Keeps a folder's index current behind a server: one look at a time, and no call waits for it without end."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet

from hybridkb.tools.desk import Desk
from hybridkb.tools.workers import Workers

WAIT_SECONDS = 20.0


class Refresher:
    """Brings a folder up to date for calls that come from many threads.

    A call waits for a look at the folder that began after it; calls at the same time share one. A call
    that has waited ``wait_seconds`` is answered from what is indexed so far, and is told so.
    """

    def __init__(self, desk: Desk, *, wait_seconds: float = WAIT_SECONDS) -> None:
        """Serve ``desk``; begins with :meth:`start`, or with the first call."""
        self._desk = desk
        self._wait_seconds = wait_seconds
        self._workers = Workers(1, "hybridkb-refresh")
        self._lock = threading.Lock()
        self._next: Future[str | None] | None = None

    def start(self) -> Future[str | None]:
        """Ask for a look at the folder that begins from now on."""
        with self._lock:
            if self._next is None:
                self._next = self._workers.submit(self._look)
            return self._next

    def __call__(self) -> str | None:
        """Wait for a look that begins from now on; return what the answer must tell."""
        begun = time.monotonic()
        try:
            return self.start().result(timeout=self._wait_seconds)
        except NotYet:
            waited = time.monotonic() - begun
            return (
                f"the folder is still being read (waited {waited:.0f} s); what is not indexed yet cannot be found, ask "
                "again later"
            )

    def _look(self) -> str | None:
        with self._lock:
            self._next = None  # whoever comes now waits for the next look
        return self._desk.refresh_now()
