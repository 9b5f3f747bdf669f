"""Convert drafts to model objects with final ids, and their evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from raidctl.evidence import Evidence, by_object
from raidctl.model import (
    Array,
    Battery,
    BatteryKind,
    Cache,
    Controller,
    Drive,
    Errors,
    PciLink,
    Problem,
    Progress,
    Rates,
    Scrub,
    Volume,
)
from raidctl.text import regex
from raidctl.vendor.controllers import move_active_spares
from raidctl.vendor.disagreement import settle_settings
from raidctl.vendor.draft import Draft, GroupDraft
from raidctl.vendor.identity import distinct
from raidctl.vendor.statuses import report_unknown_modes
from raidctl_smartarray import derived_fields, vocabulary
from raidctl_smartarray.capability import FAMILY, capabilities
from raidctl_smartarray.draft import ControllerDraft
from raidctl_smartarray.messages import cache_reason, unknown_battery
from raidctl_smartarray.policy import volume_cache

# The current array controller had valid data stored in its battery/capacitor backed write cache the last time it was
_HARMLESS = regex(r"had valid data stored", re.IGNORECASE)
_PRESERVED = regex(r"unflushed|preserved|data (?:is|are) waiting", re.IGNORECASE)


def controller_ids(controllers: Sequence[ControllerDraft], taken: Sequence[str] = ()) -> list[str]:
    """Return the controllers' ids, ``smartarray:SLOT``.

    A slot that is taken or not known gets a number: ``smartarray:unknown-2``. ``taken`` are ids of other controllers.
    """
    wanted = [
        f"{FAMILY}:{controller.get('slot') or controller.name or controller.node or 'unknown'}"
        for controller in controllers
    ]
    return distinct([*taken, *wanted])[len(taken) :]


def build(controller: ControllerDraft, object_id: str) -> tuple[Controller, list[Problem]]:
    """The controller with all its problems; writes the evidence."""
    _join_addresses(controller)
    settle_settings(controller)
    controller.derive(derived_fields.CONTROLLER)
    report_unknown_modes(controller, derived_fields.CONTROLLER, vocabulary.has_state)
    for volume in controller.volumes.values():
        volume.derive(derived_fields.VOLUME)
    for drive in controller.drives.values():
        drive.derive(derived_fields.DRIVE)
    cache = _cache(controller)
    batteries = _batteries(controller, object_id)
    move_active_spares(controller)
    spares = controller.arrays_of_spares()
    found = controller.build(
        Controller,
        id=object_id,
        slot=controller.get("slot") or controller.name or None,
        cache=cache,
        pci_link=controller.part("pci_link", PciLink),
        rates=controller.part("rates", Rates),
        patrol_read=controller.part("patrol_read", Scrub),
        batteries=batteries,
        arrays=tuple(_array(item, object_id) for item in controller.arrays.values()),
        volumes=tuple(_volume(item, controller, cache, batteries, object_id) for item in controller.volumes.values()),
        drives=tuple(_drive(item, spares, object_id) for item in controller.drives.values()),
        capabilities=capabilities(controller.get("mode"), cache, batteries),
    )
    problems = [*controller.problems(object_id), *unknown_battery(found, controller.get("battery.count"))]
    controller.write_evidence(object_id, partial(_shown_on, found))
    return found, problems


def _cache(controller: ControllerDraft) -> Cache | None:
    reported = {name[6:]: value for name, (_, value) in controller.values.items() if name.startswith("cache.")}
    if not reported:
        return None
    usable = reported.get("available_bytes") or reported.get("size_bytes")
    read, write = reported.get("read_percent"), reported.get("write_percent")
    reasons = [reported.get(f"cache {name}") for name in ("status details", "disable reason", "disable code")]
    if reported.get("status") == "ok":
        for text in reasons:
            if text and vocabulary.has_value(text) and not _HARMLESS.search(text):
                controller.add_problem(*cache_reason(text))
    texts = [reported.get("status_text"), *reasons]
    return Cache(
        present=reported.get("present"),
        status=reported.get("status"),
        status_text="; ".join(text.rstrip(". ") for text in texts if text) or None,
        size_bytes=reported.get("size_bytes"),
        available_bytes=reported.get("available_bytes"),
        read_percent=read,
        write_percent=write,
        read_bytes=_share(usable, read, reported.get("read_bytes")),
        write_bytes=_share(usable, write, reported.get("write_bytes")),
        no_battery_write_cache=reported.get("no_battery_write_cache"),
        preserved_data=True if any(_PRESERVED.search(text) for text in texts if text) else None,
        unwritten_data=True if any("dirty data" in text.lower() for text in texts if text) else None,
    )


def _share(usable: int | None, percent: int | None, reported: int | None) -> int | None:
    if reported is not None or usable is None or percent is None:
        return reported
    return usable * percent // 100


def _batteries(controller: ControllerDraft, object_id: str) -> tuple[Battery, ...]:
    """One entry per battery that the tool counts; all share one status."""
    count, status = controller.get("battery.count"), _battery_words(controller)
    if count is None:
        count = 0 if status is None else 1
    kind: BatteryKind = controller.get("battery.kind") or "unknown"
    celsius = controller.get("battery.temperature")
    if celsius is None:
        celsius = controller.get("battery.capacitor_temperature")
    return tuple(
        Battery(
            id=f"{object_id}/battery{number}",
            kind=kind,
            status="unknown" if status is None else vocabulary.battery_status(status),
            status_text=status,
            temperature_celsius=celsius if count == 1 else None,
            replace=_replace(status),
        )
        for number in range(min(count, 8))
    )


def conclude_battery(controller: ControllerDraft) -> None:
    """Put the state of the batteries in the model's words, to compare it with another tool's."""
    words = _battery_words(controller)
    if words is not None:
        controller.conclude("battery.state", vocabulary.battery_status(words))


def _battery_words(controller: ControllerDraft) -> str | None:
    """The tool's words for the batteries. If outputs disagree, the words of one that is not ok count."""
    printed = [str(value) for _, name, value in controller.evidence if name == "battery.status"]
    bad = (words for words in printed if vocabulary.battery_status(words) not in ("ok", "unknown"))
    return next(bad, controller.get("battery.status"))


def _replace(status: str | None) -> bool | None:
    """Whether it must be replaced: ``Failed (Replace Batteries)``. A good one need not; otherwise it is unknown."""
    if status is None:
        return None
    if "replace" in status.lower():
        return True
    return False if vocabulary.battery_status(status) == "ok" else None


def _array(draft: GroupDraft, controller: str) -> Array:
    return draft.build(
        Array,
        id=f"{controller}/{draft.name}",
        drives=tuple(f"{controller}/{address}" for address in draft.members if address not in draft.spares),
        spares=tuple(f"{controller}/{address}" for address in draft.spares),
    )


def _volume(
    draft: Draft, owner: ControllerDraft, cache: Cache | None, batteries: tuple[Battery, ...], controller: str
) -> Volume:
    array = draft.get("array")
    return draft.build(
        Volume,
        id=f"{controller}/v{draft.name}",
        array=None if array is None else f"{controller}/{array}",
        cache=volume_cache(
            caching=draft.get("cache.caching"),
            smart_path=bool(draft.get("cache.smart_path")),
            cache=cache,
            batteries=batteries,
            battery_count=owner.get("battery.count"),
            drive_write_cache=owner.get("drive_write_cache"),
        ),
        progress=draft.part("progress", Progress),
    )


def _drive(draft: Draft, spares: dict[str, list[str]], controller: str) -> Drive:
    spare_for = tuple(f"{controller}/{name}" for name in spares.get(draft.name, ()))
    array = draft.get("array")
    home = f"{controller}/{array}" if array is not None else (spare_for[0] if len(spare_for) == 1 else None)
    return draft.build(
        Drive,
        id=f"{controller}/{draft.name}",
        array=home,
        media=draft.get("media") or ("hdd" if draft.get("rpm") else None),
        errors=Errors(media=draft.get("errors.media")),
        progress=draft.part("progress", Progress),
        spare_for=spare_for,
    )


def _join_addresses(controller: ControllerDraft) -> None:
    """Join ``1:4`` and ``2I:1:4`` if the port of ``1:4`` is 2I. Old tools print both forms of one drive."""
    for address in [name for name in controller.drives if name.count(":") == 1]:
        short = controller.drives[address]
        full = controller.drives.get(f"{short.details.get('Port')}:{address}")
        if full is None:
            continue
        del controller.drives[address]
        full.absorb(short)
        for array in controller.arrays.values():
            if address in array.members:
                del array.members[address]
                array.members[full.name] = None
            if array.spares.pop(address, False):
                array.spares[full.name] = True


_BATTERY_FIELDS = {
    "battery.count": "id",
    "battery.capacitor_temperature": "temperature_celsius",
    "battery.temperature": "temperature_celsius",
}
_DETAILS = {"drive_write_cache": "Drive Write Cache", "battery.capacitor_temperature": "Capacitor Temperature (C)"}


def _shown_on(found: Controller, draft: Draft, where: str) -> dict[str, Evidence] | None:
    """Batteries and volume caches show facts from the controller's lines."""
    warm = any(battery.temperature_celsius is not None for battery in found.batteries)

    def shown(name: str, value: object) -> list[tuple[str, str, object]]:
        if name == "drive_write_cache" and found.volumes:
            return [(volume.id, "cache.drive_write_cache", value) for volume in found.volumes]
        if name.startswith("battery.") and found.batteries and (warm or name != "battery.capacitor_temperature"):
            return [(battery.id, _BATTERY_FIELDS.get(name, name[8:]), value) for battery in found.batteries]
        if name in _DETAILS:
            return [(where, f"details[{_DETAILS[name]}]", value)]
        return [(where, "batteries" if name.startswith("battery.") else name, value)]

    return by_object(draft.evidence, shown) if isinstance(draft, ControllerDraft) else None
