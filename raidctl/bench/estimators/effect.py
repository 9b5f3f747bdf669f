"""The effect of a change: a ratio with its interval, and a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from raidctl.bench.estimators.figures import ROUNDS, SEED, bootstrap, finite, median, spread
from raidctl.bench.estimators.spread import paired_ratio
from raidctl.bench.result import Spread, Verdict

Weight = Literal["nothing", "note", "warn", "unclear"]
NOTE, WARN = 0.05, 0.15
"""Loss by misalignment: none below 5%, a warning above 15%."""
LAYER_WARN = 0.10
"""Loss by a device-mapper layer."""
MARKED_ABOVE = 1.3
"""Zeros this much faster than random data: something compresses or deduplicates."""
TOGETHER_PASS, TOGETHER_FAIL = 0.95, 0.8
"""Two drives at once, relative to their sum."""
TOO_SLOW = 0.6
"""Sequential speed relative to the drives. Below it, the speed is reported as too slow."""


def paired(first: Sequence[float], second: Sequence[float]) -> Spread:
    """Ratio second/first of alternating rounds, with an interval from six pairs on."""
    return paired_ratio(first, second)


def of_medians(first: Sequence[float], second: Sequence[float], seed: int = SEED, rounds: int = ROUNDS) -> Spread:
    """Unpaired ratio of the medians, second/first, by resampling both.

    ``first`` is measured before a setting is changed, ``second`` after it.
    """
    before = [value for value in finite(first) if value > 0]
    after = [value for value in finite(second) if value > 0]
    count = len(before) + len(after)
    low, high = median(before), median(after)
    if low is None or high is None:
        return spread(None, "ratio", count)
    interval = None
    if min(len(before), len(after)) >= 3:
        interval = bootstrap(
            lambda source: (
                (median(source.choices(after, k=len(after))) or 0.0)
                / (median(source.choices(before, k=len(before))) or 1.0)
            ),
            seed,
            rounds,
        )
    return spread(high / low, "ratio", count, interval)


def weigh(ratio: Spread, warn: float = WARN) -> Weight:
    """Severity of a loss, by the whole interval. In a loss, the ratio of throughputs is below 1."""
    if ratio.low is None or ratio.high is None:
        return "unclear"
    if ratio.low >= 1 - NOTE:
        return "nothing"
    if ratio.high < 1 - warn:
        return "warn"
    return "note" if ratio.high < 1 - NOTE and ratio.low >= 1 - warn else "unclear"


def grade(ratio: Spread, fail_below: float, pass_from: float) -> Verdict:
    """FAIL or PASS if the whole interval is below or above. SUSPECT if it is entirely below ``pass_from``."""
    if ratio.low is None or ratio.high is None:
        return "inconclusive"
    if ratio.high < fail_below:
        return "fail"
    if ratio.low >= pass_from:
        return "pass"
    return "suspect" if ratio.high < pass_from else "inconclusive"


def together(ratio: Spread) -> Verdict:
    """Two drives at once, compared with the sum of each alone."""
    return grade(ratio, TOGETHER_FAIL, TOGETHER_PASS)


def marked(ratio: Spread) -> bool | None:
    """Whether zeros are so much faster than random data that all figures are marked. None: unclear."""
    if ratio.low is None or ratio.high is None:
        return None
    if ratio.low > MARKED_ABOVE:
        return True
    return False if ratio.high <= MARKED_ABOVE else None
