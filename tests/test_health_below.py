"""Drives below software arrays: how bad one is depends on what the arrays above it survive."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from raidctl.health.judge import judge
from raidctl.health.redundancy import exceeds_redundancy, with_redundancy
from raidctl.health.spares import offer
from raidctl.health.write_hole import write_hole
from raidctl.model import Array, Battery, Controller, Drive, Errors, Inventory, Volume, VolumeCache
from tests.operate.machines import inventory, plain, raid, software

PARTS = ("sda1", "sdb1", "sdc1", "sdd1")


def on_disks(level: str, count: int, about: dict[str, Any], **volume: Any) -> Inventory:
    """An array of plain drives, the first of which is different."""
    parts = PARTS[:count]
    below = plain(*(part.rstrip("1") for part in parts))
    drives = (replace(below.drives[0], **about), *below.drives[1:])
    return inventory(replace(below, drives=drives), software(level, *parts, **volume))


def on_volumes(level: str, about: dict[str, Any]) -> Inventory:
    """An array on two volumes of a controller, each a RAID-5. A drive of the first is different."""
    first = raid("raid5", about, {}, {})
    drives = tuple(replace(drive, id=f"{drive.id}b", array="x:0/B") for drive in first.drives)
    second = Array(id="x:0/B", drives=tuple(drive.id for drive in drives))
    other = replace(first.volumes[0], id="x:0/v1", array="x:0/B")
    whole = replace(
        first, drives=(*first.drives, *drives), arrays=(*first.arrays, second), volumes=(*first.volumes, other)
    )
    members = tuple(
        Drive(id=f"md:md0/{name}", role="member", status="ok", array="md:md0/array", backing=(volume,))
        for name, volume in (("sda", "x:0/v0"), ("sdb", "x:0/v1"))
    )
    return inventory(whole, replace(software(level, "sda", "sdb"), drives=members))


def severities(found: Inventory, drive: str) -> list[tuple[str, str]]:
    """Rules and severities of a drive's conditions."""
    return [(one.rule, one.severity) for one in judge(found) if one.where == drive]


@pytest.mark.parametrize(
    ("level", "count", "volume", "wanted"),
    [
        ("raid0", 2, {}, "critical"),
        ("raid1", 2, {}, "critical"),
        ("raid5", 3, {}, "critical"),
        ("raid6", 4, {}, "warning"),
        ("raid6", 4, {"status": "degraded", "drives_active": 3}, "critical"),
    ],
)
def test_a_failing_drive_is_as_bad_as_what_its_array_survives(
    level: str, count: int, volume: dict[str, Any], wanted: str
) -> None:
    """A predicted failure is a warning only if the array above the drive keeps redundancy without it."""
    failing = on_disks(level, count, {"errors": Errors(predictive=1)}, **volume)
    assert severities(failing, "drives:S-sda") == [("drive_expects_failure", wanted)]


@pytest.mark.parametrize(("level", "wanted"), [("raid0", "critical"), ("raid1", "warning")])
def test_unreadable_sectors_are_lost_if_no_array_above_has_a_copy(level: str, wanted: str) -> None:
    """Sectors that cannot be read are lost data below an array without redundancy."""
    found = on_disks(level, 2, {"errors": Errors(pending=3)})
    assert severities(found, "drives:S-sda") == [("drive_errors", wanted)]


@pytest.mark.parametrize(("level", "wanted"), [("raid0", "critical"), ("raid1", "warning")])
def test_an_array_on_volumes_of_a_controller_counts_as_well(level: str, wanted: str) -> None:
    """The least redundant of all volumes on a drive decides, also of those above the controller's own."""
    assert severities(on_volumes(level, {"errors": Errors(pending=3)}), "x:0/0") == [("drive_errors", wanted)]


def test_a_failed_drive_is_the_consequence_of_its_member() -> None:
    """A failed drive and the member on it are one cause."""
    found = on_disks("raid1", 2, {"status": "critical"}, status="degraded", drives_active=1)
    upper = found.controllers[1]
    bad = (replace(upper.drives[0], status="critical", role="failed"), upper.drives[1])
    conditions = judge(replace(found, controllers=(found.controllers[0], replace(upper, drives=bad))))
    assert [one.where for one in conditions if one.under is None] == ["md:md0"]


def test_a_number_of_the_family_is_unknown_while_a_member_lies_on_a_lost_volume() -> None:
    """What a family counts itself does not include a member whose controller volume is out of reach."""
    for status, wanted in (("ok", 1), ("offline", None), ("failed", None), ("inactive", None)):
        hardware = Controller(id="d:", volumes=(Volume(id="d:1", status=status),))  # type: ignore[arg-type]
        pool = software("raidz1", "sda", "sdb", "sdc", failures_tolerated=1)
        members = (replace(pool.drives[0], backing=("d:1",)), *pool.drives[1:])
        _, upper = with_redundancy([hardware, replace(pool, drives=members)])
        assert upper.volumes[0].failures_tolerated == wanted, status


def test_more_members_may_be_gone_than_an_unknown_level_survives() -> None:
    """It is unknown what an unknown level survives, so a member that is reported as gone may be needed."""
    for level, wanted in (("unknown", True), ("raid1", False)):
        controller = software(level, "sda", "sdb")
        assert exceeds_redundancy(controller, controller.volumes[0]) == wanted


@pytest.mark.parametrize(
    ("expected", "listed", "failed", "wanted"),
    [(None, 2, 0, False), (None, 2, 1, False), (None, 2, 2, True), (3, 2, 1, False), (3, 2, 2, True), (3, 3, 2, False)],
)
def test_a_mirror_has_as_many_copies_as_members(expected: int | None, listed: int, failed: int, wanted: bool) -> None:
    """A member that is expected and not listed is gone, and the others are copies as well."""
    controller = software("raid1", *[f"sd{letter}" for letter in "abc"[:listed]], drives_expected=expected)
    drives = [replace(one, status="critical", role="failed") for one in controller.drives[:failed]]
    controller = replace(controller, drives=(*drives, *controller.drives[failed:]))
    assert exceeds_redundancy(controller, controller.volumes[0]) == wanted


@pytest.mark.parametrize(
    ("text", "cache", "wanted"),
    [
        ("Battery Pack Missing: Yes", None, ["battery_failed"]),
        ("Missing", None, ["battery_failed"]),
        ("Absent", None, []),
        ("Battery Pack Missing: Yes", VolumeCache(write_policy="write_through"), []),
        ("Absent", VolumeCache(write_policy="protected_write_back"), ["battery_failed"]),
    ],
)
def test_a_battery_that_is_gone_is_no_absent_option(text: str, cache: VolumeCache | None, wanted: list[str]) -> None:
    """A missing battery matters if write-back relies on it, or if its pack is gone and no cache is described."""
    lost = Battery(id="x:0/battery0", status="missing", status_text=text)
    found = inventory(raid("raid1", {}, {}, controller={"batteries": (lost,)}, cache=cache))
    assert [one.rule for one in judge(found) if one.where == lost.id] == wanted


@pytest.mark.parametrize(
    ("policy", "bitmap", "journal", "wanted"),
    [
        ("journal", None, "ok", "closed"),
        ("ppl", None, None, "closed"),
        (None, None, "ok", "closed"),
        ("journal", None, "critical", "open"),
        (None, None, "critical", "open"),
        ("resync", None, "ok", "open"),
        ("bitmap", None, "ok", "open"),
        (None, "internal", None, "open"),
        ("unknown", None, "ok", "unknown"),
        (None, "none", None, "unknown"),
        (None, None, None, "unknown"),
    ],
)
def test_only_what_the_array_uses_closes_its_write_hole(
    policy: str | None, bitmap: str | None, journal: str | None, wanted: str
) -> None:
    """A journal closes the write hole unless the array reports another policy; without any report it is unknown."""
    array = software("raid5", "sda", "sdb", "sdc", consistency_policy=policy, bitmap=bitmap)
    name = array.arrays[0].id
    for place, state in ((name, wanted), ("md:md9/array", None)):
        log = Drive(id="md:md0/sdj", role="journal", status=journal, array=place)  # type: ignore[arg-type]
        drives = (*array.drives, log) if journal else array.drives
        hole = write_hole(replace(array, drives=drives), array.volumes[0])
        if state is not None:
            assert hole.state == state
        elif policy is None:
            assert hole.state == ("open" if bitmap == "internal" else "unknown"), "the journal of another array"


@pytest.mark.parametrize(
    ("about", "wanted"),
    [
        ({}, True),
        ({"mountpoints": ("/srv",)}, False),
        ({"status": "warning"}, False),
        ({"status": "unknown"}, False),
        ({"role": "passthrough"}, False),
        ({"role": None}, False),
        ({"size_bytes": 9}, False),
        ({"media": "ssd"}, False),
    ],
)
def test_only_a_free_and_fitting_drive_is_offered_as_a_spare(about: dict[str, Any], wanted: bool) -> None:
    """No advice makes a spare of a drive that is mounted, not known to be free and good, or does not fit."""
    member: dict[str, Any] = {"size_bytes": 10, "media": "hdd"}
    free = {**member, "role": "unassigned", "array": None, **about}
    controller = raid("raid1", member, member, free)
    assert (offer(controller, controller.volumes[0]) is not None) == wanted


@pytest.mark.parametrize(("family", "wanted"), [("md", "critical"), ("zfs", "warning")])
def test_only_md_needs_its_journal(family: str, wanted: str) -> None:
    """An array of md rejects writes without its failed journal; a pool of ZFS continues without a log."""
    array = software("raid5", "sda", "sdb", "sdc", status="ok")
    log = Drive(id=f"{family}:md0/sdj", role="journal", status="critical", array=array.arrays[0].id)
    found = inventory(replace(array, id=family, drives=(*array.drives, log)))
    assert severities(found, log.id) == [("drive_failed", wanted)]


@pytest.mark.parametrize(
    ("caches", "media", "wanted"),
    [
        ("on", "hdd", [("drive_cache_volatile", "warning")]),
        ("on", None, [("drive_cache_volatile", "warning")]),
        ("on", "ssd", [("drive_cache_volatile", "info")]),
        ("off", "hdd", []),
    ],
)
def test_volatile_drive_caches_are_a_condition(caches: Any, media: str | None, wanted: list[tuple[str, str]]) -> None:
    """Write caches of drives that are on are a warning; those of SSDs are information."""
    cache = VolumeCache(write_policy="write_through", write_active="write_through", drive_caches=caches)
    found = inventory(raid("raid1", {"media": media}, {"media": media}, cache=cache))
    assert severities(found, "x:0/v0") == wanted
