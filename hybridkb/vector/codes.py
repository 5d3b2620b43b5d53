"""One bit a dimension: the sign. A code depends on its vector alone, never on the corpus.

Sign codes of unit vectors (Charikar, "Similarity estimation techniques from rounding
algorithms", 2002): the Hamming distance of two codes grows with the angle between the
vectors, so the nearest codes are good candidates for exact scoring.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint64]


def words_per_code(dimensions: int) -> int:
    """How many 64-bit words a code takes."""
    return (dimensions + 63) // 64


def encode(vectors: NDArray[np.float16]) -> Codes:
    """Code unit vectors of shape (n, dimensions) as (n, words) little-endian uint64; unused bits are 0."""
    bits = np.packbits(vectors > 0, axis=1, bitorder="little")
    padded = np.zeros((len(vectors), 8 * words_per_code(vectors.shape[1])), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view("<u8")


@dataclass(frozen=True, slots=True)
class QueryPlanes:
    """A query in four bits a dimension, as bit planes, so that codes are compared by counting bits.

    Attributes:
        planes: shape (4, words), the least significant plane first.
        low, step: dimension i is about ``low + step * value_i``, value 0 to 15.
    """

    planes: Codes
    low: float
    step: float

    @classmethod
    def of(cls, query: NDArray[np.float64]) -> QueryPlanes:
        """Round a query vector, shape (dimensions,), to sixteen levels between its extremes."""
        low, high = float(query.min()), float(query.max())
        step = (high - low) / 15 or 1.0
        values = np.rint((query - low) / step).astype(np.uint8)
        planes = [encode((values[np.newaxis] >> plane & 1).astype(np.float16))[0] for plane in range(4)]
        return cls(np.array(planes), low, step)

    def products(self, codes_by_word: Codes) -> NDArray[np.float64]:
        """Sum of the query's components where the code's bit is set, for codes of shape (words, n).

        Up to a constant this is half the product with the sign vector: the rounding of the query is
        its only error (Gao and Long, "RaBitQ", SIGMOD 2024, compare in this way).
        """
        ones = np.zeros(codes_by_word.shape[1], np.uint32)
        weighted = np.zeros((4, codes_by_word.shape[1]), np.uint32)
        for word, column in enumerate(codes_by_word):
            ones += np.bitwise_count(column)
            for plane in range(4):
                weighted[plane] += np.bitwise_count(column & self.planes[plane, word])
        weighted = weighted[0] + 2 * weighted[1] + 4 * weighted[2] + 8 * weighted[3]
        products: NDArray[np.float64] = self.low * ones + self.step * weighted
        return products


def hamming(codes_by_word: Codes, query: Codes) -> NDArray[np.uint16]:
    """Distances of the query's code (words,) to codes stored word by word, shape (words, n)."""
    distance = np.zeros(codes_by_word.shape[1], np.uint16)
    for word, column in zip(query, codes_by_word, strict=True):
        distance += np.bitwise_count(column ^ word)
    return distance
