"""Keeps a folder's index current behind a server: one look at a time, and no call waits for it without end.

Words are indexed by the looks that calls wait for, and so are the vectors of a few changed files; those of many follow
in a thread of their own.
"""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet

from hybridkb.errors import HybridKBError
from hybridkb.tools.desk import Desk
from hybridkb.tools.workers import Workers

WAIT_SECONDS = 20.0
FEW_FILES = 8

logger = logging.getLogger("hybridkb.mcp")


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
        self._embedding = Workers(1, "hybridkb-embed")
        self._behind = True  # whether texts may wait for a vector
        self._lock = threading.Lock()
        self._next: Future[str | None] | None = None
        self._stopping = False

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

    def stop(self) -> None:
        """Begin nothing more, and end what is under way at its next step; what was committed stays."""
        self._stopping = True

    @property
    def busy(self) -> bool:
        """Whether something is under way."""
        return self._workers.busy or self._embedding.busy

    def _look(self) -> str | None:
        with self._lock:
            self._next = None  # whoever comes now waits for the next look
        if self._stopping:
            return None
        trouble = self._desk.refresh_now(progress=self._step, embed=False)
        self._log()
        self._embed_few()
        self._embed()
        return trouble

    def _embed_few(self) -> None:
        """Embed a few changed files before the answer: beside others that have a vector, they would rank low."""
        counts = self._desk.refreshed.counts if self._desk.refreshed else None
        if counts is None or not 0 < counts.indexed <= FEW_FILES or self._embedding.busy:
            return
        try:
            self._desk.folder.refresh(progress=self._step, embed_seconds=0)  # one step
        except HybridKBError as error:
            logger.warning("not embedded: %s", error)

    def _embed(self) -> None:
        """Let vectors follow when there may be something to embed, unless that is under way already."""
        counts = self._desk.refreshed.counts if self._desk.refreshed else None
        with self._lock:
            if (self._behind or (counts is not None and counts.indexed)) and not self._embedding.busy:
                self._behind = True
                self._embedding.submit(self._embed_steps)

    def _embed_steps(self) -> None:
        """Embed step by step, until nothing is pending or a step gets no further."""
        folder, embedded = self._desk.folder, 0
        while not self._stopping:
            try:
                counts = folder.refresh(progress=self._step, embed_seconds=0)
            except HybridKBError as error:
                logger.warning("not embedded: %s", error)
                return
            step, pending = getattr(counts, "embedded", 0), getattr(counts, "pending", 0)
            embedded += step
            if not pending or not step:
                break
        else:
            return
        self._behind = bool(pending)
        if embedded or pending:
            reason = getattr(counts, "degraded", None)
            logger.info("%d texts embedded, %d pending%s", embedded, pending, f": {reason}" if reason else "")

    def _step(self, _done: int, _total: int | None) -> None:
        if self._stopping:
            raise _Stopped

    def _log(self) -> None:
        last = self._desk.refreshed
        if last is None:
            return
        if last.trouble is not None:
            logger.warning("the folder could not be refreshed: %s", last.trouble)
        elif last.counts is not None and (last.counts.indexed or last.counts.removed):
            counts = last.counts
            logger.info(
                "the folder is up to date: %d files indexed, %d removed, %d unreadable, %d passages",
                counts.indexed, counts.removed, len(counts.unreadable), counts.passages,
            )  # fmt: skip


class _Stopped(BaseException):
    """Ends a look at a folder, or the embedding, between two of its steps."""
