"""Volumes that lack a member although their tool reports them as ok. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.health.array_states import lacks_a_drive
from raidctl.health.redundancy import INCOMPLETE, WHOLE, array_of, being_copied, being_rebuilt, below, members_expected
from raidctl.model import Controller, Drive, Volume, has_failed


def shortage(controller: Controller, volume: Volume) -> str:
    """``reported ok, but 3 of 4 members work``; empty if no member is missing.

    Members that have failed or are rebuilt are not counted: each of them is a condition itself. A volume that is
    initialised needs all members as well.
    """
    want, active = members_expected(volume), volume.drives_active
    if volume.status not in (*WHOLE, "initializing") or want is None or active is None:
        return ""
    word = "ok" if volume.status in WHOLE else volume.status
    judged = sum(has_failed(drive) or being_rebuilt(drive) for drive in below(controller, volume))
    return f"reported {word}, but {active} of {want} members work" if active + judged < want else ""


def volumes_lacking(controller: Controller, drive: Drive) -> list[Volume]:
    """The volumes of which a failed drive is a member that nothing has replaced.

    An array that lists as many working members as it needs has replaced the drive, even if it still lists it.
    """
    found = []
    for volume in controller.volumes:
        listed = below(controller, volume)
        expected = members_expected(volume) or len(listed)
        if any(one.id == drive.id for one in listed) and len(intact(controller, listed)) < expected:
            found.append(volume)
    return found


def intact(controller: Controller, drives: Sequence[Drive]) -> list[Drive]:
    """The members that hold their part of the data.

    A controller lists the drive onto which it copies a member's data as well, but the data is that member's.
    """
    copies = controller.mode != "software"
    return [drive for drive in drives if not not_whole(drive) and not (copies and being_copied(drive))]


def not_whole(drive: Drive) -> str:
    """Why a member lacks its data: ``has failed``, ``is being rebuilt``. Empty if it is not known to lack any.

    A member that is being copied to its replacement drive still works.
    """
    if has_failed(drive):
        return "has failed"
    return "is being rebuilt" if being_rebuilt(drive) and not being_copied(drive) else ""


def why_incomplete(controller: Controller, volume: Volume) -> list[str]:
    """Why a volume lacks a member: ``it is degraded``, or the signs of it. Empty if none is known to be missing."""
    if volume.status in INCOMPLETE:
        return [f"it is {volume.status}"]
    return signs_of_missing_member(controller, volume)


def signs_of_missing_member(controller: Controller, volume: Volume) -> list[str]:
    """What shows that a volume lacks a member although its tool reports it as ok.

    ``smartarray:0/1I:1:2 has failed``, ``array smartarray:0/A is reported as Failed Physical Drive``. Failed drives
    that are listed beside enough working members do not count.
    """
    if volume.status not in WHOLE:
        return []
    array, drives = array_of(controller, volume), below(controller, volume)
    lost = {drive.id: why for drive in drives if (why := not_whole(drive))}
    expected = members_expected(volume)
    found = [f"{name} {why}" for name, why in lost.items()]
    if expected and len(intact(controller, drives)) >= expected:
        found = []
    elif not found and (words := shortage(controller, volume)):
        found = [f"it is {words}"]
    if array is not None and lacks_a_drive(array):
        found.append(f"array {array.id} is reported as {array.status_text or array.status}")
    return found
