"""A controller's drives can deliver more than its PCI Express link carries.

**What it checks.** Controllers whose drives, by type and link speed, can read faster together than the PCI Express
link.

**Why it matters.** One lane of PCIe 2.0 carries 0.5 GB/s, 3.0 0.98 GB/s, 4.0 1.97 GB/s. Twenty-four SATA SSDs deliver
14 GB/s; a controller with eight PCIe 3.0 lanes passes 7.9 GB/s, slightly less in practice. Nothing is broken, but check
this limit before you look for the missing half elsewhere, in rebuilds, backups and scans. Random access to hard drives
never reaches it.

**Assumed rates.** A hard drive 0.25 GB/s; an SSD its link speed (SATA 0.6 GB/s, SAS at 6, 12 and 24 Gbit/s 0.6, 1.2 and
2.4 GB/s). The PCI Express link: lanes times speed, less the encoding overhead.

**Fails** (information) when the drives can deliver more than 1.2 times what the link carries.

**Passes** when the link is fast enough.

**Unknown:** never. Controllers whose link, or the type of one of whose drives, is not reported are not checked; nor are
those with NVMe drives, for which only the speed per lane is reported.

**How to fix.** Move drives to a second controller, or the controller to a faster slot; otherwise plan with the limit of
the link.

**Example.** Fails: 24 SATA SSDs behind `pci_link.width = 4`, `speed_gtps = 8`. Passes: 8 hard drives behind the same
link.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.model import Controller, Drive, Inventory, PciLink

FINDINGS = RuleFindings("bus_too_small", "info", "The drives can deliver more than the controller's PCI Express link")
_MARGIN = 1.2
_HARD_DRIVE = 0.25e9
"""Bytes per second."""
_OLD_CODING, _NEW_CODING = 8 / 10, 128 / 130
_LINK_TO_BYTES = 1e9 / 8 * 0.8
"""SATA and SAS up to 12 Gbit/s send ten bits for eight. The remaining protocol overhead is within the margin."""
_SATA_BEST, _SAS_BEST = 6.0, 12.0


def check(inventory: Inventory) -> Findings:
    """One finding per controller whose link and drive types are known.

    Controllers with fewer than two drives are skipped.
    """
    for controller in inventory.controllers:
        if controller.mode == "software" or controller.pci_link is None or len(controller.drives) < 2:
            continue
        bus = carries(controller.pci_link)
        speeds = [delivers(drive) for drive in controller.drives]
        if bus is None or any(speed is None for speed in speeds):
            continue
        together = sum(speed for speed in speeds if speed)
        yield _judge(controller, bus, together)


def carries(link: PciLink) -> float | None:
    """Bytes per second that a PCI Express link carries; None if unknown."""
    if not link.width or not link.speed_gtps:
        return None
    coding = _OLD_CODING if link.speed_gtps < 8 else _NEW_CODING
    return link.width * link.speed_gtps * coding / 8 * 1e9


def delivers(drive: Drive) -> float | None:
    """Bytes per second that a drive can read at most. None if its type, or an SSD's link, is unknown."""
    if drive.media == "hdd":
        return _HARD_DRIVE
    if drive.media != "ssd":
        return None
    speed = drive.link_gbps or drive.max_link_gbps
    if speed is None:
        return {"sata": _SATA_BEST, "sas": _SAS_BEST}[drive.interface] * _LINK_TO_BYTES if drive.interface in (
            "sata", "sas",
        ) else None  # fmt: skip
    if drive.interface == "nvme":
        return None  # the link speed does not show whether it has one lane or four
    return min(speed, _SATA_BEST) * _LINK_TO_BYTES if drive.interface == "sata" else speed * _LINK_TO_BYTES


def _judge(controller: Controller, bus: float, together: float) -> Finding:
    if together <= bus * _MARGIN:
        return FINDINGS.passed(controller, "The PCI Express link carries what the drives can deliver.")
    return FINDINGS.failed(
        controller,
        f"The {len(controller.drives)} drives together can read about {together / 1e9:.1f} GB/s; the PCI Express link "
        f"of the controller carries {bus / 1e9:.1f} GB/s at most.",
        "Move drives to a second controller or the controller to a faster slot; otherwise plan with this limit.",
        "pci_link.width pci_link.speed_gtps",
        wants=(None, f"{together / 1e9:.1f} GB/s"),
    )
