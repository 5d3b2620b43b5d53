"""How sure a mean over queries is: percentile intervals of a paired bootstrap.

Queries are drawn anew, with replacement, as many as there are, some thousand times; the interval holds the middle 95 %
of the means (Sakai, "Evaluating Evaluation Metrics based on the Bootstrap", SIGIR 2006). It is *paired* since both
sides of a difference are drawn together: a query that is hard for both does not blur it. The draws depend on the seed
and the number of queries alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
SEED = 20260101
LEVEL = 0.95
_MOST_AT_ONCE = 2_000_000
_DIGITS = 12  # the last bits of a sum depend on the order of adding


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and bounds that hold 95 % of the means of resampled queries."""

    value: float
    low: float
    high: float

    def as_dict(self) -> dict[str, float]:
        """The three numbers."""
        return {"value": self.value, "low": self.low, "high": self.high}


def intervals(
    values: NDArray[np.float64], *, resamples: int = RESAMPLES, seed: int = SEED
) -> list[Interval]:
    """The interval of each column's mean, all columns drawn together.

    Args:
        values: shape (queries, columns), at least one query.
        resamples: how often queries are drawn.
        seed: of the draws.
    """
    queries = len(values)
    drawn = np.random.default_rng(seed)
    step = max(1, _MOST_AT_ONCE // queries)
    means = [
        _means(values, drawn.integers(0, queries, (min(step, resamples - first), queries)))
        for first in range(0, resamples, step)
    ]
    tails = 100 * np.array([(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    low, high = np.percentile(np.concatenate(means), tails, axis=0)
    return [
        Interval(*(round(float(bound), _DIGITS) for bound in (values[:, one].mean(), low[one], high[one])))
        for one in range(values.shape[1])
    ]


def interval(values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED) -> Interval:
    """The interval of the mean of one value a query; of differences, where those are given."""
    return intervals(np.array(values, np.float64)[:, np.newaxis], resamples=resamples, seed=seed)[0]


def _means(values: NDArray[np.float64], draws: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean of each column for each draw: shape (draws, columns)."""
    queries = len(values)
    offsets = queries * np.arange(len(draws))[:, np.newaxis]
    counts = np.bincount((draws + offsets).ravel(), minlength=queries * len(draws)).reshape(len(draws), queries)
    return np.asarray(counts @ values / queries, np.float64)
