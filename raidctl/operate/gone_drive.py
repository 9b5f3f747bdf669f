"""A replacement whose old drive is gone: its identity, and its arrays. Pure.

An array that lacks exactly one member has one slot for a new drive. The last snapshot shows which drive it was; without
one, only the empty slot is known.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from raidctl.change.expectations import serials_of
from raidctl.errors import CannotTell, UsageError
from raidctl.health.redundancy import being_rebuilt
from raidctl.model import Controller, Drive, Inventory, Volume
from raidctl.model.objects import drives_by_id
from raidctl.operate.first_facts import bay_text, lacks_none, partition_of
from raidctl.operate.replacement_facts import Facts
from raidctl.select import physical, plain_serial
from raidctl.survey.survey import Survey
from raidctl.text import listing


class _Gap(Struct, frozen=True):
    """A software array that lacks a member. The common properties of the others are included."""

    volume: Volume
    lacking: int
    partition: str
    drives: frozenset[str]
    """The physical drives of its members."""


def facts_of_array(seen: Survey, volume_id: str, before: Inventory | None, *, new: str = "") -> Facts:
    """Return the facts of a replacement of an array's one missing member.

    Raises:
        UsageError: It lacks none, or several.
        CannotTell: Its UUID, or how many members it lacks, is unknown.
    """
    controller, volume = next(
        (one, two) for one in seen.inventory.controllers for two in one.volumes if two.id == volume_id
    )
    mine = _gap(seen, controller, volume)
    if mine.lacking == 0:
        raise UsageError(lacks_none(volume))
    if mine.lacking > 1:
        raise UsageError(
            f"{volume.id} lacks {mine.lacking} members: it is not certain which slot a new drive would take. Add the "
            f'drives one at a time with "raidctl spare add DRIVE --for {volume.id}".'
        )
    gaps = [
        other
        for one in seen.inventory.controllers if one.mode == "software"
        for two in one.volumes
        if two.id != volume.id and (other := _gap(seen, one, two)).lacking == 1 and other.drives == mine.drives
        and other.partition and mine.partition
    ]  # fmt: skip
    found = [mine, *gaps]
    lost = _lost(seen, before, volume.unique_id or "") if before is not None else []
    old = lost[0] if len(lost) == 1 else None
    return _facts(seen, found, old, volume.id, new)


def facts_of_serial(seen: Survey, word: str, before: Inventory, *, new: str = "") -> Facts | None:
    """Return the facts of a drive that only the last snapshot contains.

    None if it was not a member there.

    Raises:
        CannotTell: None of its arrays exists now, or the UUID of one is unknown.
    """
    wanted = plain_serial(word)
    drives = [drive for one in before.controllers if one.mode != "software" for drive in one.drives]
    found = [drive for drive in drives if drive.serial and plain_serial(drive.serial) == wanted]
    if len(found) != 1 or found[0].serial in serials_of(seen):
        return None
    old = found[0]
    parts = dict(_memberships(before, old))
    if not parts:
        return None
    now = {
        volume.unique_id: (one, volume)
        for one in seen.inventory.controllers if one.mode == "software"
        for volume in one.volumes if volume.unique_id
    }  # fmt: skip
    if missing := [uuid for uuid in parts if uuid not in now]:
        raise CannotTell(f"{old.serial} was a member of an array that no longer exists ({listing(missing)}).")
    gaps = [replace(_gap(seen, *now[uuid]), partition=partition) for uuid, partition in parts.items()]
    return _facts(seen, gaps, old, old.id, new)


def _facts(seen: Survey, gaps: list[_Gap], old: Drive | None, name: str, new: str) -> Facts:
    unknown = [gap.volume.id for gap in gaps if not gap.volume.unique_id]
    if unknown:
        raise CannotTell(f"The UUID of {listing(unknown)} is unknown.")
    ids = {gap.volume.array for gap in gaps}
    members = [drive for one in seen.inventory.controllers for drive in one.drives if drive.array in ids]
    return Facts(
        old=(old.serial if old is not None else None) or "", old_id=old.id if old is not None else name,
        bay=bay_text(old) if old is not None else "", place="",
        members=" ".join(f"{gap.volume.unique_id}={gap.partition}" for gap in gaps),
        known="".join(f"{serial}\n" for serial in serials_of(seen)), way="out", new=new,
        errors=" ".join(f"{one.id}={one.errors.media or 0}" for one in members),
        gone="spare" if not any(gap.lacking for gap in gaps) else "member",
    )  # fmt: skip


def _gap(seen: Survey, controller: Controller, volume: Volume) -> _Gap:
    """Examine the members of an array. One that is being filled occupies its slot."""
    want, have = volume.drives_expected, volume.drives_active
    if want is None or have is None:
        raise CannotTell(f"How many members {volume.id} lacks is unknown.")
    mine = [drive for drive in controller.drives if drive.array == volume.array and drive.role in ("member", "spare")]
    filling = [drive for drive in mine if being_rebuilt(drive)]
    members = [drive for drive in mine if drive.role == "member"]
    parts = {_partition(seen, drive) for drive in members}
    if len(parts) > 1:
        raise CannotTell(
            f"The members of {volume.id} are partitions with different numbers, so which one the new drive needs is "
            f'unknown: create it, and add it with "raidctl spare add PARTITION --for {volume.id}".'
        )
    below = frozenset(physical(seen.inventory, [drive.id for drive in members]))
    return _Gap(volume, max(0, want - have - len(filling)), next(iter(parts), ""), below)


def _partition(seen: Survey, member: Drive) -> str:
    drives = drives_by_id(seen.inventory)
    below = [drives[name] for name in physical(seen.inventory, [member.id]) if name in drives]
    if len(below) != 1:
        raise CannotTell(f"Which drive {member.id} is on is unknown.")
    return partition_of(below[0], member)


def _memberships(before: Inventory, old: Drive) -> Iterator[tuple[str, str]]:
    """Yield the UUID of each array with the drive's partition number. The drive was a member of these arrays."""
    for controller in before.controllers:
        for member in controller.drives:
            if old.id in member.backing and member.role != "journal":
                for volume in controller.volumes:
                    if volume.array == member.array and volume.unique_id:
                        yield volume.unique_id, partition_of(old, member)


def _lost(seen: Survey, before: Inventory, uuid: str) -> list[Drive]:
    """Return the drives that an array has lost since the last snapshot."""
    there = serials_of(seen)
    return [
        drive
        for one in before.controllers if one.mode != "software"
        for drive in one.drives
        if drive.serial and drive.serial not in there and uuid in dict(_memberships(before, drive))
    ]  # fmt: skip
