"""Guards S1 to S5, R10 against changing a controller's spares. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from raidctl.health.redundancy import being_rebuilt, below
from raidctl.health.spares import arrays_of, may_use_spare
from raidctl.model import Controller, Drive, Volume
from raidctl.model.objects import by_id
from raidctl.model.raid_levels import RAIDZ, REDUNDANT
from raidctl.operate.contents import Contents
from raidctl.operate.joining_guards_behind import unfit_behind
from raidctl.operate.new_drive import Objection
from raidctl.operate.spare_guards import able, in_use, last
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed


def objections_behind(
    deed: Deed, seen: Survey, controller: Controller, contents: Contents | None = None
) -> list[Objection]:
    """Reasons why a spare must not be added or removed now.

    The spare serves a volume's array, or the whole controller. ``contents``: of a drive that the system sees.
    """
    drive = by_id(controller.drives, deed.drive)
    if drive is None:
        return [Objection(guard="X2", text=f"{deed.drive or 'The drive'} is not on {controller.id}.", unknown=True)]
    if deed.verb == "remove_spare":
        return list(_removable(controller, drive))
    named = [volume for volume in controller.volumes if volume.id == deed.object_id]
    if drive.role == "spare" and _as_asked(drive, named):
        return []  # no change is needed
    if named:
        return [*able(named[0]), *_unfit(seen, controller, drive, named[0], contents)]
    return _global(seen, controller, drive, contents)


def _as_asked(drive: Drive, named: Sequence[Volume]) -> bool:
    """Whether a spare already has the requested scope.

    The scope is the whole controller, or the array of the volume.
    """
    return named[0].array in drive.spare_for if named else not drive.spare_for


def _unfit(
    seen: Survey, controller: Controller, drive: Drive, volume: Volume, contents: Contents | None
) -> Iterator[Objection]:
    others = [one for one in below(controller, volume) if one.status != "critical"]
    for one in unfit_behind(drive, seen.view, others, contents):
        yield msgspec.structs.replace(one, guard="S5") if one.guard == "P7" else one


def _global(seen: Survey, controller: Controller, drive: Drive, contents: Contents | None) -> list[Objection]:
    """Check that a controller-wide spare fits at least one array. Only arrays that can use it count."""
    volumes = [one for one in controller.volumes if one.raid_level in REDUNDANT - RAIDZ]
    if not volumes:
        return [Objection(guard="S3", text=f"{controller.id} has no volume that could use a spare.")]
    found = [list(_unfit(seen, controller, drive, volume, contents)) for volume in volumes]
    return min(found, key=len)


def _removable(controller: Controller, drive: Drive) -> Iterator[Objection]:
    """S1, S2: the spare is unused, and not the last one needed."""
    if drive.role != "spare":
        yield Objection(guard="S1", text=f"{drive.id} is not a spare: its role is {drive.role or 'unknown'}.")
        return
    if being_rebuilt(drive) or drive.progress is not None:
        yield Objection(guard="S1", text=f"{drive.id} is being filled by a rebuild or a copy.")
        return
    for array in arrays_of(controller, drive):
        for volume in (one for one in controller.volumes if one.array == array.id):
            yield from _needed(controller, volume, drive)
            spares = [one for one in controller.drives if one.role == "spare" and array in arrays_of(controller, one)]
            if len(spares) <= 1:
                yield from last(controller, array, volume, drive)


def _needed(controller: Controller, volume: Volume, drive: Drive) -> Iterator[Objection]:
    busy = list(in_use(controller, volume))
    yield from busy
    if not busy and may_use_spare(controller, volume):
        text = f"{volume.id} lacks a working member and is {volume.status}: {drive.id} may have taken its place."
        yield Objection(guard="S1", text=text, remedy="Replace the missing member first.")
