"""``-AdpBbuCmd`` and its parts.

The parts are status, capacity, design and properties of the battery or the CacheVault's capacitor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from raidctl.evidence import mark_read
from raidctl.model import BatteryStatus
from raidctl.text import regex
from raidctl.vendor.draft import DETAIL, REPORT, ROW, WEAK, Draft, Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl.vendor.statuses import read_status, report_bad_status
from raidctl_megaraid import bbu_mask
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.megacli import numbers
from raidctl_megaraid.megacli.outline import Block, Item
from raidctl_megaraid.storcli.battery_labels import FLAGS as YES_OR_NO
from raidctl_megaraid.storcli.battery_labels import GOOD_WORDS, OFFLOAD, REPLACE, TROUBLES
from raidctl_megaraid.storcli.controller_words import battery_kind, battery_status, has_status
from raidctl_megaraid.vocabulary import has_value, normalized

FLAGS = "BBU Firmware Status"
_BITS: dict[str, tuple[str, int]] = {
    # Voltage                                 : OK
    "voltage": ("low", bbu_mask.VOLTAGE_LOW),
    "temperature": ("high", bbu_mask.TEMPERATURE_HIGH),
    "learn cycle requested": ("yes", bbu_mask.LEARN_REQUESTED),
    "learn cycle active": ("yes", bbu_mask.LEARN_ACTIVE),
    "learn cycle status": ("failed", bbu_mask.LEARN_FAILED),
    "learn cycle timeout": ("yes", bbu_mask.LEARN_TIMEOUT),
    "i2c errors detected": ("yes", bbu_mask.BUS_ERROR),
    "battery pack missing": ("yes", bbu_mask.MISSING),
    "battery replacement required": ("yes", bbu_mask.REPLACE),
    "remaining capacity low": ("yes", bbu_mask.CAPACITY_LOW),
    "periodic learn required": ("yes", bbu_mask.LEARN_REQUIRED),
}
"""The tool's words for the firmware's mask bits, with what sets them."""
# Charging Status              : Charging
_CHARGING: dict[str, int] = {
    "none": 0, "complete": 0, "charged": 0, "fully charged": 0, "idle": 0, "not charging": 0, "n/a": 0, "unknown": 0,
    # so one version spells it
    "charging": bbu_mask.CHARGING, "charching": bbu_mask.CHARGING, "discharging": bbu_mask.DISCHARGING,
}  # fmt: skip
_WORN = frozenset({"no space to cache offload", "pack is about to fail & should be replaced", "issohgood"})
_BAD = bbu_mask.VOLTAGE_LOW | bbu_mask.TEMPERATURE_HIGH | bbu_mask.LEARN_FAILED | bbu_mask.LEARN_TIMEOUT
_BAD |= bbu_mask.BUS_ERROR | bbu_mask.REPLACE | bbu_mask.CAPACITY_LOW | bbu_mask.MISSING

# Firmware Status: 00000440        of older versions, which do not print the bits in words
_FIGURE = regex(r"(?:0x)?([0-9a-f]{8})", re.IGNORECASE | re.ASCII)
_FIGURES = frozenset({"firmware status", "bbu firmware status"})

_GOING: dict[BatteryStatus, int] = {"learning": bbu_mask.LEARN_ACTIVE, "charging": bbu_mask.CHARGING}


def battery_of(controller: ControllerDraft, block: Block) -> Draft:
    """The draft of the controller's only pack. Its type makes it a CacheVault, else it is a BBU."""
    kinds = {
        battery_kind(item.pair.value)
        for item in block.items
        if item.label in ("batterytype", "battery type") and not item.section
    }
    name = "cachevault" if "capacitor" in kinds else "bbu"
    known = next(iter(controller.batteries), None)
    if known is not None and known != name and name == "cachevault" and not controller.batteries[known].get("kind"):
        controller.batteries[name] = controller.batteries.pop(known)
        controller.batteries[name].name = name
    return (
        controller.batteries[known] if known is not None and known in controller.batteries else controller.battery(name)
    )


def read_battery(controller: ControllerDraft, block: Block) -> None:
    """``BBU status for Adapter: 0`` and the lines below it."""
    if not any(item.pair.value for item in block.items):
        mark_read(*(line for item in block.items for line in item.pair.lines))
        return
    battery = battery_of(controller, block)
    for item in block.items:
        _read_item(battery, item)
    if any(item.section == FLAGS or item.label == "battery state" or _figure(item.pair) for item in block.items):
        _judge(controller, battery, block.items)


def _read_item(battery: Draft, item: Item) -> None:
    pair, label = item.pair, item.label
    if item.section == FLAGS and label != "bbu firmware status":
        # ``Voltage`` and ``Temperature`` are words here, and figures above.
        battery.keep_detail(pair, f"{FLAGS} " if label in _FIELDS else "")
        _flag(battery, pair)
    elif not read_pair(battery, pair, label, _FIELDS):
        _flag(battery, pair)
        battery.keep_detail(pair)


def _charge(battery: Draft, pair: Pair) -> None:
    """``Relative State of Charge: 98 %``; a capacitor has no gauge, and firmware prints 0%."""
    if battery.get("kind") == "capacitor" and pair.value[:2] in ("0", "0 "):
        battery.keep_detail(pair)
    else:
        battery.read_field(pair, "charge_percent", numbers.charge)


def _next_learn(battery: Draft, pair: Pair) -> None:
    """``Next Learn time: Sun Oct 12 12:20:37 2014``."""
    if battery.read_field(pair, "next_learn_at", numbers.next_learn) is not None:
        battery.keep_detail(pair)


def _kind(battery: Draft, pair: Pair) -> None:
    """``BatteryType: iBBU``, ``CVPM02``, ``TMMC``, ``SuperCaP``; None for ``No Battery``."""
    battery.keep_detail(pair)
    kind = battery_kind(pair.value)
    if kind is not None and not normalized(pair.value).startswith("no "):
        battery.put(pair.lines[0], "kind", kind)


def _flag(battery: Draft, pair: Pair) -> None:
    """Report a flag that is set as a problem with its remedy."""
    label, value = normalized(pair.label), normalized(pair.value)
    values, message, remedy = TROUBLES.get(label, (frozenset(), "", ""))
    if value in values:
        battery.add_problem("warning", "state", message, remedy)
    elif label in YES_OR_NO and label not in _BITS and has_value(value) and value not in ("yes", "no"):
        battery.unread(pair.label, pair.value)
    elif label not in TROUBLES and label not in _BITS and label != "battery state":
        # Charger Status: Complete
        report_bad_status(battery, pair)


def _judge(controller: ControllerDraft, battery: Draft, items: Iterable[Item]) -> None:
    """Derive the status from the state word and the flags. Both count, and older versions have no state word."""
    flags = [item.pair for item in items if item.section == FLAGS and item.label != "bbu firmware status"]
    flags += [item.pair for item in items if item.label == "issohgood" or _figure(item.pair) is not None]
    mask = _mask(battery, flags)
    signs = _WORN if battery.name == "bbu" else _WORN | {OFFLOAD}
    worn = [pair for pair in flags if normalized(pair.label) in signs and _bad(pair)]
    stated = next((item.pair for item in items if item.label == "battery state" and item.pair.value), None)
    status = _status(_stated(battery, stated), stated.value if stated else "", mask, worn=bool(worn))
    asked = [pair for pair in flags if normalized(pair.label) in REPLACE or _figure(pair) is not None]
    if asked and (replace := _replace(battery, asked)) is not None:
        battery.put(asked[0].lines[0], "replace", replace)
    if status is None:
        return
    going = _GOING.get(status, 0)
    conclusive = [pair for pair in flags if _sets(pair) & (_BAD | going) or pair in worn]
    words = ([stated.value] if stated is not None else []) + [f"{pair.label}: {_answer(pair)}" for pair in conclusive]
    sources = [pair for pair in (stated, *conclusive) if pair is not None] or flags[:1]
    weight = battery.status_weight("status", status, DETAIL)
    for pair in sources:
        battery.put(pair.lines[0], "status", status, weight)
    if words:
        battery.put(sources[0].lines[0], "status_text", "; ".join(words), weight)
    if status != "missing":
        controller.put(None, "bbu_present", value=True, weight=WEAK)


def _replace(battery: Draft, asked: Sequence[Pair]) -> bool | None:
    """Whether the battery must be replaced: one Yes is enough. None if a word is unknown, which is reported."""
    strange = [
        pair
        for pair in asked
        if _figure(pair) is None and has_value(pair.value) and normalized(pair.value) not in ("yes", "no")
    ]
    for pair in strange:
        battery.unread(pair.label, pair.value)
    if any(_bad(pair) for pair in asked):
        return True
    return None if strange else False


def _sets(pair: Pair) -> int:
    """The bits of the mask that a flag sets."""
    figure = _figure(pair)
    if figure is not None:
        return figure
    if normalized(pair.label) == "charging status":
        return _CHARGING.get(normalized(pair.value), 0)
    setter, bit = _BITS.get(normalized(pair.label), ("", 0))
    return bit if setter and normalized(pair.value).startswith(setter) else 0


def _figure(pair: Pair) -> int | None:
    """The mask that older versions print as a number."""
    match = _FIGURE.fullmatch(pair.value.strip()) if normalized(pair.label) in _FIGURES else None
    return int(match[1], 16) if match is not None else None


def _answer(pair: Pair) -> str:
    figure = _figure(pair)
    return pair.value if figure is None else ", ".join(bbu_mask.words(figure))


def _bad(pair: Pair) -> bool:
    figure = _figure(pair)
    if figure is not None:
        return bbu_mask.replace(figure)
    return normalized(pair.value) == ("no" if normalized(pair.label) == "issohgood" else "yes")


def _mask(battery: Draft, flags: Iterable[Pair]) -> int:
    mask = 0
    for pair in flags:
        label, value = normalized(pair.label), normalized(pair.value)
        if label == "charging status":
            if value in _CHARGING or not has_value(value):
                mask |= _CHARGING.get(value, 0)
            else:
                battery.unread(pair.label, pair.value)
        elif label in _FIGURES:
            mask |= _sets(pair)
        elif label in _BITS:
            bit = _sets(pair)
            mask |= bit
            if not bit and value and value not in GOOD_WORDS and has_value(value):
                battery.unread(pair.label, pair.value)
    return mask


def _stated(battery: Draft, pair: Pair | None) -> BatteryStatus | None:
    """``Battery State     : Operational``; None if not reported."""
    if pair is None:
        return None
    try:
        return battery_status(pair.value)
    except ValueError:
        battery.add_problem("warning", "unread", f"The battery's status word {pair.value!r} is not recognised.", REPORT)
        return "unknown"


def _status(stated: BatteryStatus | None, text: str, mask: int, *, worn: bool) -> BatteryStatus | None:
    """The state of the pack.

    ``Operational`` beside a flag that reports a fault is degraded; a pack is ``Non Operational`` also while it learns
    or charges. Without a state word, only the flags decide.
    """
    printed = bbu_mask.status(mask)
    if mask & bbu_mask.MISSING:
        return "missing"
    if stated is None:
        if printed == "ok" and not worn and normalized(text) == "unknown":
            return "unknown"
        return "degraded" if worn and printed in ("ok", "charging") else printed
    if stated == "failed" and normalized(text).startswith("non") and printed in ("learning", "charging"):
        return printed
    if stated != "ok" or printed == "learning":
        return printed if stated == "ok" else stated
    return "degraded" if worn or mask & _BAD else "ok"


def read_summary(controller: ControllerDraft, pair: Pair) -> None:
    """``Status            : Healthy`` of ``-ShowSummary``."""
    read_status(battery_of(controller, Block("battery")), pair, "battery", battery_status, has_status, weight=ROW)


def read_summary_kind(controller: ControllerDraft, pair: Pair) -> None:
    """``BBU Type          : BBU``."""
    block = Block("battery", items=[Item.of("", Pair("BatteryType", pair.value, pair.lines))])
    battery = battery_of(controller, block)
    _kind(battery, pair)


_FIELDS: Fields[Draft] = {
    # BatteryType: CVPM02
    **dict.fromkeys(("batterytype", "battery type"), _kind),
    # Voltage: 3985 mV
    "voltage": Field("voltage_volts", numbers.volts),
    # Temperature: 18 C
    "temperature": Field("temperature_celsius", numbers.celsius),
    # Relative State of Charge: 98 %
    "relative state of charge": _charge,
    # Next Learn time: Sun Oct 12 12:20:37 2014
    "next learn time": _next_learn,
}
