"""For each built-in rule, one machine that fails and one that passes.

A machine is a recorded one, or a recorded one with one object changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from msgspec import structs

from raidctl.audit.builtin import named
from raidctl.audit.finding import Finding
from raidctl.health.redundancy import with_redundancy
from raidctl.model import (
    Block,
    BlockLayer,
    Controller,
    Errors,
    Inventory,
    Mount,
    PciLink,
    Problem,
    Scrub,
)
from raidctl.model.write_protection import derived
from tests.support.machines import COUNTING, replayed

Changes = Mapping[str, Any]
T = TypeVar("T")
_KINDS = ("batteries", "arrays", "volumes", "drives")


@dataclass(frozen=True)
class Machine:
    """A recorded machine with fields of one object changed. ``problem`` is added to its problems."""

    name: str
    object_id: str | None = None
    changes: Changes | None = None
    volumes: Changes | None = None
    """Fields that are set in all volumes as well."""
    problem: Problem | None = None

    @property
    def inventory(self) -> Inventory:
        """The inventory with the changes."""
        inventory = replayed(self.name).inventory
        if self.object_id and self.changes:
            inventory = changed(inventory, self.object_id, self.changes)
        for name in (
            [volume.id for controller in inventory.controllers for volume in controller.volumes] if self.volumes else ()
        ):
            inventory = changed(inventory, name, self.volumes or {})
        if self.problem:
            inventory = structs.replace(inventory, problems=(*inventory.problems, self.problem))
        return inventory


@dataclass(frozen=True)
class Example:
    """The two machines of a rule."""

    fails: Machine
    passes: Machine
    outcome: str = "fail"
    """`unknown` for rules that never fail, but report that something is unknown."""


def graded(one: Finding) -> str:
    """Return the severity of a failure. A finding that passes has a severity too, without a meaning."""
    assert one.outcome == "fail"
    return one.severity


def changed(inventory: Inventory, object_id: str, changes: Changes) -> Inventory:
    """Set these fields of one object. A dictionary changes fields within a part of the object.

    What is derived from several fields is derived again.
    """
    controllers = tuple(_with_changes(controller, object_id, changes) for controller in inventory.controllers)
    assert controllers != inventory.controllers, f"{object_id} does not exist, or has these values already"
    return structs.replace(inventory, controllers=tuple(with_redundancy(derived(controllers), COUNTING)))


def _with_changes(controller: Controller, object_id: str, changes: Changes) -> Controller:
    if controller.id == object_id:
        return _replaced(controller, changes)
    parts = {
        kind: tuple(_replaced(item, changes) if item.id == object_id else item for item in getattr(controller, kind))
        for kind in _KINDS
    }
    return structs.replace(controller, **parts)


def _replaced(item: T, changes: Changes) -> T:
    """The part with these fields. Entries are added to details."""
    if isinstance(item, dict):
        return {**item, **changes}  # type: ignore[return-value]  # of the same type
    given = {
        name: _replaced(getattr(item, name), value) if isinstance(value, dict) else value
        for name, value in changes.items()
    }
    new: T = structs.replace(item, **given)  # type: ignore[type-var]  # every part of the model is a Struct
    return new


LSI, P400, SMART = "megaraid-9660-storcli2", "smartarray-p400", "smartarray-gen9-degraded"
MIXED, MD, NVME, SATA = "adaptec-smartraid-mixed", "md-healthy", "drives-nvme", "drives-ahci"
GOOD, PAIR = Machine(LSI), "megaraid:0/v2"
MD_GOOD = Machine(MD)
WITHOUT_BARRIER = Mount(point="/", device="/dev/nvme0n1p2", filesystem="ext4", options=("rw", "nobarrier"))
DRIVE = "drives:QZ98A1004417"
DATABASE = {"mountpoints": ("/var/lib/mysql",)}
SMALL_READ_AHEAD = {
    "block": Block(read_ahead_bytes=131072),
    "mounts": (Mount(point="/srv/lake", device="/dev/sdb"),),
    "cache": {"read_policy": "none"},
}
ENOUGH_READ_AHEAD = {**SMALL_READ_AHEAD, "block": Block(read_ahead_bytes=4 << 20)}
SECTOR_63 = BlockLayer(device="/dev/sdb1", kind="partition", on=("/dev/sdb",), offsets_bytes=(32256,))
AT_1_MIB = structs.replace(SECTOR_63, offsets_bytes=(1 << 20,))


def _problem(kind: Any, message: str, severity: Any = "warning") -> Problem:
    return Problem(severity=severity, where="0000:03:00.0", message=message, kind=kind)


EXAMPLES: dict[str, Example] = {
    "array_in_trouble": Example(Machine(LSI, "megaraid:0/g1", {"status": "critical"}), GOOD),
    "background_operation": Example(Machine(MIXED), GOOD),
    "barriers_off": Example(
        Machine(NVME, DRIVE, {"mounts": (WITHOUT_BARRIER,)}),
        Machine(NVME, DRIVE, {"mounts": (structs.replace(WITHOUT_BARRIER, options=("rw", "relatime")),)}),
    ),
    "battery_failed": Example(Machine("adaptec-5405-failed-battery"), Machine(P400)),
    "battery_old": Example(
        Machine("megaraid-9271-learning"),
        Machine("megaraid-9271-learning", "megaraid:0/battery0", {"made_at": "2025-03-02"}),
    ),
    "battery_learning": Example(Machine("megaraid-9271-learning"), GOOD),
    "block_read_ahead_small": Example(Machine(LSI, PAIR, SMALL_READ_AHEAD), Machine(LSI, PAIR, ENOUGH_READ_AHEAD)),
    "bmc_disagrees": Example(
        Machine("redfish-beside-hpssacli"), Machine("redfish-beside-hpssacli", "smartarray:0/v2", {"status": "ok"})
    ),
    "bus_too_small": Example(
        Machine(SATA, "drives:0000:00:17.0", {"pci_link": PciLink(width=1, speed_gtps=2.5)}),
        Machine(SATA, "drives:0000:00:17.0", {"pci_link": PciLink(width=4, speed_gtps=8.0)}),
    ),
    "cache_in_trouble": Example(Machine("smartarray-gen10-failed-battery"), Machine(P400)),
    "cache_split_for_database": Example(
        Machine(P400, "smartarray:1", {"cache": {"read_percent": 75, "write_percent": 25}}, DATABASE),
        Machine(P400, volumes=DATABASE),
    ),
    "cached_io": Example(
        Machine("megaraid-h730p-predictive", "megaraid:0/v1", {"cache": {"io_policy": "cached"}}),
        Machine("megaraid-h730p-predictive"),
    ),
    "consistency_check_off": Example(
        Machine("adaptec-6805-rebuilding"),
        Machine(MIXED),
    ),
    "check_overdue": Example(
        Machine(MD, "md:md1", {"consistency_check": {"last_at": "2025-12-01T02:00:00Z"}}), MD_GOOD
    ),
    "controller_in_trouble": Example(
        Machine(P400, "smartarray:1", {"status": "critical", "status_text": "Lockup"}), Machine(LSI)
    ),
    "drive_cache_volatile": Example(
        Machine(P400, "smartarray:1/v1", {"cache": {"drive_write_cache": "enabled"}}), Machine(P400)
    ),
    "drive_errors": Example(Machine(LSI, "megaraid:0/310:2", {"errors": Errors(media=41)}), GOOD),
    "drive_expects_failure": Example(Machine(SMART), GOOD),
    "drive_failed": Example(Machine("md-degraded-rebuilding"), MD_GOOD),
    "error_recovery_timeout": Example(Machine(MD, "drives:HBN2C0M4", {"error_recovery_seconds": 0.0}), MD_GOOD),
    "firmware_old": Example(Machine(LSI, "megaraid:0", {"firmware_update": "An update is recommended."}), GOOD),
    "flush_never_sent": Example(
        Machine(NVME, DRIVE, {"block": Block(write_cache="write_through")}),
        Machine(NVME, DRIVE, {"block": Block(write_cache="write_back", rotational=False)}),
    ),
    "foreign_configuration": Example(Machine(LSI, "megaraid:0/310:4", {"foreign": True}), GOOD),
    "link_slow": Example(
        Machine(P400, "smartarray:1/2I:1:2", {"link_gbps": 1.5}),
        Machine(P400),
    ),
    "md_journal_write_back": Example(
        Machine("md-journal-check", "md:md126", {"details": {"journal_mode": "write-through [write-back]"}}),
        Machine("md-journal-check"),
    ),
    "md_mismatch": Example(Machine("md-journal-check"), MD_GOOD),
    "md_sync_speed": Example(Machine(MD, "md:md1", {"sync_speed_max_bytes": 5_000_000}), MD_GOOD),
    "md_without_bitmap": Example(
        Machine(MD, "md:md1", {"bitmap": "none", "consistency_policy": "resync"}),
        MD_GOOD,
    ),
    "md_unattended": Example(Machine("md-container-inactive"), MD_GOOD),
    "misaligned": Example(
        Machine(LSI, PAIR, {"layers": (SECTOR_63,)}),
        Machine(LSI, PAIR, {"layers": (AT_1_MIB,)}),
    ),
    "mixed_drive_caches": Example(Machine(LSI, "megaraid:0/310:2", {"write_cache": "enabled"}), GOOD),
    "mixed_drives": Example(Machine(LSI, "megaraid:0/310:2", {"media": "ssd"}), GOOD),
    "mixed_models": Example(Machine(LSI, "megaraid:0/310:2", {"firmware": "RE03"}), GOOD),
    "mixed_sectors": Example(Machine(LSI, "megaraid:0/310:2", {"sector_bytes": 4096}), GOOD),
    "nvme_health": Example(Machine(NVME, DRIVE, {"critical_warning": 1}), Machine(NVME)),
    "no_right": Example(Machine(LSI, problem=_problem("no_right", "May not look.")), GOOD, "unknown"),
    "no_tool": Example(Machine("host-raid-card-no-tool"), GOOD),
    "not_read": Example(Machine("megaraid-second-card-crashes"), GOOD, "unknown"),
    "patrol_off": Example(Machine(LSI, "megaraid:0", {"patrol_read": Scrub(mode="disabled")}), GOOD),
    "pcie_link_slow": Example(
        Machine(LSI, "megaraid:0", {"pci_link": PciLink(width=4, max_width=8, speed_gtps=16.0)}),
        Machine(LSI, "megaraid:0", {"pci_link": PciLink(width=8, max_width=8, speed_gtps=16.0)}),
    ),
    "raid0_in_use": Example(Machine(LSI, PAIR, {"raid_level": "raid0"}), GOOD),
    "raid5_large_drives": Example(Machine("megaraid-9271-learning"), Machine(P400)),
    "read_ahead_twice": Example(Machine(LSI, "megaraid:0/v1", {"cache": {"read_policy": "read_ahead"}}), GOOD),
    "reported_trouble": Example(Machine("areca-arc1882-degraded"), GOOD),
    "sas_link": Example(
        Machine("drives-sas-multipath", "drives:TGK00C3Z", {"errors": Errors(link=250)}),
        Machine("drives-sas-multipath"),
    ),
    "several_expect_failure": Example(
        Machine(SMART, "smartarray:0/1I:1:1", {"status": "warning", "status_text": "Predictive Failure"}),
        Machine(SMART),
    ),
    "spare_missing": Example(Machine("megaraid-9271-learning"), GOOD),
    "spare_unfit": Example(Machine(LSI, "megaraid:0/310:4", {"media": "ssd", "spare_for": ("megaraid:0/g1",)}), GOOD),
    "ssd_worn": Example(
        Machine(LSI, "megaraid:0/326:0", {"life_used_percent": 94}),
        Machine(LSI, "megaraid:0/326:0", {"life_used_percent": 12}),
    ),
    "state_unknown": Example(
        Machine(LSI, PAIR, {"status": "unknown", "status_text": "Copyback pending"}), GOOD, "unknown"
    ),
    "temperature_high": Example(Machine(LSI, "megaraid:0/310:2", {"temperature_celsius": 58}), GOOD),
    "unwritten_cache": Example(
        Machine("megaraid-perc5i-failed-battery", "megaraid:0", {"cache": {"preserved_data": True}}),
        Machine("megaraid-perc5i-failed-battery"),
    ),
    "volume_degraded": Example(Machine("md-degraded-rebuilding"), MD_GOOD),
    "volume_failed": Example(Machine(LSI, PAIR, {"status": "failed", "status_text": "OfLn"}), GOOD),
    "volume_rebuilding": Example(Machine(SMART), GOOD),
    "write_hole": Example(Machine("md-degraded-rebuilding"), Machine("md-journal-check")),
    "write_back_unprotected": Example(Machine("threeware-8006-mirror"), Machine(P400)),
    "write_cache_unused": Example(
        Machine(P400, "smartarray:1/v1", {"cache": {"write_policy": "write_through", "write_active": "write_through"}}),
        Machine(P400),
    ),
    "write_policy_not_in_force": Example(Machine("megaraid-9271-learning"), Machine(P400)),
    "zfs_sync_disabled": Example(
        Machine("zfs-raidz2-resilvering"), Machine("zfs-raidz2-resilvering", "zfs:archive", {"sync_disabled": ()})
    ),
}
"""The rules by name. A new rule without an example fails the tests."""

HEALTHY = (
    "drives-virtio",
    "host-lvm-on-md",
    "host-vm-virtio",
    "md-healthy",
    "megaraid-9660-storcli2",
    "smartarray-two-tools",
)
"""Recorded machines without any problem."""


def ask(rule: str, inventory: Inventory, where: str) -> Finding:
    """The finding of a rule on one object."""
    known = named(rule)
    assert known is not None
    [one] = [one for one in known.check(inventory) if one.where == where]
    return one
