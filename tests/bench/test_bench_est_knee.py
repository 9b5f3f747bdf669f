"""The size of a write cache, and what a flush costs, with intervals."""

from __future__ import annotations

import pytest

from raidctl.bench.estimators import knee, slope
from raidctl.bench.estimators.figures import chance
from raidctl.bench.estimators.knee import Knee
from raidctl.bench.result import Spread
from raidctl.bench.verdict.evidence import Evidence, Interval, emptied

MIB = 1 << 20
SEEDS = range(3)
"""Each fit takes a third of a second: `benchmarks/known_truths.py` has the repetitions."""
MANY = range(10)


def controller(seed: int, size: float, fill: float, destage: float, jitter: float = 0.5) -> Knee:
    """The knee of a cache of ``size`` MiB, rates in MiB/s. Write times vary by ``jitter`` of their mean."""
    source = chance(seed)
    block = max(0.0625, size / 1000)
    now = held = total = 0.0
    seconds, totals = [], []
    while total < 8 * size:
        step = source.gammavariate(1 / jitter**2, block / fill * jitter**2)
        full = held + block - destage * step - size
        if full > 0:
            step += full / destage * source.gammavariate(1 / jitter**2, jitter**2)
        held = max(0.0, held + block - destage * step)
        now, total = now + step, total + block
        seconds.append(now)
        totals.append(total * MIB)
    return knee.find(seconds, totals)


@pytest.mark.parametrize(
    ("size", "fill", "destage"),
    [
        (61, 200, 20),
        pytest.param(1946, 800, 100, marks=pytest.mark.slow),
    ],
)
def test_the_size_is_within_one_per_cent(size: float, fill: float, destage: float) -> None:
    """The size is within 1% in each of 3 series. The destage rate is below a third of the fill rate."""
    found = [controller(seed, size, fill, destage).size.measured for seed in SEEDS]
    assert all(each is not None and abs(each / size - 1) <= 0.01 for each in found), found


@pytest.mark.slow
def test_the_interval_holds_the_size() -> None:
    """The interval has the size in at least 8 of 10 series. Fewer have a chance of 1 in 90. It is at most 10% wide."""
    found = [controller(seed, 365, 400, 60).size for seed in MANY]
    assert sum(1 for each in found if (each.low or 0) * 0.999 <= 365 <= (each.high or 0) * 1.001) >= 8, found
    assert all((each.high or 9e9) - (each.low or 0) < 37 for each in found)


def slowed(begin: float, length: float, rate: float) -> Knee:
    """The knee of a cache whose filling was slowed for a while.

    A cache of 128 MiB with a destage rate of 76 MiB/s is filled at 381 MiB/s, for a while only at ``rate``. ``begin``
    and ``length`` are in units of the undisturbed fill time.
    """
    size, fill, destage = 128.0, 381.0, 76.0
    whole = size / (fill - destage)
    first, last = begin * whole, (begin + length) * whole
    now = held = total = 0.0
    seconds, totals = [], []
    while total < 4 * size:
        if rate == 0 and first <= now < last:
            held, now = max(0.0, held - destage * (last - now)), last
        step = size / 1000 / (rate if first <= now < last else fill)
        step += max(0.0, held + size / 1000 - destage * step - size) / destage
        held = max(0.0, held + size / 1000 - destage * step)
        now, total = now + step, total + size / 1000
        seconds.append(now)
        totals.append(total * MIB)
    return knee.find(seconds, totals)


@pytest.mark.parametrize(
    ("begin", "length", "rate", "reason"),
    [(0.8, 2, 80, "as fast as at the start again"), (4, 2, 0, "as fast as at the start again"),
     (0.3, 12, 85, "as fast as at the start again"), (4, 99, 35, "changes once more")],
)  # fmt: skip
def test_a_host_that_was_busy_meanwhile_gives_no_size(begin: float, length: float, rate: float, reason: str) -> None:
    """A curve that speeds up again, or changes twice, has no size."""
    found = slowed(begin, length, rate)
    assert found.size.measured is None
    assert reason in (found.refused or "")


@pytest.mark.parametrize(("begin", "length", "rate"), [(0.1, 1, 100), (0.3, 0.5, 0), (0.5, 1, 150), (3, 0.2, 0)])
def test_a_host_that_was_busy_for_a_moment_changes_nothing(begin: float, length: float, rate: float) -> None:
    """A short disturbance does not change the size."""
    assert slowed(begin, length, rate).size.measured == pytest.approx(128, rel=0.1)


def test_a_pause_of_the_client_does_not_change_the_size() -> None:
    """With pauses of the client, the size is within 2%. A pause takes a third of the fill time."""
    now, total, seconds, totals = 0.0, 0.0, [], []
    while total < 512:
        held = total - 20 * now
        now += (0.0625 / 200 if held < 64 else 0.0625 / 20) + (0.12 if total in (20, 40) else 0)
        total += 0.0625
        seconds.append(now)
        totals.append(total * MIB)
    assert knee.find(seconds, totals).size.measured == pytest.approx(64, rel=0.02)


@pytest.mark.parametrize("share", [0.8, 1.0])
def test_no_knee_is_found_if_the_drives_keep_up(share: float) -> None:
    """If the drives keep up, there is no size, but a reason. The destage rate is at least 0.8 of the fill rate."""
    found = [controller(seed, 365, 400, 400 * share) for seed in SEEDS]
    assert all(each.size.measured is None and each.refused for each in found)


@pytest.mark.parametrize("jitter", [0.1, 1.0])
def test_no_knee_is_found_in_a_steady_rate(jitter: float) -> None:
    """Writes at a constant rate have no knee, however much they vary."""
    for seed in SEEDS:
        source = chance(seed)
        seconds = [0.0]
        for _ in range(4000):
            seconds.append(seconds[-1] + source.gammavariate(1 / jitter**2, jitter**2 / 1000))
        assert knee.find(seconds, [number * 65536 for number in range(4001)]).size.measured is None


def test_the_rates_are_found_too() -> None:
    """Fill rate and destage rate are within 3%."""
    found = controller(1, 365, 400, 60)
    assert found.destage.measured == pytest.approx(60, rel=0.03)
    assert found.fill.measured == pytest.approx(400, rel=0.03)


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (360, 380, "pass"), (100, 200, "fail"), (300, 340, "suspect"), (600, 700, "suspect"), (200, 340, "suspect"),
        (100, 400, "inconclusive"), (10, 9000, "inconclusive"),
    ],
)  # fmt: skip
def test_a_promised_size_is_compared_with_the_interval(low: float, high: float, word: str) -> None:
    """A promised size passes, fails or is suspect by the interval.

    Of 512 MiB, 0.7 to 1.05 passes, less than half fails, and the rest is suspect. An interval on both sides decides
    nothing.
    """
    size = Spread(measured=(low + high) / 2, unit="MiB", n=1000, low=low, high=high)
    assert knee.judge(size, 512) == word


def flushes(seed: int, per_mib: float, noise: float) -> list[tuple[float, float]]:
    """Flushes after 0 to 32 MiB, five times each. The noise is ``noise`` ms."""
    source = chance(seed)
    return [(d, per_mib * d + 8.3 + source.gauss(0, noise)) for _ in range(5) for d in (0, 2, 4, 8, 16, 32)]


@pytest.mark.parametrize("noise", [0.2, 4.0, 40.0])
def test_the_slope_lies_within_its_interval(noise: float) -> None:
    """The interval has the slope in at least 36 of 40 series. The slope is 83 ms/MiB, and all are read as flushed."""
    found = [slope.fit(flushes(seed, 83, noise)) for seed in range(40)]
    assert sum(1 for each in found if (each.slope.low or 9e9) <= 83 <= (each.slope.high or 0)) >= 36, found
    assert all(slope.judge(each, 1000 / 83) == "flushed" for each in found)


@pytest.mark.parametrize("noise", [0.2, 4.0])
def test_a_flush_that_costs_nothing_is_read_as_kept(noise: float) -> None:
    """A slope below a twentieth of the destage time reads as kept."""
    assert all(slope.judge(slope.fit(flushes(seed, 0, noise)), 1000 / 83) == "kept" for seed in SEEDS)


def test_noise_larger_than_the_effect_makes_it_unclear() -> None:
    """Noise above the destage time is read as unclear."""
    assert all(slope.judge(slope.fit(flushes(seed, 0, 3000)), 1000 / 83) == "unclear" for seed in MANY)


def test_a_slope_without_a_destage_rate_is_unclear() -> None:
    """Without the destage rate the slope cannot be judged."""
    assert slope.judge(slope.fit(flushes(1, 83, 1)), None) == "unclear"


def test_a_flush_time_that_falls_with_the_data_is_noise_to_every_judge() -> None:
    """A slope that may lie far below 0 is unclear, to the estimator as to the verdict."""
    for low, kept in ((-50.0, False), (-0.3, True)):
        figure = Spread(measured=low / 2, unit="ms/MiB", n=8, low=low, high=0.01)
        assert (slope.judge(slope.FlushSlope(slope=figure, base=1.0, r2=0.0), 100.0) == "kept") is kept
        assert (emptied(Evidence(slope=Interval(low, 0.01), destage=10.0)) is False) is kept
