"""Details that give a neutral field as well. The tool's own words stay among the details."""

from __future__ import annotations

from raidctl.model import ScrubMode
from raidctl.units import parse_pcie
from raidctl.vendor.draft import Derived
from raidctl_adaptec import numbers

# enabled or not; on newer controllers, the share of their time that it gets
_CHECK: dict[str, ScrubMode] = {
    "enabled": "automatic", "idle": "automatic", "high": "automatic", "disabled": "disabled",
}  # fmt: skip


def _sector(text: str) -> int | None:
    """4096 of ``4K Bytes``."""
    return {"512": 512, "520": 520, "528": 528, "4k": 4096}.get(text.lower().removesuffix(" bytes"))


def _priority(text: str) -> str | None:
    """``high``; None of ``Not Applicable``."""
    return word if (word := text.strip().lower()) in ("low", "medium", "mediumhigh", "high") else None


def _alarm(text: str) -> bool | None:
    return {"enabled": True, "disabled": False}.get(text.strip().lower())


CONTROLLER: Derived = {
    # Controller Alarm                         : Enabled
    "controller alarm": (("alarm.on", _alarm),),
    # Global task priority                     : High
    "global task priority": tuple(
        (f"rates.{name}", _priority) for name in ("rebuild", "check", "initialize", "expand")
    ),
    # Rebuild Priority                           : High
    "rebuild priority": (("rates.rebuild", _priority),),
    "expand priority": (("rates.expand", _priority),),
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
