"""Whether a loose text is an output of arcconf. Looks at the beginning only."""

from __future__ import annotations

import re

from raidctl.vendor.protocol import Sniffed
from raidctl_adaptec import grammar

TEXT, JSON = "text", "json"
_CHARACTERS = 200_000
_LINES = 800
_OWN = frozenset(
    {
        "channel description", "controller serial number", "installed memory",
        "defunct disk drive count", "logical devices/failed/degraded", "logical drives/offline/critical",
        "global task priority", "stayawake period", "controller battery information", "controller zmm information",
        "controller cache backup unit information", "status of logical device", "status of logical drive",
        "stripe-unit size", "protected by hot-spare", "failed stripes", "logical device segment information",
        "logical device name", "logical drive name", "write-cache setting", "read-cache setting",
        "device is a hard drive",
        "reported channel,device(t:l)", "reported channel,device", "reported esd(t:l)", "reported location",
        "s.m.a.r.t. warnings", "spinup limit internal drives", "drive has stale ris data",
        "volume unique identifier", "array physical device information", "array logical device information",
        "spare rebuild mode", "logical device task", "negotiated physical link rate", "drive configuration type",
        "seeprom (load version/ flash version)", "expander sas address", "invalid dword count", "connector location",
        "overall backup unit status", "backup unit type", "non-volatile storage status", "supercap status",
        "sata phy event counters", "current discovery protocol", "no logical devices configured",
    }
)  # fmt: skip
"""Labels and titles that no other tool prints."""
_PROBES = (
    "controllers found", "logical device", "logical drive", "controller information", "device is a", "arcconf",
    "ucli |", "reported channel,device", "functionalmode", "controllerstatus", "physical device information",
    "array number", "connector #", "backup unit",
)  # fmt: skip
_JSON = re.compile(
    r'"(?:functionalMode|controllerStatus|readCachePercentage|consumerArrayID|unUsedSpace|logicalDriveID)"'
)
_LABEL = re.compile(r"\s*:(?:\s|$)")
_FORMS: tuple[tuple[str, str], ...] = (
    ("logical device task", "getstatus N"),
    ("current operation", "getstatus N"),
    ("expander sas address", "expanderlist N"),
    ("invalid dword count", "phyerrorlog N"),
    ("sata phy event counters", "phyerrorlog N device C D"),
)


def sniff(name: str, text: str) -> Sniffed | None:
    """The claim on a text, None when it is none of arcconf's. The name is only a hint."""
    begin = text[:_CHARACTERS]
    low = begin.lower()
    if not any(probe in low for probe in _PROBES):
        return None
    if "{" in begin and len(_JSON.findall(begin)) >= 2:
        return Sniffed(JSON, 90, "arcconf getconfigJSON N")
    seen: set[str] = set()
    areas: set[str] = set()
    found = banner = rows = False
    for raw in begin.split("\n")[:_LINES]:
        line = grammar.plain(raw[:400])[:300]
        found = found or grammar.FOUND.match(line) is not None
        banner = banner or grammar.BANNER.match(line) is not None
        rows = rows or grammar.LIST_ROW.fullmatch(line) is not None
        area = grammar.title(line)
        if area is not None:
            areas.add(area)
        label = " ".join(_LABEL.split(line.lower(), maxsplit=1)[0].split())
        if label in _OWN or label == "current operation":
            seen.add(label)
    confidence = _confidence(len(seen - {"current operation"}), areas, found=found, banner=banner)
    if confidence < 80 and "arcconf" in name.lower() and (seen or areas or found):
        confidence = 80
    return Sniffed(TEXT, confidence, f"arcconf {_command(seen, areas, rows=rows)}") if confidence >= 50 else None


def _confidence(own: int, areas: set[str], *, found: bool, banner: bool) -> int:
    if found or banner:
        return 95
    if own >= 3:
        return 92
    # sas2ircu has titles like these, and ssacli labels: one alone is not enough
    if own >= 2:
        return 85 if areas else 60
    return 0


_PARTS = {"controller": "AD", "logical": "LD", "physical": "PD", "array": "AR", "connector": "CN"}


def _command(seen: set[str], areas: set[str], *, rows: bool) -> str:
    """The command that prints such a text."""
    parts = areas & set(_PARTS)
    if rows:
        return "list"
    if parts:
        return f"getconfig N {_PARTS[parts.pop()]}" if len(parts) == 1 else "getconfig N"
    return next((command for label, command in _FORMS if label in seen), "getversion")
