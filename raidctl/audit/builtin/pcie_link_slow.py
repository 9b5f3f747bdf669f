"""A card's PCI Express link is narrower or slower than the card can.

**What it looks for.** Controllers that run on fewer lanes, or at a lower speed, than they are made for.

**Why.** An x8 card in a slot that is x8 mechanically and x4 electrically, a riser that is not seated, a dirty contact:
the card works, and half of its bandwidth is gone. For eight disks (2 GB/s together) a PCIe 3.0 link of four lanes
(3.9 GB/s) is enough; for SSDs it is not. An NVMe drive on one lane instead of four has a quarter of its speed. Some
cards also lower the speed to save power while they are idle, and raise it under load.

**Fails** (warning) when the width is less than the card's. As information when only the speed is lower: an older board,
or a link that sleeps.

**Passes** when both are what the card can.

**Cannot tell:** where the kernel does not tell the link, and in virtual machines (no such link there), it is passed
over.

**Remedy.** Seat the card anew; try another slot (the board's manual says how many lanes each has); look for a slot
speed setting in the BIOS. For the speed, look again under load.

**Example.** Fails: `pci_link.width = 4`, `pci_link.max_width = 8`. Passes: both 8.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, Severity, facts
from raidctl.model import Controller, Inventory

FINDINGS = RuleFindings(
    "pcie_link_slow", "warning", "A card's PCI Express link is narrower or slower than the card can"
)
_PATHS = ("pci_link.width", "pci_link.max_width", "pci_link.speed_gtps", "pci_link.max_speed_gtps")


def check(inventory: Inventory) -> Findings:
    """One finding for each card of whose link both what is and what could be are told."""
    for card in inventory.controllers:
        link = card.pci_link
        if link is None or not link.width:
            continue
        if link.max_width and link.width < link.max_width:
            message = (
                f"The card runs on {link.width} of its {link.max_width} PCI Express lanes: it cannot pass more than "
                "that share of its speed."
            )
            remedy = "Seat the card anew, or move it to a slot with more lanes."
            yield _failed(card, message, remedy, "pci_link.width")
        elif link.speed_gtps and link.max_speed_gtps and link.speed_gtps < link.max_speed_gtps:
            message = (
                f"The card's PCI Express link runs at {link.speed_gtps:g} GT/s, but the card can "
                f"{link.max_speed_gtps:g}: the board is older, or the link sleeps while it is idle."
            )
            remedy = "Look again under load; if it stays, try another slot or the BIOS's setting of its speed."
            yield _failed(card, message, remedy, "pci_link.speed_gtps")
        elif link.max_width or link.max_speed_gtps:
            yield FINDINGS.passed(card, "The card's link is as wide and fast as the card can.")


def _failed(card: Controller, message: str, remedy: str, field: str) -> Finding:
    severity: Severity | None = "info" if field.endswith("gtps") else None
    evidence = facts(card, *_PATHS, "pci_address")
    return FINDINGS.failed(card, message, remedy, severity=severity, wants=(field, "what the card can"), more=evidence)
