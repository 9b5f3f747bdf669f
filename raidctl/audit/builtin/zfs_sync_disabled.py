"""A ZFS file system or volume acknowledges commits before they are written.

**What it checks.** The property `sync` of the file systems and volumes of a pool.

**Why it matters.** With `sync=disabled`, `fsync` and synchronous writes return immediately, and ZFS writes their data
seconds later with its next transaction group. A power failure or a crash of the kernel loses what a database, a mail
server or an NFS client was promised in between, whatever drives, log devices and caches there are. The pool itself
stays consistent.

**Fails** (warning) if something has `sync=disabled`, also by inheritance.

**Passes** if nothing has it.

**Unknown** (information) if the property was not read.

**How to fix.** `zfs inherit sync DATASET`, or `zfs set sync=standard DATASET`. If synchronous writes are then too slow,
add a fast log device with a capacitor. For data that may be lost (scratch space), leave the setting and ignore the
finding.

**Example.** Fails: `tank/db sync disabled local`. Passes: `tank/db sync standard default`.
"""

from __future__ import annotations

import shlex

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.audit.builtin._queries import volumes
from raidctl.model import Inventory
from raidctl.select import family_of
from raidctl.text import few

FINDINGS = RuleFindings(
    "zfs_sync_disabled", "warning", "A ZFS file system or volume acknowledges commits before they are written"
)
_WANTED = ("sync_disabled", "none")
_NAMED = 4
"""Maximum number of file systems and volumes to name."""


def check(inventory: Inventory) -> Findings:
    """One finding for each pool."""
    for controller, volume in volumes(inventory):
        if family_of(controller) != "zfs":
            continue
        if volume.sync_disabled is None:
            message = "Whether something has sync=disabled was not read."
            yield FINDINGS.unknown(volume, message, severity="info", wants=_WANTED)
        elif volume.sync_disabled:
            have = f"{few(volume.sync_disabled, _NAMED)} {'has' if len(volume.sync_disabled) == 1 else 'have'}"
            message = f"{have} sync=disabled: a power failure or a crash loses acknowledged commits."
            command = shlex.join(("zfs", "inherit", "sync", *volume.sync_disabled[:_NAMED]))
            remedy = f"Unless the data may be lost: `{command}`."
            yield FINDINGS.failed(volume, message, remedy, "sync_disabled", wants=_WANTED)
        else:
            yield FINDINGS.passed(volume, "Commits are acknowledged when they are written.")
