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

_WORDS_A_BYTE = 3  # of 64 bits; their counts fit into eight bits, and adding eight bits is quick
_SAMPLE = 8192


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
        ones = np.bitwise_count(codes_by_word).sum(axis=0, dtype=np.uint32)
        planes = np.bitwise_count(codes_by_word & self.planes[:, :, np.newaxis]).sum(axis=1, dtype=np.uint32)
        weighted = planes[0] + 2 * planes[1] + 4 * planes[2] + 8 * planes[3]
        products: NDArray[np.float64] = self.low * ones + self.step * weighted
        return products


def hamming(codes_by_word: Codes, query: Codes) -> NDArray[np.uint16]:
    """Distances of the query's code (words,) to codes stored word by word, shape (words, n)."""
    records = codes_by_word.shape[1]
    distance = np.zeros(records, np.uint16)
    differing, bits, three = np.empty(records, np.uint64), np.empty(records, np.uint8), np.empty(records, np.uint8)
    for first in range(0, len(query), _WORDS_A_BYTE):
        np.bitwise_count(np.bitwise_xor(codes_by_word[first], query[first], out=differing), out=three)
        for word in range(first + 1, min(first + _WORDS_A_BYTE, len(query))):
            three += np.bitwise_count(np.bitwise_xor(codes_by_word[word], query[word], out=differing), out=bits)
        distance += three
    return distance


def nearest_within(distances: NDArray[np.uint16], wanted: int, furthest: int) -> int:
    """The least distance within which at least ``wanted`` lie; ``furthest`` when not so many do.

    A sample says about where it is; then whole counts decide.
    """
    step = max(1, len(distances) // _SAMPLE)
    within = np.cumsum(np.bincount(distances[::step], minlength=furthest + 1))
    guess = min(int(np.searchsorted(within, wanted // step)), furthest)
    while guess > 0 and np.count_nonzero(distances < guess) >= wanted:
        guess -= 1
    while guess < furthest and np.count_nonzero(distances <= guess) < wanted:
        guess += 1
    return guess
