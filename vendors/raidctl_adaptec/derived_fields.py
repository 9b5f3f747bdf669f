"""Details that give a neutral field as well; the tool's own words stay among the details."""

from __future__ import annotations

from raidctl.model import ScrubMode
from raidctl.units import parse_pcie
from raidctl.vendor.draft import Derived
from raidctl_adaptec import numbers

# enabled or not; of younger controllers how much of their time it gets
_CHECK: dict[str, ScrubMode] = {
    "enabled": "automatic", "idle": "automatic", "high": "automatic", "disabled": "disabled",
}  # fmt: skip


def _sector(text: str) -> int | None:
    """4096 of ``4K Bytes``."""
    return {"512": 512, "520": 520, "528": 528, "4k": 4096}.get(text.lower().removesuffix(" bytes"))


CARD: Derived = {
    # Background consistency check             : Disabled
    "background consistency check": (
        ("consistency_check.mode", lambda text: _CHECK.get(text.strip().lower())),
        ("consistency_check.status_text", numbers.text),
    ),
    # Negotiated PCIe Data Rate                  : PCIe 3.0 x8(7880 MB/s)
    "negotiated pcie data rate": (
        ("pci_link.width", lambda text: parse_pcie(text)[0]),
        ("pci_link.speed_gtps", lambda text: parse_pcie(text)[1]),
    ),
}
VOLUME: Derived = {
    # Full Stripe Size                           : 512 KB
    "full stripe size": (("full_stripe_bytes", numbers.size),),
}
DRIVE: Derived = {
    # Maximum Link Rate                       : 12 Gbps
    "maximum link rate": (("max_link_gbps", numbers.link_rate),),
    # Block Size                              : 512 Bytes
    "block size": (("sector_bytes", _sector),),
    "physical block size": (("physical_sector_bytes", _sector),),
}
