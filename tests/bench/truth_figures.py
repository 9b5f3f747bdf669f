"""Figures measured over NBD against a model whose truth is known: speed of rotation, size of the write cache."""

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
    """A figure beside its truth."""

    truth: float
    measured: float | None
    """None: the trial gave none."""
    low: float | None
    high: float | None
    disturbed: bool
    """Whether the host was too slow for the model or its client."""

    @property
    def error(self) -> float | None:
        """Relative, without its sign."""
        return None if self.measured is None else abs(self.measured / self.truth - 1)

    @property
    def held(self) -> bool:
        """Whether the interval holds the truth."""
        return self.low is not None and self.high is not None and self.low <= self.truth <= self.high


def rpm(speed: int, *, reads: int = 60, commits: int = 300) -> Figured:
    """Revolutions a minute of an uncached disk."""
    words = ("--kind", "write-through", "--rpm", str(speed), "--size", "4GiB", "--no-keep")
    return _figure(Medium(reads=reads, commits=commits), "rpm", float(speed), *words)


def write_cache(mib: int, *, destage: float = 20.0, fills: int = 1) -> Figured:
    """MiB that a battery-backed cache takes, which empties at so many MB/s; six times its size is written."""
    words = ("--kind", "battery", "--cache", f"{mib}MiB", "--destage", f"{destage}MB/s", "--size", "16GiB", "--no-keep")
    trial = Knee(most=6 * mib * MIB, fills=fills, rest=0.2)
    return _figure(trial, "write_cache", float(mib), *words)


@dataclass(frozen=True)
class Told:
    """Which RAID levels were named, beside the true one."""

    truth: str
    permitted: tuple[str, ...]
    """Levels that cost the same, and need not be told apart."""
    named: tuple[str, ...]
    layers: object
    """What each way of looking has found."""
    disturbed: bool


def level(truth: Level, drives: int, permitted: tuple[str, ...], *, counted: bool) -> Told:
    """The level of drives of 15000 rpm; ``counted``: whether the inventory tells how many there are."""
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
    return Told(truth, permitted, tuple(result.series["levels"]), result.series["by_layer"], disturbed)


def _figure(trial: Trial, name: str, truth: float, *words: str) -> Figured:
    with served(*words) as (model, target):
        model.say("reset")
        result = whole(trial, Bench(target=target, engine=PortableEngine()))
        disturbed = model.too_slow()
    found = result.figures.get(name, Spread(measured=None, unit="", n=0))
    return Figured(truth, found.measured, found.low, found.high, disturbed)
