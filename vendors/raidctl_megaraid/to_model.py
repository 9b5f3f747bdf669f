"""Drafts made into the objects of the model, with their final ids and the evidence on the sheets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest

from raidctl.model import (
    Array,
    Battery,
    Cache,
    Controller,
    Drive,
    Errors,
    PciLink,
    Problem,
    Progress,
    Scrub,
    Volume,
)
from raidctl.vendor.draft import Draft, GroupDraft, distinct
from raidctl_megaraid import bbu_mask, derived_fields, vocabulary
from raidctl_megaraid.capability import capabilities
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.infer import BAD_BBU, settle
from raidctl_megaraid.messages import reports
from raidctl_megaraid.policy import Power, masked, volume_cache

FAMILY = "megaraid"

# PCI Address = 00:03:00:00      (domain:bus:device:function, hexadecimal)
_PCI = re.compile(r"(?:([0-9a-f]{1,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})[.:]0?([0-7])", re.IGNORECASE)


def controller_ids(cards: Sequence[ControllerDraft]) -> list[str]:
    """``megaraid:NUMBER``; a number that another card has, or that is not known, is told apart: ``megaraid:0-2``."""
    numbers = (card.name if card.get("number") is None else str(card.get("number")) for card in cards)
    return distinct(f"{FAMILY}:{number or 'unknown'}" for number in numbers)


def build(card: ControllerDraft, object_id: str, kind: str) -> tuple[Controller, list[Problem]]:
    """The controller, and the problems of it and all that is on it; writes the evidence.

    Args:
        card: All that was told of it.
        object_id: Its id.
        kind: The kind of the tool that told it: ``storcli``, ``storcli2``, ``megacli``, ``mfi``.
    """
    settle(card, kind)
    card.derive(derived_fields.CARD)
    for volume in card.volumes.values():
        volume.derive(derived_fields.VOLUME)
    for drive in card.drives.values():
        drive.derive(derived_fields.DRIVE)
    for battery in card.batteries.values():
        battery.derive(derived_fields.BATTERY)
    spares = card.arrays_of_spares()
    cache = _cache(card)
    batteries = _batteries(card, cache, object_id)
    power = Power(cache, batteries, card.get("bbu_present"), card.get("bbu_status"))
    found = card.build(
        Controller,
        id=object_id,
        pci_address=pci_address(card.get("pci_address")) or pci_address(card.get("bus")),
        cache=cache,
        pci_link=card.part("pci_link", PciLink),
        patrol_read=card.part("patrol_read", Scrub),
        consistency_check=card.part("consistency_check", Scrub),
        batteries=batteries,
        arrays=tuple(_array(item, card, object_id) for item in card.arrays.values()),
        volumes=tuple(_volume(item, card, power, object_id) for item in card.volumes.values()),
        drives=tuple(_drive(item, spares, object_id) for item in card.drives.values()),
        capabilities=capabilities(card, kind, cache),
    )
    problems = [*card.problems(object_id), *reports(found, card, power)]
    drafts = zip_longest(batteries, card.batteries.values())
    alone = [battery.id for battery, draft in drafts if draft is None or not draft.evidence]
    card.write_evidence(object_id, partial(_shown_on, alone))
    return found, problems


def pci_address(text: str | None) -> str | None:
    """``0000:03:00.0`` of ``00:03:00:00`` or ``03:00.0``; None when the text is no address of a PCI function."""
    match = _PCI.fullmatch((text or "").strip())
    if match is None:
        return None
    domain, bus, device, function = (int(part or "0", 16) for part in match.groups())
    return f"{domain:04x}:{bus:02x}:{device:02x}.{function:x}"


def _cache(card: ControllerDraft) -> Cache | None:
    told = {name[6:]: value for name, (_, value) in card.values.items() if name.startswith("cache.")}
    if not told:
        return None
    size = told.get("size_bytes")
    present = told.get("present")
    return Cache(
        present=size > 0 if present is None and size is not None else present,
        status=told.get("status"),
        status_text=told.get("status_text"),
        size_bytes=size,
        read_percent=told.get("read_percent"),
        write_percent=told.get("write_percent"),
        read_bytes=told.get("read_bytes"),
        write_bytes=told.get("write_bytes"),
        available_bytes=told.get("available_bytes"),
        no_battery_write_cache=told.get("no_battery_write_cache"),
        flush_interval_seconds=told.get("flush_interval_seconds"),
        preserved_data=told.get("preserved_data"),
    )


def _batteries(card: ControllerDraft, cache: Cache | None, controller: str) -> tuple[Battery, ...]:
    """What keeps the cache. A card with cache memory that says it has none gets one that is missing."""
    if card.batteries:
        drafts = enumerate(card.batteries.values())
        return tuple(draft.build(Battery, id=f"{controller}/battery{number}") for number, draft in drafts)
    named = any(name == "bbu_present" for _, name, _ in card.evidence)
    if not named or (cache is not None and cache.present is False):
        return ()
    present, mask = card.get("bbu_present"), card.get("bbu_status")
    if present is False:
        return (Battery(id=f"{controller}/battery0", status="missing", status_text="Absent"),)
    if present is True and mask is not None:
        said = ", ".join(masked(mask))
        text = f"BBU Status {mask}: {said}" if said else f"BBU Status {mask}"
        return (Battery(id=f"{controller}/battery0", status=bbu_mask.status(mask), status_text=text),)
    if present is True:
        # BBU              : Present        it is there; how it is stands in another output
        return (Battery(id=f"{controller}/battery0", status="unknown", status_text="Present"),)
    return ()


def _array(draft: GroupDraft, card: ControllerDraft, controller: str) -> Array:
    return draft.build(
        Array,
        id=f"{controller}/g{draft.name}",
        drives=tuple(f"{controller}/{key}" for key in draft.members if key in card.drives),
        spares=tuple(f"{controller}/{key}" for key in draft.spares if key in card.drives),
    )


def _volume(draft: GroupDraft, card: ControllerDraft, power: Power, controller: str) -> Volume:
    array = draft.get("array")
    return draft.build(
        Volume,
        id=f"{controller}/v{draft.name}",
        array=None if array is None else f"{controller}/g{array}",
        cache=volume_cache(draft, card, power),
        progress=draft.part("progress", Progress),
    )


def _drive(draft: Draft, spares: dict[str, list[str]], controller: str) -> Drive:
    spare_for = tuple(f"{controller}/g{name}" for name in spares.get(draft.name, ()))
    array = draft.get("array")
    enclosure, _, bay = draft.name.rpartition(":")
    return draft.build(
        Drive,
        id=f"{controller}/{draft.name}",
        enclosure=draft.get("enclosure") or enclosure or None,
        # the key ends in ? where the text was cut before the slot
        bay=draft.get("bay") or (bay if not bay.startswith("?") else None) or None,
        array=None if array is None else f"{controller}/g{array}",
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
    """What goes on, by its own lines; else by the drive's state, ``Rbld``."""
    told = drive.part("progress", Progress)
    named = vocabulary.operation_of_state(drive.get("status_text"))
    if told is not None and (named is None or told.operation != "unknown"):
        return told
    return None if named is None else Progress(operation=named, percent=told.percent if told else None)


_CARD_FIELDS = {"bus": "pci_address", "number": "id", "bbu_present": "batteries", "bbu_status": "details[BBU Status]"}
_OF_BATTERY = ("bbu_present", "bbu_status", "overview bbu", "overview epack")
"""What the card's own lines tell of a battery that has no lines of its own."""
_VOLUME_FIELDS = {
    "write_configured": "cache.write_policy",
    "write_current": "cache.write_active",
    "bad_bbu": f"details[{BAD_BBU}]",
    "target": "id",
}


def _shown_on(
    alone: list[str], draft: Draft, where: str, name: str, value: object
) -> Iterator[tuple[str, str, object]]:
    """``alone``: batteries without lines of their own, which those of the controller tell of."""
    if isinstance(draft, ControllerDraft):
        if name in _OF_BATTERY:
            yield from ((battery, "id", value) for battery in alone)
        yield where, _CARD_FIELDS.get(name, name), value
    elif name == "write_current" and str(value).endswith("_write_back"):
        # as the model has it: of the active policy only whether it is write-back
        yield where, "cache.write_active", "write_back"
    elif isinstance(draft, GroupDraft):
        yield where, _VOLUME_FIELDS.get(name, name), ("Yes" if value else "No") if name == "bad_bbu" else value
    else:
        yield where, name, value
