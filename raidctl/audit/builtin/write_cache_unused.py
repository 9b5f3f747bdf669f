"""A good battery is there, and a volume of disks writes through.

**What it looks for.** Volumes on spinning disks that are configured to write through, on a card whose cache is kept by
a healthy battery.

**Why.** Then each synchronous write waits for a disk to turn: 4 ms on average at 7200 turns a minute, and with RAID-5
or RAID-6 two or three turns, as old data and parity are read first. The protected cache answers in 0.1 ms, and joins
neighbouring writes into full stripes. It was paid for, and is not used. Often nobody chose that: the volume was
created while the battery was still charging.

**Fails** (information; it is slow, not unsafe).

**Passes** when write-back is configured.

**Cannot tell:** volumes of SSDs are passed over (write-through is often faster there), and volumes whose drives' kind
is not told.

**Remedy.** `raidctl cache set VOLUME --write protected-write-back`. To try it for one job only:
`raidctl batch --write protected-write-back VOLUME -- COMMAND`.

**Example.** Fails: battery `status = ok`, `cache.write_policy = write_through` on disks. Passes: the same with
`cache.write_policy = protected_write_back`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, settable
from raidctl.audit.builtin._queries import below, cached_volumes, medium, protected
from raidctl.model import Controller, Inventory, Volume

FINDINGS = RuleFindings("write_cache_unused", "info", "A volume of disks writes through beside a good battery")


def check(inventory: Inventory) -> Findings:
    """One finding for each volume of disks on a card with a good battery."""
    for card, volume in cached_volumes(inventory):
        if not protected(card) or (card.cache is not None and card.cache.status == "critical"):
            continue
        if medium(below(card, volume)) != "hdd" or volume.cache is None or volume.cache.write_policy is None:
            continue
        if volume.cache.write_policy in ("write_through", "off"):
            yield _unused(card, volume)
        else:
            yield FINDINGS.passed(volume, "Write-back is configured.")


def _unused(card: Controller, volume: Volume) -> Finding:
    return FINDINGS.failed(
        volume,
        "The volume writes through to its disks, although a good battery would make write-back safe.",
        settable(
            card,
            "write_policy",
            f"`raidctl cache set {volume.id} --write protected-write-back`",
            "Set it to write-back that ends with the battery",
        ),
        "cache.write_policy cache.write_active",
        wants=("cache.write_policy", "protected_write_back"),
    )
