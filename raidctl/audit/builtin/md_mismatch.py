"""A software RAID's last scrub found differing copies or wrong parity.

**What it checks.** The number of sectors that differed (`mismatch_cnt`).

**Why it matters.** On RAID-5 and RAID-6 the parity does not match the data: after the next failure some data will be
computed wrong. On mirrors a small number is often harmless: the kernel may change a page (swap, memory-mapped files)
between the writes to the first and the second copy; then both copies of a block that is no longer used differ.

**Fails** (warning) for parity levels, and for mirrors above 1024 sectors; (information) for mirrors up to 1024
sectors.

**Passes** when it is zero.

**Unknown:** never. An array that was never scrubbed reports zero as well; `consistency_check_off` shows whether scrubs
are scheduled.

**How to fix.** First check the drives' errors and the cables. Scrub again (`raidctl check start md0`): if the number
stays, `raidctl check start md0 --repair` makes the copies identical, on mirrors from an arbitrary copy. Only a
checksum of the file shows which one was right.

**Example.** Fails: `mismatch_count = 128` on a RAID-5. Passes: `mismatch_count = 0`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, Severity
from raidctl.audit.builtin._queries import PARITY, md_volumes
from raidctl.health.mismatches import is_harmless
from raidctl.model import Inventory, Volume
from raidctl.text import counted

FINDINGS = RuleFindings("md_mismatch", "warning", "A scrub found differing copies or parity")


def check(inventory: Inventory) -> Findings:
    """One finding for each array that reports the number."""
    for _, volume in md_volumes(inventory):
        if volume.mismatch_count is None:
            continue
        if volume.mismatch_count == 0:
            yield FINDINGS.passed(volume, "The last scrub found no differences.")
        else:
            yield _differs(volume, volume.mismatch_count)


def _differs(volume: Volume, number: int) -> Finding:
    parity = volume.raid_level in PARITY
    mild = is_harmless(number, volume)
    what = "parity does not match the data" if parity else "the copies differ"
    often = " (often harmless on mirrors that hold swap)" if mild else ""
    message = f"The last scrub found {counted(number, 'sector')} where {what}{often}."
    again = (
        f"then scrub again: `raidctl check start {volume.id}`; if the number stays: "
        f"`raidctl check start {volume.id} --repair`."
    )
    if volume.progress is not None:
        again = f"and wait for the end of the {volume.progress.operation}: `raidctl check show {volume.id}`."
    remedy = f"Check the drives' errors and cables, {again}"
    severity: Severity | None = "info" if mild else None
    return FINDINGS.failed(
        volume, message, remedy, "mismatch_count raid_level", severity=severity, wants=("mismatch_count", "0")
    )
