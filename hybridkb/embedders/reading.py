"""How an embedder reads a text, as far as it tells: in how many windows, whether to the end, how much it knows.

These are extensions of the `Embedder` protocol: an embedder may have the methods of the same names. One that has none
is taken at its word: it reads every text whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridkb.embedders.space import Embedder


def count_windows(embedder: Embedder, text: str) -> int:
    """Return in how many windows the text is read: 1 when whole, or when the embedder does not say."""
    return int(_ask(embedder, "count_windows", lambda _: 1)(text))


def is_truncated(embedder: Embedder, text: str) -> bool:
    """Return whether the end of the text is beyond what is read; False when the embedder does not say."""
    return bool(_ask(embedder, "is_truncated", lambda _: False)(text))


def unknown_share(embedder: Embedder, text: str) -> float:
    """Return the share, 0 to 1, of the text's tokens that the model cannot read; 0 when it does not say."""
    return float(_ask(embedder, "unknown_share", lambda _: 0.0)(text))


def _ask(embedder: Embedder, method: str, otherwise: Callable[[str], Any]) -> Callable[[str], Any]:
    found: Callable[[str], Any] = getattr(embedder, method, otherwise)
    return found
