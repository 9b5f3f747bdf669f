"""Details that give a neutral field as well. The tool's own words stay among the details."""

from __future__ import annotations

from raidctl.model import ScrubMode
from raidctl.units import parse_pcie, parse_percent
from raidctl.vendor.draft import Derived
from raidctl_smartarray import numbers
from raidctl_smartarray.vocabulary import has_value, normalized

_SURFACE: dict[str, ScrubMode] = {"idle": "automatic", "high": "automatic", "disabled": "disabled"}


def _life_used(text: str) -> int:
    """Percent of life used, from ``97.12%`` remaining."""
    return round(100 - parse_percent(text))


def _sector(text: str, place: int) -> int:
    """Logical and physical sector of ``512/4096``."""
    return int(text.partition("/")[2 * place].strip())


def _priority(text: str) -> str | None:
    """``medium``, ``mediumhigh`` of ``Medium High``, as the commands spell it."""
    return normalized(text).replace(" ", "") if has_value(text) else None


CONTROLLER: Derived = {
    # Rebuild Priority: Medium
    "rebuild priority": (("rates.rebuild", _priority),),
    "expand priority": (("rates.expand", _priority),),
    "transform priority": (("rates.expand", _priority),),
    # Surface Scan Mode: Idle
    "surface scan mode": (
        ("patrol_read.mode", lambda text: _SURFACE.get(normalized(text))),
        ("patrol_read.status_text", lambda text: text.strip() or None),
    ),
    # Negotiated PCIe Data Rate: PCIe 3.0 x8 (7880 MB/s)
    "negotiated pcie data rate": (
        ("pci_link.width", lambda text: parse_pcie(text)[0]),
        ("pci_link.speed_gtps", lambda text: parse_pcie(text)[1]),
    ),
}
VOLUME: Derived = {
    # Full Stripe Size: 512 KB
    "full stripe size": (("full_stripe_bytes", numbers.volume_size),),
    # Number of Parity Groups: 2
    "number of parity groups": (("spans", numbers.integer),),
}
DRIVE: Derived = {
    # PHY Maximum Link Rate: 12.0Gbps, 12.0Gbps
    "phy maximum link rate": (("max_link_gbps", numbers.link_speed),),
    # Usage remaining: 97.12%
    "usage remaining": (("life_used_percent", _life_used),),
    # Logical/Physical Block Size: 512/4096
    "logical/physical block size": (
        ("sector_bytes", lambda text: _sector(text, 0)),
        ("physical_sector_bytes", lambda text: _sector(text, 1)),
    ),
    "native block size": (("sector_bytes", lambda text: _sector(text, 0)),),
}
