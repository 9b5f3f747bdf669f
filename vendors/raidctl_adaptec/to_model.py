"""Drafts as objects of the model, with final ids and evidence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from raidctl.evidence import Evidence, by_object
from raidctl.model import (
    Alarm,
    Array,
    Battery,
    Cache,
    Controller,
    Drive,
    Errors,
    Mode,
    PciLink,
    Problem,
    Progress,
    Rates,
    Scrub,
    Volume,
)
from raidctl.text import regex
from raidctl.vendor.disagreement import settle_settings
from raidctl.vendor.draft import Draft
from raidctl.vendor.identity import distinct
from raidctl.vendor.statuses import report_unknown_modes
from raidctl_adaptec import battery as batteries_of
from raidctl_adaptec import derived_fields, vocabulary
from raidctl_adaptec import drive as drives_of
from raidctl_adaptec.capability import FAMILY, capabilities
from raidctl_adaptec.draft import ControllerDraft, GroupDraft
from raidctl_adaptec.messages import counts
from raidctl_adaptec.policy import volume_cache

# Series 2, 3, 5 and 6 and what IBM and Sun sold of them have no other mode than RAID, and the tool no line for it.
_RAID_ONLY = regex(r"(?:ASR-?)?(?:[2356]\d{3}[A-Z]{0,3}|[2356]\d{4}Z?)(?:[- ].*)?|ServeRAID 8.*|STK RAID.*")


def controller_ids(controllers: Sequence[ControllerDraft]) -> list[str]:
    """The ids ``adaptec:N`` after arcconf's numbers.

    If outputs of two machines share one, the second is ``adaptec:1-2``.
    """
    return distinct(f"{FAMILY}:{controller.name}" for controller in controllers)


def build(controller: ControllerDraft, object_id: str) -> tuple[Controller, list[Problem]]:
    """The controller and all its problems; writes the evidence."""
    settle_settings(controller)
    controller.derive(derived_fields.CONTROLLER)
    report_unknown_modes(controller, derived_fields.CONTROLLER, vocabulary.has_state)
    for volume in controller.volumes.values():
        volume.derive(derived_fields.VOLUME)
    for drive in controller.drives.values():
        drive.derive(derived_fields.DRIVE)
    cache = _cache(controller)
    batteries = tuple(_battery(item, f"{object_id}/battery{n}") for n, item in enumerate(controller.batteries.values()))
    smartpqi, spares = is_smartpqi(controller), controller.arrays_of_spares(dedicated=True)
    mode: Mode | None = controller.get("mode") or _only_mode(controller)
    found = controller.build(
        Controller,
        id=object_id,
        mode=mode,
        cache=cache,
        pci_link=controller.part("pci_link", PciLink),
        rates=controller.part("rates", Rates),
        alarm=controller.part("alarm", Alarm),
        consistency_check=controller.part("consistency_check", Scrub),
        batteries=batteries,
        arrays=tuple(_array(item, object_id) for item in controller.arrays.values()),
        volumes=tuple(_volume(item, controller, cache, batteries, object_id) for item in controller.volumes.values()),
        drives=tuple(_drive(item, controller, spares, object_id) for item in controller.drives.values()),
        capabilities=capabilities(mode, cache, smartpqi=smartpqi),
    )
    problems = [*controller.problems(object_id), *counts(found, controller)]
    controller.write_evidence(object_id, partial(_shown_on, found))
    return found, problems


def is_smartpqi(controller: ControllerDraft) -> bool | None:
    """Whether it is a controller of the newer generation. None if no output reports it."""
    if controller.get("driver") is not None:
        return bool(controller.get("driver") == "smartpqi")
    if controller.get("cache.status") is not None or controller.get("cache.read_percent") is not None:
        return True
    if any(volume.get("cache.caching") is not None for volume in controller.volumes.values()):
        return True
    aacraid = controller.get("cache.size_bytes") is not None and "Boot Flash" in controller.details
    reported = any(volume.get("cache.setting") or volume.get("cache.mode") for volume in controller.volumes.values())
    return False if aacraid or reported else None


def _only_mode(controller: ControllerDraft) -> Mode | None:
    """RAID, for controllers that have no other mode."""
    model = controller.get("model")
    return "raid" if model and controller.get("firmware") and _RAID_ONLY.fullmatch(model) else None


def _cache(controller: ControllerDraft) -> Cache | None:
    reported = {name[6:]: value for name, (_, value) in controller.values.items() if name.startswith("cache.")}
    if not reported:
        return None
    size, read, write = reported.get("size_bytes"), reported.get("read_percent"), reported.get("write_percent")
    usable = reported.get("available_bytes") or size
    reason = reported.get("reason")
    if reason and reported.get("status") == "ok":
        # Cache Status                               : Ok
        # Cache Status Details                       : A cache error was detected.
        text = f"The cache reports a problem: {reason}"
        controller.add_problem("warning", "state", text, "Read the controller's events: `raidctl events`.")
    printed = [reported.get("status_text"), reason]
    return Cache(
        present=True if size else None,
        status=reported.get("status"),
        status_text="; ".join(text for text in printed if text) or None,
        size_bytes=size,
        available_bytes=reported.get("available_bytes"),
        read_percent=read,
        write_percent=write,
        read_bytes=None if usable is None or read is None else usable * read // 100,
        write_bytes=None if usable is None or write is None else usable * write // 100,
        no_battery_write_cache=reported.get("no_battery_write_cache"),
    )


def _battery(draft: Draft, object_id: str) -> Battery:
    status = batteries_of.infer_status(draft)
    return draft.build(
        Battery,
        id=object_id,
        status=status,
        replace=True if "replace" in (draft.get("status_text") or "").lower() else None,
    )


def _array(draft: GroupDraft, controller_id: str) -> Array:
    return draft.build(
        Array,
        id=f"{controller_id}/a{draft.name}",
        drives=tuple(f"{controller_id}/{key}" for key in draft.members if key not in draft.spares),
        spares=tuple(f"{controller_id}/{key}" for key in draft.spares),
    )


def _volume(
    draft: GroupDraft,
    controller: ControllerDraft,
    cache: Cache | None,
    batteries: tuple[Battery, ...],
    controller_id: str,
) -> Volume:
    array = draft.get("array")
    details = dict(draft.details)
    if is_smartpqi(controller) is False:
        # Linux, drivers/scsi/aacraid: CONTAINER_CHANNEL is 0, CONTAINER_TO_ID(n) is n
        details.setdefault("SCSI target", f"0:{draft.name}:0")
    return draft.build(
        Volume,
        id=f"{controller_id}/v{draft.name}",
        array=f"{controller_id}/a{array}" if array in controller.arrays else None,
        cache=volume_cache(draft, cache, batteries, controller.get("drive_write_cache")),
        progress=draft.part("progress", Progress),
        details=details,
    )  # fmt: skip


def _drive(draft: Draft, controller: ControllerDraft, spares: dict[str, list[str]], controller_id: str) -> Drive:
    spare_for = tuple(f"{controller_id}/a{name}" for name in spares.get(draft.name, ()))
    array = draft.get("array")
    home = f"{controller_id}/a{array}" if array in controller.arrays else spare_for[0] if len(spare_for) == 1 else None
    return draft.build(
        Drive,
        id=f"{controller_id}/{draft.name}",
        array=home,
        model=drives_of.model(draft),
        media=draft.get("media") or ("hdd" if draft.get("rpm") else None),
        errors=Errors(media=draft.get("errors.media"), predictive=draft.get("errors.predictive")),
        progress=_progress(draft),
        spare_for=spare_for,
    )


def _progress(drive: Draft) -> Progress | None:
    """The operation that a task of the tool reports for a drive, else that in its state."""
    reported = drive.part("progress", Progress)
    state = drive.get("status_text") or ""
    named = vocabulary.drive_operation(state)
    if reported is not None or named is None:
        return reported
    return Progress(operation=named, state="queued" if state.lower().endswith("queued") else None)


def _shown_on(found: Controller, draft: Draft, where: str) -> dict[str, Evidence] | None:
    """The volumes show the write cache policy of all drives."""

    def shown(name: str, value: object) -> list[tuple[str, str, object]]:
        if name == "drive_write_cache":
            return [(volume.id, "cache.drive_write_cache", value) for volume in found.volumes]
        return [(where, name, value)]

    return by_object(draft.evidence, shown) if isinstance(draft, ControllerDraft) else None
