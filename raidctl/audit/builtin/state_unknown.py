"""A tool reports a state that raidctl does not recognise.

**What it checks.** Volumes with `status = unknown`, and drives and batteries for which the tool printed a state.

**Why it matters.** Monitoring that treats every unrecognised state as good has overlooked "Recovering, 54% complete"
and "Ready for Rebuild" for years. An unrecognised state is not a pass.

**Fails:** never.

**Passes** when the state is recognised.

**Unknown** when the tool's word is not recognised, or is not sufficient (one member's view of an array); the message
quotes it. Also when no output has the state of a volume, or of a drive although the array or the RAID controller's tool
has others with a state, and no problem with reading explains it; a problem with reading another object does not.

**How to fix.** Look up the word in the vendor's manual, and report it, so that the next release recognises it.

**Example.** Unknown: `status = unknown`, `status_text = Copyback pending`. Passes: `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._wording import plain
from raidctl.health.redundancy import members
from raidctl.health.unknown_states import members_in_doubt
from raidctl.model import Battery, Drive, Inventory, Volume, unread_problems
from raidctl.select import family_of, items

FINDINGS = RuleFindings("state_unknown", "warning", "A tool reports a state of unknown meaning")


def check(inventory: Inventory) -> Findings:
    """One finding for each volume, and for each drive and battery that reports a state or should."""
    unread = {one.where for one in unread_problems(inventory.problems)}
    named = {item.id for controller in inventory.controllers for item in items(controller)}
    named |= {family_of(controller) for controller in inventory.controllers}
    for controller in inventory.controllers:
        groups = [members(controller, array) for array in controller.arrays]
        if controller.mode not in ("software", "none", "hba"):
            groups.append(controller.drives)
        doubtful = {one.id for drives in groups for one in members_in_doubt(drives)}
        reported: list[Volume | Drive | Battery] = [*controller.volumes, *controller.drives, *controller.batteries]
        for item in reported:
            if item.status != "unknown":
                yield FINDINGS.passed(item, "The state is recognised.")
            elif item.status_text:
                yield _unknown(item)
            elif (isinstance(item, Volume) or item.id in doubtful) and not unread - (
                named - {item.id, controller.id, family_of(controller)}
            ):
                message = f"No output has the state of the {type(item).__name__.lower()}."
                yield FINDINGS.unknown(
                    item, message, "Add an output that has it, or read the machine itself.", "status"
                )


def _unknown(item: Volume | Drive | Battery) -> Finding:
    message = f'The tool reports "{plain(item.status_text)}"; whether that is good is unknown.'
    remedy = "Look it up in the vendor's manual, and report it with `raidctl record --redact machine.tar.gz`."
    return FINDINGS.unknown(item, message, remedy, "status status_text", wants=("status", "a recognised state"))
