"""Inventories for the tests of the output: names and numbers are invented."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from raidctl.health.redundancy import with_redundancy
from raidctl.model import (
    Array,
    Battery,
    Cache,
    Capability,
    Controller,
    Drive,
    Errors,
    Host,
    Inventory,
    Problem,
    Progress,
    Tool,
    Volume,
    VolumeCache,
)
from tests.support.machines import replayed

MIB = 1024**2
HOST = Host(hostname="db7", kernel="5.14.0-503.el9.x86_64", collected_at="2026-03-04T05:06:07Z", source="local")


def whole(**fields: Any) -> Inventory:
    """An inventory with its remaining redundancy, filled in as by a survey."""
    return Inventory(**{**fields, "controllers": tuple(with_redundancy(fields["controllers"]))})


def bay_drive(number: int, **changes: object) -> Drive:
    """A SAS drive in bay ``number`` of the controller in slot 1."""
    fields: dict[str, object] = {
        "id": f"smartarray:1/1I:1:{number}",
        "enclosure": "1",
        "bay": str(number),
        "array": "smartarray:1/A",
        "role": "member",
        "model": "EG0900XQBRM",
        "serial": f"KX40{number:04d}Q",
        "firmware": "HPD6",
        "size_bytes": 900_100_000_000,
        "media": "hdd",
        "interface": "sas",
        "rpm": 10_000,
        "status": "ok",
        "status_text": "OK",
        "temperature_celsius": 30 + number % 9,
        "link_gbps": 6.0,
    }
    return Drive(**{**fields, **changes})  # type: ignore[arg-type]  # the tests vary single fields by name


def controller_with(drives: tuple[Drive, ...], **changes: object) -> Controller:
    """A controller with one array, one volume and a battery, all healthy."""
    cache = VolumeCache(
        write_policy="protected_write_back",
        write_active="write_back",
        controller_cache="protected",
        drive_caches="off",
        write_protected=True,
        drive_write_cache="disabled",
    )
    members = tuple(drive.id for drive in drives if drive.role == "member")
    spares = tuple(drive.id for drive in drives if drive.role == "spare")
    fields: dict[str, object] = {
        "id": "smartarray:1",
        "vendor": "HP",
        "model": "Smart Array P410i",
        "serial": "5001438011223340",
        "firmware": "6.64",
        "driver": "hpsa",
        "pci_address": "0000:05:00.0",
        "slot": "1",
        "status": "ok",
        "mode": "raid",
        "cache": Cache(
            present=True,
            status="ok",
            size_bytes=512 * MIB,
            read_percent=25,
            write_percent=75,
            read_bytes=128 * MIB,
            write_bytes=384 * MIB,
            no_battery_write_cache=False,
        ),
        "batteries": (Battery(id="smartarray:1/battery0", kind="battery", status="ok", status_text="OK"),),
        "arrays": (Array(id="smartarray:1/A", status="ok", drives=members, spares=spares, free_bytes=0),),
        "volumes": (
            Volume(
                id="smartarray:1/v1",
                array="smartarray:1/A",
                raid_level="raid5",
                size_bytes=2_700_200_000_000,
                strip_bytes=256 * 1024,
                status="ok",
                device="/dev/sda",
                mountpoints=("/", "/boot", "/var/lib/mysql"),
                unique_id="600508B1001C5A6B7C8D9E0F11223344",
                cache=cache,
            ),
        ),
        "drives": drives,
        "capabilities": {"cache_split": Capability(read=True, set=True)},
    }
    return Controller(**{**fields, **changes})  # type: ignore[arg-type]  # as above


HEALTHY = whole(
    host=HOST,
    controllers=(
        controller_with(
            (
                *(bay_drive(n) for n in range(1, 5)),
                bay_drive(5, role="spare", spare_for=("smartarray:1/A",), array=None),
            )
        ),
    ),
    tools=(Tool(name="ssacli", path="/usr/sbin/ssacli", version="6.30-8.0"),),
)

_WELL = controller_with(tuple(bay_drive(n) for n in range(1, 5)))
DEGRADED = whole(
    host=HOST,
    controllers=(
        controller_with(
            (
                *(bay_drive(n) for n in range(1, 4)),
                bay_drive(
                    4, status="critical", status_text="Failed", temperature_celsius=None, errors=Errors(media=12)
                ),
            ),
            cache=Cache(
                present=True,
                status="warning",
                status_text="Temporarily Disabled",
                size_bytes=512 * MIB,
                read_percent=25,
                write_percent=75,
                no_battery_write_cache=False,
            ),
            batteries=(
                Battery(
                    id="smartarray:1/battery0",
                    kind="battery",
                    status="failed",
                    status_text="Failed (Replace Batteries)",
                ),
            ),
            arrays=(Array(id="smartarray:1/A", status="critical", drives=_WELL.arrays[0].drives, free_bytes=0),),
            volumes=(
                Volume(
                    id="smartarray:1/v1",
                    array="smartarray:1/A",
                    raid_level="raid5",
                    size_bytes=2_700_200_000_000,
                    strip_bytes=256 * 1024,
                    status="degraded",
                    status_text="Interim Recovery Mode",
                    device="/dev/sda",
                    mountpoints=("/", "/boot", "/var/lib/mysql"),
                    cache=VolumeCache(
                        write_policy="protected_write_back",
                        write_active="write_through",
                        controller_cache="not_caching",
                        drive_caches="off",
                        write_protected=True,
                        why_not_in_force="battery failed",
                        drive_write_cache="disabled",
                    ),
                ),
            ),
        ),
    ),
    problems=(
        Problem(
            severity="warning",
            where="smartarray:1/v1",
            message="The volume has lost its redundancy: one more failed drive loses the data.",
            remedy="Replace drive 1I:1:4; the rebuild starts by itself.",
            kind="state",
        ),
        Problem(
            severity="info",
            where="ssacli",
            message="Two tools of this family are installed; ssacli was asked because it lists the card.",
        ),
    ),
)


def _md_volume(name: str, level: str, **changes: object) -> Volume:
    fields: dict[str, object] = {
        "id": f"md:{name}",
        "array": f"md:{name}/array",
        "raid_level": level,
        "size_bytes": 1_071_644_672,
        "status": "ok",
        "device": f"/dev/{name}",
        "metadata": "1.2",
        "drives_expected": 2,
        "drives_active": 2,
    }
    return Volume(**{**fields, **changes})  # type: ignore[arg-type]  # as above


def _partition(array: str, name: str, **changes: object) -> Drive:
    fields: dict[str, object] = {
        "id": f"md:{array}/{name}",
        "array": f"md:{array}/array",
        "role": "member",
        "device": f"/dev/{name}",
        "size_bytes": 1_071_644_672,
        "status": "ok",
    }
    return Drive(**{**fields, **changes})  # type: ignore[arg-type]  # as above


SOFTWARE = whole(
    host=Host(
        hostname="store-2", kernel="6.1.0-18-amd64", collected_at="2026-03-04T05:06:07Z", source="ssh:root@store-2"
    ),
    controllers=(
        Controller(
            id="drives:0000:00:1f.2",
            vendor="Intel Corporation",
            model="C600/X79 series chipset 6-Port SATA AHCI Controller",
            driver="ahci",
            pci_address="0000:00:1f.2",
            status="ok",
            mode="none",
            drives=tuple(
                Drive(
                    id=f"drives:WD-WCC4N{n}XLRQ8",
                    role="passthrough",
                    device=f"/dev/sd{letter}",
                    model="WDC WD40EFRX-68N32N0",
                    serial=f"WD-WCC4N{n}XLRQ8",
                    firmware="82.00A82",
                    size_bytes=4_000_787_030_016,
                    media="hdd",
                    interface="sata",
                    rpm=5400,
                    status="ok",
                    temperature_celsius=31 + n,
                    link_gbps=6.0,
                    write_cache="enabled",
                    power_on_hours=40_000 + n,
                )
                for n, letter in enumerate("ab", 1)
            ),
        ),
        Controller(
            id="md",
            vendor="Linux",
            model="Linux md",
            status="ok",
            mode="software",
            arrays=(
                Array(id="md:md0/array", status="ok", drives=("md:md0/sda1", "md:md0/sdb1")),
                Array(id="md:md1/array", status="warning", drives=("md:md1/sda2", "md:md1/sdb2")),
            ),
            volumes=(
                _md_volume("md0", "raid1", mountpoints=("/boot",), bitmap="none", consistency_policy="resync"),
                _md_volume(
                    "md1",
                    "raid1",
                    size_bytes=3_999_000_000_000,
                    status="rebuilding",
                    status_text="clean, degraded, recovering",
                    drives_active=1,
                    progress=Progress(operation="recovery", percent=12.6),
                    mountpoints=("/", "/srv/backup/of/every/machine/in/the/whole/building/since/2014"),
                    bitmap="internal",
                    consistency_policy="bitmap",
                ),
            ),
            drives=(
                _partition("md0", "sda1"),
                _partition("md0", "sdb1"),
                _partition("md1", "sda2"),
                _partition("md1", "sdb2", status="warning", status_text="rebuilding", flags=("write_mostly",)),
            ),
        ),
    ),
)

PARTIAL = whole(
    host=Host(source="replay:ld-all-show.txt"),
    controllers=(
        Controller(
            id="smartarray:unknown",
            model="Smart Array P222",
            volumes=(Volume(id="smartarray:unknown/v1", raid_level="raid1", size_bytes=900_100_000_000, status="ok"),),
        ),
    ),
)

THIRTY = whole(host=HOST, controllers=(controller_with(tuple(bay_drive(n) for n in range(1, 31))),))
NOTHING = Inventory(
    host=HOST,
    problems=(
        Problem(
            severity="error",
            where="0000:05:00.0",
            message="The kernel sees a RAID controller (driver hpsa), and no tool lists it.",
            remedy="Install ssacli.",
            kind="no_tool",
        ),
    ),
)
EVERY = {
    "healthy": HEALTHY,
    "degraded": DEGRADED,
    "software": SOFTWARE,
    "partial": PARTIAL,
    "thirty": THIRTY,
    "nothing": NOTHING,
}


def stacked() -> Inventory:
    """A software array on the volume of a controller whose battery has failed."""
    machine = replayed("adaptec-5405-failed-battery").inventory
    [volume] = machine.controllers[0].volumes
    member = Drive(id="md:md0/sda", array="md:md0/array", role="member", status="ok", backing=(volume.id,))
    array = Array(id="md:md0/array", drives=(member.id,), status="ok")
    upper = Volume(id="md:md0", array=array.id, raid_level="raid0", status="ok")
    md = Controller(id="md", mode="software", arrays=(array,), volumes=(upper,), drives=(member,))
    return structs.replace(machine, controllers=(*machine.controllers, md))
