"""Severities and unknowns of the rules about the safety of written data."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from raidctl.audit.builtin import bmc_disagrees, named
from raidctl.audit.finding import Finding
from raidctl.model import Battery, Block, Controller, Host, Inventory, Mount, SecondView, Volume, VolumeCache
from tests.audit.p400_machines import BATTERY, VOLUME, p400
from tests.audit.rule_examples import DRIVE, LSI, NVME, P400, ask, changed, graded
from tests.support.machines import replayed


def test_write_back_without_a_battery_is_a_warning() -> None:
    """Write-back that would continue without a battery is a warning. The battery still protects it at that time."""
    one = ask("write_back_unprotected", p400(VOLUME, cache={"write_policy": "unprotected_write_back"}), VOLUME)
    assert (one.outcome, one.severity, one.field) == ("fail", "warning", "cache.write_policy")


def test_write_back_with_a_failed_battery_is_critical() -> None:
    """A "protected" cache fails if all batteries have failed. The tool still calls it protected."""
    inventory = p400("smartarray:1", batteries=(Battery(id=BATTERY, status="failed"),))
    assert graded(ask("write_back_unprotected", inventory, VOLUME)) == "critical"


@pytest.mark.parametrize("cache", [{"controller_cache": "unknown"}, {"write_policy": None}])
def test_write_back_of_unknown_protection_is_unknown(cache: dict[str, str | None]) -> None:
    """Write-back neither passes nor fails if its protection, now or without the battery, is not reported."""
    one = ask("write_back_unprotected", p400(VOLUME, cache=cache), VOLUME)
    assert (one.outcome, one.severity) == ("unknown", "critical")


def test_the_remedy_of_many_file_systems_without_commits_names_several() -> None:
    """One command sets several. A pool with hundreds of them has no message of a screen."""
    names = tuple(f"archive/vm {number}" for number in range(300))
    inventory = changed(replayed("zfs-raidz2-resilvering").inventory, "zfs:archive", {"sync_disabled": names})
    one = ask("zfs_sync_disabled", inventory, "zfs:archive")
    assert "archive/vm 2 and 297 more have sync=disabled" in one.message
    assert "'archive/vm 2' 'archive/vm 3'`" in (one.remedy or "")


def test_drive_caches_that_contradict_their_setting_fail() -> None:
    """An enabled drive cache that the controller reports disabled fails."""
    inventory = p400("smartarray:1/2I:1:1", write_cache="enabled")
    one = ask("drive_cache_volatile", inventory, VOLUME)
    assert one.outcome == "fail"
    assert "2I:1:1" in one.message


def test_default_drive_caches_are_unknown_and_information() -> None:
    """A drive cache left at its default is unknown, and only information."""
    one = ask("drive_cache_volatile", p400(VOLUME, cache={"drive_write_cache": "default"}), VOLUME)
    assert (one.outcome, one.severity) == ("unknown", "info")


@pytest.mark.parametrize("machine", ["md-healthy", "drives-ahci", "drives-nvme", "host-lvm-on-md"])
def test_rules_about_controllers_skip_plain_drives_and_software_raid(machine: str) -> None:
    """Rules about batteries and caches do not apply without a RAID controller."""
    for rule in ("battery_failed", "write_back_unprotected", "drive_cache_volatile", "write_policy_not_in_force"):
        known = named(rule)
        assert known is not None
        assert list(known.check(replayed(machine).inventory)) == []


def test_write_through_during_a_learn_cycle_is_information() -> None:
    """Write-through during a learn cycle is temporary. With a failed battery it is a warning."""
    through = {"write_active": "write_through"}
    inventory = changed(p400(VOLUME, cache=through), BATTERY, {"status": "learning"})
    inventory = changed(inventory, "smartarray:1/battery1", {"status": "charging"})
    assert graded(ask("write_policy_not_in_force", inventory, VOLUME)) == "info"
    inventory = changed(inventory, BATTERY, {"status": "failed"})
    one = ask("write_policy_not_in_force", inventory, VOLUME)
    assert one.severity == "warning"
    assert "the battery has failed" in one.message


def test_an_unknown_active_write_policy_is_unknown() -> None:
    """Configured write-back does not pass if the active policy is not reported."""
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
def test_a_battery_is_graded_by_the_active_write_policy(status: str, active: str | None, severity: str) -> None:
    """A failed battery is critical only while write-back is active."""
    cache = {"write_policy": "protected_write_back", "write_active": active}
    inventory = changed(p400(BATTERY, status=status), VOLUME, {"name": "x", "cache": cache})
    assert graded(ask("battery_failed", inventory, BATTERY)) == severity


def test_a_battery_to_be_replaced_is_a_warning() -> None:
    """A request for replacement is a warning before the battery fails."""
    one = ask("battery_failed", p400(BATTERY, replace=True), BATTERY)
    assert (one.severity, one.field, one.actual) == ("warning", "replace", "true")


def test_an_empty_battery_with_a_good_status_is_a_warning() -> None:
    """A charge of 4% is a warning, whatever the status."""
    one = ask("battery_learning", p400(BATTERY, charge_percent=4), BATTERY)
    assert (one.outcome, one.severity) == ("fail", "warning")


def bare(options: tuple[str, ...], **changes: Any) -> Finding:
    """The finding on an NVMe drive that is mounted with these options."""
    mount = Mount(point="/", device="/dev/nvme0n1p2", filesystem="ext4", options=options)
    return ask("barriers_off", changed(replayed(NVME).inventory, DRIVE, {"mounts": (mount,), **changes}), DRIVE)


@pytest.mark.parametrize("option", ["nobarrier", "barrier=0", "barrier=none", "barrier=off", "fsync_mode=nobarrier"])
def test_a_mount_without_barriers_is_critical_over_a_volatile_cache(option: str) -> None:
    """Each spelling of the option counts."""
    assert graded(bare(("rw", option))) == "critical"


def test_the_remedy_of_a_mount_without_barriers_can_be_pasted() -> None:
    """A mount point with a blank is quoted."""
    mount = Mount(point="/srv/my data", device="/dev/sdb1", filesystem="xfs", options=("rw", "nobarrier"))
    other = ask("barriers_off", changed(replayed(NVME).inventory, DRIVE, {"mounts": (mount,)}), DRIVE)
    assert "`umount '/srv/my data'` and `mount '/srv/my data'`" in (other.remedy or "")


def test_a_mount_without_barriers_is_information_without_a_volatile_cache() -> None:
    """With the drive's cache disabled, the order of writes is preserved."""
    assert graded(bare(("rw", "nobarrier"), write_cache="disabled")) == "info"


def test_a_mount_without_barriers_over_an_unknown_cache_is_critical() -> None:
    """An unknown cache is not treated as disabled."""
    assert graded(bare(("rw", "nobarrier"), write_cache=None)) == "critical"


def test_a_mount_without_barriers_over_a_protected_cache_is_information() -> None:
    """A protected controller cache preserves what the missing flush would have."""
    mount = Mount(point="/", device="/dev/cciss/c0d0p3", options=("rw", "nobarrier"))
    assert graded(ask("barriers_off", p400(VOLUME, mounts=(mount,)), VOLUME)) == "info"
    unsafe = p400(VOLUME, mounts=(mount,), cache={"controller_cache": "unprotected"})
    assert graded(ask("barriers_off", unsafe, VOLUME)) == "critical"


@pytest.mark.parametrize(
    ("point", "filesystem", "expected"),
    [
        ("/", "ext4", "then `mount -o remount,barrier=1 /`."),
        ("/srv", "ext3", "then `mount -o remount,barrier=1 /srv`."),
        ("/srv", "xfs", "then `umount /srv` and `mount /srv`."),
        ("/", "xfs", "then restart the machine: / cannot be unmounted."),
    ],
)
def test_barriers_are_switched_on_as_the_file_system_permits(point: str, filesystem: str, expected: str) -> None:
    """ext3 and ext4 are remounted, others unmounted; the root file system needs a restart."""
    mount = Mount(point=point, device="/dev/nvme0n1p2", filesystem=filesystem, options=("rw", "nobarrier"))
    one = ask("barriers_off", changed(replayed(NVME).inventory, DRIVE, {"mounts": (mount,)}), DRIVE)
    assert (one.remedy or "").endswith(expected)


def test_a_needless_flush_is_no_failure() -> None:
    """Only a missing flush fails. A flush to a drive without a cache is harmless."""
    inventory = changed(
        replayed(NVME).inventory, DRIVE, {"block": Block(write_cache="write_back"), "write_cache": "disabled"}
    )
    assert ask("flush_never_sent", inventory, DRIVE).outcome == "pass"


def test_cached_io_is_worse_without_a_battery() -> None:
    """Cached I/O is information with a good battery. Without one it is a warning."""
    volume = {"cache": {"io_policy": "cached"}}
    good = changed(replayed(LSI).inventory, "megaraid:0/v2", volume)
    assert graded(ask("cached_io", good, "megaraid:0/v2")) == "info"
    bad = changed(good, "megaraid:0/battery0", {"status": "failed"})
    assert graded(ask("cached_io", bad, "megaraid:0/v2")) == "warning"


def test_a_finding_has_its_place() -> None:
    """A finding has the device, the mount points and the evidence."""
    inventory = p400(VOLUME, cache={"controller_cache": "unprotected"})
    one = ask("write_back_unprotected", inventory, VOLUME)
    assert one.device == "/dev/cciss/c0d0"
    assert "/" in one.mountpoints
    assert one.actual == "unprotected"
    assert "cache.controller_cache = unprotected" in one.evidence
    assert f"{BATTERY} status = ok" in one.evidence


def test_different_firmware_on_controllers_of_one_model_is_information() -> None:
    """Two controllers of one model with different versions are one finding."""
    inventory = replayed(P400).inventory
    [controller] = inventory.controllers
    other = structs.replace(
        controller, id="smartarray:2", firmware="7.24", batteries=(), arrays=(), volumes=(), drives=()
    )
    known = named("firmware_old")
    assert known is not None
    found = [
        one
        for one in known.check(structs.replace(inventory, controllers=(controller, other)))
        if "controllers" in one.message
    ]
    assert [one.severity for one in found] == ["info"]


def test_enabled_drive_caches_do_not_make_the_controller_unprotected() -> None:
    """If only the drive caches are unprotected, the finding is about these."""
    inventory = p400(VOLUME, cache={"drive_write_cache": "enabled"})
    assert ask("write_back_unprotected", inventory, VOLUME).outcome == "pass"
    assert ask("drive_cache_volatile", inventory, VOLUME).outcome == "fail"
    inventory = changed(inventory, VOLUME, {"cache": {"controller_cache": "unprotected"}})
    assert graded(ask("write_back_unprotected", inventory, VOLUME)) == "critical"


@pytest.mark.parametrize(
    ("view", "severity", "shown", "hidden"),
    [
        ({"status": "failed"}, "warning", "status = failed", "write_policy"),
        ({"write_active": "write_through"}, "info", "write_active = write_through", " status = "),
        ({"listed": False, "object_id": "x:0"}, "warning", "redfish:1/v0 status = ok", "x:0 status"),
    ],
)
def test_the_evidence_of_a_contradiction_with_the_bmc_is_about_it(
    view: dict[str, Any], severity: str, shown: str, hidden: str
) -> None:
    """A write policy that differs is shown by the policies. Of an object that only the BMC lists, its status is."""
    cache = VolumeCache(write_policy="protected_write_back", write_active="write_back")
    volume = Volume(id="x:0/v0", status="ok", cache=cache)
    seen = SecondView(
        **{"object_id": "x:0/v0", "seen_as": "redfish:1/v0", "kind": "volume", "listed": True, "status": "ok", **view}
    )
    found = Inventory(
        host=Host(hostname="m"), controllers=(Controller(id="x:0", volumes=(volume,)),), second_views=(seen,)
    )
    [one] = bmc_disagrees.check(found)
    assert (one.outcome, one.severity) == ("fail", severity)
    assert any(shown in fact for fact in one.evidence), one.evidence
    assert not any(hidden in fact for fact in one.evidence), one.evidence
