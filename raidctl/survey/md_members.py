"""Link members of software arrays to the drives and volumes below. Pure.

``Drive.backing`` names the drives, volumes or arrays below a member. A member on one drive also gets that drive's
identity; health, temperature, counters and the write cache stay with the drive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from raidctl.evidence import Output
from raidctl.host import HostView, disk_of
from raidctl.model import Controller, Drive

_MAKE = ("model", "serial", "firmware", "wwn", "media", "interface", "rpm", "link_gbps", "max_link_gbps")
"""Facts of a drive that hold for each of its partitions."""


def add_backing(controllers: Sequence[Controller], view: HostView, outputs: Iterable[Output]) -> list[Controller]:
    """Add backing and drive identity to the members of software arrays.

    Each fact's evidence is the line that reported it for the drive, and is added to that line's output; a fact without
    such a line is not copied.
    """
    known = list(outputs)
    drives = {drive.id: drive for c in controllers if c.mode != "software" for drive in c.drives}
    places = [(volume.device, volume.id) for c in controllers for volume in c.volumes]
    places += [(drive.device, drive.id) for drive in drives.values()]
    ids = {_name(device, view): object_id for device, object_id in places if device}

    def member(drive: Drive) -> Drive:
        backing = tuple(_nearest(drive, view, ids))
        below = drives.get(backing[0]) if len(backing) == 1 else None
        lacking = {} if below is None else _lacking(drive, below)
        made = _proven(lacking, below.id, drive.id, known) if below is not None and lacking else {}
        return replace(drive, backing=backing, **made)

    return [replace(c, drives=tuple(map(member, c.drives))) if c.mode == "software" else c for c in controllers]


def _name(node: str, view: HostView) -> str:
    block = view.block(node)
    return block.name if block else node


def _nearest(drive: Drive, view: HostView, ids: Mapping[str, str]) -> Iterator[str]:
    """Yield the ids of the nearest drives and volumes below a member.

    Each is yielded once, the member's own array never.
    """
    waiting, seen = [_name(drive.device or "", view)], set[str]()
    for name in waiting:
        found = ids.get(name)
        block = view.block(name)
        disk = None if view.blocks else disk_of(name)
        if found is not None and not drive.id.startswith(f"{found}/"):
            if found not in seen:
                seen.add(found)
                yield found
        elif disk is not None:
            waiting.append(disk)
        elif block is not None and name not in seen:
            seen.add(name)
            waiting += [*block.slaves, *([block.parent] if block.parent else [])]


def _lacking(drive: Drive, disk: Drive) -> dict[str, Any]:
    return {
        name: value for name in _MAKE if getattr(drive, name) is None and (value := getattr(disk, name)) is not None
    }


def _proven(facts: Mapping[str, Any], source: str, target: str, outputs: Iterable[Output]) -> dict[str, Any]:
    """Return the facts that a line reports for the source. Record them for the target as well."""
    proven: dict[str, Any] = {}
    for output in outputs:
        for fact in list(output.facts):
            if fact.object_id == source and fact.field in facts and fact.value == str(facts[fact.field]):
                fact.line.fact(target, fact.field, fact.value)
                proven[fact.field] = facts[fact.field]
    return proven
