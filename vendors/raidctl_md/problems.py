"""What a person has to be told of an array."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.model import Drive, Problem, Volume
from raidctl.text import listing
from raidctl_md.parts import Trouble


def of_trouble(trouble: Trouble, where: str) -> Problem:
    """The problem of a trouble, now that the object's id is known."""
    return Problem(
        severity=trouble.severity, where=where, message=trouble.message, remedy=trouble.remedy, kind=trouble.kind
    )


def of_volume(volume: Volume, failed: Sequence[Drive]) -> list[Problem]:
    """Degraded, failed, not started; a member that failed and was replaced by a spare; a level that is none."""
    problems: list[Problem] = []
    name = volume.device or f"The array {volume.name or volume.id}"
    count = ""
    if (
        volume.drives_expected is not None
        and volume.drives_active is not None
        and volume.drives_active < volume.drives_expected
    ):
        count = f": {volume.drives_active} of {volume.drives_expected} members are active"
    gone = f"; failed: {listing(drive.device or drive.id for drive in failed)}" if failed else ""
    if volume.status == "failed":
        remedy = "Do not write to it; examine its members with `mdadm --examine` before anything is assembled anew."
        problems.append(_problem(volume, "error", f"{name} has failed{count}{gone}.", remedy))
    elif volume.status == "degraded":
        place = volume.device if volume.device and "container" not in volume.details else "ARRAY-OR-CONTAINER"
        remedy = f"Replace the missing member and add the new one: `mdadm --manage {place} --add DEVICE`."
        problems.append(_problem(volume, "warning", f"{name} is degraded{count}{gone}.", remedy))
    elif volume.status == "rebuilding":
        problems.append(_problem(volume, "warning", f"{name} is being rebuilt{count}{gone}.", "Wait until it is done."))
    elif volume.status == "inactive":
        message = f"{name} is not started; what its devices are for, only their superblocks tell."
        remedy = "Look at its members with `mdadm --examine`; start it with `mdadm --run` or `mdadm --assemble`."
        problems.append(_problem(volume, "warning", message, remedy))
    elif failed:
        remedy = f"Remove it with `mdadm --manage {name} --remove DEVICE` and replace it."
        problems.append(
            _problem(volume, "warning", f"{name} has a failed member{gone.replace('; failed', '')}.", remedy)
        )
    return problems


def _problem(volume: Volume, severity: str, message: str, remedy: str) -> Problem:
    return Problem(
        severity="error" if severity == "error" else "warning",
        where=volume.id,
        message=message,
        remedy=remedy,
        kind="state",
    )
