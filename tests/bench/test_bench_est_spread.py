"""Intervals of medians, ratios, percentiles, drift and steady state."""

from __future__ import annotations

import math

import pytest

from raidctl.bench.estimators import effect, spread, steady
from raidctl.bench.estimators.figures import chance
from raidctl.bench.estimators.histogram import Histogram
from raidctl.bench.result import Spread
from raidctl.bench.trials.phase import Phase
from tests.support.over import over

SEEDS = range(20)


def test_ranks_are_those_of_the_binomial_distribution() -> None:
    """Six rounds use smallest and largest, nine use second and eighth.

    The latter give 96%; five rounds are too few for 95%.
    """
    assert [spread.ranks(n) for n in (5, 6, 9, 20)] == [None, (0, 5), (1, 7), (5, 14)]


def test_ranks_are_continuous() -> None:
    """The normal approximation beyond a thousand rounds continues without a jump."""
    exact, rough = spread.ranks(1000), spread.ranks(1002)
    assert exact is not None
    assert rough is not None
    assert abs(exact[0] - rough[0]) <= 2


@pytest.mark.parametrize("noise", [0.1, 2.0])
def test_the_interval_holds_the_median(noise: float) -> None:
    """At least 93% of the intervals have the true median.

    There are 200, of nine log-normal rounds each; 96% are expected.
    """
    held = 0
    for seed in range(200):
        source = chance(seed)
        found = spread.of_rounds([100 * source.lognormvariate(0, noise) for _ in range(9)], "ops/s")
        held += (found.low or 0) <= 100 <= (found.high or 0)
    assert held >= 186


def test_the_bootstrap_is_the_same_each_time() -> None:
    """The same samples have the same interval."""
    source = chance(3)
    first, second = ([source.gauss(100, 10) for _ in range(30)] for _ in range(2))
    assert effect.of_medians(first, second) == effect.of_medians(first, second)


@pytest.mark.parametrize("seed", SEEDS)
def test_paired_rounds_cancel_the_drift_of_the_host(seed: int) -> None:
    """The paired ratio of 1.25 is found within 5%. The drift between rounds is twentyfold."""
    source = chance(seed)
    pace = [source.uniform(1, 20) for _ in range(12)]
    first = [1000 * each * source.gauss(1, 0.02) for each in pace]
    second = [1250 * each * source.gauss(1, 0.02) for each in pace]
    found = effect.paired(first, second)
    assert found.measured == pytest.approx(1.25, rel=0.05)


@pytest.mark.parametrize(("seconds", "operations"), [(0.49, 10**6), (60, 299), (math.nan, 1000)])
def test_a_phase_that_is_too_short_gives_no_figure(seconds: float, operations: int) -> None:
    """Below half a second or 300 operations there is no figure. There is only the number of operations."""
    phase = Phase()
    phase.add_rate(operations, seconds)
    found = phase.spread()
    assert found.measured is None
    assert found.n == operations


@pytest.mark.parametrize(("last", "word"), [(119, False), (121, True), (82, True), (84, False), (0, None)])
def test_drift_is_a_fifth(last: float, word: bool | None) -> None:
    """More than 20% either way is unstable. Without a figure, drift is unknown."""
    assert spread.drifted(100, last) is word


@over("bits", [5, 8, 10])
@over("seed", SEEDS)
def test_a_histogram_has_its_stated_error(bits: int, seed: int) -> None:
    """Quantiles are within the stated relative error of the nearest rank. The worst is exact."""
    source = chance(seed)
    values = sorted(int(source.lognormvariate(12, 3)) for _ in range(2000))
    found = Histogram(bits)
    found.add(values)
    for share in (0.01, 0.5, 0.9, 0.99, 0.999):
        exact = values[math.ceil(share * len(values)) - 1]
        assert abs((found.quantile(share) or 0) - exact) <= found.error * exact
    assert (found.least, found.worst, found.count) == (values[0], values[-1], 2000)


def test_merged_histograms_are_one() -> None:
    """Two merged histograms equal one of all values."""
    values = [int(chance(seed).lognormvariate(12, 2)) for seed in range(1000)]
    whole, left, right = Histogram(), Histogram(), Histogram()
    whole.add(values)
    left.add(values[:300])
    right.add(values[300:])
    left.merge(right)
    assert (left.bins, left.latency()) == (whole.bins, whole.latency())


@pytest.mark.parametrize(("count", "known"), [(29, 0), (30, 1), (299, 1), (300, 2), (2999, 2), (3000, 3)])
def test_a_percentile_needs_enough_operations(count: int, known: int) -> None:
    """The 90th percentile needs 30 operations, the 99th 300, the 99.9th 3000."""
    found = Histogram()
    found.add(range(1, count + 1))
    latency = found.latency()
    assert latency is not None
    assert sum(1 for each in (latency.p90, latency.p99, latency.p999) if each is not None) == known


def ratio(low: float, high: float) -> Spread:
    """A ratio with its interval."""
    return Spread(measured=(low + high) / 2, unit="ratio", n=9, low=low, high=high)


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [(0.97, 1.02, "nothing"), (0.88, 0.93, "note"), (0.7, 0.8, "warn"), (0.9, 1.1, "unclear"), (0.8, 0.9, "unclear")],
)
def test_a_loss_is_graded_by_its_interval(low: float, high: float, word: str) -> None:
    """A loss below 5% is ignored, up to 15% it is a note, above that a warning. Across a threshold it is unclear."""
    assert effect.weigh(ratio(low, high)) == word


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.96, 1.0, "pass"),
        (0.85, 0.9, "suspect"),
        (0.5, 0.7, "fail"),
        (0.75, 0.85, "suspect"),
        (0.9, 0.97, "inconclusive"),
    ],
)
def test_two_drives_together_are_graded_by_the_interval(low: float, high: float, word: str) -> None:
    """From 0.95 it passes, and below 0.8 it fails. Below 0.95 it is suspect, and across 0.95 inconclusive."""
    assert effect.together(ratio(low, high)) == word


@pytest.mark.parametrize(("low", "high", "word"), [(1.4, 1.6, True), (0.9, 1.1, False), (1.2, 1.5, None)])
def test_compression_marks_other_figures(low: float, high: float, word: bool | None) -> None:
    """If zeros are faster by 1.3, every other figure is marked. This requires the whole interval."""
    assert effect.marked(ratio(low, high)) is word


@pytest.mark.parametrize("seed", SEEDS)
def test_the_effect_of_a_policy_is_the_ratio_of_medians(seed: int) -> None:
    """The interval has 0.012 or is within 3% of it. The rate falls from 10,000 to 120 commits per second."""
    source = chance(seed)
    found = effect.of_medians([source.gauss(10000, 500) for _ in range(40)], [source.gauss(120, 1) for _ in range(40)])
    assert found.measured == pytest.approx(0.012, rel=0.03)
    assert (found.low or 1) <= 0.0124
    assert (found.high or 0) >= 0.0116


@pytest.mark.parametrize("seed", SEEDS)
def test_steady_rounds_are_found_after_the_fall(seed: int) -> None:
    """A falling drive is steady only afterwards. It falls from 100 to 20 in ten rounds."""
    source = chance(seed)
    rounds = [(20 + 80 * math.exp(-number / 2.5)) * source.gauss(1, 0.01) for number in range(30)]
    found = steady.find(rounds, "ops/s")
    assert found is not None
    assert 6 <= found.first <= 14
    assert found.figure.measured == pytest.approx(20, rel=0.15)


def test_a_steady_climb_is_not_steady() -> None:
    """Rounds climbing by more than 10% of their mean are not steady."""
    assert steady.find([100, 103, 106, 109, 112], "ops/s") is None
    assert steady.find([100, 112, 100, 112, 100], "ops/s") is not None
