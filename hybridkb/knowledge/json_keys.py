"""JSON objects that name a key twice: readers of JSON keep the last, so that what was said first is lost unseen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["unique_keys"]


def unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Make the object of these pairs; what ``json.loads`` takes as ``object_pairs_hook``.

    Raises:
        ValueError: a key stands twice, as ``json.loads`` raises for any other fault.
    """
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise ValueError(f"the key {twice[:80]!r} stands twice in one object; say it once")
    return made
