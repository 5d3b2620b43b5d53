"""One bit a dimension: the sign. A code depends on its vector alone, never on the corpus.

Sign codes of unit vectors (Charikar, "Similarity estimation techniques from rounding
algorithms", 2002): the Hamming distance of two codes grows with the angle between the
vectors, so the nearest codes are good candidates for exact scoring.
"""

from __future__ import annotations

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


def hamming(codes_by_word: Codes, query: Codes) -> NDArray[np.uint16]:
    """Distances of the query's code (words,) to codes stored word by word, shape (words, n)."""
    distance = np.zeros(codes_by_word.shape[1], np.uint16)
    for word, column in zip(query, codes_by_word, strict=True):
        distance += np.bitwise_count(column ^ word)
    return distance
