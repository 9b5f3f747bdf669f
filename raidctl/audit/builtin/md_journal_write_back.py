"""The journal of a software RAID holds the only copy of some data.

**What it checks.** The mode of the write journal of md arrays (`journal_mode`).

**Why it matters.** In write-through mode the journal closes the write hole, and every write is also on the members
before it is acknowledged. In write-back mode a write is acknowledged when it is on the journal, and reaches the members
later. If the journal's drive fails in between, up to its whole size of acknowledged data is lost, however many
failures the array survives; it stops, and its file system may be damaged. A volatile cache of this one drive puts the
same data at risk in a power failure.

**Fails** (warning) in write-back mode.

**Passes** in write-through mode.

**Unknown** (information) if an array has a journal, and its mode is not reported: md starts each array in
write-through mode. Arrays without a journal are not checked.

**How to fix.** `raidctl cache set md0 --journal-mode write-through`: it takes effect immediately, and the write hole
stays closed. If write-back is needed, put the journal on a mirror of two drives.

**Example.** Fails: `journal_mode` is `write-through [write-back]`. Passes: `[write-through] write-back`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import md_volumes
from raidctl.health.write_journal import in_write_back, journals
from raidctl.model import Inventory
from raidctl.text import listing

FINDINGS = RuleFindings(
    "md_journal_write_back", "warning", "The journal of a software RAID has the only copy of some data"
)
_WANTED = ("journal_mode", "write-through")


def check(inventory: Inventory) -> Findings:
    """One finding for each array with a journal."""
    for controller, volume in md_volumes(inventory):
        own = journals(controller, volume)
        if not own:
            continue
        state, names = in_write_back(volume), listing(drive.id for drive in own)
        more = tuple(fact for drive in own for fact in facts(drive, "role", of=volume))
        if state is False:
            yield FINDINGS.passed(volume, "Each acknowledged write is on the members, too.")
        elif state is None:
            message = f"Whether the journal on {names} has the only copy of some data is not reported."
            yield FINDINGS.unknown(volume, message, severity="info", more=more, wants=_WANTED)
        else:
            remedy = f"Use write-through: `raidctl cache set {volume.id} --journal-mode write-through`."
            message = f"The journal on {names} is in write-back mode: if it fails, data that only it has is lost."
            yield FINDINGS.failed(volume, message, remedy, more=more, wants=_WANTED)
