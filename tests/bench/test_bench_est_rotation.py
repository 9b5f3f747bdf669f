"""The rotational speed is estimated from times between commits."""

from __future__ import annotations

from itertools import pairwise

import pytest

from raidctl.bench.estimators import commits, rotation
from raidctl.bench.estimators.figures import chance
from raidctl.bench.estimators.rotation import Rotation
from raidctl.bench.estimators.spread import of_rounds
from raidctl.bench.result import Spread

SEEDS = range(20)
# p10 to p90 of the intervals, in ms, as they were seen on a model array: 0.05 to 0.5
NOISE = (0.05, 0.5)


def intervals(seed: int, rpm: float, width: float, shares: tuple[float, ...] = (1.0,), count: int = 300) -> list[float]:
    """Times between commits of one or more revolutions, with noise.

    ``shares`` has the share of each number of revolutions.
    """
    source = chance(seed)
    turn, moment, ends = 60000 / rpm, 0.0, [0.0]
    for _ in range(count):
        moment += turn * (source.choices(range(1, len(shares) + 1), shares)[0])
        ends.append(moment + abs(source.gauss(0, width / 2.56)))
    return [after - before for before, after in pairwise(ends)]


def exact(rpm: float, within: float = 0.005) -> Spread:
    """A known speed."""
    return Spread(measured=rpm, unit="rpm", n=300, low=rpm * (1 - within), high=rpm * (1 + within))


def right(found: Rotation, rpm: float) -> bool:
    """Whether the speed is within 2%."""
    return found.rpm.measured is not None and abs(found.rpm.measured / rpm - 1) <= 0.02


@pytest.mark.parametrize("rpm", [5400, 5900, 7200, 10000, 15000])
@pytest.mark.parametrize("width", NOISE)
def test_the_speed_is_within_two_per_cent(rpm: int, width: float) -> None:
    """A nominal speed is found within 2% in each of 20 series."""
    found = [rotation.rpm(intervals(seed, rpm * (1 + (seed - 10) / 1500), width)) for seed in SEEDS]
    assert all(right(each, rpm) and each.nominal == rpm for each in found)


@pytest.mark.parametrize("rpm", [5400, 7200, 15000])
@pytest.mark.parametrize("shares", [(0.7, 0.3), (0.3, 0.5, 0.2), (0.0, 0.6, 0.4)])
def test_missed_revolutions_do_not_change_the_speed(rpm: int, shares: tuple[float, ...]) -> None:
    """The speed is found even if commits take two or three revolutions."""
    assert all(right(rotation.rpm(intervals(seed, rpm, 0.3, shares)), rpm) for seed in SEEDS)


def test_two_revolutions_per_commit_are_recognised_by_nominal_speeds() -> None:
    """If every commit takes two revolutions, 7200 is found. No drive has 3600 rpm."""
    found = [rotation.rpm(intervals(seed, 7200, 0.3, (0.0, 1.0))) for seed in SEEDS]
    assert all(right(each, 7200) and set(each.revolutions) == {2} for each in found)


def test_an_ambiguous_period_names_all_speeds() -> None:
    """An ambiguous period names both speeds. Two revolutions at 10000 and three at 15000 rpm are both 12 ms."""
    found = rotation.rpm(intervals(1, 10000, 0.1, (0.0, 1.0)))
    assert found.rpm.measured is None
    assert found.candidates == (10000, 15000)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_speed_is_found_without_rotation(seed: int) -> None:
    """Without rotation, no speed is found.

    The series are exponential waits, flash, and a steady rate of no nominal speed.
    """
    source = chance(seed)
    assert rotation.rpm([source.expovariate(1 / 8.0) for _ in range(400)]).rpm.measured is None
    assert rotation.rpm([abs(source.gauss(0.1, 0.02)) for _ in range(400)]).rpm.measured is None
    assert rotation.rpm([source.gauss(1000 / 231, 0.05) for _ in range(400)]).rpm.measured is None


@pytest.mark.parametrize("seed", SEEDS)
def test_reads_distinguish_a_hard_drive_from_flash(seed: int) -> None:
    """Seek times mean rotating, a tenth of a millisecond solid state. Anything in between is unclear."""
    source = chance(seed)
    hdd = [source.uniform(1, 9) + source.uniform(0, 8.33) for _ in range(400)]
    flash = [source.lognormvariate(-2.3, 0.5) for _ in range(400)]
    between = [source.uniform(1.5, 2.5) for _ in range(400)]
    words = [rotation.medium(each).medium for each in (hdd, flash, between, hdd[:20])]
    assert words == ["rotating", "solid_state", "unclear", "unclear"]


def commit_rate(rate: float, seed: int) -> Spread:
    """Six rounds of commits at about this rate per second."""
    source = chance(seed)
    return of_rounds([rate * source.gauss(1, 0.001) for _ in range(6)], "ops/s")


@pytest.mark.parametrize("rpm", [5400, 7200, 15000])
@pytest.mark.parametrize(
    ("times", "word"), [(1.0, "waits_for_the_disk"), (1.25, "unclear"), (10.0, "acknowledged_early")]
)
def test_the_commit_rate_is_compared_with_the_speed(rpm: int, times: float, word: str) -> None:
    """One commit per revolution waits for the drive, ten do not. A number of 1.25 is unclear."""
    for seed in SEEDS:
        assert commits.judge(commit_rate(rpm / 60 * times, seed), exact(rpm), rotating=True) == word


@pytest.mark.parametrize("rotating", [False, None])
def test_the_commit_rate_of_an_unknown_medium_is_unclear(rotating: bool | None) -> None:
    """The rotational limit applies to rotating drives only."""
    assert commits.judge(commit_rate(1200, 1), exact(7200), rotating=rotating) == "unclear"
