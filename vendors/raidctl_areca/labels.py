"""The labels of the tool's sections: field and how its value is read.

Sources: einarc (areca.rb) for ``sys info`` and ``disk info drv=N``; the fields of sGUI_VOLUMESET and sGUI_RAIDSET in
Documentation/scsi/arcmsr_spec.rst tell what ``vsf info vol=N`` and ``rsf info raid=N`` can say. The very words of these
two, of the SATA mode and of the rotation speed were found in no source: they are unverified.
What is not in these tables is kept in the tool's own words.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.model import Media
from raidctl_areca import vocabulary

Parse = Callable[[str], object]


def text(value: str) -> str | None:
    """A value as printed; None if it has no meaning."""
    return value if vocabulary.has_value(value) else None


def speed(value: str) -> float | None:
    """Gbit/s of ``SATA300+NCQ(Depth32)``, ``SAS 6G``; None if not reported."""
    sata = re.match(r"SATA ?(150|300|600)\b", value, re.ASCII | re.IGNORECASE)
    if sata is not None:
        return {"150": 1.5, "300": 3.0, "600": 6.0}[sata[1]]
    sas = re.search(r"(?<![\d.])(1\.5|3|6|12|24)(?:\.0)? ?G", value, re.ASCII | re.IGNORECASE)
    return float(sas[1]) if sas is not None else None


def rpm(value: str) -> int | None:
    """``7200(RPM)``; None for solid state drives."""
    match = re.match(r"(\d{4,5})(?!\d)", value.strip(), re.ASCII)
    return int(match[1]) if match is not None else None


def media(value: str) -> Media | None:
    """Media of a drive by its rotation speed."""
    if "ssd" in value.lower() or "solid" in value.lower() or "non-rot" in value.lower():
        return "ssd"
    return "hdd" if rpm(value) else None


SYSTEM: dict[str, tuple[str, Parse]] = {
    "firmware version": ("firmware", text),
    "serial number": ("serial", text),
    "controller name": ("model", text),
    "system memory": ("cache.size_bytes", vocabulary.memory),
}
SET: dict[str, tuple[str, Parse]] = {
    "total raw capacity": ("size_bytes", vocabulary.capacity),
    "free raw capacity": ("free_bytes", vocabulary.capacity),
}
VOLUME: dict[str, tuple[str, Parse]] = {
    "volume set name": ("name", text),
    "volume capacity": ("size_bytes", vocabulary.capacity),
    "stripe size": ("strip_bytes", vocabulary.strip),
}
DRIVE: dict[str, tuple[str, Parse]] = {
    "serial number": ("serial", text),
    "firmware rev.": ("firmware", text),
    "disk capacity": ("size_bytes", vocabulary.capacity),
    "timeout count": ("errors.other", vocabulary.count),
    "media error count": ("errors.media", vocabulary.count),
    "device temperature": ("temperature_celsius", vocabulary.celsius),
    "current sata mode": ("link_gbps", speed),
    "current speed": ("link_gbps", speed),
    "rotation speed": ("rpm", rpm),
}
