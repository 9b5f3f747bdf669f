"""The drives of one array are of different kinds, speeds or sizes.

**What it looks for.** Arrays whose members differ in what decides their speed and their room: disk or SSD, rotations a
minute, size.

**Why.** A striped write is done when the last drive has done it, so the slowest drive sets the pace of all; and each
drive gives only as much room as the smallest. An SSD beside disks works like a disk, a 5400 in an array of 7200 takes
a quarter of its speed, a 4 TB drive among 2 TB ones wastes half of itself. It happens by replacement with "what was in
the drawer".

**Fails** (information: a property of the design) for disks among SSDs, for different rotations, and for sizes that
differ by more than 2 % (makers' sizes of the same nominal capacity differ by less). Members of software RAID that are
marked as mostly written are slow on purpose and do not count; sizes of partitions are somebody's choice and are not
judged.

**Passes** when they are alike in what is told.

**Cannot tell:** what is not told of a drive is not compared.

**Remedy.** Replace the odd drives at the next occasion; keep spares of the array's own kind.

**Example.** Fails: `rpm = 7200` and `rpm = 10000` in one array. Passes: all the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import members, short
from raidctl.model import Array, Controller, Drive, Inventory
from raidctl.text import listing
from raidctl.units import format_decimal

FINDINGS = RuleFindings("mixed_drives", "info", "Drives of different kinds, speeds or sizes are in one array")
_TOLERANCE = 0.02


def check(inventory: Inventory) -> Findings:
    """One finding for each array of two drives and more."""
    for card in inventory.controllers:
        for array in card.arrays:
            drives = [drive for drive in members(card, array) if "write_mostly" not in drive.flags]
            if len(drives) > 1:
                yield _judge(card, array, drives)


def _judge(card: Controller, array: Array, drives: Sequence[Drive]) -> Finding:
    media = {drive.media for drive in drives if drive.media}
    if len(media) > 1:
        disks = [drive for drive in drives if drive.media == "hdd"]
        message = f"Disks ({short(disks)}) and SSDs are in one array: it is as slow as the disks."
        return _failed(array, drives, "media", message)
    turns = {drive.rpm for drive in drives if drive.rpm}
    if len(turns) > 1:
        slow = [drive for drive in drives if drive.rpm == min(turns)]
        speeds = listing(map(str, sorted(turns)))
        sets = "sets" if len(slow) == 1 else "set"
        message = f"Disks of {speeds} rotations a minute are in one array, and {short(slow)} {sets} the pace."
        return _failed(array, drives, "rpm", message)
    sizes = {drive.size_bytes for drive in drives if drive.size_bytes}
    if card.mode != "software" and sizes and max(sizes) - min(sizes) > _TOLERANCE * max(sizes):
        large, small = format_decimal(max(sizes)), format_decimal(min(sizes))
        message = f"Drives of {small} and {large} are in one array: of the large ones the rest may lie idle."
        return _failed(array, drives, "size_bytes", message)
    return FINDINGS.passed(array, "The drives of the array are alike.")


def differ(card: Controller, array: Array) -> bool:
    """Whether the drives of an array differ in what decides their speed or room."""
    drives = [drive for drive in members(card, array) if "write_mostly" not in drive.flags]
    return len(drives) > 1 and _judge(card, array, drives).outcome == "fail"


def _failed(array: Array, drives: Sequence[Drive], field: str, message: str) -> Finding:
    seen: dict[object, Drive] = {}
    for drive in drives:
        seen.setdefault(getattr(drive, field), drive)
    remedy = "Replace the odd drives at the next occasion, and keep spares of the array's own kind."
    evidence = tuple(fact for drive in seen.values() for fact in facts(drive, field, of=array))
    return FINDINGS.failed(array, message, remedy, wants=(None, f"the same {field} for all"), more=evidence)
