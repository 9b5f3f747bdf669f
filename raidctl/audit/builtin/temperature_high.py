"""A drive or a battery is too hot.

**What it looks for.** Temperatures of drives and of the battery or capacitor of a cache.

**Why.** Makers permit disks 55 to 60 °C, SSDs 70, NVMe drives slow themselves down from about 75 to 80. Disks that
run above 50 °C fail more often. A battery ages twice as fast for every ten degrees, and many controllers stop charging
it, and so give up write-back, above 55 to 60 °C. A single hot drive is a fan or a neighbour; all of them, the room.

**Fails** (warning / critical) for disks from 55 / 65 °C, SSDs from 70 / 80, drives whose kind is not told from 60 / 70,
batteries from 55 / 65 and capacitors from 60 / 70.

**Passes** below.

**Cannot tell:** where the temperature is not told, it is passed over. Figures above 125 °C, and of 0 and below, are no
temperatures of working drives; they are passed over too.

**Remedy.** Look at fans, filters, blanking plates of empty bays, and the room.

**Example.** Fails: a disk with `temperature_celsius = 58`. Passes: one with 36.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings, Severity
from raidctl.audit.builtin._queries import batteries, drives
from raidctl.model import Inventory
from raidctl.select import Item

FINDINGS = RuleFindings("temperature_high", "critical", "A drive or a battery is too hot")
_DRIVES = {"hdd": (55, 65), "ssd": (70, 80), None: (60, 70)}
_BATTERIES = {"battery": (55, 65), "capacitor": (60, 70), "unknown": (60, 70)}
_NO_TEMPERATURE = 125


def check(inventory: Inventory) -> Findings:
    """One finding for each drive and battery that tells its temperature."""
    for _, drive in drives(inventory):
        yield from _judge(drive, "drive", drive.temperature_celsius, _DRIVES[drive.media])
    for _, battery in batteries(inventory):
        name = "battery" if battery.kind == "unknown" else battery.kind
        yield from _judge(battery, name, battery.temperature_celsius, _BATTERIES[battery.kind])


def _judge(item: Item, name: str, degrees: int | None, limits: tuple[int, int]) -> Findings:
    if degrees is None or not 0 < degrees <= _NO_TEMPERATURE:
        return
    warm, hot = limits
    if degrees < warm:
        yield FINDINGS.passed(item, "It is not too hot.")
        return
    message = f"The {name} has {degrees} °C" + ("; it will not last long at that." if degrees >= hot else ".")
    remedy = "Look at fans, filters, empty bays and the room."
    severity: Severity | None = None if degrees >= hot else "warning"
    yield FINDINGS.failed(
        item, message, remedy, "temperature_celsius", severity=severity, wants=("temperature_celsius", f"below {warm}")
    )
