"""Built-in rules raise no false alarms and report a cause once."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from raidctl.audit.builtin import named
from raidctl.health.redundancy import with_redundancy
from raidctl.model import Array, Controller, Drive, Errors, Host, Inventory, Problem, Progress, Volume
from raidctl.output.console import Display
from raidctl.output.show import screen
from tests.audit.p400_machines import BATTERY, p400
from tests.audit.p400_machines import VOLUME as P400_VOLUME
from tests.audit.rule_examples import LSI, MD, ask, changed
from tests.audit.rule_machines import DRIVE, SPARE, VOLUME, found, lsi
from tests.support.conclusions import read_text
from tests.support.machines import replayed

ARRAY = "md:md1"


def outcome_of(rule: str, inventory: Inventory, where: str) -> list[tuple[str, str]]:
    """Outcome and severity of a rule's findings on one object."""
    known = named(rule)
    assert known is not None
    return [(one.outcome, one.severity) for one in known.check(inventory) if one.where == where]


def md(**changes: Any) -> Inventory:
    """The healthy software RAID with fields of its RAID-6 changed."""
    return changed(replayed(MD).inventory, ARRAY, changes)


def test_parity_that_nothing_completes_is_not_slow_and_not_waited_for() -> None:
    """Nothing is running: a check completes the parity."""
    found = lsi(VOLUME, raid_level="raid6", progress=Progress(operation="parity", state="paused"))
    one = ask("background_operation", found, VOLUME)
    assert (one.outcome, one.severity) == ("fail", "info")
    assert "slower" not in one.message
    assert one.remedy is not None
    assert f"raidctl check start {VOLUME}" in one.remedy


@pytest.mark.parametrize("points", [(), ("/srv",)])
def test_a_volume_of_one_drive_is_as_safe_as_a_plain_drive(points: tuple[str, ...]) -> None:
    """A RAID-0 of one drive passes, mounted or not. Old controllers pass a drive through with it."""
    inventory = lsi(VOLUME, raid_level="raid0", mountpoints=points, drives_expected=1)
    assert outcome_of("raid0_in_use", inventory, VOLUME) == [("pass", "info")]


def test_a_stripe_of_one_strip_is_one_drive() -> None:
    """A RAID-0 whose stripe is one strip is a single drive. The number of drives is not reported."""
    one = Volume(id="x:0/v1", raid_level="raid0", strip_bytes=262144, full_stripe_bytes=262144, mountpoints=("/a",))
    four = structs.replace(one, id="x:0/v2", full_stripe_bytes=1048576)
    inventory = Inventory(host=Host(), controllers=(Controller(id="x:0", volumes=(one, four)),))
    assert outcome_of("raid0_in_use", inventory, "x:0/v1") == [("pass", "info")]
    assert "any of its 4 drives" in ask("raid0_in_use", inventory, "x:0/v2").message


def test_a_raid_0_of_an_unknown_number_of_drives_is_unknown() -> None:
    """The finding does not affect the exit code. The volume may be a single drive."""
    inventory = changed(lsi(VOLUME, raid_level="raid0", array=None, mountpoints=("/srv",)), VOLUME, {"name": "x"})
    inventory = changed(inventory, VOLUME, {"drives_expected": None, "status_text": "x"})
    assert outcome_of("raid0_in_use", inventory, VOLUME) == [("unknown", "info")]


SETTINGS: dict[str, dict[str, Any]] = {
    "raid0_in_use": {"raid_level": "raid0"},
    "raid5_large_drives": {"raid_level": "raid5"},
    "drive_cache_volatile": {"cache": {"drive_write_cache": "enabled"}},
    "cached_io": {"cache": {"io_policy": "cached"}},
    "write_back_unprotected": {"cache": {"write_policy": "unprotected_write_back"}},
    "write_policy_not_in_force": {"cache": {"write_policy": "protected_write_back", "write_active": "write_through"}},
    "write_cache_unused": {"cache": {"write_policy": "write_through", "write_active": "write_through"}},
    "read_ahead_twice": {"cache": {"read_policy": "read_ahead"}, "mountpoints": ("/var/lib/mysql",)},
}


@pytest.mark.parametrize("status", ["failed", "offline", "inactive"])
@pytest.mark.parametrize("rule", SETTINGS)
def test_settings_of_an_unusable_volume_are_not_checked(rule: str, status: str) -> None:
    """Only the failure of an unusable volume is reported, not its settings."""
    inventory = lsi(VOLUME, **SETTINGS[rule], status_text="tested")
    if rule == "raid5_large_drives":
        for bay in range(4):
            inventory = changed(inventory, f"megaraid:0/310:{bay}", {"size_bytes": 16 * 10**12})
    assert [outcome for outcome, _ in outcome_of(rule, inventory, VOLUME)] == ["fail"]
    assert outcome_of(rule, changed(inventory, VOLUME, {"status": status}), VOLUME) == []


def test_a_degraded_volume_without_a_spare_is_reported_once() -> None:
    """The missing spare is in the degraded volume's finding, with the remedy."""
    inventory = changed(lsi(SPARE, role="unassigned"), VOLUME, {"status": "degraded"})
    assert found("spare_missing", inventory) == []
    one = ask("volume_degraded", inventory, VOLUME)
    assert "No spare is available" in one.message
    assert "310:4" in (one.remedy or "")


def test_an_idle_spare_of_a_degraded_volume_is_reported() -> None:
    """The finding mentions an available spare if no rebuild started."""
    assert "A spare is available" in ask("volume_degraded", lsi(VOLUME, status="degraded"), VOLUME).message


def test_a_failed_spare_is_reported_once() -> None:
    """A failed spare is a failed drive, but no unfit spare."""
    inventory = lsi(SPARE, status="critical")
    assert outcome_of("spare_missing", inventory, SPARE) == []
    assert outcome_of("drive_failed", inventory, SPARE) == [("fail", "warning")]


def partly_shown(**drive: Any) -> Inventory:
    """A RAID-6 of eight drives that report only the values of ``drive``."""
    ids = tuple(f"x:0/{bay}" for bay in range(8))
    drives = tuple(Drive(id=name, role="member", array="x:0/a", **drive) for name in ids)
    controller = replayed(LSI).inventory.controllers[0]
    array = structs.replace(controller.arrays[0], id="x:0/a", drives=ids, spares=())
    volume = Volume(id="x:0/v0", raid_level="raid6", status="ok", array="x:0/a", drives_expected=8)
    return Inventory(
        host=Host(), controllers=(Controller(id="x:0", mode="raid", arrays=(array,), volumes=(volume,), drives=drives),)
    )


def test_an_output_about_volumes_alone_has_no_finding_about_spares() -> None:
    """Without a list of drives, nothing is reported about spares."""
    assert outcome_of("spare_missing", partly_shown(status="ok", status_text="Present"), "x:0/v0") == []
    listed = partly_shown(status="ok", status_text="Online", model="WD2003FYYS")
    assert outcome_of("spare_missing", listed, "x:0/v0") == [("fail", "info")]


def test_the_drive_that_could_become_a_spare_has_the_controllers_name() -> None:
    """The remedy names the unassigned drive as the tool does."""
    inventory = partly_shown(status="ok", model="WD2003FYYS")
    [controller] = inventory.controllers
    idle = Drive(id="x:0/1I:1:9", role="unassigned", status="ok", model="WD2003FYYS")
    inventory = structs.replace(
        inventory, controllers=(structs.replace(controller, drives=(*controller.drives, idle)),)
    )
    assert ask("spare_missing", inventory, "x:0/v0").remedy == "Make the unassigned drive 1I:1:9 a spare."


def test_a_volume_that_is_rebuilt_next_is_not_degraded() -> None:
    """A degraded volume is waiting while another of its array is rebuilt. It needs no drive."""
    inventory = lsi(VOLUME, status="degraded")
    [controller] = inventory.controllers
    volume = next(volume for volume in controller.volumes if volume.id == VOLUME)
    busy = structs.replace(
        volume, id="megaraid:0/v9", status="rebuilding", progress=Progress(operation="rebuild", percent=56.0)
    )
    inventory = structs.replace(
        inventory, controllers=(structs.replace(controller, volumes=(*controller.volumes, busy)),)
    )
    assert found("volume_degraded", inventory) == []
    assert "is waiting to be rebuilt" in ask("volume_rebuilding", inventory, VOLUME).message


def test_replacing_a_working_member_keeps_the_redundancy() -> None:
    """No member is missing while md copies one onto its replacement. The finding is information."""
    inventory = md(
        status="rebuilding", drives_expected=5, drives_active=5, progress=Progress(operation="recovery", percent=40.0)
    )
    one = ask("volume_rebuilding", inventory, ARRAY)
    assert one.severity == "info"
    assert "not yet safe" not in one.message


def test_an_array_that_is_rebuilt_is_reported_as_rebuilding() -> None:
    """If only the array is reported, its rebuild is the finding. The remedy is to wait."""
    inventory = lsi("megaraid:0/g1", status="warning", status_text="Rebuilding")
    one = ask("array_in_trouble", inventory, "megaraid:0/g1")
    assert (one.severity, one.message) == ("critical", "The array is being rebuilt (Rebuilding).")
    assert "Let it finish" in (one.remedy or "")


def test_a_pending_rebuild_is_reported_by_one_rule() -> None:
    """A rebuild that waits for another is not a background operation as well."""
    inventory = changed(
        md(status="degraded", progress=Progress(operation="resync", percent=None)),
        "md:md1/sdc1",
        {"status": "warning", "status_text": "spare rebuilding"},
    )
    assert outcome_of("volume_rebuilding", inventory, ARRAY) == [("fail", "warning")]
    assert outcome_of("background_operation", inventory, ARRAY) == []


def test_an_array_needs_no_bitmap_during_a_reshape() -> None:
    """No bitmap is required during a reshape. Older kernels reshape only without one."""
    bare = {"bitmap": "none", "consistency_policy": "resync"}
    assert outcome_of("md_without_bitmap", md(**bare), ARRAY) == [("fail", "warning")]
    assert outcome_of("md_without_bitmap", md(**bare, progress=Progress(operation="reshape", percent=9.0)), ARRAY) == []


def test_a_hard_drive_on_an_older_controller_is_fast_enough() -> None:
    """A hard drive does not saturate 3 Gbit/s. Its link passes if no other drive is faster."""
    link = {"link_gbps": 3.0, "max_link_gbps": 6.0}
    hdd = p400("smartarray:1/2I:1:3", **link, status_text="tested")
    assert found("link_slow", hdd) == []
    ssd = changed(hdd, "smartarray:1/2I:1:3", {"media": "ssd"})
    assert [one.severity for one in found("link_slow", ssd)] == ["info"]


def test_a_link_without_a_maximum_is_compared_with_others_only() -> None:
    """Being as fast as the others does not mean full speed."""
    link = {"link_gbps": 3.0, "max_link_gbps": None, "model": "ALIKE", "status_text": "tested"}
    name = "smartarray:1/2I:1:3"
    both = changed(p400("smartarray:1/2I:1:2", **link), name, link)
    rule = named("link_slow")
    assert rule is not None
    [one] = [one for one in rule.check(both) if one.where == name]
    assert (one.outcome, "its maximum is not reported" in one.message) == ("pass", True)


def test_links_are_compared_within_an_enclosure() -> None:
    """A slower link counts only if its enclosure has a faster drive."""
    shelf = {"link_gbps": 3.0, "max_link_gbps": 6.0, "model": "SHELF", "status_text": "tested"}
    fast = p400("smartarray:1/2I:1:2", link_gbps=6.0, max_link_gbps=6.0)
    name = "smartarray:1/2I:1:3"
    assert outcome_of("link_slow", changed(fast, name, shelf), name) == [("fail", "info")]
    assert outcome_of("link_slow", changed(fast, name, {**shelf, "enclosure": "9"}), name) == [("pass", "warning")]


def test_the_link_of_a_failed_drive_is_not_checked() -> None:
    """A failed drive is replaced anyway, so its link has no finding."""
    assert found("link_slow", p400("smartarray:1/2I:1:2", link_gbps=1.5, status="critical")) == []


@pytest.mark.parametrize("errors", [Errors(link=5), Errors(link=99)])
def test_a_few_link_errors_are_no_finding(errors: Errors) -> None:
    """A few link errors pass, because the counter is never reset."""
    assert outcome_of("drive_errors", lsi(DRIVE, interface="sata", errors=errors), DRIVE) == [("pass", "critical")]


@pytest.mark.parametrize(
    "changes",
    [
        {"errors": Errors(media=71, predictive=4)},
        {"errors": Errors(reallocated=7461), "status": "warning", "status_text": "Reallocated_Sector_Ct FAILING_NOW"},
        {"errors": Errors(media=71), "status": "critical", "status_text": "Failed"},
    ],
)
def test_a_failing_drive_is_reported_once(changes: dict[str, Any]) -> None:
    """Its error counters are evidence of that finding, not a second one."""
    inventory = lsi(DRIVE, **changes)
    assert outcome_of("drive_errors", inventory, DRIVE) == []
    [finding] = found("drive_expects_failure", inventory) or found("drive_failed", inventory)
    assert {"errors.media = 71", "errors.reallocated = 7461"} & set(finding.evidence)


def test_a_drive_that_is_degraded_during_its_rebuild_passes() -> None:
    """A degraded drive is reported only without a rebuild.

    Pulling a drive that is being rebuilt would lose the volume.
    """
    inventory = lsi(DRIVE, status="warning", status_text="DEGRADED")
    assert outcome_of("drive_expects_failure", inventory, DRIVE) == [("fail", "critical")]
    inventory = changed(inventory, VOLUME, {"status": "rebuilding"})
    assert outcome_of("drive_expects_failure", inventory, DRIVE) == [("pass", "critical")]
    counted = changed(inventory, DRIVE, {"errors": Errors(predictive=3)})
    assert outcome_of("drive_expects_failure", counted, DRIVE) == [("fail", "critical")]


def test_a_controller_with_write_through_needs_no_battery() -> None:
    """With write-through, a missing battery passes."""
    through = {"write_policy": "write_through", "write_active": "write_through"}
    inventory = changed(p400(BATTERY, status="missing"), P400_VOLUME, {"cache": through})
    assert outcome_of("battery_failed", inventory, BATTERY) == [("pass", "critical")]


def test_a_missing_battery_is_no_finding_if_no_volumes_are_listed() -> None:
    """Without volumes it is unknown whether one relies on the battery."""
    inventory = p400("smartarray:1", volumes=())
    assert outcome_of("battery_failed", changed(inventory, BATTERY, {"status": "missing"}), BATTERY) == []


def test_a_battery_that_is_only_present_is_not_reported_as_bad() -> None:
    """A battery that is present without a status is unknown, not failed."""
    inventory = changed(lsi(VOLUME, cache={"io_policy": "cached"}), "megaraid:0/battery0", {"status": "unknown"})
    one = ask("cached_io", inventory, VOLUME)
    assert one.severity == "info"
    assert "is unknown" in one.message


def test_a_warning_of_a_controller_is_folded_under_its_volume() -> None:
    """If a degraded volume explains the controller's status, it is the cause. The cause is the volume's finding."""
    inventory = changed(lsi(VOLUME, status="degraded"), "megaraid:0", {"status": "warning"})
    assert ask("controller_in_trouble", inventory, "megaraid:0").because == f"volume_degraded {VOLUME}"
    assert outcome_of("controller_in_trouble", lsi("megaraid:0", status="warning"), "megaraid:0") == [
        ("fail", "warning")
    ]


def test_the_caches_of_ssds_may_be_protected() -> None:
    """Drive caches of SSDs are information. SSDs for servers may have capacitors."""
    inventory = p400(P400_VOLUME, cache={"drive_write_cache": "enabled"})
    assert outcome_of("drive_cache_volatile", inventory, P400_VOLUME) == [("fail", "warning")]
    for drive in inventory.controllers[0].drives:
        inventory = changed(inventory, drive.id, {"media": "ssd", "status_text": "tested"})
    one = ask("drive_cache_volatile", inventory, P400_VOLUME)
    assert one.severity == "info"
    assert "unless" in one.message


@pytest.mark.parametrize("status", ["ok", "degraded"])
def test_media_errors_of_a_degraded_volume_are_reported(status: str) -> None:
    """Unreadable data of a volume is a finding besides its degraded state."""
    lost = Problem(
        severity="warning", where=VOLUME, kind="state", message="Unrecoverable media errors: found by the last scan."
    )
    inventory = structs.replace(lsi(VOLUME, status=status, status_text="x"), problems=(lost,))
    assert [one.message for one in found("reported_trouble", inventory)] == [lost.message]


def test_an_array_of_different_drives_is_reported_once() -> None:
    """If sizes or speeds differ, different models are not reported as well."""
    inventory = lsi(DRIVE, rpm=5400, model="OTHER")
    assert outcome_of("mixed_drives", inventory, "megaraid:0/g1") == [("fail", "info")]
    assert outcome_of("mixed_models", inventory, "megaraid:0/g1") == []


@pytest.mark.parametrize("members", ["sda1[0]", "sda1[0] sdb1[1]"])
def test_a_mirror_of_one_drive_has_no_redundancy(members: str) -> None:
    """``[1/1] [U]`` is complete but survives no failure: information, as for RAID-0."""
    slots = "U" * len(members.split())
    listing = f"""Personalities : [raid1]
md1 : active raid1 {members}
      976630464 blocks super 1.2 [{len(slots)}/{len(slots)}] [{slots}]

unused devices: <none>
"""
    inventory = read_text(listing).inventory
    assert outcome_of("raid0_in_use", inventory, "md:md1") == [("fail" if len(slots) == 1 else "pass", "info")]
    assert ("survives no further failure" in screen(inventory, Display(80))) == (len(slots) == 1)


def test_an_array_on_a_failed_volume_is_not_badly_designed() -> None:
    """A mirror that has no redundancy because a volume below has failed does not have its members on one drive."""
    [drive, other] = [one.id for one in replayed(LSI).inventory.controllers[0].volumes]
    members = tuple(
        Drive(id=f"md:md0/{at}", array="md:md0/a", role="member", status="ok", backing=(at,)) for at in (drive, other)
    )
    array = Array(id="md:md0/a", drives=tuple(one.id for one in members), status="ok")
    mirror = Volume(id="md:md0", array="md:md0/a", raid_level="raid1", status="ok", drives_expected=2)
    upper = Controller(id="md", mode="software", arrays=(array,), volumes=(mirror,), drives=members)
    below = changed(replayed(LSI).inventory, other, {"status": "failed"})
    inventory = structs.replace(below, controllers=tuple(with_redundancy((*below.controllers, upper))))
    assert [one.failures_tolerated for one in inventory.controllers[-1].volumes] == [0]
    assert outcome_of("raid0_in_use", inventory, "md:md0") == []
    same = structs.replace(upper, drives=tuple(structs.replace(one, backing=(drive,)) for one in members))
    inventory = structs.replace(below, controllers=tuple(with_redundancy((*below.controllers, same))))
    assert "several members on one drive" in ask("raid0_in_use", inventory, "md:md0").message
