"""Faults that the status of a volume does not show: damage, journals, drives without their capacitor."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from raidctl.health.redundancy import with_redundancy
from raidctl.host import HostView
from raidctl.model import Array, Cache, Controller, Drive, Host, Inventory, Problem, Scrub, Volume, VolumeCache
from raidctl.survey.survey import Survey
from raidctl.verify.kernel import Kernel
from raidctl.verify.subjects import CheckedMachine
from tests.verify.checked_machines import TB, checked_machine, judged, plain_drive, raid_controller

DATE = "2026-06-01T00:00:00Z"


def journalled(mode: str, cache: str | None = "disabled", *, family: str = "md", kind: str = "log") -> CheckedMachine:
    """A software RAID-5 on drives with their caches off, and its journal on another drive."""
    plain = plain_drive("disabled")
    drives = tuple(replace(plain.drives[0], id=f"drives:S{number}", device=None, mountpoints=()) for number in range(3))
    journal = replace(drives[0], id="drives:SJ", write_cache=cache)
    name = f"{family}:x/array"
    members = tuple(
        Drive(id=f"{family}:x/{number}", role="member", status="ok", array=name, backing=(drive.id,))
        for number, drive in enumerate(drives)
    )
    own = Drive(
        id=f"{family}:x/j", role="journal", status="ok", array=name, backing=(journal.id,), details={"class": kind}
    )
    volume = Volume(
        id=f"{family}:x", array=name, raid_level="raid5", status="ok", failures_tolerated=1, drives_expected=3,
        consistency_policy="journal", details={"journal_mode": mode},
    )  # fmt: skip
    array = Array(id=name, drives=tuple(one.id for one in members))
    software = Controller(
        id=family, mode="software", arrays=(array,), volumes=(volume,), drives=(*members, own)
    )  # fmt: skip
    found = Inventory(host=Host(hostname="m"), controllers=(replace(plain, drives=(*drives, journal)), software))
    return CheckedMachine(Survey(found, view=HostView()), Kernel(()))


WRITE_BACK, WRITE_THROUGH = "write-through [write-back]", "[write-through] write-back"


@pytest.mark.parametrize(
    ("mode", "cache", "more", "verdict"),
    [
        (WRITE_BACK, "enabled", {}, "inconclusive"),
        (WRITE_BACK, None, {}, "inconclusive"),
        (WRITE_BACK, "disabled", {}, "pass"),
        (WRITE_THROUGH, "enabled", {}, "pass"),
        ("", "enabled", {}, "inconclusive"),
        ("", "enabled", {"family": "zfs"}, "inconclusive"),
        ("", "enabled", {"family": "zfs", "kind": "cache"}, "pass"),
    ],
)
def test_data_that_only_a_journal_has_needs_the_cache_of_its_drive_off(
    mode: str, cache: str | None, more: dict[str, Any], verdict: str
) -> None:
    """The caches of the members do not protect what is only on the journal. A read cache of ZFS holds copies."""
    assert judged(journalled(mode, cache, **more), power_safe=True).verdict == verdict


@pytest.mark.parametrize(
    ("mode", "wanted", "verdict"),
    [
        (WRITE_BACK, 1, "fail"), (WRITE_BACK, 0, "pass"), (WRITE_THROUGH, 1, "pass"), ("", 1, "inconclusive"),
    ],
)  # fmt: skip
def test_an_array_whose_journal_has_the_only_copy_survives_no_failure_of_it(
    mode: str, wanted: int, verdict: str
) -> None:
    """In write-back mode, data on the journal is lost with it."""
    assert judged(journalled(mode), survives=wanted).verdict == verdict


@pytest.mark.parametrize(("warning", "verdict"), [(0x00, "pass"), (0x02, "pass"), (0x10, "fail"), (0x18, "fail")])
@pytest.mark.parametrize("cache", ["disabled", "enabled"])
def test_a_drive_whose_capacitor_has_failed_is_not_power_safe(warning: int, verdict: str, cache: str) -> None:
    """NVMe reports it by bit 4 of the critical warning, and no volatile cache besides."""
    answer = judged(checked_machine(plain_drive(cache, critical_warning=warning)), power_safe=True)
    assert answer.verdict == (verdict if cache == "disabled" or verdict == "fail" else "inconclusive")


@pytest.mark.parametrize(
    ("level", "sectors", "verdict"),
    [
        ("raid6", 0, "pass"), ("raid6", 8, "fail"), ("raid5", 123456, "fail"), ("raid1", 128, "pass"),
        ("raid10", 88000, "fail"),
    ],
)  # fmt: skip
def test_a_check_that_found_differences_does_not_count(level: str, sectors: int, verdict: str) -> None:
    """Any difference counts on parity levels. On mirrors a few are often harmless, and are named."""
    scrub = Scrub(last_at="2026-05-20T00:00:00Z", last_result="ok")
    known = checked_machine(raid_controller(level=level, consistency_check=scrub, mismatch_count=sectors))
    host = replace(known.inventory.host, collected_at=DATE)
    dated = replace(known.seen, inventory=replace(known.inventory, host=host))
    answer = judged(CheckedMachine(dated, known.kernel), checked_within=30)
    assert answer.verdict == verdict
    assert any("differ" in one for one in answer.reasons) == (sectors > 0)


def test_the_write_hole_is_suspect_while_the_drives_may_lose_parts_of_a_stripe() -> None:
    """A protected cache of the controller does not protect data in the caches of the drives."""
    for caches, verdict in (("off", "pass"), ("on", "suspect")):
        cache = VolumeCache(
            write_policy="protected_write_back", write_active="write_back", controller_cache="protected",
            drive_caches=caches,  # type: ignore[arg-type]  # one of the words
        )  # fmt: skip
        drive = "enabled" if caches == "on" else "disabled"
        known = checked_machine(raid_controller(volume_cache=cache, drive_cache=drive))
        assert judged(known, no_write_hole=True).verdict == verdict


def test_write_back_is_not_protected_for_certain_if_its_configured_policy_is_unknown() -> None:
    """Only the configured policy shows that write-back ends when the battery fails."""
    known = VolumeCache(
        write_policy="protected_write_back", write_active="write_back", controller_cache="protected", drive_caches="off"
    )
    for cache, verdict in ((known, "pass"), (replace(known, write_policy=None), "inconclusive")):
        machine = checked_machine(raid_controller(volume_cache=cache, drive_cache="disabled"))
        assert judged(machine, write_cache="protected").verdict == verdict


@pytest.mark.parametrize("where", ["acme:0/v0", "acme:0/a"])
def test_a_volume_with_damaged_data_is_not_simply_ok(where: str) -> None:
    """A tool calls the volume ok and reports damaged data: that is a contradiction. A warning is not."""
    damaged = Problem("error", where, "Unrecoverable Media Errors: Detected.", kind="state")
    for problem, verdict in ((damaged, "suspect"), (replace(damaged, severity="warning"), "pass")):
        assert judged(checked_machine(raid_controller(), problems=(problem,)), volume_status="ok").verdict == verdict


@pytest.mark.parametrize(
    ("member", "array", "spare", "status", "power_safe"),
    [
        ({}, {}, False, "pass", "pass"),
        ({"status": "critical"}, {}, False, "suspect", "fail"),
        ({"role": "failed"}, {}, True, "suspect", "inconclusive"),
        ({"status": "warning", "status_text": "Rebuilding"}, {}, False, "suspect", "fail"),
        ({"status": "warning", "status_text": "Copyback"}, {}, False, "pass", "pass"),
        ({"status": "warning", "status_text": "Predictive Failure"}, {}, False, "pass", "pass"),
        ({}, {"status": "critical"}, False, "suspect", "fail"),
        ({}, {"status": "warning", "status_text": "Failed Physical Drive"}, False, "suspect", "fail"),
        ({}, {"status": "warning", "status_text": "Predictive Failure"}, False, "pass", "pass"),
    ],
)
def test_a_volume_that_is_reported_ok_without_a_member_is_neither_ok_nor_safe(
    member: dict[str, Any], array: dict[str, Any], spare: bool, status: str, power_safe: str
) -> None:
    """The status of the volume contradicts that of a member or of the array, and a RAID-5 has a write hole then."""
    owner = raid_controller(
        level="raid5", count=4, size=6 * TB,
        volume_cache=VolumeCache(
            write_policy="write_through", write_active="write_through", controller_cache="not_caching",
            drive_write_cache="disabled",
        ),
    )  # fmt: skip
    drives = [replace(owner.drives[0], **member), *owner.drives[1:]]
    drives += [Drive(id="acme:0/9", role="spare", size_bytes=2 * TB, status="ok")] if spare else []
    known = checked_machine(replace(owner, drives=tuple(drives), arrays=(replace(owner.arrays[0], **array),)))
    assert judged(known, volume_status="ok").verdict == status
    assert judged(known, power_safe=True).verdict == power_safe


@pytest.mark.parametrize(
    ("level", "unknown", "words", "drives", "survives"),
    [
        ("raid5", 0, None, "pass", "pass"), ("raid5", 1, None, "inconclusive", "inconclusive"),
        ("raid5", 1, "Frobnicated", "inconclusive", "inconclusive"), ("raid6", 1, None, "inconclusive", "pass"),
        ("raid6", 2, None, "inconclusive", "inconclusive"), ("raid5", 4, None, "pass", "pass"),
        ("raid5", 4, "Frobnicated", "inconclusive", "inconclusive"),
    ],
)  # fmt: skip
def test_a_member_of_unknown_state_does_not_count_as_working(
    level: str, unknown: int, words: str | None, drives: str, survives: str
) -> None:
    """A tool may report only the state of the volume, but not the states of all members except one."""
    owner = raid_controller(level=level, count=4)
    doubtful = [replace(drive, status="unknown", status_text=words) for drive in owner.drives[:unknown]]
    [known] = with_redundancy([replace(owner, drives=(*doubtful, *owner.drives[unknown:]))])
    assert judged(checked_machine(known), drives=4).verdict == drives
    assert judged(checked_machine(known), survives=1).verdict == survives


@pytest.mark.parametrize(
    ("status", "words", "verdict"),
    [
        ("ok", "OK", "pass"), ("ok", None, "pass"), ("unknown", None, "pass"), ("ok", "Not Configured", "suspect"),
        ("warning", "Temporarily Disabled", "suspect"), ("critical", "Permanently Disabled", "suspect"),
        ("unknown", "Frobnicated", "inconclusive"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("claim", [{"battery": True}, {"cache_size": "512MiB"}, {"cache_split": "25/75"}])
def test_a_battery_and_a_cache_count_only_while_the_cache_is_in_use(
    claim: dict[str, Any], status: Any, words: str | None, verdict: str
) -> None:
    """A cache that is switched off, for now or always, is suspect; a word of unknown meaning is inconclusive."""
    owner = raid_controller()
    cache = replace(owner.cache or Cache(), status=status, status_text=words)
    assert judged(checked_machine(replace(owner, cache=cache)), **claim).verdict == verdict


def test_a_spare_that_the_volume_may_use_is_not_available() -> None:
    """The volume is whole although a member has failed. A second spare does not count either."""
    for status, verdict in (("ok", "pass"), ("critical", "inconclusive")):
        owner = raid_controller(level="raid6", count=4)
        spare = Drive(id="acme:0/9", role="spare", size_bytes=owner.drives[0].size_bytes, status="ok")
        member = replace(owner.drives[0], status=status)
        known = checked_machine(replace(owner, drives=(member, *owner.drives[1:], spare)))
        assert judged(known, spares=1).verdict == verdict
