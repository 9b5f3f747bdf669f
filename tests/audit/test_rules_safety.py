"""How the rules about the safety of written data grade what they find, and when they cannot tell."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from raidctl.audit.builtin import named
from raidctl.audit.finding import Finding
from raidctl.model import Battery, Block, Inventory, Mount
from tests.audit.rule_examples import DRIVE, LSI, NVME, P400, changed, graded
from tests.support.machines import replayed

VOLUME, BATTERY = "smartarray:1/v1", "smartarray:1/battery0"


def ask(rule: str, inventory: Inventory, where: str) -> Finding:
    """What a rule says of one object."""
    known = named(rule)
    assert known is not None
    [one] = [one for one in known.check(inventory) if one.where == where]
    return one


def p400(object_id: str, **changes: Any) -> Inventory:
    """The P400 with fields of one object set anew."""
    return changed(replayed(P400).inventory, object_id, changes)


def test_write_back_that_outlives_its_battery_is_a_warning() -> None:
    """Write-back that is protected now, but set to go on without a battery, is told before it loses anything."""
    one = ask("write_back_unprotected", p400(VOLUME, cache={"write_policy": "unprotected_write_back"}), VOLUME)
    assert (one.outcome, one.severity, one.field) == ("fail", "warning", "cache.write_policy")


def test_write_back_over_a_dead_battery_is_critical_whatever_the_tool_calls_it() -> None:
    """A tool that calls the cache protected while all its batteries have failed is not believed."""
    inventory = p400("smartarray:1", batteries=(Battery(id=BATTERY, status="failed"),))
    assert graded(ask("write_back_unprotected", inventory, VOLUME)) == "critical"


def test_write_back_of_which_nothing_is_told_is_unknown() -> None:
    """Where nobody says whether write-back is protected, that is neither a pass nor a failure."""
    one = ask("write_back_unprotected", p400(VOLUME, cache={"controller_cache": "unknown"}), VOLUME)
    assert (one.outcome, one.severity) == ("unknown", "critical")


def test_drive_caches_that_contradict_their_setting_fail() -> None:
    """The controller says off, a drive says on: one of the two is wrong."""
    inventory = p400("smartarray:1/2I:1:1", write_cache="enabled")
    one = ask("drive_cache_volatile", inventory, VOLUME)
    assert one.outcome == "fail"
    assert "2I:1:1" in one.message


def test_drive_caches_left_to_the_drives_are_unknown_and_mild() -> None:
    """A controller that leaves them as they come is mentioned, and does not decide the exit code."""
    one = ask("drive_cache_volatile", p400(VOLUME, cache={"drive_write_cache": "default"}), VOLUME)
    assert (one.outcome, one.severity) == ("unknown", "info")


@pytest.mark.parametrize("machine", ["md-healthy", "drives-ahci", "drives-nvme", "host-lvm-on-md"])
def test_plain_drives_and_software_raid_are_spared_the_rules_of_cards(machine: str) -> None:
    """No word about batteries, or caches of drives below a controller, where there is no such controller."""
    for rule in ("battery_failed", "write_back_unprotected", "drive_cache_volatile", "write_policy_not_in_force"):
        known = named(rule)
        assert known is not None
        assert list(known.check(replayed(machine).inventory)) == []


def test_a_policy_that_a_learn_cycle_suspends_is_for_information() -> None:
    """Write-through during a learn cycle is over by itself; with a failed battery it is not."""
    through = {"write_active": "write_through"}
    inventory = changed(p400(VOLUME, cache=through), BATTERY, {"status": "learning"})
    inventory = changed(inventory, "smartarray:1/battery1", {"status": "charging"})
    assert graded(ask("write_policy_not_in_force", inventory, VOLUME)) == "info"
    inventory = changed(inventory, BATTERY, {"status": "failed"})
    one = ask("write_policy_not_in_force", inventory, VOLUME)
    assert one.severity == "warning"
    assert "the battery is failed" in one.message


def test_a_policy_that_nobody_tells_to_be_in_force_is_unknown() -> None:
    """Write-back that is configured, and of which the tool does not say whether it is in force, is no pass."""
    one = ask("write_policy_not_in_force", p400(VOLUME, cache={"write_active": None}), VOLUME)
    assert one.outcome == "unknown"


@pytest.mark.parametrize(
    ("status", "active", "severity"),
    [
        ("failed", "write_back", "critical"),
        ("failed", "write_through", "warning"),
        ("failed", None, "warning"),
        ("degraded", "write_back", "warning"),
        ("missing", "write_back", "critical"),
        ("missing", "write_through", "warning"),
    ],
)
def test_a_battery_is_graded_by_who_relies_on_it(status: str, active: str | None, severity: str) -> None:
    """A dead battery is critical only where write-back goes on; protected write-back ends with the battery."""
    cache = {"write_policy": "protected_write_back", "write_active": active}
    inventory = changed(p400(BATTERY, status=status), VOLUME, {"name": "x", "cache": cache})
    assert graded(ask("battery_failed", inventory, BATTERY)) == severity


def test_a_battery_to_be_replaced_is_told_while_it_still_works() -> None:
    """The wish for a replacement is a warning before the failure."""
    one = ask("battery_failed", p400(BATTERY, replace=True), BATTERY)
    assert (one.severity, one.field, one.actual) == ("warning", "replace", "true")


def test_a_battery_that_is_called_good_and_is_empty_is_told() -> None:
    """A charge of 4 % would not carry the cache far, whatever the status says."""
    one = ask("battery_learning", p400(BATTERY, charge_percent=4), BATTERY)
    assert (one.outcome, one.severity) == ("fail", "warning")


def bare(options: tuple[str, ...], **changes: Any) -> Finding:
    """What is said of an NVMe drive that is mounted with these options."""
    mount = Mount(point="/", device="/dev/nvme0n1p2", filesystem="ext4", options=options)
    return ask("barriers_off", changed(replayed(NVME).inventory, DRIVE, {"mounts": (mount,), **changes}), DRIVE)


@pytest.mark.parametrize("option", ["nobarrier", "barrier=0", "barrier=none", "barrier=off", "fsync_mode=nobarrier"])
def test_a_mount_without_barriers_is_critical_over_a_volatile_cache(option: str) -> None:
    """Each way to write it counts."""
    assert graded(bare(("rw", option))) == "critical"


def test_a_mount_without_barriers_is_mild_where_nothing_is_volatile() -> None:
    """With the drive's cache off the order of writes is kept all the same."""
    assert graded(bare(("rw", "nobarrier"), write_cache="disabled")) == "info"


def test_a_mount_without_barriers_over_an_untold_cache_is_critical() -> None:
    """Not told is not off."""
    assert graded(bare(("rw", "nobarrier"), write_cache=None)) == "critical"


def test_a_mount_without_barriers_over_a_protected_controller_is_mild() -> None:
    """A protected cache below keeps what the missing flush would have kept."""
    mount = Mount(point="/", device="/dev/cciss/c0d0p3", options=("rw", "nobarrier"))
    assert graded(ask("barriers_off", p400(VOLUME, mounts=(mount,)), VOLUME)) == "info"
    unsafe = p400(VOLUME, mounts=(mount,), cache={"controller_cache": "unprotected"})
    assert graded(ask("barriers_off", unsafe, VOLUME)) == "critical"


def test_a_kernel_that_flushes_in_vain_is_no_failure() -> None:
    """Only the direction that loses data is told: a flush to a drive without a cache costs nothing."""
    inventory = changed(
        replayed(NVME).inventory, DRIVE, {"block": Block(write_cache="write_back"), "write_cache": "disabled"}
    )
    assert ask("flush_never_sent", inventory, DRIVE).outcome == "pass"


def test_cached_io_is_worse_without_a_battery() -> None:
    """The maker's firmware may keep writes of cached I/O whatever the write policy."""
    volume = {"cache": {"io_policy": "cached"}}
    good = changed(replayed(LSI).inventory, "megaraid:0/v2", volume)
    assert graded(ask("cached_io", good, "megaraid:0/v2")) == "info"
    bad = changed(good, "megaraid:0/battery0", {"status": "failed"})
    assert graded(ask("cached_io", bad, "megaraid:0/v2")) == "warning"


def test_a_finding_says_where_it_is() -> None:
    """Device and mount points of the object stand in the finding, and the facts in its evidence."""
    inventory = p400(VOLUME, cache={"controller_cache": "unprotected"})
    one = ask("write_back_unprotected", inventory, VOLUME)
    assert one.device == "/dev/cciss/c0d0"
    assert "/" in one.mountpoints
    assert one.actual == "unprotected"
    assert "cache.controller_cache = unprotected" in one.evidence
    assert f"{BATTERY} status = ok" in one.evidence


def test_firmware_that_differs_between_cards_of_one_model_is_told() -> None:
    """Two cards of one model with different versions are one finding, for information."""
    inventory = replayed(P400).inventory
    [card] = inventory.controllers
    other = structs.replace(card, id="smartarray:2", firmware="7.24", batteries=(), arrays=(), volumes=(), drives=())
    known = named("firmware_old")
    assert known is not None
    found = [
        one
        for one in known.check(structs.replace(inventory, controllers=(card, other)))
        if "controllers" in one.message
    ]
    assert [one.severity for one in found] == ["info"]


def test_open_caches_of_the_drives_are_not_the_controllers_fault() -> None:
    """Where only the drives' caches are open, the controller's protected cache is not called unprotected."""
    inventory = p400(VOLUME, cache={"drive_write_cache": "enabled"})
    assert ask("write_back_unprotected", inventory, VOLUME).outcome == "pass"
    assert ask("drive_cache_volatile", inventory, VOLUME).outcome == "fail"
    inventory = changed(inventory, VOLUME, {"cache": {"controller_cache": "unprotected"}})
    assert graded(ask("write_back_unprotected", inventory, VOLUME)) == "critical"
