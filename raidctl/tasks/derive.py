"""The running operations, derived from the states of volumes, drives and batteries. Pure.

A rebuild is reported for the volume, for the drive that is rebuilt, or for both. It is one task: that of the object
with the percentage, and it names the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from raidctl.health.redundancy import array_of, being_copied, being_rebuilt, queued
from raidctl.model import Array, Battery, Controller, Drive, Operation, Progress, Task, Volume, VolumeStatus
from raidctl.model.task import needs_check

BUSY: Mapping[VolumeStatus, Operation] = {
    "rebuilding": "rebuild", "checking": "check", "initializing": "initialize", "expanding": "expand",
    "migrating": "migrate",
}  # fmt: skip
"""States of a volume that imply an operation."""
REBUILDS: frozenset[Operation] = frozenset(("rebuild", "recovery"))
_OTHER_FIRST = "another volume of the array is rebuilt first"
_CHECK = "a consistency check completes it"


def tasks_of(controllers: Iterable[Controller]) -> tuple[Task, ...]:
    """Operations that are running, queued or paused, in the order of objects."""
    return tuple(task for controller in controllers for task in _of_controller(controller))


def _of_controller(controller: Controller) -> Iterator[Task]:
    volumes = [(volume, work) for volume in controller.volumes if (work := _of_volume(controller, volume))]
    drives = [(drive, work) for drive in controller.drives if (work := of_drive(drive))]
    on_drives = [_rebuilt_on(controller, drive, volumes) for drive, _ in drives]
    # a rebuild is shown at its drives if only they have a percentage, else at its volumes
    drawn = {volume.id for found in on_drives for volume in found} - {
        volume.id for volume, work in volumes if work.percent is not None
    }
    shown = [drive for drive, work in drives if work.percent is not None]
    at_drives = {volume.id for drive in shown for volume in _rebuilt_on(controller, drive, volumes)} & drawn
    for volume, work in volumes:
        if volume.id not in at_drives:
            members = [drive.id for (drive, _), found in zip(drives, on_drives, strict=True) if volume in found]
            yield _task(volume.id, work, members, volume.device)
    for (drive, work), found in zip(drives, on_drives, strict=True):
        if not found or any(volume.id in at_drives for volume in found):
            nodes = {volume.device for volume in _on_array(controller, drive.array)} if drive.device is None else set()
            device = drive.device or (nodes.pop() if len(nodes) == 1 else None)
            yield _task(drive.id, work, [volume.id for volume in found if volume.id in at_drives], device)
    if (work := of_patrol(controller)) is not None:
        yield _task(controller.id, work, (), None)
    for battery in controller.batteries:
        if (work := of_battery(battery)) is not None:
            yield _task(battery.id, work, (), None)


def _of_volume(controller: Controller, volume: Volume) -> Progress | None:
    """The operation on a volume. Some tools report it only in the state."""
    if volume.progress is not None:
        return volume.progress
    if volume.status in BUSY:
        return Progress(operation=BUSY[volume.status])
    return Progress(operation="rebuild", state="queued", reason=_OTHER_FIRST) if queued(controller, volume) else None


def of_drive(drive: Drive) -> Progress | None:
    """The operation on a drive. Some tools report it only in the state."""
    if drive.progress is not None:
        return drive.progress
    if not being_rebuilt(drive):
        return None
    return Progress(operation="copyback" if being_copied(drive) else "rebuild")


def of_battery(battery: Battery) -> Progress | None:
    """The learn cycle of a battery."""
    return Progress(operation="learn", state="running") if battery.status == "learning" else None


def of_patrol(controller: Controller) -> Progress | None:
    """The patrol read of a controller. None unless its tool reports that one is running or paused."""
    state = controller.patrol_read.state if controller.patrol_read is not None else None
    return Progress(operation="patrol_read", state=state) if state in ("running", "paused") else None


def _rebuilt_on(controller: Controller, drive: Drive, volumes: Sequence[tuple[Volume, Progress]]) -> list[Volume]:
    """The rebuilding volumes of which a drive's rebuild is a part."""
    work = of_drive(drive)
    if work is None or work.operation not in (*REBUILDS, "copyback"):
        return []
    same = REBUILDS if work.operation in REBUILDS else frozenset((work.operation,))
    software = controller.mode == "software"  # whatever operation the array has, it fills a member
    return [v for v, at in volumes if (software or at.operation in same) and _holds(array_of(controller, v), drive)]


def _holds(array: Array | None, drive: Drive) -> bool:
    return array is not None and (drive.array == array.id or drive.id in (*array.drives, *array.spares))


def _on_array(controller: Controller, array: str | None) -> list[Volume]:
    return [volume for volume in controller.volumes if array is not None and volume.array == array]


def _task(object_id: str, work: Progress, also: Iterable[str], device: str | None) -> Task:
    running = work.state is None and work.percent is not None
    return Task(
        operation=work.operation, object_id=object_id, also=tuple(also), device=device, percent=work.percent,
        rate_bytes=work.rate_bytes, remaining_seconds=work.remaining_seconds,
        state="running" if running else work.state, reason=work.reason or (_CHECK if needs_check(work) else None),
    )  # fmt: skip
