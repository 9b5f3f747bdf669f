"""An array mixes drives of different types, speeds or sizes.

**What it checks.** Arrays whose members differ in type (HDD or SSD), rpm or size.

**Why it matters.** A striped write is complete when the last drive has finished, so the slowest drive sets the pace;
and each drive contributes only as much capacity as the smallest. An SSD among hard drives performs like a hard drive,
a 5,400 rpm drive among 7,200 rpm drives costs a quarter of the speed, and a 4 TB drive among 2 TB drives wastes half
of its capacity. It usually happens when a failed drive is replaced by whatever was at hand.

**Fails** (information: a property of the design) for hard drives among SSDs, for different rpm, and for sizes that
differ by more than 2% (manufacturers' sizes of the same nominal capacity differ by less). Write-mostly members of
software RAID are slow on purpose and are ignored; partition sizes are a choice and are not compared.

**Passes** when all reported properties are the same.

**Unknown:** never. Properties that are not reported are not compared.

**How to fix.** Replace the odd drives at the next opportunity; stock spares of the array's type.

**Example.** Fails: `rpm = 7200` and `rpm = 10000` in one array. Passes: all identical.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import members
from raidctl.audit.builtin._wording import short
from raidctl.model import Array, Controller, Drive, Inventory
from raidctl.text import listing
from raidctl.units import format_decimal

FINDINGS = RuleFindings("mixed_drives", "info", "An array mixes drives of different types, speeds or sizes")
_TOLERANCE = 0.02


def check(inventory: Inventory) -> Findings:
    """One finding for each array of two drives and more."""
    for controller in inventory.controllers:
        for array in controller.arrays:
            drives = compared(controller, array)
            if len(drives) > 1:
                yield _judge(controller, array, drives)


def compared(controller: Controller, array: Array) -> list[Drive]:
    """The members of an array, without those that are write-mostly: they are slow on purpose."""
    return [drive for drive in members(controller, array) if "write_mostly" not in drive.flags]


def _judge(controller: Controller, array: Array, drives: Sequence[Drive]) -> Finding:
    media = {drive.media for drive in drives if drive.media}
    if len(media) > 1:
        slow = [drive for drive in drives if drive.media == "hdd"]
        message = f"The array mixes hard drives ({short(slow)}) and SSDs; it is as slow as the hard drives."
        return _failed(array, drives, "media", message)
    speeds = {drive.rpm for drive in drives if drive.rpm}
    if len(speeds) > 1:
        slow = [drive for drive in drives if drive.rpm == min(speeds)]
        sets = "sets" if len(slow) == 1 else "set"
        message = f"The array mixes drives of {listing(map(str, sorted(speeds)))} rpm; {short(slow)} {sets} the pace."
        return _failed(array, drives, "rpm", message)
    sizes = {drive.size_bytes for drive in drives if drive.size_bytes}
    if controller.mode != "software" and sizes and max(sizes) - min(sizes) > _TOLERANCE * max(sizes):
        large, small = format_decimal(max(sizes)), format_decimal(min(sizes))
        message = f"The array mixes drives of {small} and {large}; the rest of the large ones may be unused."
        return _failed(array, drives, "size_bytes", message)
    return FINDINGS.passed(array, "No reported type, speed or size differs between the drives of the array.")


def differ(controller: Controller, array: Array) -> bool:
    """Whether drives of an array differ in type, speed or size."""
    drives = compared(controller, array)
    return len(drives) > 1 and _judge(controller, array, drives).outcome == "fail"


def _failed(array: Array, drives: Sequence[Drive], field: str, message: str) -> Finding:
    seen: dict[object, Drive] = {}
    for drive in drives:
        seen.setdefault(getattr(drive, field), drive)
    remedy = "Replace the odd drives at the next opportunity, and stock spares of the array's type."
    evidence = tuple(fact for drive in seen.values() for fact in facts(drive, field, of=array))
    return FINDINGS.failed(array, message, remedy, wants=(None, f"the same {field} for all"), more=evidence)
