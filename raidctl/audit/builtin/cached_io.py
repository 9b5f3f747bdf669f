"""A volume uses "cached I/O": everything passes through the controller's cache.

**What it checks.** Volumes set to cached instead of direct I/O.

**Why it matters.** With direct I/O the controller's cache is used only for read-ahead and the write policy. With
cached I/O it also keeps a copy of everything that passes: the same blocks are already in the server's page cache, and
each copy displaces write data. According to the vendors' own documentation the firmware may keep writes of cached I/O
in its cache whatever the write policy is, so without a battery it is not even safe.

**Fails** (warning) when the controller's battery is not good; (information) otherwise.

**Passes** when I/O is direct.

**Unknown:** never. Volumes whose I/O policy is not reported are not checked.

**How to fix.** `raidctl cache set VOLUME --io direct`.

**Example.** Fails: `cache.io_policy = cached`. Passes: `cache.io_policy = direct`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import cached_volumes, protected
from raidctl.model import Controller, Inventory, Volume
from raidctl.model.settable import settable

FINDINGS = RuleFindings("cached_io", "warning", "A volume is set to cached I/O")
_RISK = {
    True: "",
    False: ", which may hold writes without a good battery",
    None: " (whether a battery protects it is unknown)",
}


def check(inventory: Inventory) -> Findings:
    """One finding for each volume whose I/O policy is known."""
    for controller, volume in cached_volumes(inventory):
        if volume.cache is None or volume.cache.io_policy is None:
            continue
        if volume.cache.io_policy == "direct":
            yield FINDINGS.passed(volume, "I/O is direct.")
        else:
            yield _cached(controller, volume)


def _cached(controller: Controller, volume: Volume) -> Finding:
    safe = protected(controller)
    risk = _RISK[safe]
    return FINDINGS.failed(
        volume,
        f"All reads and writes pass through the controller's cache{risk}; the page cache already has the same blocks.",
        settable(
            controller, "io_policy", f"`raidctl cache set {volume.id} --io direct`", "Set its I/O policy to direct"
        ),
        "cache.io_policy cache.write_policy",
        severity=None if safe is False else "info",
        wants=("cache.io_policy", "direct"),
    )
