"""Reads and writes of a volume all go through the controller's cache ("cached I/O").

**What it looks for.** Volumes set to cached instead of direct I/O.

**Why.** With direct I/O the controller's cache serves its read-ahead and its write policy, no more. With cached I/O it
keeps a copy of everything that passes: the server's page cache has the same blocks already, and each of them drives a
write out that could have waited there. The makers' own text adds that firmware may keep writes of cached I/O in its
cache whatever the write policy says, so without a battery it is not even safe.

**Fails** (information; a warning where the card's battery is not good).

**Passes** when I/O is direct.

**Cannot tell:** volumes whose I/O policy is not told are passed over.

**Remedy.** `raidctl cache set VOLUME --io direct`.

**Example.** Fails: `cache.io_policy = cached`. Passes: `cache.io_policy = direct`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, settable
from raidctl.audit.builtin._queries import cached_volumes, protected
from raidctl.model import Controller, Inventory, Volume

FINDINGS = RuleFindings("cached_io", "warning", "A volume is set to cached I/O")
_RISK = {
    True: "",
    False: ", where writes may be kept without a good battery",
    None: " (whether a battery keeps what waits there is not told)",
}


def check(inventory: Inventory) -> Findings:
    """One finding for each volume whose I/O policy is told."""
    for card, volume in cached_volumes(inventory):
        if volume.cache is None or volume.cache.io_policy is None:
            continue
        if volume.cache.io_policy == "direct":
            yield FINDINGS.passed(volume, "Reads and writes are direct.")
        else:
            yield _cached(card, volume)


def _cached(card: Controller, volume: Volume) -> Finding:
    safe = protected(card)
    risk = _RISK[safe]
    return FINDINGS.failed(
        volume,
        f"All reads and writes go through the controller's cache{risk}; the page cache has the same blocks already.",
        settable(card, "io_policy", f"`raidctl cache set {volume.id} --io direct`", "Set its I/O policy to direct"),
        "cache.io_policy cache.write_policy",
        severity=None if safe is False else "info",
        wants=("cache.io_policy", "direct"),
    )
