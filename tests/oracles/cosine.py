"""Nearest vectors by numpy: normalise, round to float16, take float64 dot products, sort everything."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray


def stored_form(vector: NDArray[np.floating]) -> NDArray[np.float64]:
    """The unit vector as a library keeps it: float16, read back as float64."""
    wide = np.asarray(vector, dtype=np.float64)
    unit = wide / np.sqrt(np.sum(wide * wide))
    stored: NDArray[np.float64] = unit.astype(np.float16).astype(np.float64)
    return stored


def cosine_scores(vectors: Mapping[str, NDArray[np.floating]], query: NDArray[np.floating]) -> dict[str, float]:
    """Similarity of every vector to the query."""
    if not vectors:
        return {}
    matrix = np.stack([stored_form(vector) for vector in vectors.values()])
    products = matrix @ stored_form(query)
    return {name: float(product) for name, product in zip(vectors, products, strict=True)}
