"""Failures that volumes and arrays survive, for every level and family. Pure.

A member that failed, is missing, or is not yet rebuilt counts as gone; spares do not count. Of the counts that a tool
prints, the states of the members and the state of the volume, the most pessimistic one decides. If the level, the
number of members, or the result of a running operation is unknown, the result is None.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from raidctl.health.array_states import lacks_a_drive
from raidctl.health.shared_drives import LostWithADrive, drives_that_may_fail, lost_with_a_drive, shared
from raidctl.model import Array, Controller, Drive, Inventory, Volume, has_failed
from raidctl.model.objects import by_id
from raidctl.model.raid_levels import PARITY, PARITY_DRIVES, RAIDZ, SPANNED, WITHOUT_REDUNDANCY
from raidctl.select import family_of
from raidctl.text import counted, regex

_ONE = ("raid1e", "raid4", "raid5", "raid50", "raid10")
_TWO = ("raid6", "raid60", "raid1t", "raid10t")
_SETS = RAIDZ | {"unknown"}
"""Levels of software arrays of several sets. Only their family can determine the number."""
OUT_OF_REACH = ("failed", "offline", "inactive")
"""Volume states in which none of the data can be read."""
INCOMPLETE = ("degraded", "rebuilding")
"""Volume states in which a member is missing, or does not hold its data yet."""
NOT_WHOLE = frozenset((*OUT_OF_REACH, *INCOMPLETE))
WHOLE = ("ok", "checking")
"""Volume states in which nothing is missing."""
_FIRST = ("initialize", "parity")
"""Operations before whose end it is unknown what the volume survives, also while they wait."""
_CHANGES = ("expand", "migrate", "reshape", "unknown")
"""Operations during which it is unknown what the volume survives."""
_COPIES = regex(r"(?:near|far|offset)=(\d)")
_TREATED = ("eras", "sanitiz", "format", "foreign", "migrat", "expand", "initializ", "unsupported", "not supported",
            "transition", "blocked", "frgn", "unsp", "authentic")  # fmt: skip
_NO_REASON = ("passed", "failed!", "warning", "critical_warning", "asc=", "ascq=")
_FOREIGN = regex(r"\bforeign\b|\bfrgn\b", re.IGNORECASE)
_LOCKED = regex(r"\blocked\b", re.IGNORECASE)
_FORESEES = regex(r"smart|s\.m\.a\.r\.t|predict|error|fail")
_COPIED = ("copy", "copied", "cpyb", "replacing")
_REBUILT = ("rebuild", "rbld", "resync", "recover", "resilver", *_COPIED)


def with_redundancy(controllers: Sequence[Controller], counting: Collection[str] = ()) -> list[Controller]:
    """The controllers, with ``failures_tolerated`` of each volume and array filled in.

    ``counting``: the families that report the number themselves (``COUNTS_REDUNDANCY``).
    """
    out = frozenset(v.id for controller in controllers for v in controller.volumes if v.status in OUT_OF_REACH)
    lost: LostWithADrive = {}
    while True:
        done = [_of_controller(one, out, lost, counted=family_of(one) in counting) for one in controllers]
        if (now := lost_with_a_drive(done)).keys() <= lost.keys():
            return done
        lost = now


def array_of(controller: Controller, volume: Volume) -> Array | None:
    """The array of a volume."""
    return by_id(controller.arrays, volume.array) if volume.array else None


def members(controller: Controller, array: Array | None) -> tuple[Drive, ...]:
    """The member drives of an array in the controller's order. Spares and journals are left out."""
    if array is None:
        return ()
    named = set(array.drives)
    return tuple(drive for drive in controller.drives if drive.id in named and drive.role not in ("spare", "journal"))


def below(controller: Controller, volume: Volume) -> tuple[Drive, ...]:
    """The member drives of a volume; none if no tool reports them."""
    return members(controller, array_of(controller, volume))


def _of_controller(controller: Controller, out: frozenset[str], lost: LostWithADrive, *, counted: bool) -> Controller:
    volumes = tuple(
        replace(v, failures_tolerated=tolerated(controller, v, out, lost, counted=counted)) for v in controller.volumes
    )
    arrays = tuple(replace(array, failures_tolerated=_of_array(array, volumes)) for array in controller.arrays)
    return replace(controller, volumes=volumes, arrays=arrays)


def _of_array(array: Array, volumes: Sequence[Volume]) -> int | None:
    """The failures that the array's worst volume survives. Unknown counts as worse than any number but 0."""
    left = [volume.failures_tolerated for volume in volumes if volume.array == array.id]
    known = [number for number in left if number is not None]
    return min(known) if known and (0 in known or len(known) == len(left)) else None


def tolerated(
    controller: Controller,
    volume: Volume,
    out: frozenset[str] = frozenset(),
    lost: LostWithADrive = MappingProxyType({}),
    *,
    counted: bool = False,
) -> int | None:
    """How many more drives of a volume may fail, whichever they are. None: unknown.

    ``out``: ids of volumes that are out of reach: a member that is on one of them is gone. ``lost``: of the volumes
    below members, those that survive no failure. ``counted``: the family reports the number itself.
    """
    level = volume.raid_level
    if level in WITHOUT_REDUNDANCY or volume.status in ("failed", "offline"):
        return 0
    array = array_of(controller, volume)
    beside = {drive.id for drive in controller.drives if drive.role in ("spare", "journal")}
    drives = members(controller, array)
    if controller.mode != "software":  # the drive whose data is copied is still a member
        beside |= {drive.id for drive in drives if being_copied(drive)}
        drives = tuple(drive for drive in drives if drive.id not in beside)
    named = set(array.drives if array else ()) - beside
    expected = members_expected(volume)
    sharing = shared(drives, lost) if controller.mode == "software" else []
    if controller.mode == "software" and (level in _SETS or counted):
        return _reported(volume, sharing, unsure=any(out.intersection(drive.backing) for drive in drives))
    gone, certain = _gone(volume, drives, expected, len(named), out)
    if array and lacks_a_drive(array):
        gone = max(gone, 1)
    most = _most(controller, volume, expected or len(named))
    if most is None:
        return None
    left = 0 if level == "raid60" and gone and not volume.spans else max(most - gone, 0)
    left = drives_that_may_fail(left, sharing)
    return left if left == 0 or (certain and not _unsettled(volume)) else None


def _reported(volume: Volume, sharing: Sequence[int], *, unsure: bool) -> int | None:
    """The family's own number; members on one drive fail together."""
    left = volume.failures_tolerated
    return None if left is None or (unsure and left) else drives_that_may_fail(left, sharing)


def exceeds_redundancy(controller: Controller, volume: Volume) -> bool:
    """Whether more members are reported gone than a working volume's level survives.

    Then one of them still holds data that the others lack; or, in arrays of several sets, they are in different sets.
    """
    drives = members(controller, array_of(controller, volume))
    bad = sum(has_failed(drive) or being_rebuilt(drive) for drive in drives)
    if volume.drives_expected is not None:
        bad += max(volume.drives_expected - len(drives), 0)
    most = _most(controller, volume, volume.drives_expected or len(drives))
    return volume.status not in OUT_OF_REACH and (most is None or bad > most)


def _most(controller: Controller, volume: Volume, count: int) -> int | None:
    """The number of failures that the level survives with all members."""
    level = volume.raid_level
    if level == "raid1" and controller.mode == "software":
        return count - 1 if count else None
    if volume.drives_expected == 1:
        return 0
    if level == "raid10" and (copies := _COPIES.findall(volume.layout or "")):
        return max(1, *map(int, copies)) - 1
    return 1 if level in _ONE or level == "raid1" else 2 if level in _TWO else None


def _gone(
    volume: Volume, drives: Sequence[Drive], expected: int | None, named: int, out: frozenset[str]
) -> tuple[int, bool]:
    """The least number of members gone, and whether it is exact."""
    whole = volume.status in WHOLE
    working = sum(_works(drive, whole) and not out.intersection(drive.backing) for drive in drives)
    size = expected or (named if whole else 0)
    found = [len(drives) - working] if size == 0 else []
    listed = bool(drives) and size > 0 and (len(drives) >= size or not whole)
    counted = expected is not None and volume.drives_active is not None
    if listed:  # a list that is shorter than a count of working members is incomplete
        found.append(size - working if len(drives) >= size or not counted else len(drives) - working)
    if expected is not None and volume.drives_active is not None:
        found.append(expected - volume.drives_active)
    gone = max(found, default=0)
    copied = counted and listed and only_copied(volume)
    if gone <= 0 and volume.status in INCOMPLETE and not copied:
        gone = 1
    return max(gone, 0), listed or counted


def _works(drive: Drive, whole: bool) -> bool:
    """Whether a member holds its part of the data. An unknown state is good if the volume is reported complete."""
    if has_failed(drive) or being_rebuilt(drive):
        return False
    return whole or (drive.status != "unknown" and drive.role != "unassigned")


def members_expected(volume: Volume) -> int | None:
    """The number of members of a complete volume. None: unknown.

    It is reported, or that of a parity volume's full stripe: its strips of data, and parity.
    """
    parity = PARITY_DRIVES.get(volume.raid_level or "")
    if volume.drives_expected or parity is None or volume.raid_level in SPANNED:
        return volume.drives_expected or None
    if not volume.strip_bytes or not volume.full_stripe_bytes:
        return None
    return volume.full_stripe_bytes // volume.strip_bytes + parity


def _unsettled(volume: Volume) -> bool:
    if volume.status not in (*WHOLE, *INCOMPLETE):
        return True
    work = volume.progress
    return parity_is_resynchronised(volume) or (
        work is not None and (work.operation in _FIRST or (work.operation in _CHANGES and work.state != "queued"))
    )


def parity_is_resynchronised(volume: Volume) -> bool:
    """Whether parity may differ from the data until a resync ends.

    A waiting resync counts as well, but md also prints ``resync=DELAYED`` for the recovery of an incomplete array.
    Resynchronised copies are whole, whichever of them is read.
    """
    work = volume.progress
    if work is None or work.operation != "resync" or volume.raid_level not in PARITY:
        return False
    return volume.status in WHOLE or (work.state != "queued" and work.percent is not None)


def least_redundant(volumes: Sequence[Volume]) -> int | None:
    """The failures that the least redundant of these volumes survives. None: unknown.

    While parity may differ from the data, it is 0: a failing drive is then as urgent as in an array without redundancy.
    """
    counts = [0 if parity_is_resynchronised(volume) else volume.failures_tolerated for volume in volumes]
    known = [count for count in counts if count is not None]
    return min(known, default=None) if 0 in known or len(known) == len(counts) else None


def being_rebuilt(drive: Drive) -> bool:
    """Whether a drive's warning only means that it is rebuilt or copied."""
    return drive.status == "warning" and mentions_rebuild(drive.status_text)


def only_copied(volume: Volume) -> bool:
    """Whether a rebuild only replaces a working member. All are then present, and none is degraded."""
    whole = volume.drives_expected is None or volume.drives_active == volume.drives_expected
    return volume.status == "rebuilding" and whole and "degraded" not in (volume.status_text or "").lower()


def only_replaced(volume: Volume) -> bool:
    """Whether a volume lacks nothing while one of its drives is replaced. It survives a failure of any drive."""
    return bool(volume.failures_tolerated) and volume.drives_expected is not None and only_copied(volume)


def may_need(volume: Volume) -> bool:
    """Whether a volume may need a drive that has failed. If it is unknown what it survives, a whole one does not."""
    return volume.failures_tolerated == 0 or (volume.failures_tolerated is None and volume.status not in WHOLE)


def has_bare_volume(controller: Controller, array: Array) -> bool:
    """Whether an array with a warning has volumes without redundancy. Volumes whose level has none do not count."""
    own = [
        volume
        for volume in controller.volumes
        if volume.array == array.id and volume.raid_level not in WITHOUT_REDUNDANCY
    ]
    return any(volume.failures_tolerated == 0 for volume in own)


def being_copied(drive: Drive) -> bool:
    """Whether a working member is being copied to its replacement drive."""
    return being_rebuilt(drive) and any(sign in (drive.status_text or "").lower() for sign in _COPIED)


def mentions_rebuild(words: str | None) -> bool:
    """Whether a tool's words for a state mean a rebuild or copy."""
    text = (words or "").lower().replace("unrecover", "")  # "Unrecovered-Read-Errors" of DDF metadata
    return any(sign in text for sign in _REBUILT)


def rebuilding(controller: Controller, volume: Volume) -> bool:
    """Whether a rebuild is running. Some tools still report "degraded", and show the rebuild only on the drive."""
    if volume.status == "rebuilding":
        return True
    if volume.status != "degraded":
        return False
    if volume.progress is not None and volume.progress.operation in ("rebuild", "recovery"):
        return True
    return queued(controller, volume) or any(being_rebuilt(drive) for drive in below(controller, volume))


def queued(controller: Controller, volume: Volume) -> bool:
    """Whether a degraded volume is queued. Controllers rebuild the volumes of an array one by one."""
    if volume.status != "degraded" or volume.array is None:
        return False
    return any(other.array == volume.array and other.status == "rebuilding" for other in controller.volumes)


def degraded_by_rebuild(controller: Controller, drive: Drive) -> bool:
    """Whether a drive is reported as degraded only because its volume is. The volume is being rebuilt on it."""
    if drive.errors.predictive or (drive.status_text or "").lower() != "degraded":
        return False
    return any(
        volume.array == drive.array and rebuilding(controller, volume) for volume in controller.volumes if volume.array
    )


def is_degraded(controller: Controller, drive: Drive) -> bool:
    """Whether a software array works with a degraded member: ``DEGRADED (too many errors)`` of ZFS."""
    return controller.mode == "software" and (drive.status_text or "").lower().startswith("degraded")


def held_journal(controller: Controller, drive: Drive) -> bool:
    """Whether a failed drive was the write journal of an md array. The array rejects writes without it.

    A pool of ZFS, whose log drives have this role as well, accepts writes without one.
    """
    words = (drive.status_text or "").lower()
    return family_of(controller) == "md" and (drive.role == "journal" or "(j)" in words or "journal" in words)


def expects_failure(controller: Controller, drive: Drive) -> bool:
    """Whether a drive's warning predicts failure instead of describing an operation.

    A member of a software array has a warning status while it is filled or replaced; only DDF metadata reports drive
    errors there: ``SMART-errors``, ``Unrecovered-Read-Errors``. ZFS marks a member as degraded after too many errors.
    """
    if drive.errors.predictive:
        return True
    text = (drive.status_text or "").lower()
    if too_hot(drive) or ((drive.foreign or locked(drive)) and not _FORESEES.search(text)):
        return False
    if controller.mode == "software" and not ("smart" in text or "error" in text or is_degraded(controller, drive)):
        return False
    return drive.status == "warning" and not (mentions_rebuild(text) or any(sign in text for sign in _TREATED))


def counted_above(inventory: Inventory, member: Drive, many: int) -> bool:
    """Whether a software array counts ``many`` read errors of a member, and no drive below it has a problem."""
    if (member.errors.media or 0) < many:
        return False
    names = frozenset(member.backing)
    below = [drive for controller in inventory.controllers for drive in controller.drives if drive.id in names]
    return not any(
        one.errors.predictive or one.status in ("warning", "critical") or _counted(one) >= many for one in below
    )


def _counted(drive: Drive) -> int:
    unreadable = (drive.errors.pending or 0) + (drive.errors.uncorrectable or 0)
    return max(unreadable, drive.errors.media or 0, drive.errors.reallocated or 0)


def too_hot(drive: Drive) -> bool:
    """Whether the temperature is the only warning of a drive: ``PASSED; Airflow_Temperature_Cel FAILING_NOW``."""
    words = [
        part.strip().removeprefix("warning - ") for part in re.split(r"[;,]|: ", (drive.status_text or "").lower())
    ]
    reasons = [part for part in words if not part.startswith(_NO_REASON)]
    return drive.status == "warning" and bool(reasons) and all("temperature" in part for part in reasons)


def not_accepted(drive: Drive) -> bool:
    """Whether a controller rejects a drive: ``Not Authenticated``, ``NonAuthenticDrive``."""
    return "authentic" in (drive.status_text or "").lower()


def locked(drive: Drive) -> bool:
    """Whether a drive's data cannot be read without its key: ``Online, locked``."""
    return bool(_LOCKED.search(drive.status_text or ""))


def reported_foreign(drive: Drive) -> bool:
    """Whether only a drive's state word reports that it is foreign. Flagged drives are a matter of their controller."""
    return not drive.foreign and bool(_FOREIGN.search(drive.status_text or ""))


def write_failed(drive: Drive) -> bool:
    """Whether a write to a member of a software array has failed: md ``write_error``, LVM ``refresh needed``."""
    words = (drive.status_text or "").lower()
    return "write_error" in words or "writing to it has failed" in words


def needs_attention(drive: Drive) -> bool:
    """Whether a drive's warning is more than an operation that ends without help."""
    special = too_hot(drive) or not_accepted(drive) or locked(drive) or reported_foreign(drive) or write_failed(drive)
    return special or "fail" in (drive.status_text or "").lower()


def survives(volume: Volume) -> str:
    """``survives 1 more drive failure``; empty if unknown, or a property of the level."""
    if volume.raid_level in WITHOUT_REDUNDANCY or volume.status in OUT_OF_REACH:
        return ""
    return in_words(volume.failures_tolerated)


def in_words(left: int | None) -> str:
    """``survives no further failure``; empty if unknown."""
    if left is None:
        return ""
    return f"survives {counted(left, 'more drive failure')}" if left else "survives no further failure"
