"""Volumes that lack a member although their tool reports them as ok. Pure."""

from __future__ import annotations

from raidctl.health.redundancy import WHOLE, being_rebuilt, below
from raidctl.model import Controller, Drive, Volume, has_failed


def although_ok(controller: Controller, volume: Volume) -> str:
    """``reported ok, but 3 of 4 members work``; empty if no member is missing.

    Members that have failed or are rebuilt are not counted: each of them is a condition itself.
    """
    want, active = volume.drives_expected, volume.drives_active
    if volume.status not in WHOLE or want is None or active is None:
        return ""
    judged = sum(has_failed(drive) or being_rebuilt(drive) for drive in below(controller, volume))
    return f"reported ok, but {active} of {want} members work" if active + judged < want else ""


def lacking(controller: Controller, drive: Drive) -> list[Volume]:
    """The volumes of which a failed drive is a member that nothing has replaced.

    An array that lists as many working members as it needs has replaced the drive, even if it still lists it.
    """
    found = []
    for volume in controller.volumes:
        listed = below(controller, volume)
        working = sum(not has_failed(one) and not being_rebuilt(one) for one in listed)
        if any(one.id == drive.id for one in listed) and working < (volume.drives_expected or len(listed)):
            found.append(volume)
    return found
