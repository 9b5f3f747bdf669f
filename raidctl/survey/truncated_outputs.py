"""Withdraw good conclusions that a truncated output does not support. Pure.

Affected are the object that the output describes last and what depends on it. Each fact that was read stays. A good
status, and a conclusion that rests on one, becomes unknown if the lines that could contradict it are missing:
``Firmware state: Online`` without the line ``S.M.A.R.T alert`` further down.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

from msgspec.structs import replace

from raidctl.evidence import Output
from raidctl.model import Array, Battery, Controller, Drive, Problem, Volume
from raidctl.model.drives_below import DrivesBelow
from raidctl.select import items

Part = TypeVar("Part", Array, Battery, Drive, Volume)
_BAD = frozenset(
    {"warning", "critical", "unknown", "failed", "missing", "degraded", "offline", "rebuilding", "inactive"}
)


def withdraw_unsupported(
    controllers: Sequence[Controller], outputs: Sequence[Output], problems: Iterable[Problem]
) -> list[Controller]:
    """Return the controllers without unsupported conclusions. Truncated outputs or broken JSON do not support these.

    A missing blank line at the end of an output that normally ends with one is only a hint: it makes unknown the drive
    caches that follow from a volume's setting, for drives that report nothing themselves.
    """
    torn = {problem.where for problem in problems if problem.kind == "unread" and problem.severity == "error"}
    cut = [
        one for one in outputs
        if one.gap or one.left_out or (one.command in torn if one.cut_off is None else not one.framed)
    ]  # fmt: skip
    about = {fact.object_id for output in cut for fact in output.facts}
    last = {name for output in cut for name in _last(output)}
    hinted = {fact.object_id for one in outputs if one.framed and one.cut_off for fact in one.facts}
    below = DrivesBelow(tuple(controllers))
    return [_by_drives(_controller(controller, last, about), hinted, below) for controller in controllers]


def _by_drives(controller: Controller, hinted: Collection[str], below: DrivesBelow) -> Controller:
    def judged(volume: Volume) -> Volume:
        members = below.members(volume)
        off = members.complete and all(drive.write_cache == "disabled" for drive in members.drives)
        return volume if off or volume.id not in hinted else _volume(volume, unsure=True, keep=True)

    return replace(controller, volumes=tuple(map(judged, controller.volumes))) if hinted else controller


def _last(output: Output) -> set[str]:
    """Return the ids of objects described last before an output breaks off."""
    numbers = {fact.line.number for fact in output.facts}
    breaks = [line.number for line in output.left_out]
    if output.gap or not breaks:
        breaks.append(len(output.lines) + 1)
    last = {max((number for number in numbers if number < place), default=0) for place in breaks}
    return {fact.object_id for fact in output.facts if fact.line.number in last}


def _controller(controller: Controller, last: Collection[str], about: AbstractSet[str]) -> Controller:
    """``last``: the objects described last. ``about``: all objects of these outputs, of which more may exist."""
    if controller.id not in about and about.isdisjoint(item.id for item in items(controller)):
        return controller
    ids = set(last)
    for array in controller.arrays:
        if array.id in ids or any(volume.id in ids for volume in controller.volumes if volume.array == array.id):
            ids |= {array.id, *array.drives}
        elif ids.intersection(array.drives):
            ids.add(array.id)
    ids |= {volume.id for volume in controller.volumes if volume.array in ids}
    own = controller.id in ids
    unsure = own or any(battery.id in ids for battery in controller.batteries)
    # other drives are only named by an array
    reported = {drive.id for drive in controller.drives if drive.model or drive.serial}
    cache = controller.cache
    if cache is not None and own and cache.status == "ok":
        cache = replace(cache, status="unknown")
    return replace(
        controller,
        status="unknown" if own and controller.status == "ok" else controller.status,
        cache=cache,
        batteries=tuple(_part(battery, ids) for battery in controller.batteries),
        arrays=tuple(_part(array, ids) for array in controller.arrays),
        volumes=tuple(_volume(_part(v, ids), unsure=unsure or v.id in ids) for v in controller.volumes),
        drives=tuple(
            _part(drive, ids if drive.id in reported or not reported else {drive.id}) for drive in controller.drives
        ),
    )


def _part(part: Part, ids: Collection[str]) -> Part:
    found: dict[str, Any] = {"status": "unknown"} if part.id in ids and part.status not in _BAD else {}
    if isinstance(part, (Array, Volume)) and part.failures_tolerated:
        found["failures_tolerated"] = None  # more members may have failed
    return replace(part, **found) if found else part


def _volume(volume: Volume, *, unsure: bool, keep: bool = False) -> Volume:
    """Make the protection of written data unknown if in doubt.

    An incomplete description of the volume, controller or battery leaves it in doubt.

    ``keep``: keep the controller's cache, as only the drives' caches are in doubt.
    """
    cache = volume.cache
    if cache is None or not unsure:
        return volume
    cache = replace(
        cache,
        controller_cache=cache.controller_cache if keep or cache.controller_cache == "unprotected" else "unknown",
        drive_caches="on" if cache.drive_caches == "on" else "unknown",
        write_protected=cache.write_protected and None,
    )
    return replace(volume, cache=cache)
