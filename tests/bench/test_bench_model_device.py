"""The model without its server, on computed time."""

from __future__ import annotations

import math

import pytest

from raidctl.bench.estimators import rotation
from raidctl.bench.estimators.figures import chance, median
from raidctl.bench.model.array import Array, Level
from raidctl.bench.model.device import KINDS, TRAITS, Device, Kind, Plan
from raidctl.bench.model.drive import Drive, Mechanics

MIB = 1 << 20
GIB = 1 << 30
PAGE = bytes(range(256)) * 16
THINK = 50e-6


def commits(device: Device, count: int = 200, start: float = 100.0) -> list[float]:
    """The ends of consecutive commits of one block."""
    now, ends = start, []
    for _ in range(count):
        now = device.flush(device.write(now + THINK, MIB, PAGE) + THINK)
        ends.append(now)
    return ends


def rate(device: Device, start: float = 100.0) -> float:
    """Commits per second."""
    ends = commits(device, start=start)
    return (len(ends) - 1) / (ends[-1] - ends[0])


@pytest.mark.parametrize("rpm", [5400, 7200, 10000, 15000])
@pytest.mark.parametrize("kind", ["write-through", "volatile", "flushing"])
def test_an_honest_drive_commits_once_per_revolution(kind: Kind, rpm: int) -> None:
    """A drive without early acknowledgements makes exactly rpm/60 commits per second."""
    assert rate(Device(Plan(kind=kind, rpm=rpm))) == pytest.approx(rpm / 60, rel=1e-3)


@pytest.mark.parametrize("kind", ["lying", "battery", "unprotected"])
def test_early_acknowledgements_allow_thousands_of_commits_per_second(kind: Kind) -> None:
    """A flush without effect costs only the way to the cache."""
    assert rate(Device(Plan(kind=kind))) > 3000


@pytest.mark.parametrize("level", ["raid5", "raid6"])
def test_parity_costs_a_second_revolution(level: Level) -> None:
    """A small write under parity reads and rewrites one revolution later: rpm/120."""
    assert rate(Device(Plan(kind="write-through", level=level, drives=5))) == pytest.approx(60, rel=1e-3)


def test_write_through_on_the_controller_shows_the_drive() -> None:
    """In write-through a protected cache has rpm/60 commits per second. In write-back it has thousands."""
    device = Device(Plan(kind="battery"))
    assert rate(device, 100) > 3000
    device.set_write_back(200, on=False)
    assert rate(device, 200) == pytest.approx(120, rel=1e-3)
    device.set_write_back(300, on=True)
    assert rate(device, 300) > 3000


def test_drive_caches_behind_the_controller_stay_fast_in_write_through() -> None:
    """With drive caches, write-through is fast until these are disabled too."""
    device = Device(Plan(kind="battery", drive_cache=8 * MIB))
    device.set_write_back(200, on=False)
    assert rate(device, 200) > 3000
    device.set_drive_cache(300, on=False)
    assert rate(device, 300) == pytest.approx(120, rel=1e-3)


def test_a_lying_drive_falls_without_its_cache() -> None:
    """Without its cache, a lying drive makes rpm/60 commits per second. It ignores flushes."""
    device = Device(Plan(kind="lying"))
    device.set_drive_cache(100, on=False)
    assert rate(device, 100) == pytest.approx(120, rel=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_switches_are_refused(kind: Kind) -> None:
    """A write policy needs a controller with a cache. A drive cache needs a drive with one."""
    device = Device(Plan(kind=kind))
    for traits, switch in (
        (TRAITS[kind].controller, device.set_write_back),
        (TRAITS[kind].drives, device.set_drive_cache),
    ):
        if traits is None:
            with pytest.raises(ValueError, match="cache"):
                switch(1.0, on=False)


@pytest.mark.parametrize(("kind", "slope"), [("volatile", 50.0), ("flushing", 50.0), ("battery", 0.0), ("lying", 0.0)])
def test_a_flush_takes_time_in_proportion_to_the_dirty_data(kind: Kind, slope: float) -> None:
    """At 20 MiB/s, a flush of 8 MiB takes 400 ms if it empties the cache, else nothing."""
    device = Device(Plan(kind=kind, destage=20 * MIB, link=1e12))
    now = 100.0
    for number in range(128):
        now = device.write(now, number * MIB, bytes(65536))
    dirty = device.dirty(now) / MIB
    assert (device.flush(now) - now) * 1000 == pytest.approx(slope * dirty, abs=9)


def test_a_media_cache_is_fast_without_the_volatile_cache() -> None:
    """Flushes and uncached writes are faster than rpm/60. Both go to the media cache."""
    device = Device(Plan(kind="media-cache", drive_cache=8 * MIB))
    assert rate(device, 100) == pytest.approx(264, rel=0.06)
    device.set_drive_cache(200, on=False)
    assert rate(device, 200) == pytest.approx(264, rel=0.05)
    lost = Device(Plan(kind="media-cache", drive_cache=8 * MIB))
    end = lost.write(100, 0, PAGE)
    assert lost.power_cut(end) == 1
    assert lost.power_cut(lost.flush(lost.write(200, 0, PAGE))) == 0


def test_a_cache_has_the_configured_latency() -> None:
    """A latency of 0.5 ms makes fewer than 1000 commits per second. A write and its flush both have it."""
    assert rate(Device(Plan(kind="battery", latency=0.0005))) == pytest.approx(1 / (0.001 + 2 * THINK), rel=0.03)
    with pytest.raises(ValueError, match="no time"):
        Device(Plan(kind="battery", latency=-1.0))


def test_a_full_cache_accepts_writes_at_the_destage_rate() -> None:
    """After the cache's 8 MiB, writes have the destage rate. The excess is the cache size."""
    device = Device(Plan(kind="battery", cache=8 * MIB, destage=2 * MIB))
    now, done = 100.0, []
    for number in range(256):
        now = device.write(now, number * MIB, bytes(65536))
        done.append((now, (number + 1) / 16))
    (left, low), (right, high) = done[150], done[255]
    assert (high - low) / (right - left) == pytest.approx(2, rel=0.01)
    assert low - 2 * (left - 100) == pytest.approx(8, rel=0.01)


def test_rewriting_dirty_blocks_takes_no_space() -> None:
    """A dirty block is replaced in the cache. Commits of one block never fill it."""
    device = Device(Plan(kind="battery", cache=MIB, destage=1e4))
    commits(device, 2000)
    assert device.dirty(101) <= 8192


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("flushes", [True, False])
def test_a_power_cut_loses_what_the_kind_loses(kind: Kind, flushes: bool) -> None:
    """Only lying drives and unprotected controllers lose flushed data.

    Unflushed data is lost by volatile caches, too.
    """
    device = Device(Plan(kind=kind, destage=4 * MIB))
    now = 100.0
    for number in range(64):
        now = device.write(now, number * 4096, PAGE)
    if flushes:
        now = device.flush(now)
    lost = device.power_cut(now)
    unsafe = {"lying", "unprotected"} if flushes else {"lying", "unprotected", "volatile"}
    assert (lost > 0) == (kind in unsafe)
    read = [device.read(now + 1, number * 4096, 4096)[1] for number in range(64)]
    assert sum(1 for each in read if each != PAGE) == lost


def test_the_battery_does_not_cover_the_drives() -> None:
    """A power cut loses data that is only in a drive cache. The controller's battery does not cover it."""
    device = Device(Plan(kind="battery", drive_cache=8 * MIB))
    now = 100.0
    for number in range(64):
        now = device.flush(device.write(now, number * 4096, PAGE))
    assert device.power_cut(now + 0.1) > 0


def test_force_unit_access_makes_a_write_durable() -> None:
    """A durable write survives the cut on an honest volatile cache. It does not survive it on a lying one."""
    for kind, kept in (("volatile", True), ("lying", False)):
        device = Device(Plan(kind="volatile" if kept else "lying"))
        end = device.write(100.0, 0, PAGE, durable=True)
        device.power_cut(end)
        assert (device.read(end + 1, 0, 4096)[1] == PAGE) is kept, kind


def test_only_acknowledged_writes_survive_a_cut() -> None:
    """With several drives, exactly the acknowledged writes are there after the cut."""
    device = Device(Plan(kind="write-through", level="raid0", drives=4))
    ends = {n: device.write(100.0, n * 65536, PAGE) for n in range(8)}
    cut = sorted(ends.values())[3] + 1e-6
    device.power_cut(cut)
    kept = {n for n in ends if device.read(cut + 1, n * 65536, 4096)[1] == PAGE}
    assert kept == {n for n, end in ends.items() if end <= cut}


def test_content_is_read_back_whatever_the_offsets() -> None:
    """Overlapping writes of any size and order read like a plain file."""
    source, plain = chance(5), bytearray(1 << 18)
    device, now = Device(Plan(kind="battery", cache=64 << 10, drive_cache=64 << 10)), 100.0
    for number in range(600):
        offset = source.randrange(len(plain) - 9000)
        data = source.randbytes(source.randrange(1, 9000))
        now = device.write(now, offset, data, durable=number % 7 == 0)
        plain[offset : offset + len(data)] = data
        if number in (200, 400):
            device.set_write_back(now, on=number == 400)
        now, read = device.read(now, offset // 2, 5000)
        assert read == plain[offset // 2 : offset // 2 + 5000]
    assert device.read(now, 0, len(plain))[1] == plain


@pytest.mark.parametrize("rpm", [5400, 7200, 15000])
def test_random_reads_are_those_of_a_hard_drive(rpm: int) -> None:
    """A read takes half a revolution and a seek on average.

    The seek takes 8.5 ms, and the medium is found to rotate.
    """
    drive, source = Drive(Mechanics(size=100 * GIB, rpm=rpm)), chance(1)
    now, waits = 100.0, []
    for _ in range(2000):
        end = drive.read(now, source.randrange(100 * GIB // 4096) * 4096, 4096)
        waits.append((end - now) * 1000)
        now = end + THINK
    assert sum(waits) / len(waits) == pytest.approx(8.5 + 30000 / rpm, rel=0.05)
    assert rotation.medium(waits[:400]).medium == "rotating"


@pytest.mark.parametrize(("share", "speed"), [(0.0, 150e6), (0.5, 112.5e6), (0.999, 75e6)])
def test_sequential_reads_are_slower_on_inner_tracks(share: float, speed: float) -> None:
    """Outer tracks have 150 MB/s, inner ones half of it."""
    drive = Drive(Mechanics(size=100 * GIB))
    offset = int(100 * GIB * share) // 4096 * 4096
    now = begin = drive.read(100.0, offset, MIB)
    for number in range(1, 50):
        now = drive.read(now + THINK, offset + number * MIB, MIB)
    assert 49 * MIB / (now - begin) == pytest.approx(speed, rel=0.01)


@pytest.mark.parametrize(("level", "penalty"), [("raid0", 1), ("raid10", 2), ("raid5", 4), ("raid6", 6)])
def test_small_writes_have_the_cost_of_the_level(level: Level, penalty: int) -> None:
    """A small write costs the drive operations of its level. The drives' busy times give the number."""
    array = Array(Mechanics(size=GIB, rpm=0, flash=1e-3, outer=1e12), level, 8)
    source, busy = chance(2), 0.0
    for number in range(500):
        now = 100.0 + number
        array.write(now, source.randrange(array.size // 4096) * 4096, 4096)
        # every drive that took part is busy until its last operation ended; operations of one drive follow each other
        busy += sum(round((drive.free_at - now) / 1e-3) for drive in array.drives if drive.free_at > now)
    assert busy / 500 == pytest.approx(penalty, rel=0.01)


def test_a_whole_stripe_is_written_without_reading() -> None:
    """A full-stripe write takes one operation, half a stripe reads first."""
    array = Array(Mechanics(size=GIB, rpm=0, flash=1e-3, outer=1e12), "raid5", 5)
    assert array.write(100.0, 0, 4 * 65536) - 100 == pytest.approx(1e-3, rel=0.01)
    assert array.write(200.0, 0, 2 * 65536) - 200 == pytest.approx(2e-3, rel=0.01)


@pytest.mark.parametrize("level", ["single", "raid0", "raid1", "raid5", "raid6", "raid10"])
def test_chunks_never_share_a_place(level: Level) -> None:
    """Each data chunk has separate drives and rows. None of them has its stripe's parity."""
    array = Array(Mechanics(size=MIB), level, {"single": 1}.get(level, 6))
    places = set()
    for piece in array._pieces(0, array.size):
        for number in array._data(piece):
            assert number not in array._parity(piece.row)
            places.add((number, piece.row))
    copies = {"raid1": 6, "raid10": 2}.get(level, 1)
    assert len(places) == array.size // array.chunk * copies


@pytest.mark.parametrize("words", [("raid5", 2), ("raid10", 5), ("raid6", 3), ("single", 2)])
def test_impossible_arrays_are_refused(words: tuple[Level, int]) -> None:
    """Too few drives, or an odd number for mirrors, are refused."""
    with pytest.raises(ValueError, match="cannot be made"):
        Array(Mechanics(size=GIB), *words)


def test_a_missing_read_ahead_is_not_switched() -> None:
    """The message has the reason."""
    with pytest.raises(ValueError, match="no controller that reads ahead"):
        Device(Plan(kind="battery")).set_read_ahead(on=True)


def test_the_read_cache_keeps_what_was_read_last() -> None:
    """About half of random reads over twice the cache size hit. Over half the cache size, all hit."""
    device, source, now = Device(Plan(kind="write-through", read_cache=4 * MIB)), chance(3), 100.0
    for span, share in ((8 * MIB, 0.5), (2 * MIB, 1.0)):
        for number in range(span // 4096):
            now = device.read(now, number * 4096, 4096)[0]
        waits = []
        for _ in range(600):
            end = device.read(now, source.randrange(span // 4096) * 4096, 4096)[0]
            waits.append(end - now)
            now = end
        assert sum(1 for wait in waits if wait < 2e-4) / 600 == pytest.approx(share, abs=0.08)


@pytest.mark.parametrize("on", [True, False])
def test_read_ahead_uses_all_drives(*, on: bool) -> None:
    """With read-ahead, sequential reads have the speed of four drives.

    Without it they have that of one. A random read is not faster.
    """
    device = Device(Plan(kind="write-through", rpm=0, level="raid0", drives=4, read_ahead=MIB, latency=0.0))
    device.set_read_ahead(on)
    assert device.reads_ahead is on
    now = begun = 100.0
    for number in range(400):
        now = device.read(now, number * 65536, 65536)[0]
    one = 100e-6 + 65536 / 150e6
    assert (now - begun) / 400 == pytest.approx(max(one / 4, 65536 / 400e6) if on else one, rel=0.1)
    hop = device.read(now + 1, GIB, 65536)[0] - now - 1
    assert hop == pytest.approx(one, rel=0.01)


def test_compressible_data_is_faster_with_compression() -> None:
    """With compression, zeros take a hundredth of the time. Random data takes as long as without."""
    times = {}
    for compresses in (False, True):
        for name, data in (("zeros", bytes(65536)), ("random", chance(1).randbytes(65536))):
            device = Device(Plan(kind="battery", link=100e6, latency=0.0, compresses=compresses))
            end = device.write(100.0, 0, data)
            times[compresses, name] = end - 100.0, device.read(end, 0, 65536)[0] - end
    for way in (0, 1):
        assert times[False, "zeros"][way] == times[False, "random"][way] == times[True, "random"][way]
        assert times[True, "zeros"][way] < times[True, "random"][way] / 100


def test_reads_are_slower_while_the_cache_empties() -> None:
    """Random reads take longer while the cache is written out."""
    source, typical = chance(4), {}
    for busy in (False, True):
        device, now, waits = Device(Plan(kind="battery", destage=MIB)), 100.0, []
        for number in range(512 if busy else 0):
            now = device.write(now, number * 65536, bytes(65536))
        for _ in range(200):
            end = device.read(now, GIB // 2 + source.randrange(100000) * 4096, 4096)[0]
            waits.append(end - now)
            now = end
        typical[busy] = median(waits) or math.nan
    assert typical[True] > 1.2 * typical[False]


def test_older_cached_content_never_overtakes_a_durable_write() -> None:
    """A dirty page that is written durably is dropped. The newer content stays."""
    device = Device(Plan(kind="volatile"))
    now = device.write(device.write(100.0, 0, PAGE), 0, PAGE[::-1], durable=True)
    assert device.read(now, 0, 4096)[1] == PAGE[::-1]
    assert device.read(now + 10, 0, 4096)[1] == PAGE[::-1]


def test_a_flush_of_old_data_waits_for_the_platter() -> None:
    """A flush waits for its block to pass. The time in the cache does not matter."""
    device = Device(Plan(kind="volatile"))
    waits = []
    for number in range(100):
        now = 100.0 + number * 1.0037
        device.write(now, MIB, PAGE)
        waits.append(device.flush(now + 0.1) - now - 0.1)
    assert sum(waits) / len(waits) == pytest.approx(60 / 7200 / 2, rel=0.3)
