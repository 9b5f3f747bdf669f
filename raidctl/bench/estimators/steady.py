"""Detect the steady state, by the SNIA test (PTS 2.0.2, 2.1.24)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidctl.bench.estimators.figures import finite, line
from raidctl.bench.estimators.spread import of_rounds
from raidctl.bench.result import Spread

WINDOW = 5
RANGE = 0.20
SLOPE = 0.10


@dataclass(frozen=True, kw_only=True)
class Steady:
    """The first steady window of rounds."""

    first: int
    """Index of its first round, from 0."""
    last: int
    figure: Spread
    """Median of the window's rounds."""


def holds(rounds: Sequence[float]) -> bool:
    """Whether these rounds are steady.

    The largest minus the smallest is at most a fifth of the mean, and the rise or fall of the fitted line over them at
    most a tenth. The mean must be above 0.
    """
    good = finite(rounds)
    fitted = line(range(len(good)), good)
    if len(good) < len(rounds) or fitted is None:
        return False
    mean = sum(good) / len(good)
    if mean <= 0 or max(good) - min(good) > RANGE * mean:
        return False
    return abs(fitted.slope) * (len(good) - 1) <= SLOPE * mean


def find(rounds: Sequence[float], unit: str) -> Steady | None:
    """The first five consecutive steady rounds; None if there are none yet."""
    for first in range(len(rounds) - WINDOW + 1):
        inside = rounds[first : first + WINDOW]
        if holds(inside):
            return Steady(first=first, last=first + WINDOW - 1, figure=of_rounds(inside, unit))
    return None
