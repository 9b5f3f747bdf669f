"""A volume of hard drives uses write-through although the battery is good.

**What it checks.** Volumes of hard drives that are configured for write-through, on a controller whose cache is
protected by a healthy battery.

**Why it matters.** Every synchronous write then waits for a drive to rotate: 4 ms on average at 7,200 rpm, and two or
three rotations on RAID-5 or RAID-6, as old data and parity are read first. The protected cache responds in 0.1 ms and
merges neighbouring writes into full stripes. It was paid for and is not used. Often nobody chose this: the volume was
created while the battery was still charging.

**Fails** (information: slow, not unsafe) when write-through is configured.

**Passes** when write-back is configured.

**Unknown:** never. Volumes of SSDs (for which write-through is often faster) and of drives of unknown type are not
checked.

**How to fix.** `raidctl cache set VOLUME --write protected-write-back`. To try it for one job only:
`raidctl batch --write protected-write-back VOLUME -- COMMAND`.

**Example.** Fails: battery `status = ok`, `cache.write_policy = write_through` on hard drives. Passes: the same with
`cache.write_policy = protected_write_back`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import below, cached_volumes, medium, protected
from raidctl.model import Controller, Inventory, Volume
from raidctl.model.settable import settable

FINDINGS = RuleFindings(
    "write_cache_unused", "info", "A volume of hard drives uses write-through despite a good battery"
)


def check(inventory: Inventory) -> Findings:
    """One finding for each volume of hard drives. Its controller has a good battery."""
    for controller, volume in cached_volumes(inventory):
        if not protected(controller) or (controller.cache is not None and controller.cache.status == "critical"):
            continue
        if medium(below(controller, volume)) != "hdd" or volume.cache is None or volume.cache.write_policy is None:
            continue
        if volume.cache.write_policy in ("write_through", "off"):
            yield _unused(controller, volume)
        else:
            yield FINDINGS.passed(volume, "Write-back is configured.")


def _unused(controller: Controller, volume: Volume) -> Finding:
    off = volume.cache is not None and volume.cache.write_policy == "off"
    what = "has its write cache off" if off else "uses write-through"
    return FINDINGS.failed(
        volume,
        f"The volume {what}, although the battery is good and write-back would be safe.",
        settable(
            controller,
            "write_policy",
            f"`raidctl cache set {volume.id} --write protected-write-back`",
            "Use write-back that ends when the battery fails",
        ),
        "cache.write_policy cache.write_active",
        wants=("cache.write_policy", "protected_write_back"),
    )
