"""Drives with different sector sizes are in one array.

**What it looks for.** Members with logical sectors of 512 and of 4096 bytes (512e and 4Kn), and disks with physical
sectors of 512 and of 4096 bytes (512n and 512e).

**Why.** An array takes the largest logical sector of its members: a 4Kn drive that joins later changes what file
systems and boot loaders were made for, and most controllers refuse it as a replacement or spare. On 512e disks a write
that is not aligned to 4096 bytes costs a rotation; among 512n disks they are the ones that all wait for.

**Fails** (information: a property of the design) for different logical sectors, and for different physical ones of
disks. A spare with other sectors is the matter of `spare_unfit`.

**Passes** when they are alike.

**Cannot tell** when some members report it and others do not. Arrays of which no member does are passed over.

**Remedy.** Keep replacements and spares of the array's own format; many drives can be formatted anew before they join.

**Example.** Fails: `sector_bytes = 512` and `sector_bytes = 4096` in one array. Passes: all 512.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import members, physical, short
from raidctl.model import Array, Drive, Inventory

FINDINGS = RuleFindings("mixed_sectors", "info", "Different sector sizes are in one array")


def check(inventory: Inventory) -> Findings:
    """One finding for each array of two drives and more of which one at least reports its sectors."""
    for card in inventory.controllers:
        for array in card.arrays:
            drives = {one.id: one for drive in members(card, array) for one in physical(inventory, drive)}
            if len(drives) > 1 and any(drive.sector_bytes for drive in drives.values()):
                yield _judge(array, list(drives.values()))


def _judge(array: Array, drives: Sequence[Drive]) -> Finding:
    for field, among in (("sector_bytes", drives), ("physical_sector_bytes", [d for d in drives if d.media == "hdd"])):
        sizes = {size: drive for drive in among if (size := getattr(drive, field))}
        if len(sizes) > 1:
            odd = [drive for drive in among if getattr(drive, field) == max(sizes)]
            message = (
                f"Drives with {field.replace('_bytes', 's').replace('_', ' ')} of {min(sizes)} and {max(sizes)} bytes "
                f"are in one array; {max(sizes)}: {short(odd)}."
            )
            remedy = "Keep replacements and spares of one format."
            evidence = tuple(fact for drive in sizes.values() for fact in facts(drive, field, of=array))
            return FINDINGS.failed(array, message, remedy, wants=(None, f"the same {field} for all"), more=evidence)
    if not all(drive.sector_bytes for drive in drives):
        return FINDINGS.unknown(array, "The sector size of some of its drives is unknown.")
    return FINDINGS.passed(array, "The sectors of its drives are alike.")
