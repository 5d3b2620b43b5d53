"""A batch makes some hundred objects an item and no cycles: looking for cycles meanwhile is time lost.

Not while a model embeds the batch: that may take minutes.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.Lock()
_paused = 0  # batches that are being written now
_was_enabled = False


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the search for cycles until the last of several batches is over; what the caller chose stays."""
    _pause()
    try:
        yield
    finally:
        _go_on()


@contextmanager
def collected() -> Iterator[None]:
    """Inside :func:`uncollected`, what takes long: the search goes on meanwhile, unless another batch is written."""
    _go_on()
    try:
        yield
    finally:
        _pause()


def _pause() -> None:
    global _paused, _was_enabled
    with _LOCK:
        if _paused == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _paused += 1


def _go_on() -> None:
    global _paused
    with _LOCK:
        _paused -= 1
        if _paused == 0 and _was_enabled:
            gc.enable()
