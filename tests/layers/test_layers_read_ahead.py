"""Read-ahead of block devices. This covers its object, the values that the kernel accepts, and its undo."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidctl.layers.family.change import current_settings, plan, queue_of
from raidctl.model import Controller, Volume
from raidctl.vendor.plan import Desired, Plan
from tests.support.command_line import Raidctl, command_line


@pytest.fixture
def raidctl(tmp_path: Path) -> Raidctl:
    """Run a command line on the demo of software RAID. The state directory is empty."""
    return command_line("--state-dir", tmp_path / "state", "--demo", "journal")


def planned(value: str, **details: str) -> Plan:
    """The plan for the read-ahead of a drive."""
    disk = Volume(id=queue_of("sda"), details=details)
    desired = Desired(object_id=disk.id, setting="read_ahead", value=value)
    return plan(Controller(id="kernel", mode="software", volumes=(disk,)), [desired], ())


def test_the_file_of_the_device_is_written() -> None:
    """The old value undoes the change. The kernel forgets the new one at a reboot."""
    [step] = planned("512", read_ahead="128").steps
    assert (step.action.path, step.action.data) == ("/sys/class/block/sda/queue/read_ahead_kb", "512")
    assert (step.undo.data, step.persistent) == ("128", False)


def test_the_slash_of_a_name_is_spelt_as_in_sysfs() -> None:
    """The kernel has an exclamation mark in its place."""
    disk = Volume(id=queue_of("cciss/c0d0"), details={"read_ahead": "128"})
    desired = Desired(object_id=disk.id, setting="read_ahead", value="64")
    [step] = plan(Controller(id="kernel", volumes=(disk,)), [desired], ()).steps
    assert step.action.path == "/sys/class/block/cciss!c0d0/queue/read_ahead_kb"


@pytest.mark.parametrize(("value", "page", "fits"), [("4", "4096", True), ("6", "4096", False), ("4", "65536", False)])
def test_it_is_whole_pages(value: str, page: str, *, fits: bool) -> None:
    """The kernel would round the rest off silently."""
    assert bool(planned(value, read_ahead="128", **{"page size": page}).steps) == fits


def test_a_read_ahead_that_cannot_be_read_is_not_changed() -> None:
    """A value that was not read could not be restored."""
    [refusal] = planned("512").refusals
    assert refusal.kind == "unknown"


def test_its_current_value_is_what_was_read() -> None:
    """The current value is in KiB."""
    disk = Volume(id=queue_of("sda"), details={"read_ahead": "128", "page size": "4096"})
    assert current_settings(Controller(id="kernel", volumes=(disk,))) == {("kernel:queue:sda", "read_ahead"): "128"}


def test_a_mount_point_means_the_device_below_it(raidctl: Raidctl) -> None:
    """An array's own read-ahead is set, read again, and needs no change."""
    asked = ("cache", "set", "/srv/media", "--read-ahead", "8192", "--yes")
    first, second = raidctl(*asked), raidctl(*asked)
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert "echo 8192 > /sys/class/block/md126/queue/read_ahead_kb" in first.stdout
    assert "No change needed" in second.stdout


def test_a_partition_has_the_read_ahead_of_its_drive(raidctl: Raidctl) -> None:
    """A queue belongs to a whole drive."""
    printed = raidctl("cache", "set", "/dev/sda1", "--read-ahead", "64", "--dry-run").stdout
    assert "/sys/class/block/sda/queue/read_ahead_kb" in printed


def test_an_array_can_still_be_named_in_short(raidctl: Raidctl) -> None:
    """The kernel's objects do not make its name ambiguous."""
    done = raidctl("cache", "set", "md126", "--read-ahead", "64", "--stripe-cache", "512", "--dry-run")
    assert (done.exit_code, done.stdout.count("undo:")) == (0, 2)


def test_what_is_no_block_device_has_none(raidctl: Raidctl) -> None:
    """The target is a usage error."""
    assert raidctl("cache", "set", "nothing", "--read-ahead", "64", "--dry-run").exit_code == 2
