"""The drives of a controller can deliver more than its bus can carry.

**What it looks for.** Controllers whose drives together read faster, by their kind and their links, than the PCI
Express link of the card moves data.

**Why.** A lane of PCIe 2.0 carries 0.5 GB/s, of 3.0 0.98, of 4.0 1.97. Twenty-four SATA SSDs deliver 14 GB/s; a card
with eight lanes of PCIe 3.0 passes 7.9 (in practice some tenths less). Nothing is broken: it is a limit to know before
one looks for the missing half elsewhere, in rebuilds, backups and scans. Random work of disks never comes near it.

**How it is reckoned.** A disk 0.25 GB/s; an SSD what its link carries (SATA 0.6, SAS at 6, 12 and 24 Gbit/s 0.6, 1.2
and 2.4 GB/s). The bus: lanes times speed, less the coding.

**Fails** (information) when the drives can deliver more than 1.2 times what the bus carries.

**Passes** when the bus is large enough.

**Cannot tell:** cards whose link is not told, or with a drive whose kind is not told, are passed over; so are those
with NVMe drives, of which only the speed of a lane is told.

**Remedy.** Move drives to a second card, or the card to a faster slot; else plan with the bus's figure.

**Example.** Fails: 24 SATA SSDs behind `pci_link.width = 4`, `speed_gtps = 8`. Passes: 8 disks behind the same.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.model import Controller, Drive, Inventory, PciLink

FINDINGS = RuleFindings("bus_too_small", "info", "The drives can deliver more than the card's bus carries")
_MARGIN = 1.2
_DISK = 0.25e9
_OLD_CODING, _NEW_CODING = 8 / 10, 128 / 130
_LINK_TO_BYTES = 1e9 / 8 * 0.8
"""SATA and SAS to 12 Gbit/s send ten bits for eight; what is left of protocol is small beside the margin."""
_SATA_BEST, _SAS_BEST = 6.0, 12.0


def check(inventory: Inventory) -> Findings:
    """One finding for each card whose link is told and that has two drives or more, all of a known kind."""
    for card in inventory.controllers:
        if card.mode == "software" or card.pci_link is None or len(card.drives) < 2:
            continue
        bus = carries(card.pci_link)
        speeds = [delivers(drive) for drive in card.drives]
        if bus is None or any(speed is None for speed in speeds):
            continue
        together = sum(speed for speed in speeds if speed)
        yield _judge(card, bus, together)


def carries(link: PciLink) -> float | None:
    """Bytes a second that a PCI Express link carries; None when not told."""
    if not link.width or not link.speed_gtps:
        return None
    coding = _OLD_CODING if link.speed_gtps < 8 else _NEW_CODING
    return link.width * link.speed_gtps * coding / 8 * 1e9


def delivers(drive: Drive) -> float | None:
    """Bytes a second that a drive can read at most; None when its kind, or an SSD's link, is not told."""
    if drive.media == "hdd":
        return _DISK
    if drive.media != "ssd":
        return None
    speed = drive.link_gbps or drive.max_link_gbps
    if speed is None:
        return {"sata": _SATA_BEST, "sas": _SAS_BEST}[drive.interface] * _LINK_TO_BYTES if drive.interface in (
            "sata", "sas",
        ) else None  # fmt: skip
    if drive.interface == "nvme":
        return None  # one lane or four: the figure of the link alone does not say
    return min(speed, _SATA_BEST) * _LINK_TO_BYTES if drive.interface == "sata" else speed * _LINK_TO_BYTES


def _judge(card: Controller, bus: float, together: float) -> Finding:
    if together <= bus * _MARGIN:
        return FINDINGS.passed(card, "The bus carries what the drives can deliver.")
    return FINDINGS.failed(
        card,
        f"The {len(card.drives)} drives together can read about {together / 1e9:.1f} GB/s, the card's bus carries "
        f"{bus / 1e9:.1f} GB/s at most.",
        "Move drives to a second card or the card to a faster slot; else plan with the bus's figure.",
        "pci_link.width pci_link.speed_gtps",
        wants=(None, f"{together / 1e9:.1f} GB/s"),
    )
