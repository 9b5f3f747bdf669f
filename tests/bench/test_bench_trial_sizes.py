"""Figures of targets that accept only large blocks.

Every figure counts the bytes moved. ZFS, for one, accepts 128 KiB and more.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from raidctl.bench.profiles import Profile
from raidctl.bench.session import Runner
from raidctl.bench.trials.classic import Classic
from raidctl.bench.trials.compression import Compression
from raidctl.bench.trials.readahead import ReadAhead
from raidctl.bench.trials.readcache import ReadCache
from raidctl.bench.trials.scaling import Scaling
from raidctl.bench.trials.sequential import Sequential
from raidctl.bench.trials.timings import Timings
from raidctl.bench.trials.trial import KIB, MIB, Bench, Trial, whole
from raidctl.bench.trials.zcav import Zcav
from tests.bench.engine_bench import Handle
from tests.bench.even_engine import SPEED, Even

GRAIN = 512 * KIB
TRIALS = (
    Classic(seconds=2.0, rounds=1),
    Compression(blocks=8, rounds=1, seconds=0.51),
    ReadAhead(seconds=2.0, rounds=1),
    ReadCache(most=2 * MIB, seconds=12.0),
    Scaling(seconds=2.0, rounds=1, depths=(1,), streams=(1,), block=16 * KIB),
    Sequential(seconds=2.0, rounds=1, sizes=(64 * KIB,), depths=(1,)),
    Timings(seconds=2.0, rounds=1),
    Zcav(positions=16, piece=MIB, block=64 * KIB),
)


@pytest.fixture
def target() -> Iterator[Handle]:
    """Memory that accepts no smaller blocks."""
    handle = os.memfd_create("large-blocks")
    os.ftruncate(handle, 600 * MIB)
    yield Handle(handle=handle, size=600 * MIB, alignment=GRAIN)
    os.close(handle)


@pytest.mark.slow
@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_a_throughput_is_of_the_blocks_that_were_moved(target: Handle, trial: Trial) -> None:
    """Every figure in MiB/s is the speed of the target. Smaller blocks were requested."""
    engine = Even()
    result = whole(trial, Bench(target, engine, seed=7, run_id=7, clock=lambda: engine.now + time.monotonic()))
    own = "write_" if trial.name == "compression" else "?"  # past the engine, by the clock of this machine
    speeds = {name: one for name, one in result.figures.items() if one.unit == "MiB/s" and not name.startswith(own)}
    assert speeds
    assert {name: one.measured for name, one in speeds.items()} == pytest.approx(dict.fromkeys(speeds, SPEED), rel=0.02)


@pytest.mark.parametrize(("grain", "count"), [(512, 0), (4096, 0), (GRAIN, 1)])
def test_rounded_up_blocks_are_reported(target: Handle, grain: int, count: int) -> None:
    """A note reports once that smaller blocks are rounded up."""
    target.alignment = grain
    trial = Sequential(seconds=0.1, rounds=1, depths=(1,))
    notes = (
        Runner(Bench(target, Even()), again=False)
        .run(Profile(name="test", title="", seconds=1, size=MIB, trials=(trial,)))
        .notes
    )
    assert notes == ("the target takes no less than 512 KiB at once: smaller blocks are rounded up to that.",) * count
