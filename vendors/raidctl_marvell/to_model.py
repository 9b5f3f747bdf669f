"""Convert drafts to model objects with final ids, and their evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidctl.model import (
    Array,
    Cache,
    Controller,
    Drive,
    Errors,
    Interface,
    Operation,
    Progress,
    TaskState,
    Volume,
    VolumeCache,
    VolumeStatus,
)
from raidctl.vendor.draft import Draft, GroupDraft
from raidctl.vendor.statuses import doubt_ok, health_of_volume
from raidctl_marvell.capability import FAMILY, SUPPORT
from raidctl_marvell.draft import ControllerDraft
from raidctl_marvell.labels import IDLE


def build(controller: ControllerDraft, places: Mapping[str, str | None]) -> Controller:
    """The controller. ``places``: its PCI address and the device of its only volume, as far as they are known."""
    controller.sort()
    object_id = f"{FAMILY}:{controller.name}"
    for array in controller.arrays.values():
        for key in array.members:
            if key in controller.drives:
                controller.drives[key].conclude("array", array.name)
                controller.drives[key].override("role", "member")
    members = {
        name: [controller.drives[key] for key in array.members if key in controller.drives]
        for name, array in controller.arrays.items()
    }
    for array in controller.arrays.values():
        doubt_ok(controller.volumes.get(array.name), _members_with_other_state(controller, array))
    uncached = [volume.get("cached") is False for volume in controller.volumes.values()]
    nvme: Interface | None = "nvme" if controller.name.startswith("n") else None
    return controller.build(
        Controller,
        id=object_id,
        vendor="Marvell",
        pci_address=places.get("pci_address"),
        mode="raid" if controller.volumes else None,
        cache=Cache(present=False) if uncached and all(uncached) else None,
        arrays=tuple(
            _array(item, members[name], controller.volumes.get(name), object_id)
            for name, item in controller.arrays.items()
        ),
        volumes=tuple(
            _volume(item, controller, members.get(name, []), object_id, places)
            for name, item in controller.volumes.items()
        ),
        drives=tuple(_drive(item, object_id, nvme) for item in controller.drives.values()),
        capabilities=SUPPORT,
    )


def _members_with_other_state(controller: ControllerDraft, array: GroupDraft) -> dict[str, str]:
    """The drives of an array whose own state is not that of a member, or that a complete list does not have."""
    found = {}
    for key in array.members:
        drive = controller.drives.get(key)
        if drive is not None and drive.get("apart"):
            found[key] = drive.get("apart")
        elif controller.get("all_listed") and (drive is None or not drive.get("listed")):
            found[key] = "not listed"
    return found


def _operation(volume: GroupDraft) -> Operation | None:
    """The running operation; ``unknown`` if only that one is running is reported."""
    operation: Operation | None = volume.get("operation")
    if volume.get("activity") == IDLE:
        return None
    return operation or ("unknown" if volume.get("activity") is not None else None)


def _status(volume: GroupDraft | None) -> VolumeStatus:
    status: VolumeStatus = (volume.get("status") if volume is not None else None) or "unknown"
    rebuilt = volume is not None and _operation(volume) == "rebuild"
    return "rebuilding" if status == "degraded" and rebuilt else status


def _array(draft: GroupDraft, members: Sequence[Draft], volume: GroupDraft | None, controller_id: str) -> Array:
    return draft.build(
        Array,
        id=f"{controller_id}/a{draft.name}",
        status=health_of_volume(_status(volume)),
        drives=tuple(f"{controller_id}/{drive.name}" for drive in members),
    )


def _volume(
    draft: GroupDraft,
    controller: ControllerDraft,
    members: Sequence[Draft],
    controller_id: str,
    places: Mapping[str, str | None],
) -> Volume:
    status, operation = _status(draft), _operation(draft)
    if status != (draft.get("status") or "unknown"):
        draft.restate("status", status, ("status",))
    device = places.get("device") if len(controller.volumes) == 1 else None
    work = None
    if operation is not None:
        state: TaskState = draft.get("activity") or "running"
        work = Progress(operation=operation, percent=draft.get("progress.percent"), state=state)
    return draft.build(
        Volume,
        id=f"{controller_id}/v{draft.name}",
        array=f"{controller_id}/a{draft.name}",
        status=status,
        device=device,
        cache=VolumeCache() if draft.get("cached") else None,
        drives_active=_active(draft, members, status),
        progress=work,
    )


def _active(volume: GroupDraft, members: Sequence[Draft], status: VolumeStatus) -> int | None:
    """The working members of a whole volume whose drives are all listed. Otherwise None: no list shows the missing."""
    expected = volume.get("drives_expected")
    working = sum(drive.get("status") in ("ok", "warning", None) for drive in members)
    return working if status == "ok" and expected == len(members) == working else None


def _drive(draft: Draft, controller_id: str, interface: Interface | None) -> Drive:
    array, sectors = draft.get("array"), draft.get("sectors")
    if sectors is not None:
        size = sectors * (draft.get("sector_bytes") or 512)
        draft.override("size_bytes", size)
        for line in [line for line, name, _ in draft.evidence if name == "details[LBA]"]:
            draft.add_evidence(line, "size_bytes", size)
    if interface is not None:
        draft.conclude("interface", interface)
        draft.conclude("media", "ssd")
    errors = {name: draft.get(f"errors.{name}") for name in ("reallocated", "pending", "uncorrectable", "link")}
    return draft.build(
        Drive,
        id=f"{controller_id}/{draft.name}",
        array=None if array is None else f"{controller_id}/a{array}",
        errors=Errors(**errors),
    )
