"""Convert drafts to model objects with final ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from raidctl.model import ASK_OWN_TOOL, Array, Battery, Cache, Controller, Drive, Problem, Volume
from raidctl.vendor.draft import Draft, GroupDraft
from raidctl.vendor.statuses import health_of_volume, worst
from raidctl_redfish.battery import worst_battery
from raidctl_redfish.capability import SUPPORT
from raidctl_redfish.draft import ControllerDraft
from raidctl_redfish.vocabulary import bare
from raidctl_redfish.volume import volume_cache

_FINE = frozenset(
    ("ok", "unknown", "checking", "initializing", "expanding", "migrating", "charging", "learning", "missing")
)

_CRITICAL = frozenset(("critical", "failed", "offline"))


def build(controller: ControllerDraft, name: str) -> tuple[Controller, list[Problem]]:
    """The controller with all its problems; its drafts get their final names."""
    _rename(controller)
    _arrays(controller)
    _check_policies(controller)
    battery = worst_battery(controller)
    volumes = tuple(_volume(draft, controller, name, battery) for draft in controller.volumes.values())
    raid = any(volume.raid_level not in (None, "jbod", "unknown") for volume in volumes)
    found = controller.build(
        Controller,
        id=name,
        told_by="redfish",
        mode=controller.get("mode") or ("raid" if raid else None),
        cache=_cache(controller),
        batteries=tuple(
            draft.build(Battery, id=f"{name}/battery{place}")
            for place, draft in enumerate(controller.batteries.values())
        ),
        arrays=tuple(_array(draft, controller, name) for draft in controller.arrays.values()),
        volumes=volumes,
        drives=tuple(_drive(draft, name) for draft in controller.drives.values()),
        capabilities=SUPPORT,
    )
    return found, [*controller.problems(name), *_rolled_up(controller, found)]


def _rolled_up(controller: ControllerDraft, found: Controller) -> Iterator[Problem]:
    """Report a bad ``HealthRollup`` if no part is reported as equally bad. One is then not listed."""
    parts: tuple[Controller | Battery | Volume | Drive, ...]
    parts = (found, *found.batteries, *found.volumes, *found.drives)
    word = bare(controller.get("rollup"))
    states = {found.cache.status if found.cache else None, *(one.status for one in parts)} - {None}
    if (word == "critical" and not states & _CRITICAL) or (word == "warning" and states <= _FINE):
        yield Problem(
            severity="error" if word == "critical" else "warning",
            kind="state",
            where=found.id,
            message=f"The BMC reports {word} as the health of all parts together, and of none of those that it lists.",
            remedy="Look for the part in the BMC's web interface and log, and with the controller's own tool.",
        )


def _check_policies(controller: ControllerDraft) -> None:
    """Report a missing write policy.

    A volume of which some cache setting is reported has one, so a missing one is unknown.
    """
    for volume in controller.volumes.values():
        cached = any(name.startswith("cache.") for name in volume.values)
        if cached and volume.get("cache.write_policy") is None:
            message = "The BMC does not report the volume's write policy."
            volume.add_problem("warning", "unread", message, ASK_OWN_TOOL)


def _cache(controller: ControllerDraft) -> Cache | None:
    size = controller.get("cache.size_bytes")
    if size == 0 or (size is None and controller.get("cache.present") is False):
        controller.discard("cache.size_bytes", "cache.status", "cache.status_text")
        return Cache(present=False)
    if size is not None:
        controller.conclude("cache.present", value=True)
    return controller.part("cache", Cache)


def _rename(controller: ControllerDraft) -> None:
    """Give drives and volumes the shortest names that are unique.

    The names are the ends of their paths, without Dell's addresses.
    """
    names = _short([*controller.drives], controller.drives)
    controller.drives = {names[path]: draft for path, draft in controller.drives.items()}
    for draft in controller.volumes.values():
        draft.members = {names.get(path, f"?{path}"): None for path in draft.members}
        draft.spares = {names[path]: own for path, own in draft.spares.items() if path in names}
    titles = _short([*controller.volumes], controller.volumes)
    controller.volumes = {titles[path]: draft for path, draft in controller.volumes.items()}
    for name, own in (*controller.drives.items(), *controller.volumes.items()):
        own.name = name
    controller.sort()


def _short(paths: list[str], drafts: Mapping[str, Draft]) -> dict[str, str]:
    """``Disk.Bay.1`` of ``…/Drives/Disk.Bay.1:Enclosure.Internal.0-1:RAID.Slot.1-1``, if no other drive has it."""
    last = {path: path.rpartition("/")[2] or path for path in paths}
    short = {path: word.partition(":")[0] for path, word in last.items()}
    found = {}
    for path in drafts:
        alone = [*short.values()].count(short[path]) == 1
        unique = [*last.values()].count(last[path]) == 1
        found[path] = short[path] if alone else last[path] if unique else path.strip("/").replace("/", "-")
    return found


def _arrays(controller: ControllerDraft) -> None:
    """Make arrays, as Redfish has none. The drives of a volume are one, and volumes on the same drives share it."""
    taken: dict[frozenset[str], str] = {}
    for name, volume in controller.volumes.items():
        members = frozenset(volume.members)
        if not members:
            level = volume.get("raid_level")
            if level not in (None, "jbod"):
                message = "The BMC does not report on which drives the volume is."
                volume.add_problem("warning", "unread", message, ASK_OWN_TOOL)
            continue
        title = taken.setdefault(members, name)
        array = controller.array(title)
        array.members |= volume.members
        array.spares |= volume.spares
        volume.override("array", title)
        for key in volume.members:
            if key in controller.drives:
                drive = controller.drives[key]
                drive.conclude("array", title)
                if drive.get("role") in (None, "unassigned"):
                    drive.override("role", "passthrough" if volume.get("raid_level") == "jbod" else "member")


def _array(draft: GroupDraft, controller: ControllerDraft, name: str) -> Array:
    states = [one.get("status") for one in controller.volumes.values() if one.get("array") == draft.name]
    return draft.build(
        Array,
        id=f"{name}/a{draft.name}",
        status=worst([health_of_volume(state) for state in states]),
        drives=tuple(f"{name}/{key}" for key in draft.members if key in controller.drives),
        spares=tuple(f"{name}/{key}" for key in draft.spares if key in controller.drives),
    )


def _volume(draft: GroupDraft, controller: ControllerDraft, name: str, battery: object) -> Volume:
    array = draft.get("array")
    whole = draft.get("status") == "ok" and all(_works(controller.drives.get(key)) for key in draft.members)
    return draft.build(
        Volume,
        id=f"{name}/v{draft.name}",
        array=None if array is None else f"{name}/a{array}",
        drives_expected=len(draft.members) or None,
        drives_active=len(draft.members) or None if whole else None,
        cache=volume_cache(draft, battery),  # type: ignore[arg-type]  # one of the model's words
        failures_tolerated=None,
    )


def _works(drive: Draft | None) -> bool:
    """Whether a member holds its data. One that expects to fail does, one that is being rebuilt does not."""
    if drive is None or drive.get("status") not in ("ok", "warning"):
        return False
    return "rebuild" not in (drive.get("status_text") or "").lower()


def _drive(draft: Draft, name: str) -> Drive:
    array = draft.get("array")
    spare = draft.get("role") == "spare" and array is not None
    return draft.build(
        Drive,
        id=f"{name}/{draft.name}",
        array=None if array is None else f"{name}/a{array}",
        spare_for=(f"{name}/a{array}",) if spare else (),
    )
