"""Guards T3, T4, R10 against starting or ending a task. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.change.lookup import owner
from raidctl.health.redundancy import OUT_OF_REACH, WHOLE, being_rebuilt
from raidctl.model import Controller, Drive, Inventory, Volume
from raidctl.model.task import FILLING
from raidctl.operate.deed_subjects import drive_of, learning, volumes_of
from raidctl.operate.new_drive import health
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.vendor.plan import Deed, Denial, Verb

REBUILDS: tuple[Verb, ...] = ("start_rebuild", "stop_rebuild", "pause_rebuild", "resume_rebuild")


def denials(deed: Deed, seen: Survey) -> list[Denial]:
    """Reasons to refuse a command on a rebuild or patrol read now. It would start, stop, pause or resume one."""
    return list(_rebuild(deed, seen.inventory) if deed.verb in REBUILDS else _patrol(deed, seen.inventory))


def loaded(deed: Deed, controller: Controller) -> Iterator[Denial]:
    """T3: no second load on the cache while a battery learns. ``--unsafe`` overrides this."""
    battery = learning(controller)
    if battery is not None:
        reason = f"{battery.id} is learning: volumes may be in write-through until the cycle ends."
        yield Denial(deed=deed, guard="T3", reason=reason, alternative="raidctl tasks --wait", overridable=True)
        return
    for one in controller.batteries:
        if one.status == "unknown":
            reason = f"Whether {one.id} is learning is not reported."
            yield Denial(deed=deed, guard="T3", reason=reason, overridable=True, unknown=True)


def _rebuild(deed: Deed, inventory: Inventory) -> Iterator[Denial]:
    found = drive_of(inventory, deed.drive)
    if found is None:
        yield Denial(deed=deed, reason=f"{deed.drive or deed.object_id} is not a drive.")
        return
    controller, drive = found
    if controller.mode in ("software", "none"):
        reason = f"{drive.id} is not behind a RAID controller; md rebuilds as soon as a drive is added."
        yield Denial(deed=deed, reason=reason, alternative="raidctl spare add")
        return
    if deed.verb == "start_rebuild":
        yield from _startable(deed, controller, drive)
    elif deed.verb == "resume_rebuild":
        if not _filled(drive):
            yield Denial(deed=deed, reason=f"{drive.id} is not being rebuilt.")
        elif drive.progress is not None and drive.progress.state == "running":
            yield Denial(deed=deed, reason=f"The rebuild of {drive.id} is running.")
    else:
        yield from _endable(deed, controller, drive)


def _filled(drive: Drive) -> bool:
    return being_rebuilt(drive) or (drive.progress is not None and drive.progress.operation in FILLING)


def _startable(deed: Deed, controller: Controller, drive: Drive) -> Iterator[Denial]:
    """R10: a rebuild overwrites the drive, so it must not be a working member.

    A drive with a foreign configuration or a predicted failure is refused as well.
    """
    volumes = volumes_of(controller, drive)
    if _filled(drive):
        yield Denial(deed=deed, reason=f"{drive.id} is being rebuilt.", alternative="raidctl tasks")
        return
    if drive.role is None:
        yield Denial(deed=deed, guard="R10", reason=f"What {drive.id} is used for is not reported.", unknown=True)
    elif drive.array is None:
        reason = f"{drive.id} is in no array that could be rebuilt onto it."
        yield Denial(deed=deed, guard="R10", reason=reason, alternative=f"raidctl replace {drive.id}")
    elif drive.role == "member" and drive.status in ("ok", "warning"):
        yield Denial(deed=deed, guard="R10", reason=f"{drive.id} is a working member: a rebuild would overwrite it.")
    elif drive.role not in ("member", "failed"):
        yield Denial(deed=deed, guard="R10", reason=f"{drive.id} is a {drive.role}, not a member that was lost.")
    elif not volumes:
        yield Denial(deed=deed, guard="R10", reason=f"No volume on {drive.array} is listed.", unknown=True)
    yield from _sources(deed, volumes)
    if drive.foreign:
        yield Denial(deed=deed, guard="R10", reason=f"{drive.id} holds a foreign configuration.")
    if drive.errors.predictive:
        for one in health(drive):
            yield Denial(deed=deed, guard="R10", reason=one.text, alternative=one.remedy, overridable=True)


def _sources(deed: Deed, volumes: tuple[Volume, ...]) -> Iterator[Denial]:
    """The volumes from which the drive is rebuilt work without it."""
    lost = [volume.id for volume in volumes if volume.status in OUT_OF_REACH]
    silent = [volume.id for volume in volumes if volume.status == "unknown"]
    if lost:
        reason = f"{listing(lost)} cannot be read: the drive may hold the only copy of its data."
        yield Denial(deed=deed, guard="R4", reason=reason)
    if silent:
        yield Denial(deed=deed, guard="R4", reason=f"The state of {listing(silent)} is unknown.", unknown=True)
    if volumes and all(volume.status in WHOLE for volume in volumes):
        names = listing(volume.id for volume in volumes)
        yield Denial(deed=deed, guard="R10", reason=f"No member of {names} is missing: there is nothing to rebuild.")


def _endable(deed: Deed, controller: Controller, drive: Drive) -> Iterator[Denial]:
    """T4: a rebuild is not stopped if no further drive may fail. The guard can be overridden."""
    if not _filled(drive):
        yield Denial(deed=deed, reason=f"{drive.id} is not being rebuilt.")
        return
    if deed.verb == "pause_rebuild" and drive.progress is not None and drive.progress.state == "paused":
        yield Denial(deed=deed, reason=f"The rebuild of {drive.id} is paused already.")
    volumes = volumes_of(controller, drive)
    if not volumes:
        reason = f"Which volume {drive.id} is rebuilt for is unknown."
        yield Denial(deed=deed, guard="T4", reason=reason, overridable=True, unknown=True)
    for volume in volumes:
        if volume.failures_tolerated:
            continue
        unknown = volume.failures_tolerated is None
        left = "how many more failures it survives is unknown" if unknown else "it survives no further failure"
        reason = f"{volume.id} has less redundancy until the rebuild is complete, and {left}."
        yield Denial(deed=deed, guard="T4", reason=reason, overridable=True, unknown=unknown)


def _patrol(deed: Deed, inventory: Inventory) -> Iterator[Denial]:
    controller = owner(inventory.controllers, deed.object_id)
    if controller is None:
        return  # printed with the plan
    if controller.mode in ("software", "none", "hba"):
        reason = f"{controller.id} is not a RAID controller with a patrol read."
        yield Denial(deed=deed, reason=reason, alternative="Self-tests of plain drives: `raidctl check media DRIVE`")
        return
    running = patrolling(controller, inventory)
    if deed.verb in ("start_patrol", "resume_patrol"):
        yield from loaded(deed, controller)
    if deed.verb == "start_patrol" and running:
        yield Denial(deed=deed, reason=f"{controller.id} is reading already.", alternative="raidctl tasks")
    scrub = controller.patrol_read
    if deed.verb == "start_patrol" and scrub is not None and scrub.mode == "disabled":
        reason = f"The patrol read of {controller.id} is disabled."
        yield Denial(deed=deed, reason=reason, alternative="Enable it with the controller's tool first.")


def patrolling(controller: Controller, inventory: Inventory) -> bool:
    """Whether a patrol read of the controller is reported to run. A paused one counts as well."""
    return any(task.operation == "patrol_read" and task.object_id == controller.id for task in inventory.tasks)
