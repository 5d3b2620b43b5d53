"""Takes the language out of a vector of the multilingual model, so that what is said counts alone.

Vectors of that model lie near those of the same language, whatever is said: among English documents a question in
English finds no note in Chinese. The means of the same sentences in eight languages differ in 14 directions
(`bench/language_directions.py` made the file from sentences of ours). A vector loses its part along these, and before
that the mean of all documents or of all queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FILE = Path(__file__).with_name("language-directions.npy")


@dataclass(frozen=True, slots=True)
class LanguageDirections:
    """What is taken away: the mean document and the mean query, shape (384,), and directions, shape (14, 384)."""

    document: NDArray[np.float64]
    query: NDArray[np.float64]
    directions: NDArray[np.float64]

    def take_from(self, vector: NDArray[np.float64], *, query: bool) -> NDArray[np.float64]:
        """Return the unit vector of what is left."""
        left = vector - (self.query if query else self.document)
        along = np.add.reduce(self.directions * left, axis=1)
        left = left - np.add.reduce(self.directions * along[:, np.newaxis], axis=0)
        return np.asarray(left / np.linalg.norm(left), dtype=np.float64)


@cache
def language_directions() -> LanguageDirections:
    """Return the directions of the multilingual model, read once."""
    document, query, *directions = np.load(FILE).astype(np.float64)
    return LanguageDirections(document, query, np.stack(directions))
