"""Convert drafts to model objects with final ids, and their evidence."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.model import (
    Array,
    Battery,
    BatteryStatus,
    Cache,
    Controller,
    Drive,
    Errors,
    Mode,
    Progress,
    Volume,
)
from raidctl.vendor.draft import Draft
from raidctl.vendor.statuses import health_of_volume
from raidctl_areca import vocabulary
from raidctl_areca.capability import FAMILY, SUPPORT
from raidctl_areca.draft import ControllerDraft
from raidctl_areca.policy import volume_cache


def build(controller: ControllerDraft) -> Controller:
    """The controller with everything on it."""
    controller.sort()
    object_id = f"{FAMILY}:{controller.name}"
    battery = _battery(controller, object_id)
    size = controller.get("cache.size_bytes")
    mode: Mode | None = controller.get("mode")
    return Controller(
        id=object_id,
        vendor="Areca",
        model=controller.get("model"),
        serial=controller.get("serial"),
        firmware=controller.get("firmware"),
        mode=mode or ("raid" if controller.arrays else None),
        cache=None if size is None else Cache(present=True, size_bytes=size),
        batteries=() if battery is None else (battery,),
        arrays=_arrays(controller, object_id),
        volumes=tuple(_volume(item, controller, battery, object_id) for item in controller.volumes.values()),
        drives=tuple(_drive(item, controller, object_id) for item in controller.drives.values()),
        capabilities=SUPPORT,
        details=controller.details,
    )


def _set_id(controller_id: str, number: str) -> str:
    """``areca:1/r1``; ``areca:1/r=Raid Set # 00`` if only the name is known."""
    return f"{controller_id}/r{number}"


def _volume_id(controller_id: str, number: str) -> str:
    return f"{controller_id}/v{number}"


def _battery(controller: ControllerDraft, controller_id: str) -> Battery | None:
    draft = controller.batteries.get("0")
    if draft is None or not draft.evidence:
        return None
    status: BatteryStatus = draft.get("status") or "unknown"
    return Battery(
        id=f"{controller_id}/battery0",
        kind=draft.get("kind") or "unknown",
        status=status,
        status_text=draft.get("status_text"),
        charge_percent=draft.get("charge_percent"),
        replace=True if status == "failed" else None,
        details=draft.details,
    )


def _arrays(controller: ControllerDraft, controller_id: str) -> tuple[Array, ...]:
    members: dict[str, list[Draft]] = {}
    for drive in controller.drives.values():
        members.setdefault(drive.get("array") or "", []).append(drive)
    spares = [drive for drive in controller.drives.values() if drive.get("role") == "spare"]
    return tuple(_array(item, members.get(item.name, []), spares, controller_id) for item in controller.arrays.values())


def _array(draft: Draft, members: Sequence[Draft], waiting: Sequence[Draft], controller_id: str) -> Array:
    name = draft.get("set") or ""
    spares = [drive for drive in waiting if _dedicated(drive, name)]
    return draft.build(
        Array,
        id=_set_id(controller_id, draft.name),
        status=health_of_volume(draft.get("status")),
        drives=tuple(f"{controller_id}/{drive.name}" for drive in members),
        spares=tuple(f"{controller_id}/{drive.name}" for drive in spares),
    )


def _dedicated(drive: Draft, name: str) -> bool:
    """``HotSpare[Dedicated To Raid Set # 00]`` is the spare of one set."""
    usage, name = (text.lower().rstrip(")]") for text in (drive.details.get("Usage", ""), name))  # data (1)
    # "archive 2" contains the name "archive"
    return bool(name) and usage.endswith(name) and usage[: -len(name)].rstrip().endswith(("to", "[", "("))


def _volume(draft: Draft, controller: ControllerDraft, battery: Battery | None, controller_id: str) -> Volume:
    array = draft.get("array")
    home = controller.arrays.get(array) if array is not None else None
    disks = home.details.get("Disks", "") if home is not None else ""
    expected = draft.get("drives_expected")
    members = expected if expected is not None else int(disks) if disks.isdecimal() and len(disks) < 6 else None
    operation, percent = draft.get("operation"), draft.get("progress.percent")
    level = draft.get("level")
    return draft.build(
        Volume,
        id=_volume_id(controller_id, draft.name),
        array=None if array is None else _set_id(controller_id, array),
        raid_level=vocabulary.raid_level(level, members) if level is not None else None,
        cache=volume_cache(draft, controller, battery),
        drives_active=_active(controller, array, draft.get("status"), members),
        progress=None if operation is None else Progress(operation=operation, percent=percent, state="running"),
    )


def _active(controller: ControllerDraft, array: str | None, status: str | None, members: int | None) -> int | None:
    """The working members, where the drive list agrees with the volume's state. None: unknown.

    No list shows which member a rebuild fills.
    """
    if array is None or members is None:
        return None
    listed = [drive for drive in controller.drives.values() if drive.get("array") == array]
    whole = status in ("ok", "checking", "initializing", "migrating", "expanding")
    good = ("ok", "warning") if whole else ("ok",)
    working = sum(drive.get("role") == "member" and drive.get("status") in good for drive in listed)
    fits = working == members if whole else status == "degraded" and 0 < working < members
    return working if fits else None


def _drive(draft: Draft, controller: ControllerDraft, controller_id: str) -> Drive:
    array = draft.get("array")
    raw = draft.get("raw_model")
    sets = controller.arrays.items() if draft.get("role") == "spare" else ()
    numbers = [number for number, item in sets if _dedicated(draft, item.get("set") or "")]
    spare_for = tuple(_set_id(controller_id, number) for number in numbers)
    return draft.build(
        Drive,
        id=f"{controller_id}/{draft.name}",
        array=None if array is None else _set_id(controller_id, array),
        model=vocabulary.drive_model(raw, sas=draft.get("interface") == "sas") if raw else None,
        errors=Errors(media=draft.get("errors.media"), other=draft.get("errors.other")),
        spare_for=spare_for,
    )
