"""An array mixes drives with different sector sizes.

**What it checks.** Members with logical sectors of 512 and of 4096 bytes (512e and 4Kn), and hard drives with physical
sectors of 512 and of 4096 bytes (512n and 512e).

**Why it matters.** An array takes the largest logical sector size of its members: a 4Kn drive that is added later
changes the geometry that file systems and boot loaders were created for, and most controllers refuse it as a
replacement or spare. On 512e drives a write that is not aligned to 4096 bytes costs an extra rotation; among 512n
drives they slow down the others.

**Fails** (information: a property of the design) for different logical sectors, and for different physical sectors of
hard drives. Spares are covered by `spare_unfit`.

**Passes** when they are the same.

**Unknown** when some members report it and others do not. Arrays without any reported sector size are not checked.

**How to fix.** Keep replacements and spares of the array's format; many drives can be reformatted before they are
added.

**Example.** Fails: `sector_bytes = 512` and `sector_bytes = 4096` in one array. Passes: all 512.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import members, physical
from raidctl.audit.builtin._wording import short
from raidctl.model import Array, Drive, Inventory

FINDINGS = RuleFindings("mixed_sectors", "info", "An array mixes drives with different sector sizes")


def check(inventory: Inventory) -> Findings:
    """One finding for each array of two or more drives. At least one of them reports its sector size."""
    for controller in inventory.controllers:
        for array in controller.arrays:
            drives = {one.id: one for drive in members(controller, array) for one in physical(inventory, drive)}
            if len(drives) > 1 and any(drive.sector_bytes for drive in drives.values()):
                yield _judge(array, list(drives.values()))


def _judge(array: Array, drives: Sequence[Drive]) -> Finding:
    for field, among in (("sector_bytes", drives), ("physical_sector_bytes", [d for d in drives if d.media == "hdd"])):
        sizes = {size: drive for drive in among if (size := getattr(drive, field))}
        if len(sizes) > 1:
            odd = [drive for drive in among if getattr(drive, field) == max(sizes)]
            message = (
                f"The array mixes {field.replace('_bytes', 's').replace('_', ' ')} of {min(sizes)} and "
                f"{max(sizes)} bytes; {max(sizes)}: {short(odd)}."
            )
            remedy = "Use replacements and spares of the same format."
            evidence = tuple(fact for drive in sizes.values() for fact in facts(drive, field, of=array))
            return FINDINGS.failed(array, message, remedy, wants=(None, f"the same {field} for all"), more=evidence)
    if not all(drive.sector_bytes for drive in drives):
        return FINDINGS.unknown(array, "The sector size of some of its drives is unknown.")
    return FINDINGS.passed(array, "The drives have the same sector size.")
