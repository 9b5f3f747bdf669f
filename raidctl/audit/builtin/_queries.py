"""Queries that several rules share: volumes, drives and batteries, arithmetic of stripes. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from raidctl.health.redundancy import NOT_WHOLE, OUT_OF_REACH, array_of, below, members, queued, rebuilding
from raidctl.health.spares import medium
from raidctl.model import Battery, Controller, Drive, Inventory, Volume
from raidctl.model.drives_below import physical_drives
from raidctl.model.raid_levels import PARITY, PARITY_DRIVES, REDUNDANT, SINGLE_PARITY, SPANNED
from raidctl.select import family_of
from raidctl.text import regex

__all__ = [
    "GOOD_BATTERY", "NOT_WHOLE", "OUT_OF_REACH", "PARITY", "REDUNDANT", "SINGLE_PARITY", "array_of", "batteries",
    "below", "cached_volumes", "count", "data_drives", "database", "drives", "full_stripe",
    "md_volumes", "medium", "members", "other_reason", "physical", "protected", "queued", "rebuilding",
    "software_volumes", "used_volumes", "volumes",
]  # fmt: skip

GOOD_BATTERY = frozenset(("ok", "learning", "charging"))

_DATABASE = regex(
    r"(^|[/_.-])(mysql|mariadb|postgres(ql)?|pgsql|pgdata|oracle|oradata|mongodb?|mssql|sqlserver|cassandra|couchdb|"
    r"clickhouse|influxdb|db2|db|database|databases|redo|innodb|percona|firebird|redis|etcd)\d*([/_.-]|$)",
    re.IGNORECASE,
)
"""Directory names of databases, as whole words of a path."""


_OTHER_REASONS = (
    (r"overheat", "Cool the machine before anything else: check fans, filters and the room. Replace no drive."),
    (r"multi-?path", "Check cables, expanders and the second path to the drives. Replace no drive."),
    (
        r"wrong (?:physical )?drive",
        "Power the machine off, put the drive that was removed by mistake back into its bay, and power it on.",
    ),
    (
        r"refresh needed",
        "A device was away for some time: check its cable, then update its copy with `lvchange --refresh {}`.",
    ),
    (
        r"^suspended",
        "Connect its drives again (cables, power, expander), then `zpool clear {}`. Create and destroy nothing.",
    ),
    (r"missing key", "Give the controller its encryption key. Create or initialise nothing, and replace no drive."),
)  # fmt: skip


def other_reason(volume: Volume) -> str | None:
    """What to do about a volume whose status text names another cause than a failed drive. None without one."""
    found = (do for words, do in _OTHER_REASONS if re.search(words, volume.status_text or "", re.IGNORECASE))
    do = next(found, None)
    return do.format(volume.id.partition(":")[2]) if do else None


def volumes(inventory: Inventory) -> Iterator[tuple[Controller, Volume]]:
    """Every volume with its controller."""
    return ((controller, volume) for controller in inventory.controllers for volume in controller.volumes)


def used_volumes(inventory: Inventory) -> Iterator[tuple[Controller, Volume]]:
    """The usable volumes: the settings of a failed one do not matter."""
    return ((controller, volume) for controller, volume in volumes(inventory) if volume.status not in OUT_OF_REACH)


def cached_volumes(inventory: Inventory) -> Iterator[tuple[Controller, Volume]]:
    """The usable volumes whose controller could cache them."""
    return ((controller, volume) for controller, volume in used_volumes(inventory) if volume.cache is not None)


def software_volumes(inventory: Inventory) -> Iterator[tuple[Controller, Volume]]:
    """The volumes of software RAID."""
    return ((controller, volume) for controller, volume in volumes(inventory) if controller.mode == "software")


def md_volumes(inventory: Inventory) -> Iterator[tuple[Controller, Volume]]:
    """The volumes of Linux md. Settings and tools of md are for no other software RAID."""
    return ((controller, volume) for controller, volume in volumes(inventory) if family_of(controller) == "md")


def drives(inventory: Inventory) -> Iterator[tuple[Controller, Drive]]:
    """Every physical drive once, with its controller."""
    return physical_drives(inventory.controllers)


def batteries(inventory: Inventory) -> Iterator[tuple[Controller, Battery]]:
    """Every battery with its controller."""
    return ((controller, battery) for controller in inventory.controllers for battery in controller.batteries)


def physical(inventory: Inventory, member: Drive) -> tuple[Drive, ...]:
    """Physical drives below a member: itself, a partition's or a volume's."""
    named = set(member.backing)
    found = tuple(drive for _, drive in drives(inventory) if drive.id in named)
    return found or ((member,) if not named else ())


def count(controller: Controller, volume: Volume) -> int | None:
    """The number of drives of a volume; None if unknown."""
    return volume.drives_expected or len(below(controller, volume)) or _strips_in_stripe(volume)


def _strips_in_stripe(volume: Volume) -> int | None:
    """The number of drives of a RAID-0 by its stripe, which has a strip on each; 1 for jbod."""
    if volume.raid_level == "jbod":
        return 1
    if volume.raid_level != "raid0" or not volume.strip_bytes or not volume.full_stripe_bytes:
        return None
    return volume.full_stripe_bytes // volume.strip_bytes or None


def data_drives(controller: Controller, volume: Volume) -> int | None:
    """The number of drives that hold the data of one stripe. None if unknown."""
    number = count(controller, volume)
    if number is None:
        return None
    level = volume.raid_level or "unknown"
    if level == "raid0" or level in PARITY_DRIVES:
        spans = (volume.spans or 0) if level in SPANNED else 1
        parity = PARITY_DRIVES.get(level, 0) * spans
        return number - parity if spans and number > parity else None
    if level == "raid10" and controller.mode != "software" and number % 2 == 0:
        return number // 2
    return None


def full_stripe(controller: Controller, volume: Volume) -> int | None:
    """Bytes of data in one stripe across all drives; None if unknown."""
    if volume.full_stripe_bytes:
        return volume.full_stripe_bytes
    data = data_drives(controller, volume)
    return volume.strip_bytes * data if volume.strip_bytes and data else None


def database(mountpoints: Sequence[str]) -> str | None:
    """The first mount point with the name of a database. None if there is none."""
    return next((point for point in mountpoints if _DATABASE.search(point)), None)


def protected(controller: Controller) -> bool | None:
    """Whether the controller has batteries or capacitors that are all good. None if unknown."""
    if not controller.batteries:
        return None
    if any(battery.status not in ("ok", "unknown") or battery.replace for battery in controller.batteries):
        return False
    return None if any(battery.status == "unknown" for battery in controller.batteries) else True
