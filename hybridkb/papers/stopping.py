"""Threads that nobody waits for any more: whoever cancels a flow leaves no fetching or reading behind it.

A thread cannot be cancelled from outside. Its work asks here between its steps, waits here instead of sleeping, and
may leave word how a wait that it cannot look up from, such as that for a server, is cut short.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """Raised in a thread whose result nobody waits for."""


class Stop:
    """Tells one thread that it may end; set once, from another one."""

    def __init__(self) -> None:
        self._set = threading.Event()
        self._lock = threading.Lock()
        self._cuts: list[Callable[[], None]] = []

    def set(self) -> None:
        """Let the thread end, and cut short what it waits for."""
        with self._lock:
            self._set.set()
            cuts = list(self._cuts)
        for cut in cuts:
            cut()

    def is_set(self) -> bool:
        """Whether nobody waits any more."""
        return self._set.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until it is set; whether it is."""
        return self._set.wait(seconds)

    @contextmanager
    def cutting(self, cut: Callable[[], None]) -> Iterator[None]:
        """Have ``cut`` called when it is set while the block runs."""
        with self._lock:
            self._cuts.append(cut)
            is_set = self._set.is_set()
        if is_set:
            cut()
        try:
            yield
        finally:
            with self._lock:
                self._cuts.remove(cut)


_CURRENT: ContextVar[Stop | None] = ContextVar("hybridkb_stop", default=None)


async def in_thread(work: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Do blocking work in a thread; when the wait for it is cancelled, the work is told."""
    stop = Stop()
    token = _CURRENT.set(stop)
    try:
        return await asyncio.to_thread(work, *arguments, **named)
    except asyncio.CancelledError:
        stop.set()
        raise
    finally:
        _CURRENT.reset(token)


def current_stop() -> Stop:
    """What tells the thread at hand to end; one that is never set where nobody could cancel it."""
    return _CURRENT.get() or Stop()


def check_wanted() -> None:
    """Go on.

    Raises:
        Stopped: nobody waits any more.
    """
    if current_stop().is_set():
        raise Stopped("nobody waits for this any more")


def sleep(seconds: float) -> None:
    """Sleep, as long as somebody waits.

    Raises:
        Stopped: nobody does.
    """
    stop = _CURRENT.get()
    if stop is None:
        time.sleep(seconds)
    elif stop.wait(seconds):
        check_wanted()
