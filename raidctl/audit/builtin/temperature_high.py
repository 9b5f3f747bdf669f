"""A drive or battery is too hot.

**What it checks.** Temperatures of drives and of cache batteries and capacitors, and the limits that drives report.

**Why it matters.** Hard drives are rated for 55 to 60 °C and SSDs for 70 °C; NVMe drives throttle from about 75 to 80
°C. Hard drives above 50 °C fail more often. A battery ages twice as fast for every 10 °C, and many controllers stop
charging it, and so disable write-back, above 55 to 60 °C. One hot drive points to a fan or its neighbour; if all are
hot, check the room.

**Fails** (warning / critical) for hard drives from 55 / 65 °C, SSDs from 70 / 80 °C, drives of unknown type from 60 /
70 °C, batteries from 55 / 65 °C and capacitors from 60 / 70 °C; (critical) for drives from the limit that they report
themselves, if that is lower: SAS drives may stop there.

**Passes** below these temperatures.

**Unknown:** never. Unreported temperatures are not checked, nor are implausible ones (above 125 °C, 0 °C and below).

**How to fix.** Check fans, filters, blanking plates of empty bays, and the room.

**Example.** Fails: a hard drive with `temperature_celsius = 58`. Passes: one with 36.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings, Severity
from raidctl.audit.builtin._queries import batteries, drives
from raidctl.health.phrases import battery_noun
from raidctl.model import Inventory
from raidctl.select import Item

FINDINGS = RuleFindings("temperature_high", "critical", "A drive or battery is too hot")
_DRIVES = {"hdd": (55, 65), "ssd": (70, 80), None: (60, 70)}
_BATTERIES = {"battery": (55, 65), "capacitor": (60, 70), "unknown": (60, 70)}
_NO_TEMPERATURE = 125
"""Higher values are not temperatures."""
_MIN_LIMIT = 40
"""Lower limits are not set: ``Drive Trip Temperature: 0 C``."""
_REMEDY = "Check fans, filters, empty bays and the room."


def check(inventory: Inventory) -> Findings:
    """One finding for each drive and battery that reports its temperature."""
    for _, drive in drives(inventory):
        yield from _judge(
            drive, "drive", drive.temperature_celsius, _DRIVES[drive.media], drive.max_temperature_celsius
        )
    for _, battery in batteries(inventory):
        name = battery_noun(battery)
        yield from _judge(battery, name, battery.temperature_celsius, _BATTERIES[battery.kind])


def _judge(item: Item, name: str, degrees: int | None, limits: tuple[int, int], limit: int | None = None) -> Findings:
    if degrees is None or not 0 < degrees <= _NO_TEMPERATURE:
        return
    warm, hot = limits
    if limit is not None and _MIN_LIMIT <= limit <= degrees:
        message = f"The {name} is at {degrees} °C, and reports {limit} °C as its limit: it may stop."
        yield FINDINGS.failed(
            item, message, _REMEDY, "temperature_celsius max_temperature_celsius",
            wants=("temperature_celsius", f"below {min(warm, limit)}"),
        )  # fmt: skip
        return
    if degrees < warm:
        yield FINDINGS.passed(item, "The temperature is normal.")
        return
    message = f"The {name} is at {degrees} °C" + (", which shortens its life considerably." if degrees >= hot else ".")
    severity: Severity | None = None if degrees >= hot else "warning"
    yield FINDINGS.failed(
        item, message, _REMEDY, "temperature_celsius", severity=severity, wants=("temperature_celsius", f"below {warm}")
    )
