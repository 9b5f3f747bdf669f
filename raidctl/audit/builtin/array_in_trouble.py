"""A group of drives is in trouble although each volume on it says that it is well.

**What it looks for.** Arrays (drive groups) with a bad status, none of whose volumes is degraded or failed.

**Why.** Some tools tell of trouble only on the group: a drive that will fail soon, a spare that has stepped in, a
member that moved. Whoever looks at the volumes alone sees "OK" in every line.

**Fails** (critical) when the array's status is critical, or it is being rebuilt, while every volume on it is reported
ok or none is reported; (warning) when it is a warning. Where a volume or drive of it is not ok, that is
described.

**Passes** when the array is ok.

**Cannot tell:** arrays whose status the tool does not tell are passed over; their volumes are judged.

**Remedy.** Look at its drives (`raidctl show ARRAY`).

**Example.** Fails: array `status = critical`, its volume `status = ok`. Passes: array `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import plain
from raidctl.health.redundancy import speaks_of_rebuild
from raidctl.model import Array, Controller, Inventory

FINDINGS = RuleFindings("array_in_trouble", "critical", "An array is in trouble though its volumes are well")


def check(inventory: Inventory) -> Findings:
    """One finding for each array whose status is told and that no volume speaks for."""
    found = FINDINGS.conditions(inventory)
    for card in inventory.controllers:
        for array in card.arrays:
            if array.status == "ok":
                yield FINDINGS.passed(array, "The array is ok.")
            elif array.id in found:
                yield _trouble(card, array)


def _trouble(card: Controller, array: Array) -> Finding:
    well = any(volume.array == array.id for volume in card.volumes)
    rebuilt = array.status == "warning" and speaks_of_rebuild(array.status_text)
    message = (
        f"The array is {'being rebuilt' if rebuilt else 'in trouble'} ({plain(array.status_text) or array.status})"
        + (", though its volumes are reported ok." if well and not rebuilt else ".")
    )
    remedy = "Let it finish; pull no drive." if rebuilt else f"Look at its drives: `raidctl show {array.id}`."
    return FINDINGS.failed(array, message, remedy, "status status_text", wants=("status", "ok"))
