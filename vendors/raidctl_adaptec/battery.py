"""What protects the cache in a power failure.

This is a battery, ZMM, cache backup unit with its supercapacitor, or Green Backup.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.evidence import mark_read
from raidctl.model import BatteryKind, BatteryStatus
from raidctl.text import collapse, regex
from raidctl.vendor.draft import REPORT, ROW, Draft, Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl.vendor.limits import WORN_PERCENT
from raidctl_adaptec import numbers, vocabulary
from raidctl_adaptec.draft import ControllerDraft, keep
from raidctl_adaptec.outline import Block
from raidctl_adaptec.vocabulary import normalized

_SECTIONS: tuple[tuple[str, str, BatteryKind], ...] = (
    # Controller Battery Information
    ("battery information", "battery", "battery"),
    # Controller ZMM Information: a flash module with a capacitor
    ("zmm", "zmm", "capacitor"),
    # Controller Cache Backup Unit Information, and in it Supercap Information
    ("backup unit", "backup", "capacitor"),
    ("supercap", "backup", "capacitor"),
    # Green Backup Information
    ("green backup", "green", "capacitor"),
    ("flash backup", "green", "capacitor"),
)
_OVERALL: dict[str, tuple[str, BatteryKind]] = {
    "status": ("battery", "unknown"),
    "battery status": ("battery", "battery"),
    "zmm status": ("zmm", "capacitor"),
    "overall backup unit status": ("backup", "capacitor"),
    "backup power status": ("green", "capacitor"),
}
"""Labels of the state, which no other part of the controller has, and what they are about if the title is missing."""


def _overall(battery: Draft, pair: Pair) -> None:
    battery.put(pair.lines[0], "status_text", collapse(pair.value))


def _part(battery: Draft, pair: Pair) -> None:
    battery.conclude(f"part.{normalized(pair.label)}", pair.value)


def _heat(battery: Draft, pair: Pair) -> None:
    if normalized(pair.value) not in ("no", "false") and vocabulary.has_value(pair.value):
        battery.conclude("hot", value=True)


def _packs(battery: Draft, pair: Pair) -> None:
    if pair.value.strip() == "0":
        battery.conclude("absent", value=True)


def _power(battery: Draft, pair: Pair) -> None:
    if "batter" in normalized(pair.value):
        battery.put(pair.lines[0], "kind", "battery")


_FIELDS: Fields[Draft] = {
    # Overall Backup Unit Status              : Not Ready
    **dict.fromkeys(_OVERALL, _overall),
    # Capacity remaining                       : 98 percent
    "capacity remaining": Field("charge_percent", numbers.percent),
    "charge level": Field("charge_percent", numbers.percent),
    "relative charge": Field("charge_percent", numbers.percent, ROW),
    "current temperature": Field("temperature_celsius", numbers.celsius),
    "temperature": Field("temperature_celsius", numbers.celsius, ROW),
    # Voltage(Present/Max)               : 4955 mV/ 5302 mV
    "voltage(present/max)": Field("voltage_volts", numbers.volts, keep=True),
    "voltage": Field("voltage_volts", numbers.volts, ROW, keep=True),
    # Next Scheduled Learn Cycle         : 122 hours
    "next scheduled learn cycle": Field("next_learn_at", numbers.text),
    "next learn cycle": Field("next_learn_at", numbers.text, ROW),
}
_WATCHED: Fields[Draft] = {
    # Supercap Status                          : Ok
    "supercap status": _part,
    "non-volatile storage status": _part,
    "learn status": _part,
    "health status": _part,
    # Health                             : 100 percent
    "health": _part,
    "hardware error": _part,
    "flash status": _part,
    # Over temperature                         : Yes
    "over temperature": _heat,
    "battery/capacitor pack count": _packs,
    "pack count": _packs,
    "power type": _power,
    "backup power type": _power,
}
"""Details that the status follows from."""
_FINE = frozenset(
    {
        "ready",
        "ok",
        "okay",
        "optimal",
        "idle",
        "inactive",
        "no error",
        "normal",
        "good",
        "none",
        "complete",
        "completed",
    }
)
_SEVERITY: tuple[BatteryStatus, ...] = ("failed", "missing", "degraded", "learning", "charging")


def section_of(sub: str) -> tuple[str, BatteryKind] | None:
    """Which battery a part of the controller's section is about. None for another part."""
    key = normalized(sub)
    return next(((name, kind) for part, name, kind in _SECTIONS if part in key), None)


_PERCENT = regex(r"(\d{1,3}) ?(?:percent|%)", re.IGNORECASE)
_LEARNING = regex(r"progress|(?<!in)active|running|learning", re.IGNORECASE)
_AGAIN = "Give the whole output of `arcconf getconfig N al`."


def read_block(controller: ControllerDraft, block: Block, name: str, kind: BatteryKind) -> None:
    """One part with all its pairs. The title alone is not a battery: the tool always prints a state below it."""
    if not block.pairs:
        mark_read(*block.heads)
        controller.add_problem("warning", "unread", f"Nothing is below the title '{block.sub}'.", _AGAIN)
        return
    battery = controller.battery(name)
    for line in block.heads:
        battery.put(line, "kind", kind, ROW)
    for pair in block.pairs:
        _read_pair(battery, pair, block.sub)


def begins(pair: Pair) -> bool:
    """Whether a part about a battery begins here, if its title is missing."""
    return normalized(pair.label) in _OVERALL


def read_untitled(controller: ControllerDraft, pairs: Sequence[Pair]) -> None:
    """Read a part whose title is missing, from the line that shows its state."""
    head = pairs[0]
    name, kind = _OVERALL[normalized(head.label)]
    if "zmm" in normalized(head.value):
        name, kind = _OVERALL["zmm status"]
    battery = controller.battery(name)
    battery.put(head.lines[0], "kind", kind, ROW)
    battery.add_problem("warning", "unread", f"The title above '{head.label}: {head.value}' is missing.", _AGAIN)
    for pair in pairs:
        _read_pair(battery, pair, "")


def _read_pair(battery: Draft, pair: Pair, sub: str) -> None:
    label = normalized(pair.label)
    if not read_pair(battery, pair, label, _FIELDS):
        read_pair(battery, pair, label, _WATCHED)
        keep(battery, pair, sub)


def infer_status(battery: Draft) -> BatteryStatus:
    """The neutral status, from the overall word and those of the parts."""
    overall: str | None = battery.get("status_text")
    status: BatteryStatus = "unknown"
    if overall is not None and vocabulary.has_state(overall):
        status = vocabulary.battery_word(overall)
        if status == "unknown":
            battery.add_problem(
                "warning", "unread", f"The battery's status word {overall!r} is not recognised.", REPORT
            )
    if battery.get("absent") and status in ("unknown", "ok"):
        return "missing"
    if status == "missing":
        return status
    parts = _parts(battery)
    if battery.get("hot"):
        parts["over temperature: yes"] = "degraded"
    found = list(parts.values())
    not_ready = normalized(overall or "") == "not ready"
    if not_ready and set(found) <= {"ok"} and any(name.startswith("part.") for name in battery.values):
        # Supercap Status                    : Fatal
        message = "The backup unit is not ready, and no line gives the reason: lines may be missing."
        battery.add_problem("warning", "unread", message, _AGAIN)
    found.append(status)
    worst = next((name for name in _SEVERITY if name in found), status)
    # Not Ready while the capacitor loads is loading, not a defect.
    if not_ready and worst == "degraded":
        return next((name for name in ("learning", "charging") if name in found), worst)
    if status == "ok" and worst in ("failed", "degraded"):
        # not "has failed (Ok)"
        reason = next(text for text, one in parts.items() if one == worst)
        battery.restate("status_text", f"{overall}, but {reason}", ("status_text",))
    return worst


def _parts(battery: Draft) -> dict[str, BatteryStatus]:
    """The state of each part by its line: ``hardware error: Charge Timeout``."""
    found: dict[str, BatteryStatus] = {}
    for name, (_, value) in battery.values.items():
        if not name.startswith("part.") or normalized(value) in _FINE or not vocabulary.has_state(value):
            continue
        text = f"{name.removeprefix('part.')}: {collapse(value)}"
        if name == "part.learn status" and _LEARNING.search(value):
            # Learn Status                       : In Progress
            found[text] = "learning"
        elif name == "part.hardware error":
            found[text] = "failed"
        elif (left := _PERCENT.fullmatch(value)) is not None:
            # Health Status                              : 100 percent
            found[text] = "ok" if int(left[1]) > WORN_PERCENT else "degraded"
        else:
            known = vocabulary.battery_word(value)
            if known == "unknown":
                battery.unread(name[5:], value)
            found[text] = "failed" if known == "missing" else known
    return found
