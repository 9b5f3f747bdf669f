"""Drafts as objects of the model, with final ids and evidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest

from raidctl.evidence import Evidence, by_object
from raidctl.model import (
    Alarm,
    Array,
    Battery,
    Cache,
    Controller,
    Drive,
    Errors,
    PciLink,
    PreservedCache,
    Problem,
    Progress,
    Rates,
    Scrub,
    Volume,
)
from raidctl.order import natural
from raidctl.text import regex
from raidctl.vendor.draft import Draft, GroupDraft
from raidctl.vendor.identity import distinct
from raidctl.vendor.mixed_machines import note_mixed
from raidctl.vendor.shapes import MISSING_PLACES
from raidctl.vendor.statuses import report_unknown_modes
from raidctl_megaraid import bbu_mask, derived_fields, vocabulary
from raidctl_megaraid.capability import FAMILY, capabilities
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.infer import BAD_BBU, infer
from raidctl_megaraid.megacli.sentences import MISSING_ROW
from raidctl_megaraid.messages import reports
from raidctl_megaraid.policy import Power, masked, volume_cache

# PCI Address = 00:03:00:00      (domain:bus:device:function, hexadecimal)
_PCI = regex(r"(?:([0-9a-f]{1,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})[.:]0?([0-7])", re.IGNORECASE)


def controller_ids(controllers: Sequence[ControllerDraft]) -> list[str]:
    """``megaraid:NUMBER``; a number that is taken or unknown gets a suffix: ``megaraid:0-2``."""
    numbers = (
        controller.name if controller.get("number") is None else str(controller.get("number"))
        for controller in controllers
    )
    return distinct(f"{FAMILY}:{number or 'unknown'}" for number in numbers)


def build(controller: ControllerDraft, object_id: str, kind: str) -> tuple[Controller, list[Problem]]:
    """The controller and all its problems; writes the evidence.

    Args:
        controller: All that was reported of it.
        object_id: Its id.
        kind: The kind of the tool that reported it: ``storcli``, ``storcli2``, ``megacli``, ``mfi``.
    """
    infer(controller, kind)
    _derive(controller)
    spares = controller.arrays_of_spares()
    cache = _cache(controller)
    batteries = _batteries(controller, cache, object_id)
    power = Power(cache, batteries, controller.get("bbu_present"), controller.get("bbu_status"))
    found = controller.build(
        Controller,
        id=object_id,
        pci_address=pci_address(controller.get("pci_address")) or pci_address(controller.get("bus")),
        cache=cache,
        pci_link=controller.part("pci_link", PciLink),
        rates=controller.part("rates", Rates),
        alarm=controller.part("alarm", Alarm),
        patrol_read=controller.part("patrol_read", Scrub),
        consistency_check=controller.part("consistency_check", Scrub),
        batteries=batteries,
        arrays=tuple(_array(item, controller, object_id) for item in controller.arrays.values()),
        volumes=tuple(_volume(item, controller, power, object_id) for item in controller.volumes.values()),
        drives=tuple(_drive(item, spares, object_id) for item in controller.drives.values()),
        capabilities=capabilities(controller, kind, cache),
        preserved=tuple(
            PreservedCache(volume=f"{object_id}/v{number}", status_text=words)
            for number, words in sorted(
                (controller.get("preserved_of") or {}).items(), key=lambda item: natural(item[0])
            )
        ),
    )
    if len(controller.details.get(MISSING_PLACES, "").split(", ")) <= _lacking(found):
        controller.withdraw(MISSING_ROW)  # the volume lacks it: one cause, one problem
    note_mixed(controller)
    problems = [*controller.problems(object_id), *reports(found, controller, power)]
    drafts = zip_longest(batteries, controller.batteries.values())
    alone = [battery.id for battery, draft in drafts if draft is None or not draft.evidence]
    controller.write_evidence(object_id, partial(_shown_on, alone))
    return found, problems


def _derive(controller: ControllerDraft) -> None:
    controller.derive(derived_fields.CONTROLLER)
    report_unknown_modes(controller, derived_fields.CONTROLLER, vocabulary.has_state)
    for volume in controller.volumes.values():
        volume.derive(derived_fields.VOLUME)
    for drive in controller.drives.values():
        drive.derive(derived_fields.DRIVE)
    for battery in controller.batteries.values():
        battery.derive(derived_fields.BATTERY)


def _lacking(controller: Controller) -> int:
    """Return how many members the arrays with incomplete volumes lack. Other arrays explain no missing drive."""
    works = Counter(drive.array for drive in controller.drives if drive.role == "member" and drive.status == "ok")
    volumes = [volume for volume in controller.volumes if volume.status in _NOT_WHOLE]
    needed = {volume.array: volume.drives_expected or 0 for volume in volumes}
    return sum(max(0, number - works[array]) for array, number in needed.items())


_NOT_WHOLE = ("degraded", "rebuilding", "failed", "offline")


def pci_address(text: str | None) -> str | None:
    """``0000:03:00.0`` of ``00:03:00:00`` or ``03:00.0``. None if the text is not the address of a PCI function."""
    match = _PCI.fullmatch((text or "").strip())
    if match is None:
        return None
    domain, bus, device, function = (int(part or "0", 16) for part in match.groups())
    return f"{domain:04x}:{bus:02x}:{device:02x}.{function:x}"


def _cache(controller: ControllerDraft) -> Cache | None:
    reported = {name[6:]: value for name, (_, value) in controller.values.items() if name.startswith("cache.")}
    if not reported:
        return None
    size = reported.get("size_bytes")
    present = reported.get("present")
    return Cache(
        present=size > 0 if present is None and size is not None else present,
        status=reported.get("status"),
        status_text=reported.get("status_text"),
        size_bytes=size,
        read_percent=reported.get("read_percent"),
        write_percent=reported.get("write_percent"),
        read_bytes=reported.get("read_bytes"),
        write_bytes=reported.get("write_bytes"),
        available_bytes=reported.get("available_bytes"),
        no_battery_write_cache=reported.get("no_battery_write_cache"),
        flush_interval_seconds=reported.get("flush_interval_seconds"),
        preserved_data=reported.get("preserved_data"),
    )


def _batteries(controller: ControllerDraft, cache: Cache | None, controller_id: str) -> tuple[Battery, ...]:
    """Return what protects the cache. If a controller with cache memory reports no battery, it is a missing one."""
    if controller.batteries:
        drafts = enumerate(controller.batteries.values())
        return tuple(draft.build(Battery, id=f"{controller_id}/battery{number}") for number, draft in drafts)
    named = any(name == "bbu_present" for _, name, _ in controller.evidence)
    if not named or (cache is not None and cache.present is False):
        return ()
    present, mask = controller.get("bbu_present"), controller.get("bbu_status")
    if present is False:
        return (Battery(id=f"{controller_id}/battery0", status="missing", status_text="Absent"),)
    if present is True and mask is not None:
        printed = ", ".join(masked(mask))
        text = f"BBU Status {mask}: {printed}" if printed else f"BBU Status {mask}"
        return (Battery(id=f"{controller_id}/battery0", status=bbu_mask.status(mask), status_text=text),)
    if present is True:
        # BBU              : Present        it is there; its state is in another output
        return (Battery(id=f"{controller_id}/battery0", status="unknown", status_text="Present"),)
    return ()


def _array(draft: GroupDraft, controller: ControllerDraft, controller_id: str) -> Array:
    return draft.build(
        Array,
        id=f"{controller_id}/g{draft.name}",
        drives=tuple(f"{controller_id}/{key}" for key in draft.members if key in controller.drives),
        spares=tuple(f"{controller_id}/{key}" for key in draft.spares if key in controller.drives),
    )


def _volume(draft: GroupDraft, controller: ControllerDraft, power: Power, controller_id: str) -> Volume:
    array = draft.get("array")
    return draft.build(
        Volume,
        id=f"{controller_id}/v{draft.name}",
        array=None if array is None else f"{controller_id}/g{array}",
        cache=volume_cache(draft, controller, power),
        progress=draft.part("progress", Progress),
    )


def _drive(draft: Draft, spares: dict[str, list[str]], controller_id: str) -> Drive:
    spare_for = tuple(f"{controller_id}/g{name}" for name in spares.get(draft.name, ()))
    array = draft.get("array")
    enclosure, _, bay = draft.name.rpartition(":")
    return draft.build(
        Drive,
        id=f"{controller_id}/{draft.name}",
        enclosure=draft.get("enclosure") or enclosure or None,
        # the key ends in ? where the text was cut before the slot
        bay=draft.get("bay") or (bay if not bay.startswith("?") else None) or None,
        array=None if array is None else f"{controller_id}/g{array}",
        media=draft.get("media") or ("hdd" if draft.get("rpm") else None),
        errors=Errors(
            media=draft.get("errors.media"),
            other=draft.get("errors.other"),
            predictive=draft.get("errors.predictive"),
        ),
        progress=_progress(draft),
        spare_for=spare_for,
    )


def _progress(drive: Draft) -> Progress | None:
    """The operation in progress, by its own lines. Otherwise by the drive's state, ``Rbld``."""
    reported = drive.part("progress", Progress)
    named = vocabulary.operation_of_state(drive.get("status_text"))
    if reported is not None and (named is None or reported.operation != "unknown"):
        return reported
    return None if named is None else Progress(operation=named, percent=reported.percent if reported else None)


_CONTROLLER_FIELDS = {
    "bus": "pci_address",
    "number": "id",
    "bbu_present": "batteries",
    "bbu_status": "details[BBU Status]",
}
_OF_BATTERY = ("bbu_present", "bbu_status", "overview bbu", "overview epack")
"""The facts that the controller's own lines report about a battery without lines."""
_VOLUME_FIELDS = {
    "write_configured": "cache.write_policy",
    "write_current": "cache.write_active",
    "bad_bbu": f"details[{BAD_BBU}]",
    "target": "id",
}


def _shown_on(alone: list[str], draft: Draft, where: str) -> dict[str, Evidence] | None:
    """``alone``: batteries that only lines about the controller report."""

    def on_controller(name: str, value: object) -> Iterator[tuple[str, str, object]]:
        if name in _OF_BATTERY:
            yield from ((battery, "id", value) for battery in alone)
        yield where, _CONTROLLER_FIELDS.get(name, name), value

    def on_group(name: str, value: object) -> Iterator[tuple[str, str, object]]:
        if name == "write_current" and str(value).endswith("_write_back"):
            # as in the model: of the active policy, only whether it is write-back
            value = "write_back"
        yield where, _VOLUME_FIELDS.get(name, name), ("Yes" if value else "No") if name == "bad_bbu" else value

    if isinstance(draft, ControllerDraft):
        return by_object(draft.evidence, on_controller)
    return by_object(draft.evidence, on_group) if isinstance(draft, GroupDraft) else None
