"""The BMC and the machine's own tools disagree about an object.

**What it checks.** With `--bmc` besides `--host` or `--local`, each controller with its cache, volume, drive and
battery that the service processor (BMC) and a tool of the operating system list: whether it works, and how a volume's
writes are cached.

**Why it matters.** Alerts often rely on one of the two alone. A BMC that reports a degraded volume as ok sends no
alert; a drive that only the BMC reports as failed is not replaced. One of the two is out of date or wrong, and which
one is not known until somebody looks.

**Fails** (warning) if one reports the object as working and the other does not, if only the BMC lists it, or if the
BMC reports it as bad and the tool reports no status or nothing to find it by; (information) if the write policies
differ.

**Passes** if both agree.

**Unknown** (information): one of the two does not report a status, or the tool reports no serial numbers to find the
object by. A machine that is read one way alone is not checked.

**How to fix.** Look at the drive's LED and both logs. If the BMC is out of date, reset it (it does not disturb the
operating system) and update its firmware; if the tool is, update the tool.

**Example.** Fails: the BMC reports a volume as ok, the tool as degraded. Passes: both report it as ok.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.health.bmc_contradictions import compared
from raidctl.model import Inventory
from raidctl.text import capitalised

FINDINGS = RuleFindings("bmc_disagrees", "warning", "The BMC and the machine's own tools disagree")
_REMEDY = "Look at the LED of the drive and at both logs; the one that is wrong needs a reset or newer firmware."
_PART_REMEDY = "Look at both logs; the one that is wrong needs a reset or newer firmware."
_POLICY_REMEDY = (
    "Compare the write policy in the BMC with `raidctl cache show`; the one that is wrong needs newer firmware."
)


def check(inventory: Inventory) -> Findings:
    """One finding for each object that the BMC lists."""
    for one in compared(inventory):
        cause = f"{capitalised(one.cause)}."
        fields = ("status",) if one.about_status else ("write_policy", "write_active")
        part = "cache." if one.view.kind == "cache" else ""
        more = tuple(f"second_views {one.view.seen_as} {part}{name} = {getattr(one.view, name)}" for name in fields)
        if one.outcome == "pass":
            if one.view.listed and one.view.kind != "cache":  # the others are at the controller, which passes itself
                yield FINDINGS.passed(one.item, cause)
        elif one.outcome == "unknown":
            yield FINDINGS.unknown(one.item, cause, None, "status", severity="info", more=more)
        elif not one.about_status:
            shown = "cache.write_policy cache.write_active"
            yield FINDINGS.failed(one.item, cause, _POLICY_REMEDY, shown, severity="info", more=more)
        else:  # if the object is not found, the finding is about its controller, whose status does not matter
            shown = f"{part}status" if one.view.listed else ""
            remedy = _REMEDY if one.view.kind in ("volume", "drive") else _PART_REMEDY
            yield FINDINGS.failed(one.item, cause, remedy, shown, more=more)
