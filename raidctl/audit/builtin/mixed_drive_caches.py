"""Some drives of one array work with their own write cache on, others with it off.

**What it looks for.** Arrays whose members tell different states of their write caches.

**Why.** A drive that was replaced comes with its maker's default, and nobody sets it. Then either one drive loses
data in a power failure that the others keep, or one drive is several times slower at writes than the others and all
wait for it.

**Fails** (warning).

**Passes** when all that tell it are the same.

**Cannot tell:** drives that do not tell are not compared.

**Remedy.** Decide for one and set it for all: `raidctl cache set VOLUME --drive-cache off`, or for drives without a
controller `raidctl cache drive`.

**Example.** Fails: `write_cache = enabled` on one member, `disabled` on another. Passes: `disabled` on all.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import members, short
from raidctl.model import Inventory

FINDINGS = RuleFindings("mixed_drive_caches", "warning", "Write caches of the drives of one array are partly on")


def check(inventory: Inventory) -> Findings:
    """One finding for each array in which at least two drives tell."""
    for card in inventory.controllers:
        for array in card.arrays:
            told = [drive for drive in members(card, array) if drive.write_cache]
            on = [drive for drive in told if drive.write_cache == "enabled"]
            if len(told) < 2:
                continue
            if not on or len(on) == len(told):
                yield FINDINGS.passed(array, "The write caches of its drives are all the same.")
                continue
            message = f"The write cache is on in {short(on)} and off in the other drives of the array."
            remedy = "Decide for one and set it for all; off is the safe one."
            evidence = tuple(fact for drive in told[:8] for fact in facts(drive, "write_cache", of=array))
            yield FINDINGS.failed(array, message, remedy, wants=(None, "the same write_cache for all"), more=evidence)
