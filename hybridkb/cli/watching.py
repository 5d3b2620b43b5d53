"""When to look at a folder again: after a burst of changes, now and then without one, and when it is gone or back."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

from hybridkb.errors import MissingExtra

QUIET_SECONDS = 60.0
"""How long a folder is believed to be unchanged without a look: network drives tell nobody of changes."""

_TICK_SECONDS = 1.0
_DEBOUNCE_MILLISECONDS = 1600


def looks(
    folder: str,
    is_own: Callable[[str], bool],
    stopped: Callable[[], bool] = lambda: False,
    *,
    quiet_seconds: float = QUIET_SECONDS,
) -> Iterator[None]:
    """Yield whenever the folder should be looked at; first at once.

    Goes on when the folder vanishes, and takes up the new one when it is back.

    Args:
        folder: what to watch.
        is_own: tells paths whose changes are our own doing.
        stopped: tells that an interrupt came, whatever became of it.
        quiet_seconds: the longest time between two looks.

    Raises:
        MissingExtra: the extra ``folder`` is not installed.
        KeyboardInterrupt: Ctrl-C, or ``stopped``.
    """
    try:
        import watchfiles  # noqa: F401
    except ImportError as error:
        raise MissingExtra(
            'watching needs the package watchfiles, which is not installed: pip install "hybridkb[folder]"',
            extra="folder",
        ) from error
    while True:
        _end_if(stopped)
        identity = _identity(folder)
        yield
        if identity is None:
            time.sleep(_TICK_SECONDS)
            continue
        try:
            yield from _until_replaced(folder, identity, is_own, stopped, quiet_seconds)
        except (OSError, RuntimeError):  # gone in between, or the system watches as many folders as it can
            time.sleep(_TICK_SECONDS)


def _until_replaced(
    folder: str,
    identity: tuple[int, int],
    is_own: Callable[[str], bool],
    stopped: Callable[[], bool],
    quiet_seconds: float,
) -> Iterator[None]:
    """Yield after changes; ends when the folder is gone or another one."""
    from watchfiles import watch

    last = -quiet_seconds  # what changed before the watch began is looked at with its first tick
    for changes in watch(
        folder,
        watch_filter=lambda _change, path: not is_own(path),
        debounce=_DEBOUNCE_MILLISECONDS,
        rust_timeout=round(1000 * _TICK_SECONDS),
        yield_on_timeout=True,
        ignore_permission_denied=True,
    ):
        _end_if(stopped)
        if _identity(folder) != identity:
            return
        if changes or time.monotonic() - last >= quiet_seconds:
            yield
            last = time.monotonic()


def _end_if(stopped: Callable[[], bool]) -> None:
    if stopped():
        raise KeyboardInterrupt


def _identity(folder: str) -> tuple[int, int] | None:
    """Names the folder as it is on the disk; None when it is not there."""
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino
