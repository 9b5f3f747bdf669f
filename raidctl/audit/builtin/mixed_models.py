"""An array mixes drive models or firmware revisions.

**What it checks.** Arrays whose members differ in model, or have the same model with different firmware revisions.

**Why it matters.** Different models are not a fault: some people mix them on purpose, so that one bad batch does not
take the array. But they differ in error recovery time, cache and speed, and the slowest sets the pace. Different
firmware on one model is usually an oversight: one drive was replaced and the others never updated, or vice versa. A
bug that the manufacturer has fixed since is then still in some of them.

**Fails** (information) for either.

**Passes** when all reported models and revisions are the same. Arrays whose drives differ in speed or size are not
checked: `mixed_drives` covers them.

**Unknown:** never. Drives without a reported model are not compared.

**How to fix.** Note it. Update the firmware of one model to the same revision if the release notes recommend it, one
drive at a time, with a backup.

**Example.** Fails: one model with `firmware = HPD4` and `firmware = HPD6`. Passes: one model, one firmware.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin.mixed_drives import compared, differ
from raidctl.model import Array, Drive, Inventory
from raidctl.text import listing

FINDINGS = RuleFindings("mixed_models", "info", "An array mixes drive models or firmware")
_PACE = "No action needed; the slowest model sets the pace."


def check(inventory: Inventory) -> Findings:
    """One finding for each array. Two or more of its drives have to report their model."""
    for controller in inventory.controllers:
        for array in controller.arrays:
            drives = [drive for drive in compared(controller, array) if drive.model]
            if len(drives) > 1 and not differ(controller, array):
                yield _judge(array, drives)


def _judge(array: Array, drives: Sequence[Drive]) -> Finding:
    models: dict[str, list[Drive]] = defaultdict(list)
    for drive in drives:
        models[drive.model or ""].append(drive)
    if len(models) > 1:
        names = listing(f"{len(found)} {model}" for model, found in sorted(models.items()))
        message = f"The array mixes drive models: {names}."
        return _failed(array, [found[0] for found in models.values()], "model", message, _PACE)
    versions = {drive.firmware: drive for drive in reversed(drives) if drive.firmware}
    if len(versions) > 1:
        odd = sorted(versions.values(), key=lambda drive: drive.id)
        message = f"Drives of one model have different firmware: {listing(sorted(str(name) for name in versions))}."
        remedy = "Read the release notes, then update the drives to the newest revision, one at a time."
        return _failed(array, odd, "firmware", message, remedy)
    return FINDINGS.passed(array, "No reported model or firmware differs between the drives.")


def _failed(array: Array, drives: Sequence[Drive], field: str, message: str, remedy: str) -> Finding:
    evidence = tuple(fact for drive in drives for fact in facts(drive, "model", "firmware", of=array))
    return FINDINGS.failed(array, message, remedy, wants=(None, f"the same {field} for all"), more=evidence)
