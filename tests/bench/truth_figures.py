"""Figures measured over NBD on models with known properties.

Rotation speed, size of the write cache and RAID level are compared with the truth.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidctl.bench.engines.portable import PortableEngine
from raidctl.bench.model.array import Level
from raidctl.bench.result import Spread
from raidctl.bench.trials.knee import Knee
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.raid_level import RaidLevel
from raidctl.bench.trials.trial import KIB, MIB, Below, Bench, Trial, whole
from tests.bench.truth_runs import served


@dataclass(frozen=True)
class Figured:
    """A figure and its true value."""

    truth: float
    measured: float | None
    """None: the trial had no figure."""
    low: float | None
    high: float | None
    disturbed: bool
    """Whether the host was too slow for the model or its client."""

    @property
    def error(self) -> float | None:
        """The relative error, without its sign."""
        return None if self.measured is None else abs(self.measured / self.truth - 1)

    @property
    def held(self) -> bool:
        """Whether the interval has the true value."""
        return self.low is not None and self.high is not None and self.low <= self.truth <= self.high


def rpm(speed: int, *, reads: int = 60, commits: int = 300) -> Figured:
    """The rpm of a hard drive without a cache."""
    words = ("--kind", "write-through", "--rpm", str(speed), "--size", "4GiB", "--no-keep")
    return _figure(Medium(reads=reads, commits=commits), "rpm", float(speed), *words)


def write_cache(mib: int, *, destage: float = 20.0, fills: int = 1) -> Figured:
    """The measured size of a protected cache of ``mib`` MiB.

    The cache destages ``destage`` MB/s, and six times its size is written.
    """
    words = ("--kind", "battery", "--cache", f"{mib}MiB", "--destage", f"{destage}MB/s", "--size", "16GiB", "--no-keep")
    trial = Knee(most=6 * mib * MIB, fills=fills, rest=0.2)
    return _figure(trial, "write_cache", float(mib), *words)


@dataclass(frozen=True)
class NamedLevels:
    """The named RAID levels and the true one."""

    truth: str
    permitted: tuple[str, ...]
    """Levels of equal cost, which may be named as well."""
    named: tuple[str, ...]
    layers: object
    """The result of each method."""
    disturbed: bool


def level(truth: Level, drives: int, permitted: tuple[str, ...], *, counted: bool) -> NamedLevels:
    """The level of drives of 15000 rpm. ``counted``: whether the inventory has their number."""
    words = (
        "--kind",
        "write-through",
        "--raid-level",
        truth,
        "--drives",
        str(drives),
        "--rpm",
        "15000",
        "--size",
        "8GiB",
    )
    below = Below(strip=64 * KIB, drives=drives if counted else None)
    with served(*words, "--no-keep") as (model, target):
        model.say("reset")
        bench = Bench(target=target, engine=PortableEngine(), below=below)
        result = whole(RaidLevel(seconds=0.6, rounds=2), bench)
        disturbed = model.too_slow()
    return NamedLevels(truth, permitted, tuple(result.series["levels"]), result.series["by_layer"], disturbed)


def _figure(trial: Trial, name: str, truth: float, *words: str) -> Figured:
    with served(*words) as (model, target):
        model.say("reset")
        result = whole(trial, Bench(target=target, engine=PortableEngine()))
        disturbed = model.too_slow()
    found = result.figures.get(name, Spread(measured=None, unit="", n=0))
    return Figured(truth, found.measured, found.low, found.high, disturbed)
