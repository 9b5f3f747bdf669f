"""Whether a loose text is an output of these tools. Looks at the first lines only."""

from __future__ import annotations

import re

from raidctl.text import pair, printable
from raidctl.vendor.protocol import Sniffed
from raidctl_smartarray.grammar import heading, is_call, saying, tool_of_command
from raidctl_smartarray.labels import knows
from raidctl_smartarray.messages import SAYINGS
from raidctl_smartarray.outline import LONGEST_LINE
from raidctl_smartarray.reader import KIND
from raidctl_smartarray.vocabulary import normalized

_LINES = 600
_CHARACTERS = 200_000
_SURE = {"controller": 92, "volume_row": 88, "drive_row": 88, "volume": 80, "drive": 60, "device": 40, "array": 30}
_FORMS = (
    ("volume", "ld all show detail"),
    ("drive", "pd all show detail"),
    ("volume_row", "ld all show"),
    ("drive_row", "pd all show"),
)
_CARD: dict[str, frozenset[str]] = {
    "controller status": frozenset({"status"}),
    "bus interface": frozenset({"settings"}),
    "hardware revision": frozenset({"settings"}),
    "cache board present": frozenset({"settings"}),
}
_OWN = frozenset(
    {
        "drive authentication status", "carrier application version", "fault tolerance", "strip size",
        "cache board present", "multidomain status", "phy transfer rate", "native block size", "surface scan delay",
        "no-battery write cache", "battery/capacitor status", "controller status", "ld acceleration method", "caching",
        "drive exposed to os", "unused space", "logical drive label", "array accelerator",
        "logical/physical block size", "full stripe size",
    }
)  # fmt: skip
"""Labels that no other tool prints."""
_BRANDS = ("smart array", "smart hba", "msa", "gen10", "gen11", "gen12", " sr ", "hpe ", "hp ")
_SENTENCE = 12
"""Words of a line that a shell does not print."""
_ERROR = re.compile(r"^[\s>]*error[: ]", re.MULTILINE)
_PROBES = ("in slot ", "icaldrive", "ical drive", "cli ", "cli:", " at port ", "available options", *_OWN)
"""One of these stands, in lower case, in whatever can be claimed; most of an archive's texts are spared the rest."""


def sniff(name: str, text: str) -> Sniffed | None:
    """The claim on an output, None if it comes from another tool. The name is only a hint."""
    low = text[:_CHARACTERS].lower()
    if not any(probe in low for probe in _PROBES) and not _ERROR.search(low):
        return None
    seen: set[str] = set()
    confidence = labels = own = lines = 0
    for raw in text[:_CHARACTERS].split("\n")[:_LINES]:
        stripped = printable(raw).strip()
        if not stripped or len(raw) > LONGEST_LINE:
            continue
        lines += 1
        opened = heading(stripped)
        if opened is not None:
            sure = _SURE.get(opened.kind, 0)
            if opened.kind == "controller" and not any(brand in f"{stripped.lower()} " for brand in _BRANDS):
                sure = 40
            confidence = max(confidence, sure)
            seen.add(opened.kind)
            continue
        confidence = max(confidence, _said(stripped))
        found = pair(stripped)
        if found is not None:
            own += normalized(found[0]) in _OWN
            labels += any(knows(kind, found[0]) for kind in ("controller", "drive", "volume"))
            seen |= _CARD.get(normalized(found[0]), frozenset())
    if labels >= 4 and labels * 2 >= lines and own >= 2:
        confidence = max(confidence, 55)
    if 0 < confidence < 80 and (tool_of_command(name) or ("drive" in seen and labels >= 3)):
        confidence = 80
    return Sniffed(KIND, confidence, _command(name, seen)) if confidence >= 50 else None


def _said(text: str) -> int:
    """How sure a banner or an error text makes."""
    said = saying(text)
    if said == "version":
        return 92
    if said == "missing_tool":
        return 85 if ":" in text and len(text.split()) < _SENTENCE else 0
    if said == "command" and is_call(text):
        return 85
    if said == "options":
        return 60
    if said == "error" and any(
        item.code not in ("denied", "gone", "unsupported") and re.search(item.form, text, re.IGNORECASE)
        for item in SAYINGS
    ):
        return 75 if any(noun in text.lower() for noun in ("controller", "device", "acu", "target", "option")) else 55
    return 0


def _command(name: str, seen: set[str]) -> str:
    """The command that prints such a text."""
    tool = tool_of_command(name) or "ssacli"
    if "settings" in seen and seen & {"array", "volume", "drive", "device"}:
        return f"{tool} ctrl all show config detail"
    if "settings" in seen:
        return f"{tool} ctrl all show detail"
    if "array" in seen and {"volume_row", "drive_row"} <= seen and "volume" not in seen:
        return f"{tool} ctrl all show config"
    for kind, words in _FORMS:
        if kind in seen:
            return f"{tool} ctrl slot=N {words}"
    return f"{tool} ctrl all show status" if "status" in seen else f"{tool} ctrl all show"
