"""Reasons to refuse deeds on foreign configurations or preserved cache. Pure.

The guards F1 and F2 cover importing and clearing, F3 the drives that are affected, F4 discarding.

F5 (a setting that imports or discards automatically) has no guard: no family has a command for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.change.lookup import owner
from raidctl.health.phrases import has_state
from raidctl.health.redundancy import NOT_WHOLE
from raidctl.model import Controller, Drive, ForeignGroup, Inventory, Volume
from raidctl.operate.deed_subjects import whole
from raidctl.survey.survey import Survey
from raidctl.text import counted, listing
from raidctl.vendor.foreign import ForeignPreview
from raidctl.vendor.plan import Deed, Denial

_SAME_SIZE = 0.02
"""Relative difference of sizes below which two tools' units explain it."""


def denials(deed: Deed, seen: Survey, preview: ForeignPreview | None, *, selects: bool) -> list[Denial]:
    """Reasons to refuse a deed on foreign configurations or preserved cache.

    Args:
        deed: With ``part``, the one configuration or volume that is meant.
        seen: The machine.
        preview: What an import would add; None: the tool did not show it.
        selects: Whether the tool can act on one of several foreign configurations.
    """
    controller = owner(seen.inventory.controllers, deed.object_id)
    if controller is None:
        return []  # printed with the plan
    if deed.verb == "discard_preserved":
        return [*whole(deed, seen.inventory, controller), *_discard(deed, controller)]
    found = [*_listed(deed, controller), *_selection(deed, controller, selects=selects)]
    if deed.verb == "import_foreign":
        found += _complete(deed, preview)
        found += _pinned(deed, controller)
    else:
        found += _only_copy(deed, controller)
    return [*whole(deed, seen.inventory, controller), *found]


def foreign_drives(controller: Controller) -> tuple[Drive, ...]:
    """The drives of a controller that hold a foreign configuration."""
    return tuple(drive for drive in controller.drives if drive.foreign)


def has_foreign(controller: Controller) -> bool | None:
    """Whether a controller has foreign configurations; None: not reported."""
    if foreign_drives(controller) or controller.foreign_groups or controller.foreign:
        return True
    if controller.foreign is None and not controller.drives:
        return None
    return None if any(drive.foreign is None for drive in controller.drives) else False


def _listed(deed: Deed, controller: Controller) -> Iterator[Denial]:
    """F3: every affected drive is listed."""
    drives = foreign_drives(controller)
    silent = [drive.id for drive in controller.drives if drive.foreign is None]
    if has_foreign(controller) is False:
        yield Denial(deed=deed, reason=f"{controller.id} has no foreign configuration.")
    elif not drives:
        reason = f"Which drives of {controller.id} hold a foreign configuration is not reported."
        yield Denial(deed=deed, guard="F3", reason=reason, unknown=True)
    elif silent:
        reason = f"Whether {listing(silent[:4])} holds a foreign configuration is unknown: it may be affected, too."
        yield Denial(deed=deed, guard="F3", reason=reason, unknown=True)


def _selection(deed: Deed, controller: Controller, *, selects: bool) -> Iterator[Denial]:
    """F3: the tool acts only on the requested configuration. One that acts on all is not used for one of several."""
    numbers = [group.number for group in controller.foreign_groups]
    if deed.part is None:
        return
    if deed.part not in numbers:
        known = f"lists the foreign configurations {listing(numbers)}" if numbers else "lists no foreign configuration"
        yield Denial(deed=deed, guard="F3", reason=f"{controller.id} {known}, not {deed.part}.")
    elif not selects and len(numbers) > 1:
        reason = f"The tool of {controller.id} acts on all of its {len(numbers)} foreign configurations at once."
        verb = deed.verb.partition("_")[0]
        way = f"For all of them: `raidctl foreign {verb} {controller.id}`"
        yield Denial(deed=deed, guard="F3", reason=reason, alternative=way)


def _complete(deed: Deed, preview: ForeignPreview | None) -> Iterator[Denial]:
    """F1: no volume of the configuration lacks drives."""
    if preview is None or preview.complete is None:
        why = preview.why if preview is not None and preview.why else "the tool does not show what would be imported"
        reason = f"Whether the foreign configuration is complete is unknown: {why.rstrip('.')}."
        yield Denial(deed=deed, guard="F1", reason=reason, overridable=True, unknown=True)
    elif not preview.complete:
        lost = [volume.name or volume.number for volume in preview.volumes if volume.complete is False]
        of = f" of {listing(lost)}" if lost else ""
        reason = f"The foreign configuration is incomplete: drives{of} are missing."
        way = "Put its other drives in first, and check again: `raidctl foreign preview`."
        yield Denial(deed=deed, guard="F1", reason=reason, alternative=way, overridable=True)


def _pinned(deed: Deed, controller: Controller) -> Iterator[Denial]:
    """F1: the cache has no fault. An import writes what it holds of the volumes that it brings."""
    cache = controller.cache
    if cache is not None and cache.status == "critical":
        reason = f"The cache of {controller.id} reports a fault: {cache.status_text or 'critical'}."
        yield Denial(deed=deed, guard="F1", reason=reason, overridable=True)


def _only_copy(deed: Deed, controller: Controller) -> Iterator[Denial]:
    """F2: the configuration is not the missing part of an array here. No preserved cache belongs to it."""
    cache = controller.cache
    if controller.preserved or (cache is not None and cache.preserved_data):
        of = f" of {listing(one.volume for one in controller.preserved)}" if controller.preserved else ""
        reason = f"The cache holds preserved data{of}, which the foreign drives may belong to."
        way = f"raidctl foreign import {controller.id}"
        yield Denial(deed=deed, guard="F2", reason=reason, alternative=way)
    elif cache is None or cache.preserved_data is None:
        reason = f"Whether the cache of {controller.id} holds preserved data of the foreign drives is not reported."
        yield Denial(deed=deed, guard="F2", reason=reason, overridable=True, unknown=True)
    for volume in controller.volumes:
        if volume.status == "unknown":
            reason = f"The state of {volume.id} is unknown: it may need the foreign drives."
            yield Denial(deed=deed, guard="F2", reason=reason, unknown=True)
        elif volume.status in NOT_WHOLE and any(_may_be(volume, group) for group in _groups(controller, deed)):
            reason = f"{volume.id} {has_state(volume.status)}, and the foreign drives may be its missing members."
            way = f"Check both first: `raidctl foreign preview {controller.id}`"
            yield Denial(deed=deed, guard="F2", reason=reason, alternative=way)
    missing = _missing(controller)
    if missing:
        reason = f"Members of {listing(missing)} are missing, and the foreign drives may be these."
        yield Denial(deed=deed, guard="F2", reason=reason)


def _groups(controller: Controller, deed: Deed) -> tuple[ForeignGroup, ...]:
    """The affected configurations; if none is listed, one without any facts."""
    found = tuple(group for group in controller.foreign_groups if deed.part in (None, group.number))
    return found or (ForeignGroup(number="?"),)


def _may_be(volume: Volume, group: ForeignGroup) -> bool:
    """Whether a foreign configuration may be part of a volume's array. One with an unknown level or size may be."""
    if group.raid_level not in (None, "unknown") and volume.raid_level not in (None, "unknown"):
        return _common_level(group.raid_level) == _common_level(volume.raid_level)
    if group.size_bytes and volume.size_bytes:
        return abs(group.size_bytes - volume.size_bytes) <= _SAME_SIZE * volume.size_bytes
    return True


def _common_level(level: str) -> str:
    """A level in the words common to all tools. Mirrors of more than two drives have several names."""
    return "raid1" if level.startswith("raid1") else level


def _missing(controller: Controller) -> list[str]:
    """Return the arrays that list members without a description."""
    known = {drive.id for drive in controller.drives}
    return [array.id for array in controller.arrays if set(array.drives) - known]


def _discard(deed: Deed, controller: Controller) -> Iterator[Denial]:
    """F4: not while the drives of the volume may be present. A reason is always required."""
    if deed.part not in [one.volume for one in controller.preserved]:
        reason = f"No preserved cache of {deed.part or controller.id} is listed."
        cache = controller.cache
        known = cache is not None and cache.preserved_data is False
        yield Denial(deed=deed, guard="" if known else "F4", reason=reason, unknown=not known)
        return
    foreign = has_foreign(controller)
    if foreign:
        drives = foreign_drives(controller)
        names = f" ({listing(drive.id for drive in drives)})" if drives else ""
        reason = f"{controller.id} has foreign drives{names}: importing them writes the cache to them."
        yield Denial(deed=deed, guard="F4", reason=reason, alternative=f"raidctl foreign import {controller.id}")
    elif foreign is None:
        reason = f"Whether {controller.id} has foreign drives is not reported."
        yield Denial(deed=deed, guard="F4", reason=reason, unknown=True)
    reason = f"The preserved data of {deed.part} exists nowhere else and would be lost."
    yield Denial(
        deed=deed,
        guard="F4",
        reason=reason,
        alternative="Add --unsafe REASON; the volume's id is asked for, or given by --confirm.",
        overridable=True,
    )


def listed_hits(inventory: Inventory, deed: Deed) -> tuple[str, ...]:
    """F3: the objects that a command affects. There is one line per drive and configuration."""
    controller = owner(inventory.controllers, deed.object_id)
    if controller is None:
        return ()
    if deed.verb == "discard_preserved":
        return tuple(f"{one.volume} ({one.status_text or 'state not reported'})"
                     for one in controller.preserved if one.volume == deed.part)  # fmt: skip
    groups = [
        f"foreign configuration {group.number}: {group.raid_level or 'level not reported'}, "
        f"{counted(group.volumes, 'volume') if group.volumes is not None else 'volumes not reported'}"
        for group in controller.foreign_groups
    ]
    drives = [f"{drive.id} (serial number {drive.serial or 'unknown'})" for drive in foreign_drives(controller)]
    return (*groups, *drives)
