"""Guards S1 to S5, R10, R11 against adding or removing spares. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raidctl.health.phrases import has_state
from raidctl.health.redundancy import NOT_WHOLE, being_rebuilt, expects_failure, members, rebuilding
from raidctl.model import Array, Controller, Drive, Volume
from raidctl.model.objects import by_id
from raidctl.model.raid_levels import WITHOUT_REDUNDANCY
from raidctl.operate.new_drive import Candidate, Objection, objections
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed, Denial


def denials(deed: Deed, seen: Survey, candidate: Candidate | None) -> list[Denial]:
    """Reasons why a spare must not be added or removed now. ``candidate`` is the drive to add."""
    place = _place(deed, seen)
    if place is None:
        return []  # printed with the plan
    controller, volume, array = place
    if deed.verb == "add_spare":
        found = [*able(volume), *(objections(seen, controller, array, candidate) if candidate is not None else ())]
    else:
        found = list(_removable(deed, controller, array, volume))
    return refusals(deed, found)


def refusals(deed: Deed, found: Iterable[Objection]) -> list[Denial]:
    """The refusals of a deed."""
    return [
        Denial(
            deed=deed, guard=one.guard, reason=one.text, alternative=one.remedy, overridable=one.overridable,
            unknown=one.unknown,
        )
        for one in found
    ]  # fmt: skip


def _place(deed: Deed, seen: Survey) -> tuple[Controller, Volume, Array] | None:
    for controller in seen.inventory.controllers:
        for volume in controller.volumes:
            if volume.id == deed.object_id:
                array = by_id(controller.arrays, volume.array)
                return (controller, volume, array) if array is not None else None
    return None


def able(volume: Volume) -> Iterator[Objection]:
    """S3: the array is active, and its level can use a spare."""
    if volume.raid_level in WITHOUT_REDUNDANCY:
        yield Objection(guard="S3", text=f"{volume.id} is {volume.raid_level}: a spare would never be used.")
    elif volume.raid_level in (None, "unknown"):
        yield Objection(guard="S3", text=f"The RAID level of {volume.id} is unknown.", unknown=True)
    if volume.status in ("failed", "offline", "inactive"):
        yield Objection(guard="S3", text=f"{volume.id} {has_state(volume.status)}: a spare does not repair it.")
    elif volume.status == "unknown":
        yield Objection(guard="S3", text=f"The state of {volume.id} is unknown.", unknown=True)


def _removable(deed: Deed, controller: Controller, array: Array, volume: Volume) -> Iterator[Objection]:
    spare = next((one for one in controller.drives if one.array == array.id and one.device == deed.device), None)
    if spare is None:
        yield Objection(guard="S1", text=f"{deed.device} is not in {array.id}.")
        return
    busy = being_rebuilt(spare) or "replacement" in spare.flags
    if busy or (spare.role != "spare"):
        role = f"is not a spare: its role is {spare.role or 'unknown'}"
        what = "is being filled by a rebuild or a copy" if busy else role
        yield Objection(guard="S1", text=f"{spare.id} {what}.")
        return
    yield from in_use(controller, volume)
    spares = [one for one in controller.drives if one.array == array.id and one.role == "spare"]
    if len(spares) <= 1:
        yield from last(controller, array, volume, spare)


def in_use(controller: Controller, volume: Volume) -> Iterator[Objection]:
    """S1: no rebuild that may take a spare is running. Some tools show rebuilds only by the volume's state."""
    work = volume.progress.operation if volume.progress is not None else None
    if work == "unknown":
        what, unknown = f"What is being done to {volume.id} is unknown", True
    elif work == "reshape":
        what, unknown = f"{volume.id} is being reshaped", False
    elif work in ("rebuild", "recovery", "copyback") or rebuilding(controller, volume):
        what, unknown = f"{volume.id} is being rebuilt", False
    else:
        return
    remedy = "Wait until it ends: `raidctl tasks --wait`."
    yield Objection(guard="S1", text=f"{what}: the spare may be in use.", remedy=remedy, unknown=unknown)


def last(controller: Controller, array: Array, volume: Volume, spare: Drive) -> Iterator[Objection]:
    """S2: not the last spare of an array that needs it. The guard can be overridden."""
    expecting = [one for one in members(controller, array) if expects_failure(controller, one) or one.errors.media]
    if volume.status in NOT_WHOLE:
        why = f"{volume.id} {has_state(volume.status)}"
    elif volume.status == "unknown":
        text = f"{spare.id} is the last spare, and the state of {volume.id} is unknown."
        yield Objection(guard="S2", text=text, overridable=True, unknown=True)
        return
    elif expecting:
        why = f"{expecting[0].id} has errors or predicts its failure"
    else:
        return
    yield Objection(guard="S2", text=f"{spare.id} is the last spare, and {why}.", overridable=True)
