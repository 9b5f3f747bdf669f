"""Detect rotation and its speed from random reads and commit intervals.

A block passes the head once per revolution, so a drive without a cache ends each rewrite a whole number of revolutions
after the previous one, usually one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from raidctl.bench.estimators.figures import finite, quantile, spread
from raidctl.bench.estimators.spread import of_rounds, ranks
from raidctl.bench.result import Spread

Medium = Literal["rotating", "solid_state", "unclear"]

ROTATING_MS, ROTATING_SPREAD_MS, SOLID_MS = 3.0, 2.0, 1.0
MIN_READS = 50
NOMINAL = (4200, 5400, 5900, 7200, 10000, 10500, 15000)
"""Rotation rates of drives on the market."""
NOMINAL_WITHIN = 0.015
SHORTEST_MS, LONGEST_MS = 3.5, 60.0
"""Shortest and longest intervals that may be revolutions. At 15000 rpm one is 4 ms, four at 4200 rpm are 57 ms."""
MIN_INTERVALS = 50
WITHIN = 0.08
"""Maximum distance of an interval from a whole number of revolutions. By chance, 16% fit."""
EXPLAINED = 0.75
MAX_REVOLUTIONS = 4


@dataclass(frozen=True, kw_only=True)
class Reads:
    """The medium according to random reads over the whole span."""

    medium: Medium
    typical: Spread
    """Median, ms."""
    width: float | None
    """From the 10th to the 90th percentile, ms."""


def medium(read_ms: Sequence[float]) -> Reads:
    """Classify the medium by random reads of 4 KiB.

    They come one at a time, over at least 90% of the span, none repeated.
    """
    ordered = sorted(finite(read_ms))
    typical = of_rounds(ordered, "ms")
    if len(ordered) < MIN_READS or typical.low is None or typical.high is None:
        return Reads(medium="unclear", typical=typical, width=None)
    width = quantile(ordered, 0.9) - quantile(ordered, 0.1)
    word: Medium = "unclear"
    if typical.low >= ROTATING_MS and width >= ROTATING_SPREAD_MS:
        word = "rotating"
    elif typical.high <= SOLID_MS:
        word = "solid_state"
    return Reads(medium=word, typical=typical, width=width)


@dataclass(frozen=True, kw_only=True)
class Rotation:
    """The rotational speed according to commits of one block."""

    rpm: Spread
    """None unless exactly one speed on the market explains the intervals.

    Other media also complete commits at a fixed pace; a limit derived from that would be circular.
    """
    period: float | None = None
    """Milliseconds of which nearly all intervals are multiples."""
    nominal: int | None = None
    """The speed at which such drives are sold."""
    candidates: tuple[int, ...] = ()
    """All speeds that explain the intervals, if there is more than one."""
    explained: float = 0.0
    """Share of the intervals that are whole numbers of revolutions."""
    revolutions: Mapping[int, int] = field(default_factory=dict)
    """Number of intervals of one revolution, two …"""


def rpm(interval_ms: Sequence[float]) -> Rotation:
    """Speed from the milliseconds between completed commits of one block."""
    numbers = [value for value in finite(interval_ms) if value > 0]
    usable = [value for value in numbers if SHORTEST_MS <= value <= LONGEST_MS]
    nothing = Rotation(rpm=spread(None, "rpm", len(numbers)))
    if len(usable) < MIN_INTERVALS or len(usable) < EXPLAINED * len(numbers):
        return nothing
    found = _longest_period(usable)
    if found is None:
        return nothing
    period, share = found
    return _named(usable, period, share)


def _longest_period(intervals: list[float]) -> tuple[float, float] | None:
    """The longest time of which nearly all intervals are multiples.

    Candidates are the mode and its half, third and quarter.
    """
    peak = _densest(intervals)
    for parts in range(1, MAX_REVOLUTIONS + 1):
        period = peak / parts
        if period < SHORTEST_MS:
            break
        fitting = _fitting(intervals, period)
        if len(fitting) >= EXPLAINED * len(intervals):
            refined = quantile(sorted(value / count for value, count in fitting), 0.5)
            return refined, len(_fitting(intervals, refined)) / len(intervals)
    return None


def _densest(values: list[float]) -> float:
    """The mode, by repeatedly keeping the half with the narrowest range. Other peaks hardly affect the result."""
    ordered = sorted(values)
    while len(ordered) > 8:
        half = (len(ordered) + 1) // 2
        starts = range(len(ordered) - half + 1)
        begin = min(starts, key=lambda i: ordered[i + half - 1] - ordered[i])
        ordered = ordered[begin : begin + half]
    near = [value for value in values if abs(value / quantile(ordered, 0.5) - 1) <= WITHIN]
    return quantile(sorted(near), 0.5)


def _fitting(intervals: list[float], period: float) -> list[tuple[float, int]]:
    """Intervals of about a whole number of periods, each with that number."""
    counted = [(value, max(1, round(value / period))) for value in intervals]
    return [(value, count) for value, count in counted if abs(value / period - count) <= WITHIN]


def _named(intervals: list[float], period: float, share: float) -> Rotation:
    """The nominal speed that fits a period of one or more revolutions."""
    named: dict[int, int] = {}
    for parts in range(1, MAX_REVOLUTIONS + 1):
        for speed in NOMINAL:
            if abs(60000 / speed * parts / period - 1) <= NOMINAL_WITHIN:
                named.setdefault(speed, parts)
    if 1 in named.values():
        named = {speed: 1 for speed, parts in named.items() if parts == 1}
    if len(named) != 1:
        return Rotation(
            rpm=spread(None, "rpm", len(intervals)), period=period, candidates=tuple(sorted(named)), explained=share
        )
    nominal, parts = next(iter(named.items()))
    fitting = _fitting(intervals, period / parts)
    turns = sorted(60000 * count / value for value, count in fitting)
    places = ranks(len(turns))
    interval = (turns[places[0]], turns[places[1]]) if places else None
    return Rotation(
        rpm=spread(quantile(turns, 0.5), "rpm", len(turns), interval, turns),
        period=period / parts,
        nominal=nominal,
        explained=share,
        revolutions=dict(sorted(Counter(count for _, count in fitting).items())),
    )
