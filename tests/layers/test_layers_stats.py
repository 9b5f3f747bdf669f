"""Figures of caches: rates, ratios, and what is an estimate."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from raidctl.host import BlockDevice, HostView
from raidctl.layers.build import stack
from raidctl.layers.estimate import parse
from raidctl.layers.model import LayerStats
from raidctl.layers.scope import scope
from raidctl.layers.stats import Sample, sample, statistics
from raidctl.model import Array, Controller, Drive, Host, Inventory, Media, Volume
from raidctl.request import converse
from tests.layers.written import VM, kernel, runner

WRITES = "writes cached or sequential (at least)"
READS = "reads cached or sequential (at least)"
VIEW = HostView(blocks=(BlockDevice("cciss/c0d0", "/dev/cciss/c0d0", "disk"),))
PLACE = "/sys/class/block/cciss!c0d0"


def inventory(medium: Media | None, rpm: int | None = None) -> Inventory:
    """A controller with one volume on one drive."""
    controller = Controller(
        id="acme:0",
        mode="raid",
        arrays=(Array(id="acme:0/A"),),
        volumes=(Volume(id="acme:0/v1", device="/dev/cciss/c0d0", array="acme:0/A"),),
        drives=(Drive(id="acme:0/1", array="acme:0/A", media=medium, rpm=rpm),),
    )
    return Inventory(host=Host(), controllers=(controller,))


def taken(files: Mapping[str, str]) -> Sample:
    """One look at such a machine."""
    below = scope(VIEW, inventory("hdd"), None)
    return converse(sample(VIEW, below, kernel(VM)), runner(dict(files)))


def stat(reads: int, read_ms: int, writes: int, write_ms: int) -> dict[str, str]:
    """The file of the volume with these figures."""
    return {f"{PLACE}/stat": f"{reads} 0 {reads * 8} {read_ms} {writes} 0 {writes * 8} {write_ms} 0 1 1\n"}


def volume(now: Sample, before: Sample | None, medium: Media | None = "hdd", rpm: int | None = None) -> LayerStats:
    """The figures of the volume, 2 s after the look before."""
    below = scope(VIEW, inventory(medium, rpm), None)
    [_, reported] = statistics(below, VIEW, now, before, 2.0)
    return reported


def figures(reported: LayerStats) -> dict[str, float | None]:
    """The figures by their names."""
    return {counter.name: counter.value for counter in reported.counters}


def test_rates_are_growth_in_a_second() -> None:
    """Only counters have a rate; a level has none."""
    reported = volume(taken(stat(300, 0, 0, 0)), taken(stat(100, 0, 0, 0)))
    rates = {counter.name: counter.per_second for counter in reported.counters}
    assert (rates["reads"], rates["read"], rates["in flight"]) == (100.0, 409600.0, None)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (stat(100, 900, 10, 90), stat(5, 9, 20, 180)),  # fewer reads, more writes
        (stat(100, 900, 10, 90), stat(200, 9, 20, 180)),  # more of both, in less time
    ],
)
def test_counters_that_begin_again_have_no_rate(before: dict[str, str], now: dict[str, str]) -> None:
    """A device that was created again between two readings has no rate, mean or share of the interval."""
    bypass = {f"{PLACE}/device/raid_bypass_cnt": "4711\n"}
    reported = volume(taken(now | bypass), taken(before | bypass))
    assert {counter.per_second for counter in reported.counters} == {None}
    assert not {"mean read", "mean write"} & figures(reported).keys()
    assert {counter.why for counter in reported.counters if counter.name in (READS, WRITES)} == {
        "the kernel's counters began again between the two readings"
    }


def test_fast_writes_are_reported_as_a_minimum_share() -> None:
    """At least 95% did not wait at a mean of 0.2 ms. Half a revolution takes 4.17 ms. The share is rounded down."""
    reported = volume(taken(stat(0, 0, 1000, 200)), None, rpm=7200)
    assert reported.estimate
    assert figures(reported)[WRITES] == 95
    assert [counter.estimate for counter in reported.counters if counter.name == WRITES] == [True]


def test_the_method_of_an_estimate_names_its_file_and_its_physics() -> None:
    """A reader of the figure can repeat it."""
    reported = volume(taken(stat(0, 0, 1000, 200)), None, rpm=7200)
    for word in ("estimate", "/sys/class/block/cciss!c0d0/stat", "half a revolution", "4.17 ms", "7200"):
        assert word in (reported.method or "")


def test_counters_beside_an_estimate_are_not_called_estimates() -> None:
    """Requests and bytes are counted by the kernel."""
    reported = volume(taken(stat(0, 0, 1000, 200)), None)
    assert {counter.name for counter in reported.counters if counter.estimate} == {READS, WRITES}


def test_drives_of_unknown_rpm_are_taken_for_the_fastest() -> None:
    """Drives of unknown speed are taken for 15,000 rpm.

    Half a revolution is then 2 ms, and a smaller share is certain.
    """
    assert figures(volume(taken(stat(0, 0, 1000, 200)), None, rpm=None))[WRITES] == 90


def test_the_share_of_an_interval_is_not_that_since_boot() -> None:
    """What was slow yesterday does not hide what is fast now."""
    reported = volume(taken(stat(0, 0, 2000, 9200)), taken(stat(0, 0, 1000, 9000)), rpm=7200)
    assert figures(reported)[WRITES] == 95


@pytest.mark.parametrize(
    ("files", "medium", "why"),
    [
        (stat(0, 0, 0, 0), "hdd", "there were none"),
        (stat(0, 0, 99, 20), "hdd", "too few: 99"),
        (stat(0, 0, 1000, 9000), "hdd", "may have waited in a queue"),
        (stat(0, 0, 1000, 0), "hdd", "no time"),
        (stat(0, 0, 1000, 200), "ssd", "do not rotate"),
        (stat(0, 0, 1000, 200), None, "is unknown"),
    ],
)
def test_an_unknown_share_has_its_reason(files: dict[str, str], medium: Media | None, why: str) -> None:
    """It is never 0 or 100 because data are missing."""
    [counter] = [counter for counter in volume(taken(files), None, medium).counters if counter.name == WRITES]
    assert counter.value is None
    assert why in (counter.why or "")


def test_a_count_of_milliseconds_that_begins_again_goes_on() -> None:
    """A millisecond count that wraps around continues.

    The kernel prints 32 bits of it, so after 49.7 days of requests it begins at 0.
    """
    before, now = stat(0, 0, 1000, 2**32 - 100), stat(0, 0, 2000, 100)
    assert figures(volume(taken(now), taken(before), rpm=7200))[WRITES] == 95


def test_requests_that_took_no_time_have_no_mean() -> None:
    """Kernels that do not measure it print 0, which is not a speed."""
    assert "mean write" not in figures(volume(taken(stat(0, 0, 1000, 0)), None))


def test_switched_off_counters_are_reported() -> None:
    """Counters that are switched off are reported.

    With queue/iostats at 0 the figures do not change, which does not mean an idle device.
    """
    reported = taken(stat(5, 5, 5, 5) | {f"{PLACE}/queue/iostats": "0\n"})
    [problem] = reported.problems
    assert "iostats" in problem.message
    assert "echo 1 >" in (problem.remedy or "")


BCACHE = {
    "/sys/class/block/bcache0/bcache/state": "clean\n",
    "/sys/class/block/bcache0/bcache/cache_mode": "[writethrough] writeback\n",
    "/sys/class/block/bcache0/bcache/cache/cache_available_percent": "71\n",
    "/sys/class/block/bcache0/bcache/cache/cache0/nbuckets": "1000\n",
    "/sys/class/block/bcache0/bcache/cache/cache0/bucket_size": "512.0k\n",
}
BACKED = HostView(blocks=(BlockDevice("bcache0", "/dev/bcache0", "other"),))


def bcache(hits: int, misses: int) -> Sample:
    """A reading of a bcache with these hits and misses."""
    place = "/sys/class/block/bcache0/bcache/stats_total"
    figures = {f"{place}/cache_hits": f"{hits}\n", f"{place}/cache_misses": f"{misses}\n"}
    return Sample(kernel(VM | BCACHE | figures, BACKED.blocks))


def ratio(now: Sample, before: Sample | None) -> float | None:
    """The hit ratio of the bcache."""
    below = scope(BACKED, Inventory(host=Host()), None)
    [_, reported] = statistics(below, BACKED, now, before, 2.0)
    return figures(reported).get("hit ratio")


def test_the_hit_ratio_of_an_interval_is_that_of_its_reads() -> None:
    """Since boot half of them hit; in the interval all did."""
    assert ratio(bcache(600, 500), None) == 54.5
    assert ratio(bcache(600, 500), bcache(500, 500)) == 100.0


def test_an_interval_without_reads_has_no_hit_ratio() -> None:
    """That since boot is not that of now."""
    assert ratio(bcache(500, 500), bcache(500, 500)) is None


def test_what_bcache_calls_available_is_not_what_is_empty() -> None:
    """Clean cached data counts as available. The used part of the cache is unknown."""
    now = bcache(1, 1)
    below = scope(BACKED, Inventory(host=Host()), None)
    reported = stack(below, BACKED, now.kernel, Inventory(host=Host()), ())
    [layer] = [layer for layer in reported.layers if layer.kind == "bcache"]
    assert (layer.size_bytes, layer.used_bytes) == (1000 * 512 * 1024, None)


def test_requests_past_the_cache_are_counted_where_the_driver_counts_them() -> None:
    """A real counter beside the estimate."""
    files = stat(1, 1, 1, 1) | {f"{PLACE}/device/raid_bypass_cnt": "4711\n"}
    assert figures(volume(taken(files), None))["past the cache (raid_bypass_cnt)"] == 4711


def test_rubbish_in_stat_is_a_problem() -> None:
    """It is reported, and the volume has no figures."""
    reported = taken({f"{PLACE}/stat": "one two\n"})
    assert [problem.kind for problem in reported.problems] == ["unread"]
    assert reported.times == {}


def test_a_device_that_vanished_is_unknown() -> None:
    """The layer of a vanished device stays, without figures. It also lacks what it was a moment ago."""
    reported = volume(taken({}), taken(stat(5, 5, 5, 5)))
    assert reported.counters == ()
    assert "unknown" in (reported.method or "")


def test_lines_of_old_and_new_kernels_are_read() -> None:
    """11 figures, and 17 with the flushes at the end."""
    assert parse("1 0 8 3 4 0 16 5 0 9 9\n").flushes is None
    assert parse("1 0 8 3 4 0 16 5 0 9 9 0 0 0 0 77 8").flushes == 77
