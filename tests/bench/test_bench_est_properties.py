"""No series makes an estimator crash or return NaN. No figure is outside of its interval."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from raidctl.bench.estimators import (
    effect,
    geometry,
    knee,
    readcache,
    rotation,
    scaling,
    slope,
    spread,
    stalls,
    steady,
    zcav,
)
from raidctl.bench.estimators.histogram import Histogram
from raidctl.bench.result import Spread

NUMBERS = st.one_of(
    st.floats(-1e3, 1e3), st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([0.0, 1.0, 1e18, 1e300])
)
SERIES = st.one_of(st.lists(NUMBERS, max_size=80), st.builds(lambda x, n: [x] * n, NUMBERS, st.integers(0, 400)))
WHOLE = st.lists(st.integers(0, 2**62), max_size=80)
QUICK = settings(max_examples=20, deadline=None)


def check(value: Any) -> None:
    """Fail for NaN, infinity, or a figure outside of its interval. Values at any depth are checked."""
    if isinstance(value, Spread):
        if value.measured is None:
            assert value.low is None
            assert value.high is None
        elif value.low is not None and value.high is not None:
            assert value.low <= value.measured <= value.high
    if isinstance(value, float):
        assert math.isfinite(value)
    elif isinstance(value, dict):
        for each in [*value.keys(), *value.values()]:
            check(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            check(each)
    elif isinstance(value, msgspec.Struct) or hasattr(value, "__dataclass_fields__"):
        names = value.__struct_fields__ if isinstance(value, msgspec.Struct) else value.__dataclass_fields__
        for name in names:
            check(getattr(value, name))


@QUICK
@given(SERIES)
def test_any_series_gives_finite_results(series: list[float]) -> None:
    """Medians, speeds, steady rounds, valleys and effects are finite or None."""
    check(spread.of_rounds(series, "ms"))
    check(rotation.medium(series))
    check(rotation.rpm(series))
    check(steady.find(series, "ms"))
    check(readcache.valley(series))
    check(effect.of_medians(series, series[::-1], rounds=20))
    check(effect.paired(series, series[::-1]))


@QUICK
@given(SERIES, SERIES)
@example([0.0] * 5 + [2.28e58], [0.0, 0.0, 0.0, 1.0, 6.8e-96, 0.0])
def test_any_two_series_give_finite_results(first: list[float], second: list[float]) -> None:
    """Slopes, knees, curves, layouts and networks are finite or None."""
    pairs = list(zip(first, second, strict=False))
    check(slope.fit(pairs))
    check(knee.find([x for x, _ in pairs], [y for _, y in pairs]))
    check(zcav.classify([(x, [y, y / 2]) for x, y in pairs]))
    check(scaling.fit({n: [x, y] for n, (x, y) in enumerate(pairs)}))
    check(scaling.collapses({n: x for n, (x, _) in enumerate(pairs)}))
    check(geometry.pattern_size({n: x for n, (x, _) in enumerate(pairs)}))
    check([geometry.by_capacity(x, y, n) for n, (x, y) in enumerate(pairs)])


@QUICK
@given(SERIES, SERIES)
def test_sorted_series_give_finite_results(first: list[float], second: list[float]) -> None:
    """A knee of any ascending series is finite or None."""
    count = min(len(first), len(second))
    good = [[x for x in each if not math.isnan(x)] for each in (first, second)]
    count = min(len(each) for each in good)
    check(knee.find(sorted(good[0])[:count], sorted(good[1])[:count]))


@QUICK
@given(WHOLE, WHOLE)
def test_any_latencies_give_finite_results(first: list[int], second: list[int]) -> None:
    """Histograms and stalls of any whole numbers are finite or None."""
    histogram = Histogram()
    histogram.add(first)
    check(histogram.latency())
    count = min(len(first), len(second))
    found = stalls.find(sorted(first)[:count], second[:count])
    check(found)
    check(stalls.period(found))


@QUICK
@given(WHOLE)
def test_quantiles_rise(values: list[int]) -> None:
    """A larger share never has a smaller quantile."""
    histogram = Histogram()
    histogram.add(values)
    found = [histogram.quantile(share / 20) or 0 for share in range(21)]
    assert found == sorted(found)


@QUICK
@given(st.lists(st.floats(1, 1e6), min_size=6, max_size=40), st.floats(1.0, 100.0))
def test_a_faster_machine_has_a_larger_median(values: list[float], factor: float) -> None:
    """A factor on all rounds multiplies the median and its interval."""
    before, after = spread.of_rounds(values, "ops/s"), spread.of_rounds([value * factor for value in values], "ops/s")
    assert after.measured == pytest.approx((before.measured or 0) * factor)
    assert after.low == pytest.approx((before.low or 0) * factor)
    assert after.high == pytest.approx((before.high or 0) * factor)


@pytest.mark.parametrize("value", [0.0, 1.0, 8.33, 1e18])
def test_long_constant_series_give_finite_results(value: float) -> None:
    """A hundred thousand equal values never cause an error."""
    series = [value] * 100_000
    check(spread.of_rounds(series, "ms"))
    check(rotation.rpm(series))
    check(rotation.medium(series))
    check(readcache.valley(series))
    check(knee.find([float(n) for n in range(100_000)], series))
