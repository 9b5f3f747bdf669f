"""Lists of trials with their parameters, by purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from raidctl.bench.trials.alignment import Alignment
from raidctl.bench.trials.classic import Classic, Switch
from raidctl.bench.trials.commits import Commits
from raidctl.bench.trials.compression import Compression
from raidctl.bench.trials.flush_slope import FlushSlope
from raidctl.bench.trials.interference import Interference
from raidctl.bench.trials.knee import Knee
from raidctl.bench.trials.layer_tax import LayerTax
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.overwrite import Overwrite
from raidctl.bench.trials.raid_level import RaidLevel
from raidctl.bench.trials.readahead import KernelReadAhead, ReadAhead
from raidctl.bench.trials.readahead import Switch as ReadSwitch
from raidctl.bench.trials.readback import ReadBack
from raidctl.bench.trials.readcache import ReadCache
from raidctl.bench.trials.scaling import Scaling
from raidctl.bench.trials.seeks import Seeks
from raidctl.bench.trials.sequential import Sequential
from raidctl.bench.trials.steady import Steady
from raidctl.bench.trials.thin import Thin
from raidctl.bench.trials.timings import Timings
from raidctl.bench.trials.together import Together
from raidctl.bench.trials.trial import GIB, KIB, MIB, Trial
from raidctl.bench.trials.worst import Worst
from raidctl.bench.trials.zcav import Zcav
from raidctl.bench.work import Target


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Trials that are run together."""

    name: str
    title: str
    """Purpose, one sentence."""
    seconds: float
    """Approximate duration in seconds; with a budget, its upper limit."""
    size: int
    """Bytes of the temporary file when a directory is measured. Fewer are used if there is not enough space."""
    trials: tuple[Trial, ...]


QUICK = Profile(
    name="quick",
    title="Standard measurements.",
    seconds=120,
    size=GIB,
    trials=(
        Medium(reads=400),
        Commits(seconds=2.0),
        Sequential(seconds=0.5, positions=(0.0, 0.5, 0.99), depths=(1,)),
        Seeks(spans=(None,), depths=(1, 16), seconds=0.7),
        Compression(),
    ),
)
DATABASE = Profile(
    name="database",
    title="What matters to a database: commits, flushes, the write cache, seeks, the longest waits.",
    seconds=1800,
    size=8 * GIB,
    trials=(
        Medium(),
        Commits(seconds=3.0, sizes=(4 * KIB, 8 * KIB), streams=(1, 8, 32), dsync=True, fsync=True),
        Sequential(sizes=(MIB, 8 * KIB)),
        Seeks(spans=(GIB, None), depths=(1, 4, 16, 32), sizes=(8 * KIB,)),
        Alignment(),
        Compression(),
        Interference(),
        LayerTax(seconds=0.5),
        Knee(),
        Overwrite(),
        FlushSlope(),
        Worst(seconds=60.0),
        ReadBack(),
    ),
)
RENTED = Profile(
    name="rented-server",
    title="Whether a rented server is what was promised.",
    seconds=1800,
    size=4 * GIB,
    trials=(
        Medium(),
        Commits(seconds=3.0),
        Sequential(),
        Seeks(spans=(GIB, None), depths=(1, 16)),
        Compression(),
        Thin(),
        LayerTax(seconds=0.5),
        Zcav(positions=48, piece=16 * MIB),
        RaidLevel(),
        Knee(),
        Overwrite(),
        FlushSlope(),
        ReadCache(most=GIB),
        ReadBack(),
    ),
)
FULL = Profile(
    name="full",
    title="Everything, for hours.",
    seconds=4 * 3600,
    size=16 * GIB,
    trials=(
        Medium(),
        Commits(seconds=3.0, sizes=(4 * KIB, 8 * KIB), streams=(1, 2, 4, 8, 16, 32), dsync=True, fsync=True),
        Sequential(seconds=5.0, sizes=(MIB, 8 * KIB)),
        Seeks(spans=(GIB, 16 * GIB, None), depths=(1, 4, 16, 32, 64), sizes=(4 * KIB, 8 * KIB)),
        Scaling(),
        ReadAhead(),
        Alignment(),
        Compression(),
        Thin(),
        LayerTax(),
        Interference(),
        Timings(),
        Zcav(positions=128),
        RaidLevel(),
        Knee(fills=3),
        Overwrite(),
        FlushSlope(),
        ReadCache(),
        Steady(),
        Worst(seconds=120.0),
        ReadBack(),
    ),
)
CLASSIC = Profile(
    name="classic",
    title="The tables of the classic reports, to compare with them.",
    seconds=600,
    size=4 * GIB,
    trials=(
        Classic(),
        Timings(),
        Sequential(depths=(1,), positions=(0.0, 0.5, 0.99)),
        Seeks(spans=(None,), depths=(1,), sizes=(8 * KIB,)),
        Commits(seconds=3.0, sizes=(8 * KIB,)),
        Scaling(depths=(1, 2, 4, 8, 16), streams=(1, 2, 4, 8, 16), size=16 * KIB, block=16 * KIB),
        Medium(),
    ),
)
BESIDE = "beside"
"""Profile for several drives at once. They are named on the command line; the profile cannot be chosen by name."""
PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in (QUICK, DATABASE, RENTED, FULL, CLASSIC)}


def together(others: Sequence[Target]) -> Profile:
    """The profile for several drives at once, read-only."""
    trial = Together(others=tuple(others))
    seconds = trial.rounds * trial.seconds * len(trial.groups())
    title = "Several drives at once, compared with each alone."
    return Profile(name=BESIDE, title=title, seconds=1.2 * seconds, size=GIB, trials=(trial,))


def switched(
    profile: Profile,
    *,
    off: Switch | None = None,
    read_ahead: KernelReadAhead | None = None,
    switch: ReadSwitch | None = None,
    unswitched: str | None = None,
) -> Profile:
    """The profile plus trials that change a setting temporarily.

    The settings are a write cache, and the read-ahead of kernel and controller.

    ``unswitched``: why the controller's read-ahead is not.
    """
    trials = [replace(one, off=off) if isinstance(one, Classic) and off else one for one in profile.trials]
    if read_ahead is not None:
        ahead = [one for one in trials if isinstance(one, ReadAhead)] or [ReadAhead()]
        trials = [one for one in trials if not isinstance(one, ReadAhead)] + [
            replace(ahead[0], kernel=read_ahead, switch=switch, unswitched=unswitched)
        ]
    return replace(profile, trials=tuple(trials))
