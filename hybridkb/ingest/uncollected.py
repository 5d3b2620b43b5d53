"""A batch makes some hundred objects an item and no cycles: looking for cycles meanwhile is time lost.

Only while a batch is prepared and written: a model that embeds it may take minutes.
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
    global _paused, _was_enabled
    with _LOCK:
        if _paused == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _paused += 1
    try:
        yield
    finally:
        with _LOCK:
            _paused -= 1
            if _paused == 0 and _was_enabled:
                gc.enable()
