"""Small machines for the guards. Each is a controller with one array, plain drives, or a software array on them."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from msgspec.structs import replace

from raidctl.health.redundancy import with_redundancy
from raidctl.host import BlockDevice, HostView
from raidctl.model import Array, Controller, Drive, Host, Inventory, Volume
from raidctl.operate.boot_loader import Surroundings
from raidctl.operate.removal import check
from raidctl.operate.removal_report import Outcome, Reason, Removal
from raidctl.vendor.unreported import Unreported

NOW = datetime(2026, 11, 2, tzinfo=timezone.utc)
HOST = Host(hostname="db7", collected_at="2026-11-02T00:00:00Z", source="local")
SILENT = Surroundings(
    unreported={
        ("x", "preserved_data"): Unreported(fact="preserved_data", why="its tool has no word for it"),
        ("x", "differences"): Unreported(fact="differences", why="its tool has no word for it"),
    }
)
"""A family that reports neither preserved data nor differences, as some do."""
OK: dict[str, Any] = {}
FAILED: dict[str, Any] = {"status": "critical", "status_text": "Failed"}
REBUILDING: dict[str, Any] = {"status": "warning", "status_text": "Rebuilding"}


def inventory(*controllers: Controller, **fields: Any) -> Inventory:
    """A machine with the remaining redundancy filled in. A survey does the same."""
    return Inventory(**{"host": HOST, **fields, "controllers": tuple(with_redundancy(controllers))})


def raid(level: str, *members: dict[str, Any], controller: dict[str, Any] | None = None, **volume: Any) -> Controller:
    """A controller with one volume. Each member is given by what differs from a good drive."""
    drives = tuple(
        Drive(**{"id": f"x:0/{number}", "enclosure": "1", "bay": str(number), "serial": f"S{number}", "role": "member",
                 "status": "ok", "array": "x:0/A", **changes})
        for number, changes in enumerate(members)
    )  # fmt: skip
    own = {drive.id for drive in drives if drive.role == "member" and drive.array}
    fields: dict[str, Any] = {"status": "ok", "drives_expected": len(own), "raid_level": level, **volume}
    kept: dict[str, Any] = {
        "id": "x:0", "mode": "raid", "drives": drives,
        "arrays": (Array(id="x:0/A", drives=tuple(drive.id for drive in drives if drive.id in own)),),
        "volumes": (Volume(id="x:0/v0", array="x:0/A", **fields),),
    }  # fmt: skip
    return Controller(**{**kept, **(controller or {})})


def asked(
    found: Inventory, drive: str = "x:0/0", view: HostView | None = None, around: Surroundings = SILENT
) -> Removal:
    """The answer about a drive."""
    return check(found, view or HostView(), drive, NOW, around)


def of(guard: str, answer: Removal) -> set[Outcome]:
    """The verdicts of one guard."""
    return {reason.verdict for reason in reasons(guard, answer)}


def reasons(guard: str, answer: Removal) -> list[Reason]:
    """The reasons of one guard."""
    return [reason for reason in answer.reasons if reason.guard == guard]


def disk(name: str, **changes: Any) -> BlockDevice:
    """A drive as the kernel shows it, in the udev database."""
    kept: dict[str, Any] = {"kind": "disk", "serial": f"S-{name}", "links": (f"/dev/disk/by-id/ata-{name}",)}
    return BlockDevice(name, f"/dev/{name}", **{**kept, **changes})


def joined(*paths: str) -> BlockDevice:
    """The multipath device of several paths to one drive."""
    return BlockDevice("dm-1", "/dev/dm-1", "dm", slaves=paths, dm_name="mpatha", dm_uuid="mpath-S-sdc",
                       links=("/dev/disk/by-id/dm-uuid-mpath-S-sdc",))  # fmt: skip


def part(name: str, **changes: Any) -> BlockDevice:
    """A partition, in the udev database."""
    kept: dict[str, Any] = {"links": (f"/dev/disk/by-partlabel/{name}",), **changes}
    return BlockDevice(name, f"/dev/{name}", "partition", parent=name.rstrip("0123456789"), **kept)


def plain(*names: str, **changes: Any) -> Controller:
    """Plain drives."""
    kept: dict[str, Any] = {"role": "passthrough", "status": "ok", "interface": "sata", "media": "hdd", **changes}
    drives = tuple(Drive(id=f"drives:S-{name}", device=f"/dev/{name}", serial=f"S-{name}", **kept) for name in names)
    return Controller(id="drives:0000:00:17.0", mode="none", drives=drives)


def software(level: str, *parts: str, **volume: Any) -> Controller:
    """The array md0 on these partitions of plain drives."""
    drives = tuple(
        Drive(id=f"md:md0/{name}", device=f"/dev/{name}", role="member", status="ok", array="md:md0/array",
              serial=f"S-{name.rstrip('0123456789')}", backing=(f"drives:S-{name.rstrip('0123456789')}",))
        for name in parts
    )  # fmt: skip
    fields: dict[str, Any] = {
        "status": "ok", "drives_expected": len(parts), "drives_active": len(parts), "mismatch_count": 0,
        "device": "/dev/md0", "raid_level": level, **volume,
    }  # fmt: skip
    return Controller(
        id="md", mode="software", drives=drives, volumes=(Volume(id="md:md0", array="md:md0/array", **fields),),
        arrays=(Array(id="md:md0/array", drives=tuple(drive.id for drive in drives)),),
    )  # fmt: skip


def mirror(**volume: Any) -> tuple[Inventory, HostView]:
    """A mirror md0 on sda1 and sdb1. The kernel's view of it is included."""
    found = inventory(plain("sda", "sdb"), software("raid1", "sda1", "sdb1", **volume))
    member: dict[str, Any] = {"filesystem": "linux_raid_member"}
    array = BlockDevice("md0", "/dev/md0", "md", slaves=("sda1", "sdb1"), mountpoints=("/srv",), filesystem="ext4")
    return found, HostView(blocks=(disk("sda"), disk("sdb"), part("sda1", **member), part("sdb1", **member), array))


def with_blocks(view: HostView, *blocks: BlockDevice) -> HostView:
    """The view with further devices."""
    return replace(view, blocks=(*view.blocks, *blocks))
