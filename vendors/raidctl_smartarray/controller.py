"""A controller's settings, cache, batteries, and devices between it and its drives."""

from __future__ import annotations

import re

from raidctl.evidence import mark_read
from raidctl.text import collapse, regex
from raidctl.vendor import fields
from raidctl.vendor.draft import ROW, WEAK, Pair
from raidctl.vendor.fields import Field, Fields, look_up, optional
from raidctl.vendor.statuses import put_status, report_bad_status
from raidctl_smartarray import numbers, vocabulary
from raidctl_smartarray.draft import ControllerDraft
from raidctl_smartarray.drive import firmware, multidomain
from raidctl_smartarray.grammar import brackets
from raidctl_smartarray.messages import cache_reason
from raidctl_smartarray.outline import Section
from raidctl_smartarray.vocabulary import has_value, normalized

_BRANDS = ("smart array", "smart hba", "dynamic smart array", "msa", "ra4", "integrated smart array")
_DRIVE_CACHE: dict[str, str] = {
    "enable": "enabled",
    "enabled": "enabled",
    "disable": "disabled",
    "disabled": "disabled",
    "default": "default",
    "unchanged": "default",
}
_GOOD_DEVICE = ("ok", "good", "normal", "redundant", "not redundant", "not installed", "not supported")


_mode = optional(has_value, look_up(vocabulary.MODES, normalized))
_drive_cache = optional(has_value, look_up(_DRIVE_CACHE, normalized))
_CACHE_ERROR = regex(r"\berror|\bfail", re.IGNORECASE)
_DEAD = regex(r"\berror\b|lock(?:ed)?[ -]?up|not responding|\bfailed\b", re.IGNORECASE)
# Printed for RAID controllers only; one that prints these and no mode has no other mode.
_RAID_ONLY_MODELS = regex(r"Smart Array (?:[PE]\d[01]\d\w{0,2}|\d{1,4}i?)$")
_RAID_ONLY = frozenset({"rebuild priority", "expand priority", "elevator sort", "raid 6 (adg) status", "raid 6 status"})


def read_heading(controller: ControllerDraft, section: Section) -> None:
    """``HPE Smart Array P408i-a SR Gen10 in Slot 0 (Embedded)  (sn: PEYHB0)``."""
    if section.line is None:
        return
    line, parts = section.line, section.heading.parts
    model = collapse(parts.get("model", ""))
    vendor, _, rest = model.partition(" ")
    if vendor in ("HP", "HPE") and rest:
        controller.put(line, "vendor", vendor, ROW)
        controller.put(line, "model", rest, ROW)
    else:
        if model.lower().startswith(_BRANDS):
            controller.put(line, "vendor", "HP", WEAK)
        controller.put(line, "model", model, ROW)
    if "chassis" in parts:
        controller.detail(line, "Chassis Name", parts["chassis"])
    elif known_slot(section.heading.name):
        controller.put(line, "slot", section.heading.name, ROW)
    for part in brackets(parts.get("rest", "")):
        _bracket(controller, section, part)


def _bracket(controller: ControllerDraft, section: Section, part: str) -> None:
    line = section.line
    if line is None or not part:
        return
    if part.lower().startswith("sn:"):
        # sn: P56350XXIP000A, csn: 9J3CXX71XDCA, wwn: 500805F3000AAC11
        serial, _, others = part[3:].partition(",")
        if serial.strip():
            controller.put(line, "serial", serial.strip(), ROW)
        if others.strip():
            controller.detail(line, "Chassis", others.strip())
    elif normalized(part) in vocabulary.MODES:
        controller.put(line, "mode", vocabulary.MODES[normalized(part)], ROW)
    elif normalized(part) == "embedded":
        controller.detail(line, "Location", part)
    else:
        # Smart Array P410 in Slot 2 (Error: Not responding)
        controller.detail(line, "Remark", part)
        if _DEAD.search(part):
            controller.put(line, "status", "critical", ROW)
            controller.put(line, "status_text", part, ROW)
            return
        controller.add_problem("warning", "state", f"The tool's remark on the controller: {part}.")


def known_slot(text: str) -> bool:
    """Whether a heading's slot is valid: ``1``, ``0b``, not ``ATTR_VALUE_SLOT_UNKNOWN``."""
    return bool(text) and "unknown" not in text.lower()


def read_pairs(controller: ControllerDraft, section: Section, *, ended: bool) -> None:
    """Read the settings right below the controller's heading.

    ``ended``: something else follows, so that the settings are not cut off. Then a controller without a line for its
    mode has only one: the tools print it for those that have several. Controllers up to Gen7 have one.
    """
    fields.read_pairs(controller, section.pairs, _FIELDS, normalized, report_bad_status)
    old = _RAID_ONLY_MODELS.search(section.heading.parts.get("model", "")) is not None
    if ended or old or any(normalized(pair.label) == "primary boot volume" for pair in section.pairs):
        for pair in section.pairs:
            if normalized(pair.label) in _RAID_ONLY:
                controller.put(pair.lines[0], "mode", "raid", WEAK)


def _status(controller: ControllerDraft, pair: Pair) -> None:
    health = vocabulary.look_up(vocabulary.CONTROLLER_STATUS, pair.value)
    put_status(controller, pair.lines, "controller", health, text=pair.value)


def _cache_status(controller: ControllerDraft, pair: Pair) -> None:
    health = vocabulary.look_up(vocabulary.CACHE_STATUS, pair.value)
    put_status(controller, pair.lines, "cache", health, text=pair.value, prefix="cache.")


def _cache_reason(controller: ControllerDraft, pair: Pair) -> None:
    """``Cache Status Details: A cache error was detected.``; beside ``Cache Status: OK``, every reason is a problem."""
    text = collapse(pair.value)
    for line in pair.lines:
        controller.put(line, f"cache.{normalized(pair.label)}", text, shown_as="cache.status_text")
    if _CACHE_ERROR.search(text) and "disabled" not in text.lower():  # else the status reports the same
        controller.add_problem(*cache_reason(text))


def _battery(controller: ControllerDraft, pair: Pair) -> None:
    """Read a battery's state. The label also names its kind."""
    kind, *_, what = normalized(pair.label).split()
    name, parse = ("battery.count", numbers.count) if what == "count" else ("battery.status", numbers.text)
    if controller.read_field(pair, name, parse) is not None:
        controller.put(pair.lines[0], "battery.kind", kind, WEAK)


def _lockup(controller: ControllerDraft, pair: Pair) -> None:
    """``Lockup Code: 0x13``: why the firmware has stopped. 0 if it has not."""
    controller.keep_detail(pair)
    code = normalized(pair.value)
    if has_value(code) and not _NO_CODE.fullmatch(code):
        controller.add_problem(
            "error", "state", f"The controller has locked up: {pair.label} {collapse(pair.value)[:80]}.",
            "Restart the server, and contact the vendor with this code.",
        )  # fmt: skip


def _ratio(controller: ControllerDraft, pair: Pair) -> None:
    """``Cache Ratio: 25% Read / 75% Write``."""
    try:
        read, write = numbers.ratio(pair.value)
    except ValueError:
        if has_value(pair.value):
            controller.unread(pair.label, pair.value)
        controller.keep_detail(pair)
        return
    controller.put(pair.lines[0], "cache.read_percent", read)
    controller.put(pair.lines[0], "cache.write_percent", write)


def _power_source(controller: ControllerDraft, pair: Pair) -> None:
    """``Cache Backup Power Source: Capacitors``."""
    key = normalized(pair.value)
    kind = "capacitor" if key.startswith("capacitor") else "battery" if key.startswith("batter") else None
    if kind is None:
        if has_value(pair.value):
            controller.unread(pair.label, pair.value)
        controller.keep_detail(pair)
        return
    controller.put(pair.lines[0], "battery.kind", kind)
    controller.keep_words(pair.label, pair.value)


def read_device(controller: ControllerDraft, section: Section) -> None:
    """Keep cages, enclosures, expanders, ports and sensors as the controller's details.

    The section's title names each detail.
    """
    if section.line is None:
        return
    title = _title(section)
    reported = section.heading.parts.get("status") or section.heading.parts.get("inside") or ""
    if reported:
        controller.detail(section.line, title, reported)
    else:
        mark_read(section.line)
    if section.kind == "device":  # for a port, it is the kind of its connections: Port Name: 1I (Mixed)
        _bad_device(controller, title, section.heading.parts.get("status", ""))
    for pair in section.pairs:
        controller.keep_detail(pair, prefix=f"{title}: ")
        if normalized(pair.label).endswith("status"):
            _bad_device(controller, f"{title}: {pair.label}", pair.value)


def _title(section: Section) -> str:
    if section.kind == "sensor":
        return f"Sensor ID {section.heading.name}"
    if section.kind == "port":
        return f"Port {section.heading.name}"
    return section.heading.name


def _bad_device(controller: ControllerDraft, what: str, status: str) -> None:
    if has_value(status) and normalized(status) not in _GOOD_DEVICE:
        controller.add_problem("warning", "state", f"{what}: {collapse(status)}.", "Check the enclosure.")


_NO_CODE = regex(r"(?:0x)?0+|no .*", re.ASCII)
_FLAG, _CACHE_SIZE = optional(has_value, numbers.flag), optional(has_value, numbers.cache_size)
_FIELDS: Fields[ControllerDraft] = {
    # MultiDomain Status: OK
    "multidomain status": multidomain,
    # Controller Status: OK
    "controller status": _status,
    # Lockup Code: 0x13
    **dict.fromkeys(("lockup code", "lock up code", "controller lockup code"), _lockup),
    # Cache Status: Temporarily Disabled
    "cache status": _cache_status,
    **dict.fromkeys(("cache status details", "cache disable reason", "cache disable code"), _cache_reason),
    # Cache Ratio: 25% Read / 75% Write
    **dict.fromkeys(("cache ratio", "accelerator ratio", "array accelerator ratio"), _ratio),
    # Cache Backup Power Source: Capacitors
    "cache backup power source": _power_source,
    # HBA Mode Enabled: True
    "hba mode enabled": Field("mode", lambda text: "hba" if numbers.flag(text) else "raid", ROW),
    "slot": Field("slot", numbers.text),
    "serial number": Field("serial", numbers.text),
    # Firmware Version: 3.22 (FW update is recommended to minimum version: 6.00)
    "firmware version": firmware,
    # Dynamic (driver based) controllers have this line in place of the firmware's.
    "raid stack version": Field("firmware", numbers.text, ROW),
    "driver name": Field("driver", optional(has_value, numbers.module_name)),
    "pci address (domain:bus:device.function)": Field("pci_address", optional(has_value, numbers.pci_address)),
    "pci address": Field("pci_address", optional(has_value, numbers.pci_address)),
    "controller mode": Field("mode", _mode),
    "cache board present": Field("cache.present", _FLAG),
    # Total Cache Size: 512 MB
    # Total Cache Size: 4.0
    "total cache size": Field("cache.size_bytes", _CACHE_SIZE),
    "accelerator total memory": Field("cache.size_bytes", _CACHE_SIZE, ROW),
    "cache size": Field("cache.size_bytes", _CACHE_SIZE, ROW),
    "total cache memory available": Field("cache.available_bytes", _CACHE_SIZE),
    "read cache size": Field("cache.read_bytes", _CACHE_SIZE, ROW),
    "write cache size": Field("cache.write_bytes", _CACHE_SIZE, ROW),
    "no-battery write cache": Field("cache.no_battery_write_cache", _FLAG),
    "no battery write cache": Field("cache.no_battery_write_cache", _FLAG),
    "drive write cache": Field("drive_write_cache", _drive_cache, keep=True),
    "configured drive write cache policy": Field("drive_write_cache", _drive_cache, keep=True),
    "physical drive write cache": Field("drive_write_cache", _drive_cache, ROW, keep=True),
    "physical drive write cache state": Field("drive_write_cache", _drive_cache, ROW, keep=True),
    "battery/capacitor count": Field("battery.count", numbers.count),
    "battery/capacitor pack count": Field("battery.count", numbers.count),
    "battery/capacitor status": Field("battery.status", numbers.text),
    # Capacitor Count: 1
    **dict.fromkeys(("battery pack count", "battery count", "capacitor count"), _battery),
    # Battery Status: OK
    **dict.fromkeys(("battery status", "capacitor status"), _battery),
    "capacitor temperature (c)": Field("battery.capacitor_temperature", numbers.count, keep=True),
    "battery temperature (c)": Field("battery.temperature", numbers.count),
}
