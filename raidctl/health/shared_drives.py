"""Members of a software array that fail together, because they are on one drive. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from raidctl.host import disk_of
from raidctl.model import Controller, Drive, has_failed
from raidctl.model.drives_below import DrivesBelow

LostWithADrive = Mapping[str, frozenset[str]]
"""For the id of a volume that survives no failure: what its members are on."""
_DEPTH = 4
"""Maximum number of arrays on top of each other; damaged outputs may name each other in a circle."""


def lost_with_a_drive(controllers: Sequence[Controller]) -> LostWithADrive:
    """The volumes below members of software arrays that survive no failure, with what they are on."""
    named = {name for controller in controllers for drive in controller.drives for name in drive.backing}
    bare = [v for controller in controllers for v in controller.volumes if v.id in named and v.failures_tolerated == 0]
    below, found = DrivesBelow(tuple(controllers)), dict[str, frozenset[str]]()
    for _ in range(_DEPTH if bare else 0):
        sets = {v.id: [places(drive, found) for drive in below.members(v).drives] for v in bare}
        found = {name: frozenset().union(*parts) for name, parts in sets.items() if any(parts)}
    return found


def places(member: Drive, lost: LostWithADrive) -> frozenset[str]:
    """The drives and volumes with which a member is lost.

    If no object below it is known, its kernel name shows the whole device of a partition.
    """
    if member.backing:
        return frozenset().union(*(lost.get(name, (name,)) for name in member.backing))
    return frozenset((disk_of(member.device) or member.device,) if member.device else ())


def shared(members: Iterable[Drive], lost: LostWithADrive) -> list[int]:
    """The number of members on each drive that has several, in descending order."""
    counts = Counter(name for drive in members if not has_failed(drive) for name in places(drive, lost))
    return sorted((many for many in counts.values() if many > 1), reverse=True)


def drives_that_may_fail(left: int, sharing: Sequence[int]) -> int:
    """The number of drives that may fail if ``left`` members may.

    >>> drives_that_may_fail(2, []), drives_that_may_fail(3, [2]), drives_that_may_fail(2, [3])
    (2, 2, 0)
    """
    drives = 0
    for many in sharing:  # the worst drives fail first
        if many > left:
            return drives
        left, drives = left - many, drives + 1
    return drives + left
