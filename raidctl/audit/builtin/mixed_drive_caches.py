"""Some drives of an array have their write cache on, others off.

**What it checks.** Arrays whose members report different write cache states.

**Why it matters.** A replacement drive comes with the manufacturer's default, and nobody changes it. Then either one
drive loses data in a power failure that the others keep, or one drive writes several times slower than the others and
all wait for it.

**Fails** (warning) when the states differ.

**Passes** when all reported states are the same.

**Unknown:** never. Drives that do not report it are not compared.

**How to fix.** Choose one state and set it on all drives: `raidctl cache set VOLUME --drive-cache off`, or for drives
without a controller `raidctl cache drive`.

**Example.** Fails: `write_cache = enabled` on one member, `disabled` on another. Passes: `disabled` on all.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import members
from raidctl.audit.builtin._wording import short
from raidctl.model import Inventory

FINDINGS = RuleFindings("mixed_drive_caches", "warning", "Write caches in one array are on in some drives only")


def check(inventory: Inventory) -> Findings:
    """One finding for each array with two or more reported write caches."""
    for controller in inventory.controllers:
        for array in controller.arrays:
            known = [drive for drive in members(controller, array) if drive.write_cache]
            on = [drive for drive in known if drive.write_cache == "enabled"]
            if len(known) < 2:
                continue
            if not on or len(on) == len(known):
                yield FINDINGS.passed(array, "All drives have the same write cache setting.")
                continue
            message = f"The write cache of {short(on)} is on, that of the other drives in the array is off."
            remedy = "Set all drives alike; off is the safe choice."
            evidence = tuple(fact for drive in known[:8] for fact in facts(drive, "write_cache", of=array))
            yield FINDINGS.failed(array, message, remedy, wants=(None, "the same write_cache for all"), more=evidence)
