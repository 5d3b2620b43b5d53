"""Lists travel as one parameter, so no limit on the number of bound values applies."""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def ids_parameter(ids: NDArray[np.integer] | Iterable[int]) -> dict[str, str]:
    """Bind ids as the JSON array ``:ids``."""
    return {"ids": json.dumps(ids.tolist() if isinstance(ids, np.ndarray) else list(ids))}


def hashes_parameter(hashes: Iterable[bytes]) -> dict[str, str]:
    """Bind text hashes as the JSON array ``:hashes`` of hexadecimal strings."""
    return {"hashes": json.dumps([text_hash.hex() for text_hash in hashes])}


def read_ids(joined: str | None) -> NDArray[np.int64]:
    """Read ids that a statement handed over as one comma-separated string.

    Two to four times faster than a row an id.
    """
    if not joined:
        return np.empty(0, np.int64)
    return np.fromstring(joined, np.int64, sep=",")
