"""The drives of one array are of different models, or have different firmware.

**What it looks for.** Arrays whose members differ in model, or have the same model with different firmware revisions.

**Why.** Different models are no fault: some buy them on purpose, so that one bad batch does not take the array. But
they differ in how long they try to read a bad sector, in cache and in speed, and one of them sets the pace. Different
firmware of one model is mostly an oversight: one drive was replaced and the others never updated, or the other way
round; an error that the maker has mended since is then in some of them.

**Fails** (information) for either.

**Passes** when they are alike in what is told. Arrays whose drives differ in speed or size are passed over:
`mixed_drives` says what matters of them.

**Cannot tell:** what is not told of a drive is not compared.

**Remedy.** Note it; bring the firmware of one model to the same revision when the maker's notes say so, one drive at a
time, with a backup.

**Example.** Fails: one model with `firmware = HPD4` and `firmware = HPD6`. Passes: one model, one firmware.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import members
from raidctl.audit.builtin.mixed_drives import differ
from raidctl.model import Array, Drive, Inventory
from raidctl.text import listing

FINDINGS = RuleFindings("mixed_models", "info", "Drives of different models or firmware are in one array")
_PACE = "Note it; the slowest sets the pace."


def check(inventory: Inventory) -> Findings:
    """One finding for each array in which at least two drives tell their model."""
    for card in inventory.controllers:
        for array in card.arrays:
            drives = [drive for drive in members(card, array) if drive.model and "write_mostly" not in drive.flags]
            if len(drives) > 1 and not differ(card, array):
                yield _judge(array, drives)


def _judge(array: Array, drives: Sequence[Drive]) -> Finding:
    models: dict[str, list[Drive]] = defaultdict(list)
    for drive in drives:
        models[drive.model or ""].append(drive)
    if len(models) > 1:
        names = listing(f"{len(found)} {model}" for model, found in sorted(models.items()))
        message = f"The array is made of different models: {names}."
        return _failed(array, [found[0] for found in models.values()], "model", message, _PACE)
    versions = {drive.firmware: drive for drive in reversed(drives) if drive.firmware}
    if len(versions) > 1:
        told = sorted(versions.values(), key=lambda drive: drive.id)
        message = f"Drives of one model have different firmware: {listing(sorted(str(name) for name in versions))}."
        remedy = "Read the maker's notes, and bring all to the newest, one drive at a time."
        return _failed(array, told, "firmware", message, remedy)
    return FINDINGS.passed(array, "The drives are of one model and firmware.")


def _failed(array: Array, drives: Sequence[Drive], field: str, message: str, remedy: str) -> Finding:
    evidence = tuple(fact for drive in drives for fact in facts(drive, "model", "firmware", of=array))
    return FINDINGS.failed(array, message, remedy, wants=(None, f"the same {field} for all"), more=evidence)
