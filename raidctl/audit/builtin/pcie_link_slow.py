"""A controller's PCI Express link is below what the controller supports.

**What it checks.** Controllers that use fewer lanes, or a lower speed, than they support.

**Why it matters.** An x8 controller in a slot that is mechanically x8 but electrically x4, a riser that is not seated,
a dirty contact: the controller works at half its bandwidth. For eight hard drives (2 GB/s together) a PCIe 3.0 link of
four lanes (3.9 GB/s) is enough; for SSDs it is not. An NVMe drive on one lane instead of four has a quarter of its
speed. Some controllers also lower the speed to save power while idle, and raise it under load.

**Fails** (warning) when the link has fewer lanes than the controller supports; (information) when only the speed is
lower: an older board, or a link in power saving.

**Passes** when width and speed are at their maximum; if only one of them is reported, that one.

**Unknown:** never. Where the kernel does not report the link, as in virtual machines, it is not checked.

**How to fix.** Reseat the controller; try another slot (the board's manual lists the lanes of each); check the slot
speed setting in the BIOS. If only the speed is low, check again under load.

**Example.** Fails: `pci_link.width = 4`, `pci_link.max_width = 8`. Passes: both 8.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, Severity, facts
from raidctl.model import Controller, Inventory

FINDINGS = RuleFindings("pcie_link_slow", "warning", "A controller's PCI Express link is below its capability")
_PATHS = ("pci_link.width", "pci_link.max_width", "pci_link.speed_gtps", "pci_link.max_speed_gtps")


def check(inventory: Inventory) -> Findings:
    """One finding for each controller whose current and maximum link are known."""
    for controller in inventory.controllers:
        link = controller.pci_link
        if link is None or not link.width:
            continue
        if link.max_width and link.width < link.max_width:
            message = (
                f"The controller uses only {link.width} of its {link.max_width} PCI Express lanes, which limits its "
                "throughput."
            )
            remedy = "Reseat the controller, or move it to a slot with more lanes."
            yield _failed(controller, message, remedy, "pci_link.width")
        elif link.speed_gtps and link.max_speed_gtps and link.speed_gtps < link.max_speed_gtps:
            message = (
                f"The PCI Express link runs at {link.speed_gtps:g} GT/s; the controller supports "
                f"{link.max_speed_gtps:g}. The board may be older, or the idle link in power saving."
            )
            remedy = "Check again under load; if it stays, try another slot or the slot speed setting in the BIOS."
            yield _failed(controller, message, remedy, "pci_link.speed_gtps")
        else:
            reported = (("width", link.max_width), ("speed", link.speed_gtps and link.max_speed_gtps))
            full = " and ".join(name for name, known in reported if known)
            if full:
                yield FINDINGS.passed(controller, f"The PCI Express link runs at full {full}.")


def _failed(controller: Controller, message: str, remedy: str, field: str) -> Finding:
    severity: Severity | None = "info" if field.endswith("gtps") else None
    evidence = facts(controller, *_PATHS, "pci_address")
    return FINDINGS.failed(controller, message, remedy, severity=severity, wants=(field, "its maximum"), more=evidence)
