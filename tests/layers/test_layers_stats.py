"""Figures of caches: rates, ratios, and what is an estimate."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from raidctl.host import BlockDevice, HostView
from raidctl.layers.model import LayerStats
from raidctl.layers.scope import scope
from raidctl.layers.stats import Sample, parse, sample, statistics
from raidctl.model import Array, Controller, Drive, Host, Inventory, Media, Volume
from raidctl.request import converse
from tests.layers.written import VM, kernel, runner

VIEW = HostView(blocks=(BlockDevice("cciss/c0d0", "/dev/cciss/c0d0", "disk"),))
PLACE = "/sys/class/block/cciss!c0d0"


def inventory(medium: Media) -> Inventory:
    """A card with one volume on one drive."""
    card = Controller(
        id="acme:0",
        mode="raid",
        arrays=(Array(id="acme:0/A"),),
        volumes=(Volume(id="acme:0/v1", device="/dev/cciss/c0d0", array="acme:0/A"),),
        drives=(Drive(id="acme:0/1", array="acme:0/A", media=medium),),
    )
    return Inventory(host=Host(), controllers=(card,))


def taken(files: Mapping[str, str]) -> Sample:
    """One look at such a machine."""
    below = scope(VIEW, inventory("hdd"), None)
    return converse(sample(VIEW, below, kernel(VM)), runner(dict(files)))


def stat(reads: int, read_ms: int, writes: int, write_ms: int) -> dict[str, str]:
    """The file of the volume with these figures."""
    return {f"{PLACE}/stat": f"{reads} 0 {reads * 8} {read_ms} {writes} 0 {writes * 8} {write_ms} 0 1 1\n"}


def volume(now: Sample, before: Sample | None, medium: Media = "hdd", seconds: float = 2.0) -> LayerStats:
    """The figures of the volume."""
    below = scope(VIEW, inventory(medium), None)
    [_, told] = statistics(below, VIEW, now, before, seconds)
    return told


def figures(told: LayerStats) -> dict[str, float | None]:
    """By their names."""
    return {counter.name: counter.value for counter in told.counters}


def test_rates_are_growth_in_a_second() -> None:
    """Of what grows; a level has none."""
    told = volume(taken(stat(300, 0, 0, 0)), taken(stat(100, 0, 0, 0)))
    rates = {counter.name: counter.per_second for counter in told.counters}
    assert (rates["reads"], rates["read"], rates["in flight"]) == (100.0, 409600.0, None)


def test_a_counter_that_goes_back_has_no_rate() -> None:
    """The device was made anew between two looks: no negative speed."""
    told = volume(taken(stat(5, 0, 0, 0)), taken(stat(100, 0, 0, 0)))
    assert {counter.per_second for counter in told.counters if counter.name == "reads"} == {None}


def test_writes_that_take_no_time_went_to_a_cache() -> None:
    """A disk that turns cannot do it: the share is estimated, and called at most."""
    told = volume(taken(stat(0, 0, 1000, 200)), None)
    assert told.estimate
    assert (told.method or "").startswith("estimate")
    assert figures(told)["writes to the cache (at most)"] == 100


def test_writes_that_take_as_long_as_a_disk_went_to_the_disk() -> None:
    """Six milliseconds and more are no cache."""
    assert figures(volume(taken(stat(0, 0, 1000, 9000)), None))["writes to the cache (at most)"] == 0


def test_the_share_of_an_interval_is_not_that_since_boot() -> None:
    """What was slow yesterday does not hide what is fast now."""
    told = volume(taken(stat(0, 0, 2000, 9200)), taken(stat(0, 0, 1000, 9000)))
    assert figures(told)["writes to the cache (at most)"] == 100


@pytest.mark.parametrize(("files", "medium"), [(stat(0, 0, 99, 20), "hdd"), (stat(0, 0, 1000, 200), "ssd")])
def test_nothing_is_concluded_from_too_little(files: dict[str, str], medium: Media) -> None:
    """Few requests, or drives that are as fast as a cache: no share is told, and the method says why."""
    told = volume(taken(files), None, medium)
    assert not any("cache" in name for name in figures(told))
    assert "cannot be told apart" in (told.method or "")


def test_requests_past_the_cache_are_counted_where_the_driver_counts_them() -> None:
    """A real counter beside the estimate."""
    files = stat(1, 1, 1, 1) | {f"{PLACE}/device/raid_bypass_cnt": "4711\n"}
    assert figures(volume(taken(files), None))["past the cache (raid_bypass_cnt)"] == 4711


def test_rubbish_in_stat_is_a_problem() -> None:
    """It is said, and the volume has no figures."""
    told = taken({f"{PLACE}/stat": "one two\n"})
    assert [problem.kind for problem in told.problems] == ["unread"]
    assert told.times == {}


def test_a_device_that_vanished_is_left_out() -> None:
    """No file, no figures, no problem."""
    told = taken({})
    assert (told.times, list(told.problems)) == ({}, [])


def test_lines_of_old_and_new_kernels_are_read() -> None:
    """11 figures, and 17 with the flushes at the end."""
    assert parse("1 0 8 3 4 0 16 5 0 9 9\n").flushes is None
    assert parse("1 0 8 3 4 0 16 5 0 9 9 0 0 0 0 77 8").flushes == 77
