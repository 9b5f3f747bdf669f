"""What is literally true and wakes nobody: the built-in rules are silent, or say it once."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from raidctl.audit.builtin import named
from raidctl.model import Controller, Drive, Errors, Host, Inventory, Problem, Progress, Volume
from raidctl.output.console import Paper
from raidctl.output.tree import screen
from tests.audit.rule_examples import LSI, MD, changed
from tests.audit.test_rules_health import DRIVE, SPARE, VOLUME, found, lsi
from tests.audit.test_rules_safety import BATTERY, ask, p400
from tests.audit.test_rules_safety import VOLUME as P400_VOLUME
from tests.support.conclusions import read_text
from tests.support.machines import replayed

ARRAY = "md:md1"


def heard(rule: str, inventory: Inventory, where: str) -> list[tuple[str, str]]:
    """Outcome and severity of what a rule says of one object; empty when it says nothing."""
    known = named(rule)
    assert known is not None
    return [(one.outcome, one.severity) for one in known.check(inventory) if one.where == where]


def md(**changes: Any) -> Inventory:
    """The healthy software RAID with fields of its RAID-6 set anew."""
    return changed(replayed(MD).inventory, ARRAY, changes)


@pytest.mark.parametrize("points", [(), ("/srv",)])
def test_a_volume_of_one_drive_is_as_safe_as_a_plain_drive(points: tuple[str, ...]) -> None:
    """Old cards pass a drive through as a RAID-0 of one: that is no finding, mounted or not."""
    inventory = lsi(VOLUME, raid_level="raid0", mountpoints=points, drives_expected=1)
    assert heard("raid0_in_use", inventory, VOLUME) == [("pass", "info")]


def test_one_strip_in_a_stripe_is_one_drive() -> None:
    """Where the tool tells no number of drives, a RAID-0 whose stripe is one strip is a single drive."""
    one = Volume(id="x:0/v1", raid_level="raid0", strip_bytes=262144, full_stripe_bytes=262144, mountpoints=("/a",))
    four = structs.replace(one, id="x:0/v2", full_stripe_bytes=1048576)
    inventory = Inventory(host=Host(), controllers=(Controller(id="x:0", volumes=(one, four)),))
    assert heard("raid0_in_use", inventory, "x:0/v1") == [("pass", "info")]
    assert "any of its 4 drives" in ask("raid0_in_use", inventory, "x:0/v2").message


def test_a_raid_0_of_nobody_knows_how_many_drives_cannot_be_told() -> None:
    """Without the number of drives it may be a single one; that decides no exit code."""
    inventory = changed(lsi(VOLUME, raid_level="raid0", array=None, mountpoints=("/srv",)), VOLUME, {"name": "x"})
    inventory = changed(inventory, VOLUME, {"drives_expected": None, "status_text": "x"})
    assert heard("raid0_in_use", inventory, VOLUME) == [("unknown", "info")]


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
def test_settings_of_a_volume_that_is_gone_matter_to_nobody(rule: str, status: str) -> None:
    """Of a volume that cannot be used, only that is told."""
    inventory = lsi(VOLUME, **SETTINGS[rule], status_text="tested")
    if rule == "raid5_large_drives":
        for bay in range(4):
            inventory = changed(inventory, f"megaraid:0/310:{bay}", {"size_bytes": 16 * 10**12})
    assert [outcome for outcome, _ in heard(rule, inventory, VOLUME)] == ["fail"]
    assert heard(rule, changed(inventory, VOLUME, {"status": status}), VOLUME) == []


def test_a_degraded_volume_without_a_spare_is_told_once() -> None:
    """That nothing stands by belongs to the finding that the volume is degraded, with what to do about it."""
    inventory = changed(lsi(SPARE, role="unassigned"), VOLUME, {"status": "degraded"})
    assert found("spare_missing", inventory) == []
    one = ask("volume_degraded", inventory, VOLUME)
    assert "No spare is available" in one.message
    assert "310:4" in (one.remedy or "")


def test_a_spare_that_waits_while_a_volume_is_degraded_is_told() -> None:
    """A spare is there and no rebuild began: that is not how it should be."""
    assert "A spare is available" in ask("volume_degraded", lsi(VOLUME, status="degraded"), VOLUME).message


def test_a_spare_that_has_failed_is_told_once() -> None:
    """As a drive that has failed: that it would not do as a spare goes without saying."""
    inventory = lsi(SPARE, status="critical")
    assert heard("spare_missing", inventory, SPARE) == []
    assert heard("drive_failed", inventory, SPARE) == [("fail", "warning")]


def partly_shown(**drive: Any) -> Inventory:
    """A RAID-6 of eight, of whose drives one output tells no more than ``drive``."""
    ids = tuple(f"x:0/{bay}" for bay in range(8))
    drives = tuple(Drive(id=name, role="member", array="x:0/a", **drive) for name in ids)
    card = replayed(LSI).inventory.controllers[0]
    array = structs.replace(card.arrays[0], id="x:0/a", drives=ids, spares=())
    volume = Volume(id="x:0/v0", raid_level="raid6", status="ok", array="x:0/a", drives_expected=8)
    return Inventory(
        host=Host(), controllers=(Controller(id="x:0", mode="raid", arrays=(array,), volumes=(volume,), drives=drives),)
    )


def test_drives_that_only_a_volume_names_say_nothing_of_spares() -> None:
    """An output about the volumes alone lists no spares: that none is listed says nothing."""
    assert heard("spare_missing", partly_shown(status="ok", status_text="Present"), "x:0/v0") == []
    told = partly_shown(status="ok", status_text="Online", model="WD2003FYYS")
    assert heard("spare_missing", told, "x:0/v0") == [("fail", "info")]


def test_the_drive_that_could_become_a_spare_is_named_as_the_card_names_it() -> None:
    """A large array without a spare is offered the idle drive."""
    inventory = partly_shown(status="ok", model="WD2003FYYS")
    [card] = inventory.controllers
    idle = Drive(id="x:0/1I:1:9", role="unassigned", status="ok", model="WD2003FYYS")
    inventory = structs.replace(inventory, controllers=(structs.replace(card, drives=(*card.drives, idle)),))
    assert ask("spare_missing", inventory, "x:0/v0").remedy == "Make the unassigned drive 1I:1:9 a spare."


def test_a_volume_that_waits_for_its_turn_to_be_rebuilt_is_not_abandoned() -> None:
    """While another volume of its array is rebuilt, a degraded one asks for no drive: it is rebuilt after that one."""
    inventory = lsi(VOLUME, status="degraded")
    [card] = inventory.controllers
    volume = next(volume for volume in card.volumes if volume.id == VOLUME)
    busy = structs.replace(
        volume, id="megaraid:0/v9", status="rebuilding", progress=Progress(operation="rebuild", percent=56.0)
    )
    inventory = structs.replace(inventory, controllers=(structs.replace(card, volumes=(*card.volumes, busy)),))
    assert found("volume_degraded", inventory) == []
    assert "is waiting to be rebuilt" in ask("volume_rebuilding", inventory, VOLUME).message


def test_a_drive_that_is_replaced_while_it_works_costs_no_redundancy() -> None:
    """No member is missing while md copies one onto its replacement: slower, and safe all the while."""
    inventory = md(
        status="rebuilding", drives_expected=5, drives_active=5, progress=Progress(operation="recovery", percent=40.0)
    )
    one = ask("volume_rebuilding", inventory, ARRAY)
    assert one.severity == "info"
    assert "not yet safe" not in one.message


def test_an_array_that_is_rebuilt_is_not_called_broken() -> None:
    """Where only the group of drives is told of, its rebuild is called one, and nobody is sent to its drives."""
    inventory = lsi("megaraid:0/g1", status="warning", status_text="Rebuilding")
    one = ask("array_in_trouble", inventory, "megaraid:0/g1")
    assert (one.severity, one.message) == ("critical", "The array is being rebuilt (Rebuilding).")
    assert "Let it finish" in (one.remedy or "")


def test_a_rebuild_is_no_other_work_besides() -> None:
    """A rebuild that waits behind another one is told by its own rule alone."""
    inventory = changed(
        md(status="degraded", progress=Progress(operation="resync", percent=None)),
        "md:md1/sdc1",
        {"status": "warning", "status_text": "spare rebuilding"},
    )
    assert heard("volume_rebuilding", inventory, ARRAY) == [("fail", "warning")]
    assert heard("background_operation", inventory, ARRAY) == []


def test_an_array_that_is_reshaped_need_not_have_a_bitmap_now() -> None:
    """Older kernels reshape only arrays without one: it is asked for when that is done."""
    bare = {"bitmap": "none", "consistency_policy": "resync"}
    assert heard("md_without_bitmap", md(**bare), ARRAY) == [("fail", "warning")]
    assert heard("md_without_bitmap", md(**bare, progress=Progress(operation="reshape", percent=9.0)), ARRAY) == []


def test_a_disk_on_an_older_controller_is_fast_enough() -> None:
    """A disk does not fill 3 Gbit/s: where nothing beside it runs faster, that is how it was bought."""
    link = {"link_gbps": 3.0, "max_link_gbps": 6.0}
    disk = p400("smartarray:1/2I:1:3", **link, status_text="tested")
    assert found("link_slow", disk) == []
    ssd = changed(disk, "smartarray:1/2I:1:3", {"media": "ssd"})
    assert [one.severity for one in found("link_slow", ssd)] == ["info"]


def test_a_shelf_of_older_make_is_no_bad_cable() -> None:
    """Only what sits in the same enclosure says that a disk there could be faster."""
    shelf = {"link_gbps": 3.0, "max_link_gbps": 6.0, "model": "SHELF", "status_text": "tested"}
    fast = p400("smartarray:1/2I:1:2", link_gbps=6.0, max_link_gbps=6.0)
    name = "smartarray:1/2I:1:3"
    assert heard("link_slow", changed(fast, name, shelf), name) == [("fail", "info")]
    assert heard("link_slow", changed(fast, name, {**shelf, "enclosure": "9"}), name) == [("pass", "warning")]


def test_the_link_of_a_failed_drive_matters_to_nobody() -> None:
    """It is to be replaced in any case."""
    assert found("link_slow", p400("smartarray:1/2I:1:2", link_gbps=1.5, status="critical")) == []


@pytest.mark.parametrize("errors", [Errors(link=5), Errors(link=99)])
def test_a_few_errors_of_the_link_are_no_finding(errors: Errors) -> None:
    """The counter is never set back: one loose plug years ago stays in it."""
    assert heard("drive_errors", lsi(DRIVE, interface="sata", errors=errors), DRIVE) == [("pass", "critical")]


@pytest.mark.parametrize(
    "changes",
    [
        {"errors": Errors(media=71, predictive=4)},
        {"errors": Errors(reallocated=7461), "status": "warning", "status_text": "Reallocated_Sector_Ct FAILING_NOW"},
        {"errors": Errors(media=71), "status": "critical", "status_text": "Failed"},
    ],
)
def test_a_drive_that_fails_is_told_once(changes: dict[str, Any]) -> None:
    """Its counters are the reason for what another rule says of it, and stand in the evidence there."""
    inventory = lsi(DRIVE, **changes)
    assert heard("drive_errors", inventory, DRIVE) == []
    [said] = found("drive_expects_failure", inventory) or found("drive_failed", inventory)
    assert {"errors.media = 71", "errors.reallocated = 7461"} & set(said.evidence)


def test_a_drive_that_is_called_degraded_during_its_rebuild_is_left_in_peace() -> None:
    """Who pulls the drive that is rebuilt, as it was told to fail, loses the volume; without a rebuild it is told."""
    inventory = lsi(DRIVE, status="warning", status_text="DEGRADED")
    assert heard("drive_expects_failure", inventory, DRIVE) == [("fail", "critical")]
    inventory = changed(inventory, VOLUME, {"status": "rebuilding"})
    assert heard("drive_expects_failure", inventory, DRIVE) == [("pass", "critical")]
    counted = changed(inventory, DRIVE, {"errors": Errors(predictive=3)})
    assert heard("drive_expects_failure", counted, DRIVE) == [("fail", "critical")]


def test_a_card_without_battery_that_writes_through_is_well() -> None:
    """Nothing relies on a battery there, so that none is missed."""
    through = {"write_policy": "write_through", "write_active": "write_through"}
    inventory = changed(p400(BATTERY, status="missing"), P400_VOLUME, {"cache": through})
    assert heard("battery_failed", inventory, BATTERY) == [("pass", "critical")]


def test_a_missing_battery_says_nothing_where_the_volumes_are_not_shown() -> None:
    """Whether a volume relies on it is not known there."""
    inventory = p400("smartarray:1", volumes=())
    assert heard("battery_failed", changed(inventory, BATTERY, {"status": "missing"}), BATTERY) == []


def test_a_battery_of_which_only_is_told_that_it_is_there_is_not_called_bad() -> None:
    """Present is neither good nor bad."""
    inventory = changed(lsi(VOLUME, cache={"io_policy": "cached"}), "megaraid:0/battery0", {"status": "unknown"})
    one = ask("cached_io", inventory, VOLUME)
    assert one.severity == "info"
    assert "is unknown" in one.message


def test_a_card_that_warns_for_its_volumes_is_folded_under_them() -> None:
    """Where a degraded volume explains why the card wants attention, the volume's finding is the cause."""
    inventory = changed(lsi(VOLUME, status="degraded"), "megaraid:0", {"status": "warning"})
    assert ask("controller_in_trouble", inventory, "megaraid:0").because == f"volume_degraded {VOLUME}"
    assert heard("controller_in_trouble", lsi("megaraid:0", status="warning"), "megaraid:0") == [("fail", "warning")]


def test_the_caches_of_ssds_may_be_protected() -> None:
    """SSDs for servers have capacitors of their own, and no tool tells: information, with that said."""
    inventory = p400(P400_VOLUME, cache={"drive_write_cache": "enabled"})
    assert heard("drive_cache_volatile", inventory, P400_VOLUME) == [("fail", "warning")]
    for drive in inventory.controllers[0].drives:
        inventory = changed(inventory, drive.id, {"media": "ssd", "status_text": "tested"})
    one = ask("drive_cache_volatile", inventory, P400_VOLUME)
    assert one.severity == "info"
    assert "unless" in one.message


@pytest.mark.parametrize("status", ["ok", "degraded"])
def test_damage_that_nobody_else_counts_is_told(status: str) -> None:
    """Data of a volume that could not be read is another matter than that the volume is degraded."""
    lost = Problem(
        severity="warning", where=VOLUME, kind="state", message="Unrecoverable media errors: found by the last scan."
    )
    inventory = structs.replace(lsi(VOLUME, status=status, status_text="x"), problems=(lost,))
    assert [one.message for one in found("reported_trouble", inventory)] == [lost.message]


def test_an_array_of_different_drives_is_told_once() -> None:
    """Where sizes or speeds differ, that the models do so too is no news."""
    inventory = lsi(DRIVE, rpm=5400, model="OTHER")
    assert heard("mixed_drives", inventory, "megaraid:0/g1") == [("fail", "info")]
    assert heard("mixed_models", inventory, "megaraid:0/g1") == []


@pytest.mark.parametrize("members", ["sda1[0]", "sda1[0] sdb1[1]"])
def test_a_mirror_of_one_drive_is_without_redundancy(members: str) -> None:
    """``[1/1] [U]``: complete, and it survives no failure; information, as for RAID-0."""
    slots = "U" * len(members.split())
    listing = f"""Personalities : [raid1]
md1 : active raid1 {members}
      976630464 blocks super 1.2 [{len(slots)}/{len(slots)}] [{slots}]

unused devices: <none>
"""
    inventory = read_text(listing).inventory
    assert heard("raid0_in_use", inventory, "md:md1") == [("fail" if len(slots) == 1 else "pass", "info")]
    assert ("survives no further failure" in screen(inventory, Paper(80))) == (len(slots) == 1)
