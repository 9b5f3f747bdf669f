"""Members of software arrays get what the tools of plain drives have told of the disks that they lie on. Pure.

The kernel does not tell how fast a disk turns; smartctl and hdparm do, of the disk and not of its partitions. Health,
temperature, counters and the write cache stay with the drive itself, which is listed once: a member's state is what
its array says of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from raidctl.discovery.index import Index
from raidctl.evidence import Sheet
from raidctl.host import HostView
from raidctl.model import Controller, Drive

_MAKE = ("model", "serial", "firmware", "wwn", "media", "interface", "rpm", "link_gbps", "max_link_gbps")
"""What a disk is, wherever it is partitioned."""


def described(controllers: Sequence[Controller], view: HostView, sheets: Iterable[Sheet]) -> list[Controller]:
    """The controllers, the members of software arrays with what is told of their disks.

    Each fact's evidence is the line that told it of the disk, and is put on that line's sheet; without one it is not
    taken over.
    """
    known = list(sheets)
    index = Index(view)
    disks = {drive.device: drive for c in controllers if c.mode != "software" for drive in c.drives if drive.device}

    def member(drive: Drive) -> Drive:
        disk = _disk(drive, index, disks)
        told = {} if disk is None else _lacking(drive, disk)
        if disk is not None and told:
            return replace(drive, **_proven(told, disk.id, drive.id, known))
        return drive

    return [replace(c, drives=tuple(map(member, c.drives))) if c.mode == "software" else c for c in controllers]


def _disk(drive: Drive, index: Index, disks: Mapping[str, Drive]) -> Drive | None:
    """The one drive that a member is, or is a partition of; None for what lies on several, or on none that is listed.

    Several paths to a disk are one drive.
    """
    nodes = _below(drive.device or "", index)
    found = {disk.id: disk for node, disk in disks.items() if nodes and _below(node, index) == nodes}
    return next(iter(found.values())) if len(found) == 1 else None


def _below(node: str, index: Index) -> set[str]:
    """The disks that a device lies on: itself, or the paths of a multipath device."""
    block = index.device(node)
    return {below.node for below in index.below(block)} if block else set()


def _lacking(drive: Drive, disk: Drive) -> dict[str, Any]:
    return {
        name: value for name in _MAKE if getattr(drive, name) is None and (value := getattr(disk, name)) is not None
    }


def _proven(told: Mapping[str, Any], source: str, target: str, sheets: Iterable[Sheet]) -> dict[str, Any]:
    """Those of the facts that a line tells of the source, written to the sheets for the target as well."""
    proven: dict[str, Any] = {}
    for sheet in sheets:
        for fact in list(sheet.facts):
            if fact.object_id == source and fact.field in told and fact.value == str(told[fact.field]):
                sheet.fact(fact.line, target, fact.field, fact.value)
                proven[fact.field] = told[fact.field]
    return proven
