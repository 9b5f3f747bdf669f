"""A replacement behind a controller whose old drive is already gone. Pure.

The volume shows that a member is missing; the last snapshot may show which drive it was, and its bay. Without one, the
only new drive on the controller is taken as the replacement.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.change.expectations import serials_of
from raidctl.errors import CannotTell, UsageError
from raidctl.health.phrases import has_state
from raidctl.health.redundancy import OUT_OF_REACH, WHOLE, below, members_expected, rebuilding
from raidctl.health.spares import may_use_spare
from raidctl.model import Controller, Drive, Inventory, Volume, has_failed
from raidctl.operate.first_facts import bay_text, lacks_none
from raidctl.operate.first_facts_behind import BEHIND, identities, spares_of
from raidctl.operate.replacement_facts import Facts
from raidctl.select import plain_serial
from raidctl.survey.survey import Survey
from raidctl.vendor.identity import unique_of


def facts_of_volume(
    seen: Survey, controller: Controller, volume: Volume, before: Inventory | None, *, new: str = ""
) -> Facts:
    """Return the facts of a replacement of a volume's missing member. The volume is a controller's.

    Raises:
        UsageError: It lacks none, a failed one is still in its bay, or it is being rebuilt.
        CannotTell: What identifies the volume is unknown (X1), or its state.
    """
    lost = lost_from(seen, controller, volume, before) if before is not None else []
    return _facts(seen, controller, volume, lost[0] if len(lost) == 1 else None, new)


def facts_of_gone(seen: Survey, word: str, before: Inventory, *, new: str = "") -> Facts | None:
    """Return the facts of a drive that only the last snapshot contains.

    ``word`` is its serial number or id. None: not found.

    Raises:
        UsageError, CannotTell: As :func:`facts_of_volume`; no volume that it was a member of exists now.
    """
    wanted = plain_serial(word)
    found = [
        (one, drive)
        for one in before.controllers if one.mode in BEHIND
        for drive in one.drives
        if wanted in (plain_serial(drive.serial), drive.id.lower(), _short(one, drive).lower())
    ]  # fmt: skip
    if len(found) != 1 or not found[0][1].serial or found[0][1].serial in serials_of(seen):
        return None
    then, old = found[0]
    uniques = {unique_of(then, volume) for volume in then.volumes if old.array and volume.array == old.array}
    now = [
        (one, volume)
        for one in seen.inventory.controllers if one.mode in BEHIND
        for volume in one.volumes if unique_of(one, volume) in uniques - {None}
    ]  # fmt: skip
    if not uniques:
        return None
    if not now:
        raise CannotTell(f"{old.serial} was a member of {old.array}, which has no volume now.")
    return _facts(seen, *now[0], old, new)


def lost_from(seen: Survey, controller: Controller, volume: Volume, before: Inventory) -> list[Drive]:
    """Return the members that a volume has lost since the last snapshot."""
    unique, there = unique_of(controller, volume), serials_of(seen)
    return [
        drive
        for one in before.controllers if one.mode in BEHIND
        for then in one.volumes if unique is not None and unique_of(one, then) == unique
        for drive in below(one, then) if drive.serial and drive.serial not in there
    ]  # fmt: skip


def _short(controller: Controller, drive: Drive) -> str:
    return drive.id.removeprefix(f"{controller.id}/")


def _facts(seen: Survey, controller: Controller, volume: Volume, old: Drive | None, new: str) -> Facts:
    members = below(controller, volume)
    why = next(_whole(controller, volume, members, known=old is not None), None)
    if why is not None:
        raise UsageError(why)
    if volume.status == "unknown":
        raise CannotTell(f"The state of {volume.id} is unknown.")
    volumes = [one for one in controller.volumes if one.array == volume.array and one.array] or [volume]
    width = members_expected(volume) or len(members) + 1
    return Facts(
        old=(old.serial if old is not None else None) or "", old_id=old.id if old is not None else volume.id,
        bay=bay_text(old) if old is not None else "", place=old.id if old is not None else "", members="",
        known="".join(f"{serial}\n" for serial in serials_of(seen)), way="out", new=new,
        errors=" ".join(f"{one.id}={one.errors.media or 0}" for one in members),
        gone="member", volumes="\n".join(identities(seen, controller, volumes)), width=str(width),
        spares=spares_of(controller, volume),
    )  # fmt: skip


def _whole(controller: Controller, volume: Volume, members: tuple[Drive, ...], *, known: bool) -> Iterator[str]:
    """Yield why no member is missing; nothing if one is.

    A spare may have taken the place of a drive that is known to be gone: the new drive becomes the next spare (S3).
    """
    if volume.status in OUT_OF_REACH:
        yield f"{volume.id} {has_state(volume.status)}: a new drive does not repair it."
    if known:
        return
    failed = next((one for one in members if has_failed(one)), None)
    if failed is not None:
        yield f"{failed.id} has failed and is in its bay: `raidctl replace {failed.serial or failed.id}`"
    if rebuilding(controller, volume):
        yield f"{volume.id} is being rebuilt: wait for its end (`raidctl tasks --wait`)."
    if volume.status in WHOLE and not may_use_spare(controller, volume):
        yield lacks_none(volume)
