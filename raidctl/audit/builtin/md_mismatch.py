"""The last check of a software RAID found copies or parity that differ.

**What it looks for.** The number of sectors that differed (`mismatch_cnt`).

**Why.** On RAID-5 and RAID-6 it means that parity does not fit the data: after the next failure something is computed
wrong. On mirrors a small number is often harmless: the kernel may change a page (swap, files mapped into memory) while
it is written to the first copy and then to the second; both copies of a block that nobody uses differ then.

**Fails** (warning) for parity levels; as information for mirrors up to 1024 sectors, above that as a warning.

**Passes** when it is zero.

**Cannot tell:** arrays that were never checked say zero as well; `consistency_check_off` asks whether a check runs.

**Remedy.** Look at the drives' errors and the cables first. Run the check again (`echo check >
/sys/block/mdX/md/sync_action`): if the number stays, `repair` makes the copies agree, on mirrors by taking one of them.
Which one was right only a file's checksum tells.

**Example.** Fails: `mismatch_count = 128` on a RAID-5. Passes: `mismatch_count = 0`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, Severity
from raidctl.audit.builtin._queries import PARITY, software_volumes
from raidctl.model import Inventory, Volume

FINDINGS = RuleFindings("md_mismatch", "warning", "A check found copies or parity that differ")
_FEW = 1024


def check(inventory: Inventory) -> Findings:
    """One finding for each array that tells the number."""
    for _, volume in software_volumes(inventory):
        if volume.mismatch_count is None:
            continue
        if volume.mismatch_count == 0:
            yield FINDINGS.passed(volume, "The last check found nothing that differs.")
        else:
            yield _differs(volume, volume.mismatch_count)


def _differs(volume: Volume, number: int) -> Finding:
    parity = volume.raid_level in PARITY
    mild = not parity and number <= _FEW
    what = "parity does not fit the data" if parity else "the copies differ"
    often = " (often harmless on mirrors that hold swap)" if mild else ""
    message = f"The last check found {number} sector{'s' * (number != 1)} in which {what}{often}."
    remedy = "Look at the drives' errors and cables, check again, and repair if the number stays."
    severity: Severity | None = "info" if mild else None
    return FINDINGS.failed(
        volume, message, remedy, "mismatch_count raid_level", severity=severity, wants=("mismatch_count", "0")
    )
