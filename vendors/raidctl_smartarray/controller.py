"""The card itself: its settings, its cache, its batteries, and the devices between it and the drives."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from raidctl.evidence import mark_read
from raidctl.text import collapse
from raidctl.vendor.draft import DETAIL, REPORT, ROW, WEAK, Pair
from raidctl_smartarray import numbers, vocabulary
from raidctl_smartarray.draft import ControllerDraft
from raidctl_smartarray.grammar import brackets
from raidctl_smartarray.outline import Section
from raidctl_smartarray.vocabulary import NO_VALUE, normalized

_BRANDS = ("smart array", "smart hba", "dynamic smart array", "msa", "ra4", "integrated smart array")
_DRIVE_CACHE: dict[str, str] = {
    "enable": "enabled",
    "enabled": "enabled",
    "disable": "disabled",
    "disabled": "disabled",
    "default": "default",
    "unchanged": "default",
}
_BAD_DEVICE = ("failed", "critical", "degraded", "warning", "missing", "overheat", "not ok")


def _text(text: str) -> str | None:
    return None if normalized(text) in NO_VALUE else text.strip()


def _flag(text: str) -> bool | None:
    return None if normalized(text) in NO_VALUE else numbers.flag(text)


def _cache_size(text: str) -> int | None:
    return None if normalized(text) in NO_VALUE else numbers.cache_size(text)


def _mode(text: str) -> str | None:
    if normalized(text) in NO_VALUE:
        return None
    key = normalized(text)
    known = vocabulary.MODES.get(key) or next(
        (vocabulary.MODES[name] for name in ("mixed", "hba", "raid") if name in key), None
    )
    if known is None:
        raise ValueError(f"not a mode: {text!r}")
    return known


def _drive_cache(text: str) -> str | None:
    """``Disabled``, ``Enable``, ``Default``."""
    if normalized(text) in NO_VALUE:
        return None
    if normalized(text) not in _DRIVE_CACHE:
        raise ValueError(f"not a policy: {text!r}")
    return _DRIVE_CACHE[normalized(text)]


def _count(text: str) -> int | None:
    return None if normalized(text) in NO_VALUE else numbers.integer(text)


def _driver(text: str) -> str | None:
    return None if normalized(text) in NO_VALUE else numbers.module_name(text)


def _pci(text: str) -> str | None:
    return None if normalized(text) in NO_VALUE else numbers.pci_address(text)


_FIELDS: dict[str, tuple[str, Callable[[str], Any], int]] = {
    "slot": ("slot", _text, DETAIL),
    "serial number": ("serial", _text, DETAIL),
    "firmware version": ("firmware", _text, DETAIL),
    # Dynamic (driver based) cards have this line in place of the firmware's.
    "raid stack version": ("firmware", _text, ROW),
    "driver name": ("driver", _driver, DETAIL),
    "pci address (domain:bus:device.function)": ("pci_address", _pci, DETAIL),
    "pci address": ("pci_address", _pci, DETAIL),
    "controller mode": ("mode", _mode, DETAIL),
    "cache board present": ("cache.present", _flag, DETAIL),
    # Total Cache Size: 512 MB
    # Total Cache Size: 4.0
    "total cache size": ("cache.size_bytes", _cache_size, DETAIL),
    "accelerator total memory": ("cache.size_bytes", _cache_size, ROW),
    "cache size": ("cache.size_bytes", _cache_size, ROW),
    "total cache memory available": ("cache.available_bytes", _cache_size, DETAIL),
    "read cache size": ("cache.read_bytes", _cache_size, ROW),
    "write cache size": ("cache.write_bytes", _cache_size, ROW),
    "no-battery write cache": ("cache.no_battery_write_cache", _flag, DETAIL),
    "no battery write cache": ("cache.no_battery_write_cache", _flag, DETAIL),
    "drive write cache": ("drive_write_cache", _drive_cache, DETAIL),
    "configured drive write cache policy": ("drive_write_cache", _drive_cache, DETAIL),
    "physical drive write cache": ("drive_write_cache", _drive_cache, ROW),
    "physical drive write cache state": ("drive_write_cache", _drive_cache, ROW),
    "battery/capacitor count": ("battery.count", _count, DETAIL),
    "battery/capacitor pack count": ("battery.count", _count, DETAIL),
    "battery pack count": ("battery.count", _count, DETAIL),
    "battery count": ("battery.count", _count, DETAIL),
    "capacitor count": ("battery.count", _count, DETAIL),
    "battery/capacitor status": ("battery.status", _text, DETAIL),
    "battery status": ("battery.status", _text, DETAIL),
    "capacitor status": ("battery.status", _text, DETAIL),
    "capacitor temperature (c)": ("battery.capacitor_temperature", _count, DETAIL),
    "battery temperature (c)": ("battery.temperature", _count, DETAIL),
}
_ALSO_DETAIL = frozenset({"drive_write_cache", "battery.capacitor_temperature"})
"""Facts that may find no volume or battery to stand at."""
_DEAD = re.compile(r"\berror\b|lock(?:ed)?[ -]?up|not responding|\bfailed\b", re.IGNORECASE)
_RATIOS = ("cache ratio", "accelerator ratio", "array accelerator ratio")
# These lines are printed for RAID cards only; a card that prints them and no mode has no other mode.
_RAID_ONLY_MODELS = re.compile(r"Smart Array (?:[PE]\d[01]\d\w{0,2}|\d{1,4}i?)$")
_RAID_ONLY = frozenset({"rebuild priority", "expand priority", "elevator sort", "raid 6 (adg) status", "raid 6 status"})


def read_heading(card: ControllerDraft, section: Section) -> None:
    """``HPE Smart Array P408i-a SR Gen10 in Slot 0 (Embedded)  (sn: PEYHB0)``."""
    if section.line is None:
        return
    line, parts = section.line, section.heading.parts
    model = collapse(parts.get("model", ""))
    vendor, _, rest = model.partition(" ")
    if vendor in ("HP", "HPE") and rest:
        card.put(line, "vendor", vendor, ROW)
        card.put(line, "model", rest, ROW)
    else:
        if model.lower().startswith(_BRANDS):
            card.put(line, "vendor", "HP", WEAK)
        card.put(line, "model", model, ROW)
    if "chassis" in parts:
        card.detail(line, "Chassis Name", parts["chassis"])
    elif known_slot(section.heading.name):
        card.put(line, "slot", section.heading.name, ROW)
    for part in brackets(parts.get("rest", "")):
        _bracket(card, section, part)


def _bracket(card: ControllerDraft, section: Section, part: str) -> None:
    line = section.line
    if line is None or not part:
        return
    if part.lower().startswith("sn:"):
        if part[3:].strip():
            card.put(line, "serial", part[3:].strip(), ROW)
    elif normalized(part) in vocabulary.MODES:
        card.put(line, "mode", vocabulary.MODES[normalized(part)], ROW)
    elif normalized(part) == "embedded":
        card.detail(line, "Location", part)
    else:
        # Smart Array P410 in Slot 2 (Error: Not responding)
        card.detail(line, "Remark", part)
        if _DEAD.search(part):
            card.put(line, "status", "critical", ROW)
            card.put(line, "status_text", part, ROW)
            return
        card.add_problem("warning", "state", f"The tool says of this controller: {part}.")


def known_slot(text: str) -> bool:
    """Whether a heading's slot is one: ``1``, ``0b``, not ``ATTR_VALUE_SLOT_UNKNOWN``."""
    return bool(text) and "unknown" not in text.lower()


def read_pairs(card: ControllerDraft, section: Section, *, ended: bool) -> None:
    """The settings that stand right below the card's heading.

    ``ended``: something else follows, so that the settings are not cut off. A card that has no line for its mode then
    knows but one: the tools print it for the cards that have several. Cards up to Gen7 never had another.
    """
    for pair in section.pairs:
        _read_pair(card, pair)
    old = _RAID_ONLY_MODELS.search(section.heading.parts.get("model", "")) is not None
    if ended or old or any(normalized(pair.label) == "primary boot volume" for pair in section.pairs):
        for pair in section.pairs:
            if normalized(pair.label) in _RAID_ONLY:
                card.put(pair.lines[0], "mode", "raid", WEAK)


def _read_pair(card: ControllerDraft, pair: Pair) -> None:
    label = normalized(pair.label)
    if label in _FIELDS:
        name, parse, weight = _FIELDS[label]
        value = card.read_field(pair, name, parse, weight)
        if label.startswith(("battery ", "capacitor ")) and value is not None and "temperature" not in label:
            card.put(pair.lines[0], "battery.kind", label.split()[0], WEAK)
        if name in _ALSO_DETAIL and value is not None:
            card.keep_words(pair.label, pair.value)
    elif label == "hba mode enabled":
        # HBA Mode Enabled: True
        card.read_field(pair, "mode", lambda text: "hba" if numbers.flag(text) else "raid", ROW)
    elif label == "controller status":
        _status(card, pair)
    elif label == "cache status":
        _cache_status(card, pair)
    elif label in ("cache status details", "cache disable reason", "cache disable code"):
        for line in pair.lines:
            card.put(line, f"cache.{label}", collapse(pair.value), shown_as="cache.status_text")
    elif label in _RATIOS:
        _ratio(card, pair)
    elif label == "cache backup power source":
        _power_source(card, pair)
    else:
        card.keep_detail(pair)


def _status(card: ControllerDraft, pair: Pair) -> None:
    """``Controller Status: OK``."""
    health = vocabulary.look_up(vocabulary.CONTROLLER_STATUS, pair.value)
    card.put(pair.lines[0], "status", health)
    card.put(pair.lines[0], "status_text", collapse(pair.value))
    if health == "unknown":
        card.add_problem("warning", "unread", f"The controller's status word {pair.value!r} is not known.", REPORT)


def _cache_status(card: ControllerDraft, pair: Pair) -> None:
    """``Cache Status: Temporarily Disabled``."""
    health = vocabulary.look_up(vocabulary.CACHE_STATUS, pair.value)
    card.put(pair.lines[0], "cache.status", health)
    card.put(pair.lines[0], "cache.status_text", collapse(pair.value))
    if health == "unknown":
        card.add_problem("warning", "unread", f"The cache's status word {pair.value!r} is not known.", REPORT)


def _ratio(card: ControllerDraft, pair: Pair) -> None:
    """``Cache Ratio: 25% Read / 75% Write``."""
    try:
        read, write = numbers.ratio(pair.value)
    except ValueError:
        if normalized(pair.value) not in NO_VALUE:
            card.unread(pair.label, pair.value)
        card.keep_detail(pair)
        return
    card.put(pair.lines[0], "cache.read_percent", read)
    card.put(pair.lines[0], "cache.write_percent", write)


def _power_source(card: ControllerDraft, pair: Pair) -> None:
    """``Cache Backup Power Source: Capacitors``."""
    key = normalized(pair.value)
    kind = "capacitor" if key.startswith("capacitor") else "battery" if key.startswith("batter") else None
    if kind is None:
        if key not in NO_VALUE:
            card.unread(pair.label, pair.value)
        card.keep_detail(pair)
        return
    card.put(pair.lines[0], "battery.kind", kind)
    card.keep_words(pair.label, pair.value)


def read_device(card: ControllerDraft, section: Section) -> None:
    """Cages, enclosures, expanders, ports and sensors: details of the card, under the title of their section."""
    if section.line is None:
        return
    title = _title(section)
    told = section.heading.parts.get("status") or section.heading.parts.get("inside") or ""
    if told:
        card.detail(section.line, title, told)
    else:
        mark_read(section.line)
    _bad_device(card, title, section.heading.parts.get("status", ""))
    for pair in section.pairs:
        card.keep_detail(pair, prefix=f"{title}: ")
        if normalized(pair.label).endswith("status"):
            _bad_device(card, f"{title}: {pair.label}", pair.value)


def _title(section: Section) -> str:
    if section.kind == "sensor":
        return f"Sensor ID {section.heading.name}"
    if section.kind == "port":
        return f"Port {section.heading.name}"
    return section.heading.name


def _bad_device(card: ControllerDraft, what: str, status: str) -> None:
    if normalized(status).startswith(_BAD_DEVICE):
        card.add_problem("warning", "state", f"{what} is not well: {collapse(status)}.", "Look at the enclosure.")
