"""One axis of a plot: from values to places, with round numbers under it."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, log, log10

from msgspec import Struct

WIDE = 25.0  # where the largest value is this many times the smallest, the axis is logarithmic
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


class Axis(Struct, frozen=True):
    """From ``low`` at ``left`` to ``high`` at ``right``; ``ticks`` are the values that are written under it."""

    low: float
    high: float
    left: float
    right: float
    logarithmic: bool
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Return the place of a value."""
        if self.logarithmic:
            share = log(max(value, self.low) / self.low) / log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return round(self.left + share * (self.right - self.left), 1)


def axis(values: Iterable[float], left: float, right: float, *, may_be_logarithmic: bool = True) -> Axis:
    """Return an axis for positive values: from zero, or logarithmic where they lie far apart."""
    found = [value for value in values if value > 0] or [1.0]
    least, most = min(found), max(found)
    if may_be_logarithmic and most / least > WIDE:
        low, high = 10 ** floor(log10(least)), most * 1.05
        ticks = tuple(10.0**power for power in range(floor(log10(low) + 0.5), floor(log10(high)) + 1))
        return Axis(low, high, left, right, logarithmic=True, ticks=ticks)
    step = _step(most)
    count = floor(most / step + 1e-9)
    ticks = tuple(step * number for number in range(count + 1))
    return Axis(0.0, max(most, ticks[-1]) * 1.02, left, right, logarithmic=False, ticks=ticks)


def _step(most: float) -> float:
    """Return the round number that divides ``most`` into three to five parts."""
    size = 10.0 ** floor(log10(most / 4))
    return next(size * step for step in _STEPS if most / (size * step) <= 5)


def short(value: float) -> str:
    """Return a tick's number: 0, 2.5, 500, 10k, 1.5M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"
