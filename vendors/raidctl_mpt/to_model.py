"""Convert drafts to model objects with final ids, and their evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from raidctl.model import (
    Array,
    Cache,
    Controller,
    Drive,
    Operation,
    Progress,
    Role,
    Volume,
    VolumeStatus,
)
from raidctl.vendor.draft import Draft, GroupDraft
from raidctl.vendor.statuses import doubt_ok, health_of_volume
from raidctl_mpt import vocabulary
from raidctl_mpt.capability import FAMILY, SUPPORT
from raidctl_mpt.draft import ControllerDraft
from raidctl_mpt.labels import ADDRESS

_NO_PLACE = "0:0"
"""The place of a member that is missing."""
_WORKS = ("online", "optimal")
_NEVER_MEMBERS = (None, "spare", "passthrough", "unassigned")
"""Roles that no member of a volume has, by its own state."""


def build(controller: ControllerDraft, devices: Mapping[str, str]) -> Controller:
    """The controller with everything on it. ``devices``: the kernel's devices by world wide name."""
    controller.sort()
    object_id = f"{FAMILY}:{controller.name}"
    members = {name: _members(array, controller) for name, array in controller.arrays.items()}
    for name, listed in members.items():
        doubt_ok(controller.volumes.get(name), _members_with_other_role(listed))
        for drive in listed:
            drive.conclude("array", name)
            if drive.get("role") in _NEVER_MEMBERS:
                drive.override("role", "member")
    return Controller(
        id=object_id,
        vendor="LSI",
        model=controller.get("model"),
        firmware=controller.get("firmware"),
        slot=controller.get("slot"),
        pci_address=_address(controller),
        # these controllers have no cache memory
        cache=Cache(present=False),
        mode="raid" if controller.volumes else controller.get("mode"),
        arrays=tuple(_array(item, members[name], controller, object_id) for name, item in controller.arrays.items()),
        volumes=tuple(
            _volume(item, controller, members.get(name, []), object_id, devices)
            for name, item in controller.volumes.items()
        ),
        drives=tuple(_drive(item, object_id) for item in controller.drives.values()),
        capabilities=SUPPORT,
        details=controller.details,
    )


def _address(controller: ControllerDraft) -> str | None:
    listed = cast("str | None", controller.get("pci_address"))
    segment, bus, device, function = (controller.get(label) for label in ADDRESS)
    if listed is not None or None in (segment, bus, device, function):
        return listed
    address = f"{segment:04x}:{bus:02x}:{device:02x}.{function:x}"
    lines = [line for line, name, _ in controller.evidence if name == "details[Bus]"]
    controller.add_evidence(next(iter(lines), None), "pci_address", address)
    return address


def _places(array: GroupDraft) -> list[str]:
    """The places of an array's members, in their order. A missing one is ``0:0``, however many there are."""
    return [key.split(" ", 1)[1] for key in array.members]


def _members(array: GroupDraft, controller: ControllerDraft) -> list[Draft]:
    """The listed drives of an array. Missing ones, which have no place, count if they can belong to no other array."""
    places = _places(array)
    found = [drive for drive in controller.drives.values() if drive.get("place") in places]
    lost = [drive for drive in found if drive.get("place") == _NO_PLACE]
    with_missing = [one for one in controller.arrays.values() if _NO_PLACE in _places(one)]
    if len(with_missing) > 1 or len(lost) > places.count(_NO_PLACE):
        found = [drive for drive in found if drive not in lost]
    return found


def _members_with_other_role(members: Sequence[Draft]) -> dict[str, str]:
    """The members with a state that no member has, by place. Unknown words are included."""
    words = {str(drive.get("place")): drive.get("status_text") or "in an unknown state" for drive in members}
    return {place: word for place, word in words.items() if _role(word) in _NEVER_MEMBERS}


def _role(word: str) -> Role | None:
    state = vocabulary.drive_state(word)
    return state[1] if state is not None else None


def _status(volume: GroupDraft | None) -> VolumeStatus:
    status: VolumeStatus = (volume.get("status") if volume is not None else None) or "unknown"
    return "rebuilding" if status == "degraded" and _operation(volume) == "rebuild" else status


def _operation(volume: GroupDraft | None) -> Operation | None:
    """A mirror that is synchronized while it is degraded is being rebuilt."""
    operation: Operation | None = volume.get("operation") if volume is not None else None
    if operation == "resync" and volume is not None and volume.get("status") == "degraded":
        return "rebuild"
    return operation


def _array(draft: GroupDraft, members: Sequence[Draft], controller: ControllerDraft, controller_id: str) -> Array:
    gone = [place for place in _places(draft) if place == _NO_PLACE]
    if gone and not members:
        draft.keep_words("Missing members", str(len(gone)))
    return draft.build(
        Array,
        id=f"{controller_id}/a{draft.name}",
        status=health_of_volume(_status(controller.volumes.get(draft.name))),
        drives=tuple(f"{controller_id}/{drive.name}" for drive in members),
    )


def _volume(
    draft: GroupDraft,
    controller: ControllerDraft,
    members: Sequence[Draft],
    controller_id: str,
    devices: Mapping[str, str],
) -> Volume:
    array = controller.arrays.get(draft.name)
    expected = len(array.members) if array is not None else None
    status, operation = _status(draft), _operation(draft)
    device = devices.get(vocabulary.naa_of_volume(draft.get("unique_id") or "") or "")
    if device is not None:
        draft.restate("device", device, ("unique_id",))
    if status != (draft.get("status") or "unknown"):
        draft.restate("status", status, ("status",))
    work = None
    if operation is not None:
        work = Progress(operation=operation, percent=draft.get("progress.percent"), state="running")
    return draft.build(
        Volume,
        id=f"{controller_id}/v{draft.name}",
        array=None if array is None else f"{controller_id}/a{draft.name}",
        status=status,
        drives_expected=expected,
        drives_active=_active(array, members, status),
        progress=work,
    )


def _active(array: GroupDraft | None, members: Sequence[Draft], status: VolumeStatus) -> int | None:
    """The working members, where each is listed or missing; None: unknown."""
    if array is None:
        return None
    places = _places(array)
    listed = {drive.get("place") for drive in members}
    if any(place not in listed and place != _NO_PLACE for place in places):
        return None
    if status == "unknown" and _members_with_other_role(members):
        return None
    return sum(vocabulary.bare(drive.get("status_text") or "") in _WORKS for drive in members)


def _drive(draft: Draft, controller_id: str) -> Drive:
    array = draft.get("array")
    return draft.build(
        Drive,
        id=f"{controller_id}/{draft.name}",
        array=None if array is None else f"{controller_id}/a{array}",
    )
