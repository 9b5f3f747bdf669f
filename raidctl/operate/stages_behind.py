"""The stages of a replacement behind a controller, from its tool's reports. Pure.

``removing`` → ``waiting_pull`` → ``waiting_push`` → ``checking`` → ``adding`` → ``rebuilding`` → ``verifying`` →
``done``. Many controllers need no command before the pull, or none after the push: then the family plans no step, and
:attr:`Stage.then` follows. If a hot spare has taken the old drive's place meanwhile, the new drive becomes the next
spare.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.health.phrases import predicts
from raidctl.health.redundancy import expects_failure
from raidctl.model import Drive
from raidctl.operate.replacement_facts import (
    Facts,
    Part,
    Stage,
    missing,
    name_new_drive,
    new_drives,
    parts,
    pull,
    push,
    taken_drives,
)
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed, Step


def next_stage(seen: Survey, facts: Facts) -> Stage:
    """Return what comes next, from what the controller's tool shows now."""
    arrays = parts(seen, facts)
    if isinstance(arrays, str):
        return Stage("waiting_push", problem=arrays)
    failed = next((part.volume.id for part in arrays if part.volume.status in ("failed", "offline", "inactive")), None)
    gone = missing(seen, facts)
    if failed is not None and not gone:
        return Stage("rebuilding", problem=f"{failed} no longer works: nothing is done to its drives.")
    old = drive_behind(arrays, facts.old)
    if gone and (old is not None or failed is not None):
        return pull(old, facts) if old is not None else push(facts)  # each first has settings to restore (R9)
    if old is not None and left_out(arrays, old, facts):
        return pull(old, facts)
    if old is not None:
        deed = Deed(object_id=arrays[0].volume.id, verb="take_out", drive=old.id)
        return Stage("removing", deeds=(deed,), then=pull(old, facts))
    new = drive_behind(arrays, facts.new)
    if new is None:
        return _coming(seen, facts)
    return _joining(arrays, new, facts)


def drive_behind(arrays: Sequence[Part], serial: str) -> Drive | None:
    """The drive with a serial number on the controller of these volumes. None: not found."""
    drives = (drive for part in arrays for drive in part.controller.drives)
    return next((drive for drive in drives if serial and drive.serial == serial), None)


def _coming(seen: Survey, facts: Facts) -> Stage:
    """The stage in which a person inserts the new drive.

    It must not have been there before, and goes in the old drive's bay.
    """
    found = new_drives(seen, facts)
    if len(found) > 1:
        return name_new_drive(found, [drive.id for drive in found], facts)
    if not found and (taken := taken_drives(seen, facts)):
        text = (
            f"The new drive {taken[0].serial} is {taken[0].id}, and its controller has made it a member of another "
            "array: leave it there. Put another new drive into the bay of the old one"
            f"{facts.bay and f' ({facts.bay})'}."
        )
        return Stage("waiting_push", problem=text)
    if not found:
        return push(facts)
    if facts.place and found[0].id != facts.place:
        text = (
            f"The new drive {found[0].serial} is {found[0].id}, and the old one was {facts.place}. "
            "Move it there, or name it if it is the right one."
        )
        return Stage("checking", problem=text, choices=(found[0].serial or "",))
    return Stage("checking")


def _joining(arrays: Sequence[Part], new: Drive, facts: Facts) -> Stage:
    """The stage in which the new drive joins.

    The controller takes it automatically or by command, or a spare has taken the old one's place.
    """
    volume = arrays[0].volume
    if new.role == "failed" or (new.status == "critical" and inside(arrays, new)):
        return Stage("rebuilding", problem=f"The new drive {facts.new} has failed. Replace it as well.")
    if inside(arrays, new) and expects_failure(arrays[0].controller, new):
        text = f"The new drive {facts.new} reports {predicts(new)}. Replace it as well."
        return Stage("rebuilding", problem=text)
    complete = all(part.complete for part in arrays)
    if inside(arrays, new):
        setting = "verifying" if complete else "rebuilding"
        return Stage("verifying" if complete else "rebuilding", step=wait(setting, arrays, new, facts))
    if complete:
        whole = facts.spares == "controller"
        target = arrays[0].controller.id if whole else volume.id
        return Stage("adding", deeds=(Deed(object_id=target, verb="add_spare", drive=new.id),))
    deed = Deed(object_id=volume.id, verb="add_member", drive=new.id, replaces=facts.place or None)
    return Stage("adding", deeds=(deed,), then=Stage("rebuilding", step=wait("rebuilding", arrays, new, facts)))


def inside(arrays: Sequence[Part], new: Drive) -> bool:
    """Whether a drive belongs to the array: member, being filled, covering spare."""
    mine = {part.volume.array for part in arrays if part.volume.array}
    if new.role == "spare":
        return not new.spare_for or bool(mine & set(new.spare_for))
    return new.role == "member" and new.array in mine


def works(old: Drive) -> bool:
    """Whether a drive still holds its part of an array's data. Without the drive, the array would lose that part."""
    return old.role == "member" and old.status != "critical"


def left_out(arrays: Sequence[Part], old: Drive, facts: Facts) -> bool:
    """Whether no volume uses the old drive, which was taken out and put in again.

    Some tools list it as a good member, although the volume still lacks one. Then the active members are the others.
    """
    return bool(facts.dropped) and all(
        (active := part.volume.drives_active) is not None and not part.busy
        and active <= sum(works(one) and one.status == "ok" for one in part.members if one.id != old.id)
        for part in arrays
    )  # fmt: skip


def wait(setting: str, arrays: Sequence[Part], new: Drive, facts: Facts) -> Step:
    """The wait until the volumes are complete. The core also checks their members (R15)."""
    name = ", ".join(part.volume.id for part in arrays)
    return Step(
        object_id=arrays[0].volume.id, setting=setting, before=facts.old, after=facts.new, kind="wait",
        way_back="other", affects=(f"{name}: {new.id} takes the place of {facts.name}.",),
    )  # fmt: skip
