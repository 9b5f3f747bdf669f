"""The controller itself, its enclosures and arrays: ``-AdpAllInfo``, ``-CfgDsply`` and others."""

from __future__ import annotations

import re

from raidctl.text import attempt, collapse, regex
from raidctl.vendor.draft import ROW, WEAK, Draft, GroupDraft, Pair
from raidctl.vendor.fields import Field, Fields, optional, read_pair
from raidctl.vendor.statuses import report_bad_status
from raidctl_megaraid.chip_temperature import report_chip_temperature
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.megacli import numbers
from raidctl_megaraid.megacli.outline import Block, Item
from raidctl_megaraid.messages import COUNTS, keep_count
from raidctl_megaraid.vocabulary import flag, has_value, normalized, patrol_state

_REPEATING = ("supported ", "default settings", "patrol read", "consistency check", "phy ")
"""Sections whose labels other sections have too. Their details get the section's name."""
_OWN_LABELS = frozenset({"patrol read mode", "patrol read execution delay", "patrol read on ssd devices"})
_HEX = regex(r"(?:0x)?([0-9a-f]{1,4})", re.IGNORECASE | re.ASCII)


def _present(text: str) -> bool | None:
    """``Present``, ``Absent``, ``Not Present``, ``Missing``."""
    if normalized(text) in ("not present", "missing", "not installed", "unavailable"):
        return False
    return flag(text)


_HARDWARE = ("", "hw configuration")


def read_controller(controller: ControllerDraft, block: Block) -> None:
    """The pairs of a controller, whatever command printed them."""
    for item in block.items:
        _read_item(controller, item)
    _bus(controller, block)


def _read_item(controller: ControllerDraft, item: Item) -> None:
    pair, label, section = item.pair, item.label, item.section.lower()
    prefix = f"{item.section}: " if section.startswith(_REPEATING) and label not in _OWN_LABELS else ""
    if label == "enable jbod" and section in _JBOD_SECTIONS:
        _jbod(controller, pair)
    if section.startswith("patrol read") and label == "current state":
        # Current State: Stopped
        controller.put(pair.lines[0], "patrol_read.state", patrol_state(pair.value))
    report_chip_temperature(controller, label, pair.value)
    if prefix:
        controller.keep_detail(pair, prefix)
    elif (label == "bbu" and section not in _HARDWARE) or not read_pair(controller, pair, label, _FIELDS):
        controller.keep_detail(pair)
        report_bad_status(controller, pair)


_JBOD_SECTIONS = frozenset({"", "settings", "supported pd operations"})


def _jbod(controller: ControllerDraft, pair: Pair) -> None:
    """``Enable JBOD                             : No``: whether drives may be used without a volume."""
    allowed = attempt(flag, pair.value)
    if allowed is not None:
        controller.put(pair.lines[0], "mode", "mixed" if allowed else "raid", WEAK)


def _memory(controller: Draft, pair: Pair) -> None:
    """``Memory: 128MB`` of ``-CfgDsply``; ``Memory           : Present`` of ``-AdpAllInfo``."""
    if pair.value[:1].isdigit():
        controller.read_field(pair, "cache.size_bytes", numbers.size, ROW)
        return
    controller.keep_detail(pair)
    if normalized(pair.value) == "absent":
        controller.put(pair.lines[0], "cache.present", value=False)


def _failed_key(controller: Draft, pair: Pair) -> None:
    """``Security Key Failed              : No``."""
    controller.keep_detail(pair)
    if normalized(pair.value) == "yes":
        controller.add_problem(
            "warning",
            "state",
            "The controller's security key failed.",
            "Enter the key that the drives were locked with.",
        )


def _count(controller: Draft, pair: Pair) -> None:
    """``Virtual Drives    : 1``: compared with the lists."""
    controller.keep_detail(pair)
    keep_count(controller, pair, normalized(pair.label), WEAK)


def _package(controller: Draft, pair: Pair) -> None:
    """``FW Package Build: 12.12.0-0124``; the firmware's own version counts more."""
    controller.keep_detail(pair)
    controller.read_field(pair, "firmware", _TEXT, ROW)


def _bus(controller: ControllerDraft, block: Block) -> None:
    """``Bus Number      : 5e``, ``Device Number   : 0``, ``Function Number : 0``, in hexadecimal, without a domain."""
    found = []
    for label in ("bus number", "device number", "function number"):
        pair = next((item.pair for item in block.items if item.label == label), None)
        match = _HEX.fullmatch(pair.value) if pair is not None else None
        if match is None:
            return
        found.append(int(match[1], 16))
    bus, device, function = found
    if bus <= 0xFF and device <= 0x1F and function <= 7:
        line = next(item.pair.lines[0] for item in block.items if item.label == "bus number")
        controller.put(line, "bus", f"0000:{bus:02x}:{device:02x}.{function:x}")


def read_group(controller: ControllerDraft, block: Block) -> None:
    """``DISK GROUP: 0`` and ``SPAN: 0``: numbers of spans, drives, virtual drives and spares."""
    group: GroupDraft = controller.array(block.name or "?")
    for item in block.items:
        group.keep_detail(item.pair, f"{item.section} " if item.section else "")


_GOOD_STATES = frozenset(
    {
        "normal", "ok", "optimal", "good", "off", "not installed", "no device", "not available", "not supported", "n/a",
        "unsupported", "unknown", "unavailable", "",
    }
)  # fmt: skip


_UNREADABLE = frozenset({"unknown", "unavailable", "not available"})
"""States of an enclosure that its controller cannot read. A sensor in it may not be monitored."""


def read_enclosure(controller: ControllerDraft, block: Block) -> None:
    """``Enclosure 0:`` of ``-EncInfo``: its parts and sensors, under the enclosure's number."""
    device = next((item.pair.value for item in block.items if item.label == "device id"), block.name)
    name = f"Enclosure {device}"
    for item in block.items:
        part = (
            f"{item.section} "
            if item.section and normalized(item.section) != f"{item.label} {normalized(item.pair.value)}"
            else ""
        )
        controller.keep_detail(item.pair, f"{name} {part}")
        status = item.label == "status" or item.label.endswith(" status")
        if item.label == "status" and not part and normalized(item.pair.value) in _UNREADABLE:
            controller.add_problem(
                "warning", "unread", f"The state of {name.lower()} is unknown: {item.pair.value!r}.",
                "Check the enclosure's cables.",
            )  # fmt: skip
        elif status and normalized(item.pair.value) not in _GOOD_STATES:
            controller.add_problem(
                "warning", "state", f"{name}: {part}{item.pair.label} is {item.pair.value}.", "Check the enclosure."
            )


_TEXT = optional(has_value, collapse)
_FIELDS: Fields[ControllerDraft] = {
    # Product Name    : PERC H710 Mini
    "product name": Field("model", _TEXT),
    "serial no": Field("serial", _TEXT),
    # FW Version         : 3.131.05-8148        the package that it came in is reported beside it
    "fw version": Field("firmware", _TEXT),
    **dict.fromkeys(("fw package build", "fw package version"), _package),
    # BBU              : Present
    "bbu": Field("bbu_present", _present),
    # Memory: 128MB        of -CfgDsply
    "memory": _memory,
    "memory size": Field("cache.size_bytes", numbers.size),
    "current size of fw cache": Field("cache.available_bytes", numbers.nonzero_size),
    "cache flush interval": Field("cache.flush_interval_seconds", numbers.seconds),
    # Any Offline VD Cache Preserved   : No
    "any offline vd cache preserved": Field("cache.preserved_data", flag),
    # Security Key Failed              : No
    "security key failed": _failed_key,
    **dict.fromkeys(COUNTS, _count),
}
