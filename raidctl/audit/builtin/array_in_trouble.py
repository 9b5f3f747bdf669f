"""An array reports a problem although each of its volumes is ok.

**What it checks.** The status of arrays none of whose volumes is degraded or failed.

**Why it matters.** Some tools report certain problems at array level only: a predictive failure, a spare that has
taken over, a member that was moved. Monitoring that reads only the volumes sees "OK" on every line.

**Fails** (critical) when the status of the array is critical, or it is being rebuilt, and every volume on it is
reported ok or none is reported; (warning) when the status is a warning. If a volume or drive of the array is not ok,
the finding about that one is reported instead.

**Passes** when the array is ok.

**Unknown:** never. Arrays whose status is not reported are not checked; their volumes are.

**How to fix.** Look at the drives of the array (`raidctl show ARRAY`).

**Example.** Fails: array `status = critical`, its volume `status = ok`. Passes: array `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._wording import plain
from raidctl.health.redundancy import mentions_rebuild
from raidctl.model import Array, Controller, Inventory

FINDINGS = RuleFindings("array_in_trouble", "critical", "An array reports a problem although its volumes are ok")


def check(inventory: Inventory) -> Findings:
    """One finding for each array that is ok or has a problem. Problems that a volume shows are excluded."""
    found = FINDINGS.conditions(inventory)
    for controller in inventory.controllers:
        for array in controller.arrays:
            if array.status == "ok":
                yield FINDINGS.passed(array, "The array is ok.")
            elif array.id in found:
                yield _problem(controller, array)


def _problem(controller: Controller, array: Array) -> Finding:
    volumes_ok = any(volume.array == array.id for volume in controller.volumes)
    rebuilt = array.status == "warning" and mentions_rebuild(array.status_text)
    message = (
        f"The array {'is being rebuilt' if rebuilt else 'reports a problem'}"
        f" ({plain(array.status_text) or array.status})"
        + (", but its volumes are reported ok." if volumes_ok and not rebuilt else ".")
    )
    remedy = "Let it finish. Do not remove any drive." if rebuilt else f"Check its drives: `raidctl show {array.id}`."
    return FINDINGS.failed(array, message, remedy, "status status_text", wants=("status", "ok"))
