"""How work that nobody waits for any more is stopped: the statement it runs, and itself before the next one.

A caller that may give up (a task of asyncio) makes a :class:`Stop` and runs the work under it; the connections that
the work uses name the way to interrupt them. Nothing is left half-done by it: what is stopped is rolled back.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Stopped(BaseException):
    """The work was told to stop. No error: nobody waits for it, and what handles errors must not go on with it."""


class Stop:
    """Tells one piece of work to stop. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._interrupts: list[Callable[[], None]] = []
        self._ordered = False

    @property
    def ordered(self) -> bool:
        """Whether the work was told to stop."""
        return self._ordered

    def order(self) -> None:
        """Tell the work to stop, and interrupt what its connections run now. May wait for a server to answer."""
        with self._lock:  # a connection is given back after this, so nobody else's statement is interrupted
            self._ordered = True
            for interrupt in self._interrupts:
                interrupt()

    @contextmanager
    def interrupting(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """Name the way to interrupt a connection while the block uses it."""
        with self._lock:
            self._interrupts.append(interrupt)
        try:
            yield
        finally:
            with self._lock:
                self._interrupts.remove(interrupt)

    @contextmanager
    def over(self) -> Iterator[None]:
        """Run the block, in this thread, as work that this stops."""
        mark = _STOP.set(self)
        try:
            yield
        finally:
            _STOP.reset(mark)


_STOP: ContextVar[Stop | None] = ContextVar("hybridkb_stop", default=None)


def require_wanted() -> None:
    """Go on only while somebody waits for the work of this thread.

    Raises:
        Stopped: it was told to stop.
    """
    stop = _STOP.get()
    if stop is not None and stop.ordered:
        raise Stopped


@contextmanager
def interruptible(interrupt: Callable[[], None]) -> Iterator[None]:
    """Let whoever stops the work of this thread interrupt a connection while the block uses it."""
    stop = _STOP.get()
    if stop is None:
        yield
        return
    with stop.interrupting(interrupt):
        require_wanted()
        yield
