"""How an embedder reads a text, as far as it tells: in how many windows, whether to the end, how much it knows.

These are extensions of the `Embedder` protocol: an embedder may have the methods of the same names. One that has none
is taken at its word: it reads every text whole. One whose answer fails or is no number does not say either; what it
says is for reports alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from hybridkb.embedders.space import Embedder

Answer = TypeVar("Answer")


def count_windows(embedder: Embedder, text: str) -> int:
    """Return in how many windows the text is read: 1 when whole, or when the embedder does not say."""
    return _ask(embedder, "count_windows", text, int, 1)


def is_truncated(embedder: Embedder, text: str) -> bool:
    """Return whether the end of the text is beyond what is read; False when the embedder does not say."""
    return _ask(embedder, "is_truncated", text, bool, False)


def certainly_read(embedder: Embedder) -> int:
    """Return a number of bytes: texts of no more are read to the end, so that they need not be asked about.

    A token is at least a byte long, and overlaps leave more than half of every window to new text.
    """
    if not hasattr(embedder, "is_truncated"):
        return sys.maxsize
    windows = _number(getattr(embedder, "max_windows", 1))
    return windows * _number(getattr(embedder.space, "max_tokens", None)) // 2


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def unknown_share(embedder: Embedder, text: str) -> float:
    """Return the share, 0 to 1, of the text's tokens that the model cannot read; 0 when it does not say."""
    return _ask(embedder, "unknown_share", text, float, 0.0)


def _ask(embedder: Embedder, method: str, text: str, kind: Callable[[Any], Answer], otherwise: Answer) -> Answer:
    try:
        found = getattr(embedder, method, None)
        return otherwise if found is None else kind(found(text))
    except Exception:  # the user's own code: anything may come
        return otherwise
