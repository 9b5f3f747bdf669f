"""The trial of the RAID level, on models of known level."""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidctl.bench.estimators import geometry
from raidctl.bench.model.array import Level
from raidctl.bench.result import Confounder, Spread
from raidctl.bench.trials.raid_level import RaidLevel
from raidctl.bench.trials.raid_words import Layers, judged
from raidctl.bench.trials.trial import GIB, KIB, Below, whole
from tests.bench.bench_runs import rate
from tests.bench.virtual_clock import Stage, drives_of

pytestmark = pytest.mark.slow  # arithmetic, the same on every Python

ARRAYS = [("raid0", 4), ("raid10", 4), ("raid5", 4), ("raid6", 6)]
SHORT = RaidLevel(seconds=0.3, strided=64, striped=16, rounds=1)


@pytest.mark.parametrize(("name", "drives"), ARRAYS)
def test_the_level_is_named(name: Level, drives: int) -> None:
    """With a known number of drives, only the true level is named. Cost and layout name it."""
    below = Below(level=name, drives=drives, strip=64 * KIB)
    plan = drives_of(level=name, drives=drives)
    result = whole(SHORT, Stage(plan, below).bench())
    assert (result.series["levels"], result.verdict) == ([name], "pass"), result.reasons


def test_another_level_than_promised_fails() -> None:
    """A RAID-5 that was promised as RAID-6 fails."""
    below = Below(drives=4, strip=64 * KIB)
    result = whole(replace(SHORT, promised="raid6"), Stage(drives_of(level="raid5", drives=4), below).bench())
    assert (result.verdict, result.series["levels"]) == ("fail", ["raid5"])


@pytest.mark.parametrize("why", ["degraded", "rebuild"])
def test_a_degraded_array_is_judged_by_its_sizes_only(why: str) -> None:
    """A degraded array has the cost and layout of another level."""
    bench = Stage(drives_of(level="raid0", drives=3), Below(strip=64 * KIB)).bench()
    bench.confounders = (Confounder(name=why, text="md:md0 lacks a drive."),)
    result = whole(replace(SHORT, promised="raid5"), bench)
    assert (result.verdict, result.series["levels"]) == ("inconclusive", [])
    assert "md:md0 lacks a drive. Its speed then shows no level." in result.reasons


@pytest.mark.parametrize(("name", "drives"), ARRAYS)
def test_without_facts_the_true_level_is_among_those_named(name: Level, drives: int) -> None:
    """Levels that cannot be distinguished are named together, and never pass."""
    result = whole(replace(SHORT, promised=name), Stage(drives_of(level=name, drives=drives)).bench())
    assert name in result.series["levels"], result.reasons
    assert result.verdict == ("pass" if result.series["levels"] == [name] else "inconclusive")
    assert sum(result.series["posterior"].values()) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(("usable", "levels"), [(6, ["raid6"]), (7, ["raid5"]), (8, ["raid0"]), (4, ["raid10"])])
def test_without_writes_the_capacity_names_the_level(usable: int, levels: list[str]) -> None:
    """Without writes, the sizes of drives and volume give the level."""
    below = Below(drives=8, drive_bytes=GIB, volume_bytes=usable * GIB, strip=64 * KIB)
    bench = Stage(drives_of(), below).bench()
    bench.target.writable = False  # type: ignore[misc]  # a model's field
    assert whole(replace(SHORT, strided=16), bench).series["levels"] == levels


def test_behind_a_cache_the_cost_is_a_lower_bound() -> None:
    """Behind a cache, cheap writes do not rule out RAID-6.

    The cache hides cost, but expensive writes rule out RAID-0.
    """
    cost = geometry.levels(rate(2000.0), rate(1000.0))
    assert cost.levels == ("raid1", "raid10")
    none = Spread(measured=None, unit="ratio", n=0)
    cached = Layers(
        capacity=(), cost=cost, cached=True, pattern=None, stripe=None, chunk=64 * KIB, drives=None, spindles=none
    )
    assert cached.named == ("raid1", "raid10", "raid5", "raid6")
    assert judged(cached, "raid6", promised=True)[0] == "inconclusive"
    assert judged(cached, "raid0", promised=True)[0] == "suspect"
