"""The curve of speed over position shows what a volume consists of."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from raidctl.bench.estimators import zcav
from raidctl.bench.estimators.figures import chance
from raidctl.bench.estimators.zcav import Curve

SEEDS = range(20)
NOISE = (0.002, 0.02)


def drive(x: float, ratio: float = 2.0) -> float:
    """Speed of one hard drive: quadratic, with this outer-to-inner ratio."""
    return 200 - 200 * (1 - 1 / ratio) * (0.7 * x + 0.3 * x * x)


def curve(shape: Callable[[float], float], seed: int, noise: float, count: int = 64) -> Curve:
    """Three passes over a number of positions in random order, with noise."""
    source = chance(seed)
    positions = [(number + 0.5) / count for number in range(count)]
    source.shuffle(positions)
    return zcav.classify([(x, [shape(x) * source.gauss(1, noise) for _ in range(3)]) for x in positions])


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("count", [48, 128])
def test_the_curve_of_a_hard_drive_falls(noise: float, count: int) -> None:
    """A hard drive's curve falls to half, in each of 20 series."""
    found = [curve(drive, seed, noise, count) for seed in SEEDS]
    assert [each.shape for each in found] == ["falling"] * 20
    assert all(each.spindles and each.ratio == pytest.approx(2, rel=0.1) for each in found)


@pytest.mark.parametrize("noise", NOISE)
def test_flash_is_flat(noise: float) -> None:
    """A constant speed is flat in each of 20 series."""
    assert [curve(lambda _: 500.0, seed, noise).shape for seed in SEEDS] == ["flat"] * 20


@pytest.mark.parametrize("noise", NOISE)
def test_two_spans_step_up(noise: float) -> None:
    """Two concatenated drives have one step up in the middle."""
    for seed in SEEDS:
        found = curve(lambda x: drive(2 * x % 1.0), seed, noise)
        assert found.shape == "step_up"
        assert found.steps == pytest.approx((0.5,), abs=0.03)


@pytest.mark.parametrize("noise", NOISE)
def test_an_interface_makes_a_plateau(noise: float) -> None:
    """The curve is level until the drive is slower than the link. The link has 150 MB/s."""
    for seed in SEEDS:
        found = curve(lambda x: min(150.0, drive(x, 2.5)), seed, noise)
        assert found.shape == "plateau"
        assert found.plateau_ends == pytest.approx(0.51, abs=0.1)


@pytest.mark.parametrize("noise", NOISE)
def test_dips_are_named_and_leave_the_shape(noise: float) -> None:
    """Two slow positions are dips of a falling curve."""
    for seed in SEEDS:
        found = curve(lambda x: drive(x) * (0.5 if 0.30 < x < 0.315 or 0.7 < x < 0.715 else 1), seed, noise)
        assert found.shape == "falling"
        assert len(found.dips) == 2


@pytest.mark.parametrize("seed", SEEDS)
def test_a_slow_moment_of_one_pass_is_no_dip(seed: int) -> None:
    """A position slow in one of three passes is not a dip."""
    source = chance(seed)
    passes = [((n + 0.5) / 64, [drive(n / 64) * source.gauss(1, 0.01) for _ in range(3)]) for n in range(64)]
    for number in (10, 30, 50):
        passes[number][1][1] *= 0.4
    assert zcav.classify(passes).dips == ()


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_unmapped_stretches_are_named(share: float) -> None:
    """A never-written stretch of a thin volume is named, whatever its share."""
    for seed in SEEDS:
        found = curve(lambda x: 3000.0 if x > 1 - share else drive(x), seed, 0.02)
        assert found.shape == "unmapped"
        assert found.unmapped[0][0] == pytest.approx(1 - share, abs=0.03)


@pytest.mark.parametrize("seed", SEEDS)
def test_noise_alone_has_no_step(seed: int) -> None:
    """A level curve with 10% noise has no step, plateau or fall."""
    assert curve(lambda _: 300.0, seed, 0.1).shape in {"unclear", "flat"}


def test_too_few_positions_are_unclear() -> None:
    """Fifteen positions are too few for a shape."""
    assert curve(drive, 1, 0.01, 15).shape == "unclear"
