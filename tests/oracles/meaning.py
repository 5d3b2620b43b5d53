"""The vector leg: unit vectors rounded to float16, dot products that are exact.

A float16 is a whole number of 2^-24ths; two of them multiply to a whole number of
2^-48ths. Summed as integers, nothing is rounded until the very end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

GRID = 2**24


def stored_vector(numbers: Sequence[float]) -> tuple[int, ...] | None:
    """A vector as a library keeps it, in 2^-24ths; None when it is unusable."""
    values = [float(number) for number in numbers]
    if not values or not all(map(math.isfinite, values)) or not any(values):
        return None
    largest = max(map(abs, values))
    scaled = [value / largest for value in values]
    length = math.sqrt(math.fsum(value * value for value in scaled))
    return tuple(int(float(np.float16(value / length)) * GRID) for value in scaled)


def similarity(left: tuple[int, ...], right: tuple[int, ...]) -> float:
    """The dot product of two stored vectors."""
    return sum(a * b for a, b in zip(left, right, strict=True)) / (GRID * GRID)
