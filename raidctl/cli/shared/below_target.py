"""What inventory and kernel report of the storage below a target."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from raidctl.bench.mapping import ranges
from raidctl.bench.trials.trial import MIB, Below, Link
from raidctl.discovery.sysfs import PCI
from raidctl.host import BlockDevice
from raidctl.layers.scope import Scope
from raidctl.model import Cache, Controller, Drive, Volume
from raidctl.model.objects import by_id
from raidctl.request import Failure, Read, Run, Runner, ask, ask_all, converse
from raidctl.text import regex

_SPEED = regex(r"([0-9.]+) GT/s", re.ASCII)
_OLD = 5.0
"""GT/s up to which a PCI lane carries eight bits in ten. Above that, it carries 128 in 130."""
_SAS = 12.0
"""Gbit/s up to which SATA and SAS carry eight bits in ten."""
_OF_DRIVES = {"enabled": "write_back", "disabled": "off"}


def below(scope: Scope | None, asks: Runner, rpm: float | None) -> Below:
    """Return everything that the inventory and the kernel report."""
    if scope is None:
        return Below(rpm=rpm)
    drives = [drive for _, drive in scope.drives]
    found = Below(rpm=rpm, write_cache=_write_cache(scope), links=(*_of_drives(drives), *_of_controllers(scope, asks)))
    if len(scope.volumes) == 1:
        found = _volume(found, *scope.volumes[0])
    root = scope.roots[0] if len(scope.roots) == 1 else None
    disks = [block for block in scope.blocks if block.kind != "partition" and not block.slaves]
    if len(disks) == 1:
        bare = root is not None and disks[0].name in (root.name, root.parent)
        found = replace(found, disk=disks[0].node, bare=bare)
    return found if root is None or root.kind != "dm" else _mapped(found, root, asks)


def _volume(found: Below, controller: Controller, volume: Volume) -> Below:
    array = by_id(controller.arrays, volume.array)
    members = [drive for drive in controller.drives if array is not None and drive.id in array.drives]
    sizes = [drive.size_bytes for drive in members]
    alone = array is not None and [v.id for v in controller.volumes if v.array == array.id] == [volume.id]
    # an array with free space, or with other volumes, is larger than what is measured
    whole = alone and array is not None and not array.free_bytes
    return replace(
        found,
        level=volume.raid_level,
        strip=volume.strip_bytes,
        # missing members count: the array was created with them
        drives=volume.drives_expected or len(members) or None,
        drive_bytes=min(size for size in sizes if size) if all(sizes) and sizes else None,
        volume_bytes=volume.size_bytes if whole else None,
        cache=_cache(controller.cache),
        read_percent=_read_percent(controller.cache),
    )


def _cache(cache: Cache | None) -> int | None:
    if cache is None:
        return None
    return 0 if cache.present is False else cache.size_bytes


def _read_percent(cache: Cache | None) -> float | None:
    """Return the read share of a controller whose cache is split."""
    if cache is None or cache.present is False:
        return None
    if cache.read_percent is not None:
        return float(cache.read_percent)
    whole = cache.available_bytes or cache.size_bytes
    return 100 * cache.read_bytes / whole if cache.read_bytes is not None and whole else None


def _write_cache(scope: Scope) -> str | None:
    """Return "on" if any layer has an active write cache. Return "off" if all layers report that they have none."""
    reported: list[str | None] = [volume.cache.write_active if volume.cache else None for _, volume in scope.volumes]
    reported += [_OF_DRIVES.get(drive.write_cache or "") for _, drive in scope.drives]
    if "write_back" in reported:
        return "on"
    return "off" if reported and None not in reported else None


def _of_drives(drives: Sequence[Drive]) -> list[Link]:
    """Return the link of a single drive. Behind a controller are several, and caches before them."""
    one = drives[0] if len(drives) == 1 else None
    if one is None or one.link_gbps is None or one.interface not in ("sata", "sas", "ata", "scsi"):
        return []
    share = 0.8 if one.link_gbps <= _SAS else 128 / 150
    return [Link(name=f"link of {one.id} ({one.link_gbps:g} Gbit/s)", mib=one.link_gbps * 1e9 * share / 8 / MIB)]


def _of_controllers(scope: Scope, asks: Runner) -> list[Link]:
    """Return the negotiated PCI links of the controllers of the drives."""
    addresses = sorted({block.pci_address for block in scope.blocks if block.pci_address})
    names = ("current_link_speed", "current_link_width")
    requests = [Read(f"{PCI}/{address}/{name}") for address in addresses for name in names]
    answers = iter(converse(ask_all(requests), asks))
    found = []
    for address in addresses:
        speed, width = ((answer.text or "").strip() for answer in (next(answers), next(answers)))
        match = _SPEED.match(speed)
        if match and width.isdigit() and int(width):
            each = float(match[1])
            share = 0.8 if each <= _OLD else 128 / 130
            mib = each * 1e9 * share / 8 * int(width) / MIB
            found.append(Link(name=f"PCI link of {address} ({each:g} GT/s, {width} lanes)", mib=mib))
    return found


def _mapped(found: Below, root: BlockDevice, asks: Runner) -> Below:
    """Add the extents of a mapping, or why they are unknown."""
    name = root.dm_name or root.name
    answer = converse(ask(Run(("dmsetup", "table", name))), asks)
    if answer.trouble is Failure.MISSING:
        return replace(
            found, why_no_ranges=f"Which devices hold the bytes of {name} is unknown: dmsetup is not installed."
        )
    if answer.trouble is not None or answer.code:
        hint = " Run raidctl as root (sudo)." if os.geteuid() else ""
        return replace(
            found, why_no_ranges=f"Which devices hold the bytes of {name} could not be read with dmsetup.{hint}"
        )
    pieces = ranges(root.node, answer.text, _node)
    if not pieces:
        kinds = ", ".join(sorted({line.split()[2] for line in answer.text.splitlines() if len(line.split()) > 2}))
        why = f"{name} is a mapping of the kind {kinds or 'unknown'}, whose bytes are not contiguous below it."
        return replace(found, why_no_ranges=why)
    return replace(found, ranges=pieces)


def _node(numbers: str) -> str | None:
    """Return ``/dev/sda3`` for ``8:3``."""
    place = Path(f"/sys/dev/block/{numbers}")
    return f"/dev/{place.resolve().name.replace('!', '/')}" if place.exists() else None
