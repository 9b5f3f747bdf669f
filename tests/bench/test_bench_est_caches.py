"""Cache sizes, spindles, RAID levels and stalls are estimated from measured times."""

from __future__ import annotations

import math

import pytest

from raidctl.bench.estimators import geometry, readcache, scaling, stalls
from raidctl.bench.estimators.figures import chance
from raidctl.bench.estimators.readcache import WorkingSet
from tests.bench.bench_runs import rate
from tests.support.over import over

SEEDS = range(20)
FEW = range(6)
"""Fewer seeds for slow series: `benchmarks/known_truths.py` has the repetitions."""


def reads(seed: int, size: float, cache: float, count: int = 500) -> list[float]:
    """Latencies (ms) of random reads over ``size`` MiB. The cache has ``cache`` MiB."""
    source = chance(seed * 10_000 + int(size))
    hits = [source.random() < cache / size for _ in range(count)]
    return [source.lognormvariate(-2, 0.3) if hit else source.uniform(1, 9) + source.uniform(0, 8.3) for hit in hits]


@pytest.mark.parametrize("cache", [8, 100, 256])
def test_the_read_cache_is_sized_by_its_hits(cache: float) -> None:
    """The size is within 12% in each of 6 series.

    The 12% are three standard deviations. In at least 4 series, the interval contains the true size.
    """
    held = 0
    for seed in FEW:
        sizes = [2.0**k for k in range(11)]
        series = {size: reads(seed, size, cache) for size in sizes}
        parting = readcache.valley([value for values in series.values() for value in values])
        assert parting is not None
        found = readcache.cache_size([readcache.count_hits(size, values, parting) for size, values in series.items()])
        assert found.measured == pytest.approx(cache, rel=0.12)
        held += (found.low or 0) <= cache <= (found.high or 0)
    assert held >= 4


@pytest.mark.parametrize("seed", SEEDS)
def test_latencies_of_one_kind_have_no_valley(seed: int) -> None:
    """Latencies of one distribution are never split into hits and misses."""
    source = chance(seed)
    assert readcache.valley([source.lognormvariate(0, 1.5) for _ in range(500)]) is None
    assert readcache.valley([source.uniform(4, 16) for _ in range(500)]) is None


def test_a_cache_that_was_never_exceeded_has_no_size() -> None:
    """If all reads hit, or none does, the size is unknown."""
    assert readcache.cache_size([WorkingSet(size=2.0**k, hits=500, reads=500) for k in range(6)]).measured is None
    assert readcache.cache_size([WorkingSet(size=2.0**k, hits=0, reads=500) for k in range(6)]).measured is None


@pytest.mark.parametrize("spindles", [1, 4, 12])
@pytest.mark.parametrize("noise", [0.02, 0.05])
def test_independent_spindles_are_counted(spindles: int, noise: float) -> None:
    """The number is within a quarter in each of 6 series. Depths are up to 32."""
    for seed in FEW:
        source = chance(seed)
        rounds = {
            depth: [scaling.expected(spindles, 80, depth) * source.gauss(1, noise) for _ in range(6)]
            for depth in (1, 2, 4, 8, 16, 32)
        }
        found = scaling.fit(rounds).spindles
        assert found.measured == pytest.approx(spindles, rel=0.25), seed


def test_throughput_that_never_saturates_has_no_spindles() -> None:
    """Growth in proportion to the depth has no limit, so no number."""
    assert scaling.fit({depth: [80.0 * depth] * 3 for depth in (1, 2, 4, 8, 16)}).spindles.measured is None


def test_the_collapse_of_two_streams_is_named() -> None:
    """A fall with the second stream is a collapse. From 5,626 to 615, it is between 1 and 2."""
    assert scaling.collapses({1: 5626, 2: 615, 4: 600, 8: 590}) == [(1, 2)]


def test_saturation_is_the_depth_from_which_only_latency_grows() -> None:
    """From depth 8 on throughput stays, and latency doubles with the depth."""
    points = {1: (80, 12), 2: (150, 13), 4: (250, 16), 8: (320, 25), 16: (330, 48), 32: (331, 96)}
    assert scaling.saturation({depth: (float(x), float(wait)) for depth, (x, wait) in points.items()}) == 8


def test_later_growth_is_no_saturation() -> None:
    """A slow depth between two others is not saturation."""
    points = {1: (3815, 0.05), 2: (3453, 0.10), 4: (19094, 0.13), 8: (17717, 0.22), 16: (12883, 0.39)}
    assert scaling.saturation({depth: (float(x), wait) for depth, (x, wait) in points.items()}) == 4


@pytest.mark.parametrize(
    ("rounds", "found"),
    [
        ({1: [5626.0] * 6, 2: [615.0] * 6}, [(1, 2)]),
        ({1: [5626.0] * 5, 2: [615.0] * 6}, []),  # five rounds have no interval
        ({1: [5626.0] * 5 + [1000.0], 2: [615.0] * 6}, []),
        ({1: [5626.0], 2: [615.0]}, []),
    ],
)
def test_a_collapse_needs_separate_intervals(rounds: dict[int, list[float]], found: list[tuple[int, int]]) -> None:
    """Too few rounds, or overlapping ones, are not a collapse."""
    assert scaling.certain_collapses(rounds) == found


@pytest.mark.parametrize("level", ["raid0", "raid10", "raid5", "raid6"])
def test_the_level_is_nearly_always_named(level: str) -> None:
    """The true level is named in at least 17 of 20 series. The scatter is 0.25 (log)."""
    named = 0
    for seed in SEEDS:
        read = 1000.0
        write = read / geometry.PENALTY[level] / math.exp(chance(seed).gauss(0, 0.25))
        named += level in geometry.levels(rate(read), rate(write)).levels
    assert named >= 17


def test_a_clear_cost_names_one_level() -> None:
    """Equal speeds mean RAID-0 only. Reads 4.9 times as fast mean RAID-5 or RAID-6."""
    assert geometry.levels(rate(1000), rate(1000)).levels == ("raid0",)
    assert geometry.levels(rate(4900), rate(1000)).levels == ("raid5", "raid6")


def test_capacity_names_the_levels_that_fit() -> None:
    """Eight drives with six usable are RAID-6. Four with two are RAID-10 or RAID-6."""
    assert geometry.by_capacity(5.95e12, 1e12, 8) == ("raid6",)
    assert geometry.by_capacity(2e12, 1e12, 4) == ("raid10", "raid6")
    assert geometry.by_capacity(5.5e12, 1e12, 8) == ()


def test_named_levels_are_intersected() -> None:
    """Levels by cost and by capacity are intersected; a contradiction leaves none."""
    assert geometry.agree([("raid5", "raid6"), ("raid10", "raid6"), ()]) == ("raid6",)
    assert geometry.agree([("raid5",), ("raid6",)]) == ()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_pattern_is_the_shortest_stride_on_one_drive(seed: int) -> None:
    """Strides of the pattern and its multiples are slow. With five chunks of 64 KiB, the pattern is 320 KiB."""
    source = chance(seed)

    def time(stride: int) -> float:
        chunks = stride // 65536
        return 5 / (5 / math.gcd(5, chunks)) * source.gauss(1, 0.03)

    times = {65536 * n: time(65536 * n) for n in range(1, 13)}
    assert geometry.pattern_size(times) == 5 * 65536
    assert geometry.pattern_size({stride: each for stride, each in times.items() if stride % (5 * 65536)}) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_a_full_stripe_is_where_writes_jump(seed: int) -> None:
    """Writes of whole stripes are three times as fast. With four data chunks, these are 4, 8 and 12 chunks."""
    source = chance(seed)
    speeds = {65536 * n: (60 + 10 * n) * (3 if n % 4 == 0 else 1) * source.gauss(1, 0.03) for n in range(1, 13)}
    found = geometry.full_stripe(speeds)
    assert found is not None
    assert geometry.data_drives(found, 65536) == 4


def stalled(seed: int, moments: list[float]) -> list[stalls.Stall]:
    """Stalls of 300 ms at these moments, among operations of 1 ms. There are 100 operations per second for 200 s."""
    source = chance(seed)
    starts = [n * 10**7 for n in range(20000)]
    waits = [int(source.lognormvariate(0, 0.2) * 1e6) for _ in starts]
    for moment in moments:
        waits[int(moment * 100)] = 300 * 10**6
    return stalls.find(starts, waits)


@pytest.mark.parametrize("seed", SEEDS)
def test_stalls_at_a_fixed_period_are_recognised(seed: int) -> None:
    """A period of 12 s is found within 3%. The jitter is 0.3 s, and one stall is missing."""
    source = chance(seed)
    moments = [12.0 * n + source.uniform(-0.3, 0.3) for n in range(1, 16) if n != 7]
    found = stalled(seed, moments)
    assert len(found) == 14
    assert stalls.period(found).measured == pytest.approx(12, rel=0.03)


@pytest.mark.parametrize("seed", SEEDS)
def test_stalls_at_random_have_no_period(seed: int) -> None:
    """Random stalls are counted, and have no period."""
    source = chance(seed)
    found = stalled(seed, [source.uniform(1, 199) for _ in range(14)])
    assert stalls.period(found).measured is None


def test_overlapping_waits_are_one_stall() -> None:
    """Overlapping waits are one stall, from first start to last end."""
    found = stalls.longest(stalls.find([0, 10**9, 11 * 10**8, 5 * 10**9], [10**6, 10**9, 2 * 10**9, 10**6], 100))
    assert found == stalls.Stall(start=1.0, seconds=2.1, operations=2)


@over("drives", [2, 4, 6, 8])
@over("seed", SEEDS)
def test_a_part_of_the_pattern_is_not_taken_for_it(seed: int, drives: int) -> None:
    """Half of the pattern is not taken for the pattern. With an even number of drives, it is slow too."""
    source = chance(seed)
    times = {65536 * n: math.gcd(drives, n) * source.gauss(1, 0.03) for n in range(1, 2 * drives + 2)}
    assert geometry.pattern_size(times) == drives * 65536
