"""Estimators on a model with computed time, whose properties are known."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import pytest

from raidctl.bench.estimators import geometry, knee, scaling
from raidctl.bench.estimators.figures import chance
from raidctl.bench.estimators.spread import of_rounds
from raidctl.bench.model.array import Level
from raidctl.bench.model.device import Device, Plan
from raidctl.bench.result import Spread

pytestmark = pytest.mark.slow  # arithmetic, the same on every Python

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
CHUNK = 64 * KIB


def ends(device: Device, offsets: Sequence[int], *, depth: int, size: int = 4096, write: bool = False) -> list[float]:
    """Seconds after the start at which operations end. ``depth`` operations are under way."""
    heap: list[float] = [100.0] * depth
    done = []
    for offset in offsets:
        now = heapq.heappop(heap)
        end = device.write(now, offset, bytes(size)) if write else device.read(now, offset, size)[0]
        heapq.heappush(heap, end)
        done.append(end - 100.0)
    return sorted(done)


def array(level: Level, drives: int, size: int = 16 * GIB) -> Device:
    """An array without any cache."""
    return Device(Plan(kind="write-through", level=level, drives=drives, size=size, keep=False))


def rounds(level: Level, drives: int, *, depth: int, write: bool, seed: int = 0) -> Spread:
    """Random operations per second over the whole array, in six rounds."""
    rates = []
    for turn in range(6):
        device, source = array(level, drives), chance(seed + turn)
        offsets = [source.randrange(device.size // 4096) * 4096 for _ in range(500)]
        rates.append(500 / ends(device, offsets, depth=depth, write=write)[-1])
    return of_rounds(rates, "ops/s")


@pytest.mark.parametrize("drives", [4, 6])
@pytest.mark.parametrize("level", ["raid0", "raid10", "raid5", "raid6"])
def test_the_cost_of_writes_names_the_level(level: Level, drives: int) -> None:
    """At depth 32 the true level is always named. RAID-0 and RAID-10 are never named with parity levels."""
    read = rounds(level, drives, depth=32, write=False)
    found = geometry.levels(read, rounds(level, drives, depth=32, write=True))
    assert level in found.levels
    alone = {
        "raid0": {"raid0"},
        "raid10": {"raid1", "raid10"},
        "raid5": {"raid5", "raid6"},
        "raid6": {"raid5", "raid6"},
    }
    assert set(found.levels) <= alone[level]


@pytest.mark.parametrize(("level", "drives"), [("raid5", 5), ("raid6", 6), ("raid5", 4)])
def test_data_drives_are_counted_by_the_full_stripe(level: Level, drives: int) -> None:
    """Sequential aligned writes are faster at a full stripe. Its size gives the number of data drives."""
    data = drives - {"raid5": 1, "raid6": 2}[level]
    speeds = {}
    for count in range(1, 2 * data + 2):
        offsets = [number * count * CHUNK for number in range(200)]
        last = ends(array(level, drives), offsets, depth=4, size=count * CHUNK, write=True)[-1]
        speeds[count * CHUNK] = 200 * count * CHUNK / last
    found = geometry.full_stripe(speeds)
    assert found is not None
    assert geometry.data_drives(found, CHUNK) == data


def test_without_parity_no_stripe_is_found() -> None:
    """Writes to RAID-0 have no full stripe."""
    speeds = {}
    for count in range(1, 10):
        offsets = [number * count * CHUNK for number in range(200)]
        last = ends(array("raid0", 4), offsets, depth=4, size=count * CHUNK, write=True)[-1]
        speeds[count * CHUNK] = 200 * count * CHUNK / last
    assert geometry.full_stripe(speeds) is None


@pytest.mark.parametrize("drives", [2, 3, 4, 5, 8])
def test_strides_find_the_pattern_of_raid0(drives: int) -> None:
    """Random reads at multiples of the pattern size are on one drive."""
    times = {}
    for count in range(1, 2 * drives + 2):
        device, source = array("raid0", drives), chance(count)
        offsets = [source.randrange(device.size // (count * CHUNK)) * count * CHUNK for _ in range(500)]
        times[count * CHUNK] = ends(device, offsets, depth=16)[-1]
    assert geometry.pattern_size(times) == drives * CHUNK


@pytest.mark.parametrize("drives", [1, 4, 8])
def test_spindles_are_counted(drives: int) -> None:
    """Throughput over depth gives the drives of RAID-0, within a sixth."""
    found = scaling.fit(
        {
            depth: [300 / ends(array("raid0", drives), self_placed(drives, seed), depth=depth)[-1] for seed in range(4)]
            for depth in (1, 2, 4, 8, 16, 32)
        }
    )
    assert found.spindles.measured == pytest.approx(drives, rel=1 / 6)


def self_placed(drives: int, seed: int) -> list[int]:
    """Random places on an array of this number of drives."""
    source = chance(seed)
    return [source.randrange(drives * 16 * GIB // 4096) * 4096 for _ in range(300)]


@pytest.mark.parametrize(("mib", "depth"), [(32, 1), (64, 8), (128, 8)])
def test_the_write_cache_is_sized(mib: int, depth: int) -> None:
    """Random writes to new places give the cache size within 2%. Eight times that size is written, at depth 1 or 8."""
    plan = Plan(kind="battery", cache=mib * MIB, destage=20e6, size=16 * GIB, keep=False)
    places = chance(mib).sample(range(plan.size // CHUNK), 8 * mib * MIB // CHUNK)
    done = ends(Device(plan), [place * CHUNK for place in places], depth=depth, size=CHUNK, write=True)
    found = knee.find(done, [(number + 1) * CHUNK for number in range(len(done))])
    assert found.size.measured == pytest.approx(mib, rel=0.02)
    assert found.destage.measured == pytest.approx(20e6 / MIB, rel=0.02)


@pytest.mark.parametrize("kind", ["write-through", "media-cache"])
def test_no_knee_is_found_without_a_cache(kind: str) -> None:
    """Writes that go to the medium one by one have no knee."""
    plan = Plan(kind="write-through" if kind == "write-through" else "media-cache", size=16 * GIB, keep=False)
    places = chance(1).sample(range(plan.size // CHUNK), 3000)
    done = ends(Device(plan), [place * CHUNK for place in places], depth=1, size=CHUNK, write=True)
    assert knee.find(done, [(number + 1) * CHUNK for number in range(len(done))]).size.measured is None
