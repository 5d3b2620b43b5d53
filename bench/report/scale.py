"""Scales: from a figure to a place along an axis, and the round figures at which an axis is marked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from ``low`` to ``high`` laid between two pixels; logarithmic when ``log``."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def place(self, value: float) -> float:
        """The pixel of a figure."""
        low, high, here = (math.log10(one) if self.log else one for one in (self.low, self.high, value))
        return self.start + (here - low) / (high - low) * (self.end - self.start)

    def ticks(self, count: int = 5) -> list[float]:
        """Round figures within the axis: about ``count``, on a logarithmic one its powers of ten, or 1, 2, 5."""
        return _log_ticks(self.low, self.high) if self.log else _linear_ticks(self.low, self.high, count)

    def marks(self) -> dict[float, str]:
        """The round figures as they are written; on a linear axis all with as many decimals."""
        ticks = self.ticks()
        if self.log:
            return {tick: f"{tick:,.0f}" if tick >= 1_000 else f"{tick:g}" for tick in ticks}
        decimals = max(len(f"{tick:g}".partition(".")[2]) for tick in ticks)
        return {tick: f"{tick:.{decimals}f}" for tick in ticks}


def around(values: Iterable[float], start: float, end: float, *, zero: bool = False) -> Scale:
    """A linear axis that holds all figures, ends at round ones, and holds zero when asked to."""
    every = [*values, *([0.0] if zero else [])]
    low, high = min(every), max(every)
    step = _step(max(high - low, abs(high) * 0.1, 1e-6), 4)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    if first == last:
        first, last = first - 1, last + 1
    return Scale(first * step, last * step, start, end)


def around_log(values: Iterable[float], start: float, end: float) -> Scale:
    """A logarithmic axis that holds all figures with some room at both ends."""
    every = list(values)
    return Scale(min(every) / 1.35, max(every) * 1.35, start, end, log=True)


def size_text(value: float) -> str:
    """A number of passages at an axis: 10k, 1M."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def _linear_ticks(low: float, high: float, count: int) -> list[float]:
    step = _step(high - low, count)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


def _step(extent: float, count: int) -> float:
    """The smallest round step of which at most ``count`` make the extent."""
    rough = extent / count
    power = 10.0 ** math.floor(math.log10(rough))
    return power * next(step for step in _STEPS if step * power >= rough * (1 - 1e-9))


def _log_ticks(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    tens = [one for power in powers if low <= (one := float(f"1e{power}")) <= high]
    if len(tens) >= 3:
        return tens
    return [one for power in powers for step in (1, 2, 5) if low <= (one := float(f"{step}e{power}")) <= high]
