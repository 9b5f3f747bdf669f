"""Nobody compares the copies: the consistency check is off.

**What it looks for.** Cards and software RAID on which the regular comparison of mirrors and parity is disabled.

**Why.** A power failure in the middle of a stripe leaves data and parity of different times. Nothing notices, until a
drive fails and the missing data are computed from the wrong parity. A check reads everything, compares, and corrects
the parity while the data are still whole. Linux distributions bring a monthly check of software RAID; it is gone when
somebody thought it a nuisance, or on an installation without their package.

**Fails** (warning) when it is disabled; information where a patrol read runs by itself (that finds bad sectors, not
copies that differ), and when it starts only by hand.

**Passes** when it runs by itself.

**Cannot tell:** where it is not told, it is passed over.

**Remedy.** Switch it on with the maker's tool, monthly; for software RAID enable the distribution's timer, or write
`check` into `/sys/block/mdX/md/sync_action` from a timer of your own.

**Example.** Fails: `consistency_check.mode = disabled`. Passes: `consistency_check.mode = automatic`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import REDUNDANT
from raidctl.model import Controller, Inventory, Scrub, Volume

FINDINGS = RuleFindings("consistency_check_off", "warning", "Copies and parity are not compared regularly")


def check(inventory: Inventory) -> Findings:
    """One finding for each card, or volume with a setting of its own, that has something to compare."""
    for card in inventory.controllers:
        redundant = [volume for volume in card.volumes if volume.raid_level in REDUNDANT]
        own = [volume for volume in redundant if volume.consistency_check and volume.consistency_check.mode]
        for volume in own:
            yield _judge(card, volume, volume.consistency_check)
        if len(own) < len(redundant) and card.consistency_check and card.consistency_check.mode:
            yield _judge(card, card, card.consistency_check)


def _judge(card: Controller, item: Controller | Volume, scrub: Scrub | None) -> Finding:
    mode = scrub.mode if scrub else None
    if mode == "automatic":
        return FINDINGS.passed(item, "Copies and parity are compared by themselves.")
    patrol = card.patrol_read is not None and card.patrol_read.mode == "automatic"
    how = "is off" if mode == "disabled" else "runs only when somebody starts it"
    return FINDINGS.failed(
        item,
        f"The check that copies and parity agree {how}: what differs is noticed only after a drive has failed.",
        "Have it run once a month: the maker's tool sets it, for software RAID the distribution's timer.",
        "consistency_check.mode consistency_check.status_text",
        severity="info" if patrol or mode == "manual" else None,
        wants=("consistency_check.mode", "automatic"),
    )
