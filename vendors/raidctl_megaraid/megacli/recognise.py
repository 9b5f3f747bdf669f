"""Whether a loose text is an output of MegaCli, and which command prints such a text."""

from __future__ import annotations

import re

from raidctl.vendor.protocol import Sniffed
from raidctl_megaraid.megacli import grammar
from raidctl_megaraid.vocabulary import normalized

KIND = "megacli"
_CHARACTERS = 200_000
_LINES = 800
_SURE, _LIKELY, _BARE = 93, 78, 60
_ENOUGH = 3

_OWN: dict[str, str] = {
    **dict.fromkeys(
        (
            "inquiry data", "firmware state", "predictive failure count", "last predictive failure event seq number",
            "non coerced size", "coerced size", "connected port number", "needs ekm attention", "foreign state",
            "device firmware level", "drive has flagged a s.m.a.r.t alert", "enclosure device id", "fde enable",
            "drive's postion", "drive's position", "other error count", "media error count", "raw size",
            "slot number", "pd type", "sas address(0)",
        ),
        "-PDList -aALL",
    ),
    **dict.fromkeys(
        (
            "default cache policy", "current cache policy", "is vd cached", "span depth", "number of drives per span",
            "strip size", "stripe size", "disk cache policy", "default access policy", "current access policy",
            "mirror data", "parity size", "is vd emulated", "bad blocks exist", "cache cade type",
        ),
        "-LDInfo -Lall -aALL",
    ),
    **dict.fromkeys(
        (
            "batterytype", "gasguagestatus", "bbu firmware status", "learn cycle requested", "learn cycle active",
            "learn cycle status", "battery pack missing", "issohgood", "i2c errors detected", "charger system state",
            "periodic learn required", "transparent learn", "battery replacement required",
            "pack is about to fail & should be replaced", "auto-learn mode", "relative state of charge",
        ),
        "-AdpBbuCmd -aALL",
    ),
    **dict.fromkeys(
        (
            "fw package build", "subvendorid", "subdeviceid", "number of backend port", "cache flush interval",
            "any offline vd cache preserved", "ecc bucket leak rate", "max arms per vd", "deny scsi passthrough",
            "auto detect backplane enabled", "restore hotspare on insertion", "rework date",
        ),
        "-AdpAllInfo -aALL",
    ),
    **dict.fromkeys(("fw package version", "productname", "cli version", "disk type"), "-ShowSummary -aALL"),
    **dict.fromkeys(
        ("enclosure zoning mode", "partner device id", "number of sim modules", "esm serial number"), "-EncInfo -aALL"
    ),
    **dict.fromkeys(("patrol read mode", "patrol read execution delay"), "-AdpPR -Info -aALL"),
    **dict.fromkeys(("event description", "seqnum", "event data"), "-AdpEventLog -GetEvents -f /dev/stdout -aALL"),
    **dict.fromkeys(
        ("oldest seq num", "newest seq num", "clear seq num", "boot seq num"), "-AdpEventLog -GetEventLogInfo -aALL"
    ),
    **dict.fromkeys(("number of vd completed", "excluded vds"), "-AdpCcSched -Info -aALL"),
}  # fmt: skip
"""Labels of this tool and the command that prints them. Other tools know some of them; three make it this one's."""

_SENTENCES: tuple[tuple[re.Pattern[str], str, int], ...] = tuple(
    (re.compile(form, re.IGNORECASE | re.ASCII), command, sure)
    for form, command, sure in (
        (r"MegaCLI SAS RAID Management Tool\b", "-v", _SURE),
        (r"Adapter \d{1,3} -- Virtual (?:Drive|Disk) Information", "-LDInfo -Lall -aALL", _SURE),
        (r"(?:CacheCade )?Virtual (?:Drive|Disk) ?: ?\d{1,5} ?\(Target Id ?: ?\d", "-LDInfo -Lall -aALL", _LIKELY),
        (r"BBU [a-z ]{1,40} for Adapter\s*:?\s*\d", "-AdpBbuCmd -aALL", _SURE),
        (r"Number of enclosures on adapter \d{1,3} --", "-EncInfo -aALL", _SURE),
        (r"PCI information for Controller \d", "-AdpGetPciInfo -aALL", _SURE),
        (r"Number of DISK GROUPS\s*:", "-CfgDsply -aALL", _SURE),
        (r"PD: \d{1,5} Information", "-LdPdInfo -aALL", _LIKELY),
        (r"Number of Virtual (?:Drives|Disks)(?: Configured)? on Adapter", "-LDGetNum -aALL", _SURE),
        (r"Number of Physical (?:Drives|Disks) on Adapter", "-PDGetNum -aALL", _SURE),
        (r"Controller Count\s*:\s*\d", "-AdpCount", _LIKELY),
        (r"Adapter \d{1,3}: Patrol Read Information", "-AdpPR -Info -aALL", _SURE),
        (r"Adapter \d{1,3}\s*-\s*VD \d{1,5}\s*\(target id", "-LDGetProp -Cache -Lall -aALL", _SURE),
        (r"Adapter \d{1,3}: Get BBU", "-AdpBbuCmd -aALL", _SURE),
        (r"Adapter \d{1,3}: (?:Get|Set|Failed|No Virtual|[A-Z].{1,60} = )", "-AdpGetProp", _LIKELY),
        (r"(?:Rebuild|Copyback|Clear) Progress on Device at Enclosure", "-PDRbld -ShowProg", _SURE),
        (r"(?:Check Consistency|Initialization|Reconstruction) on VD #", "-LDCC -ShowProg -Lall -aALL", _SURE),
        (r"Virtual Drive\(Target ID \d{1,5}\)", "-GetPreservedCacheList -aALL", _SURE),
        (r"Adapter \d{1,3}\s*-\s*(?:No )?Missing Physical", "-PdGetMissing -aALL", _SURE),
        (r"(?:Adapter: ?\d{1,3}: )?EnclId-\S{1,6} SlotId-\S{1,6} state changed", "-PDOnline", _SURE),
        (r".{0,60}libstorelib\S{0,40}: cannot open shared object", "", _SURE),
        (r"FW error description", "", _LIKELY),
        (r"(?:Adapter \d{1,3}: )?No Virtual Drive has Preserved Cache Data", "-GetPreservedCacheList -aALL", _SURE),
        (r"There (?:is|are) .{1,10} ?foreign configuration", "-CfgForeign -Scan -aALL", _SURE),
        (r"(?:Fatal error - )?Command Tool invoked with wrong", "", _SURE),
        (r"User specified (?:controller|adapter) is not present|Failed to get CpController", "", _SURE),
        (r".{0,100}data in cache for offline or missing virtual disks", "", _LIKELY),
        (r"(?:Adapter \d{1,3}: )?Device at Enclosure - ", "-pdInfo", _LIKELY),
        (r"Set .{3,80} on Adapter \d{1,3}, VD \d{1,5}", "-LDSetProp", _SURE),
    )
)
_ALONE = frozenset(
    {
        "fw package build", "firmware state", "inquiry data", "predictive failure count", "batterytype",
        "drive has flagged a s.m.a.r.t alert", "default cache policy", "current cache policy", "gasguagestatus",
        "battery replacement required",
    }
)  # fmt: skip
"""Labels of which one is enough, as people keep them with grep; no other tool prints them with a colon."""
_NAME = re.compile(r"megacli|megasascli|cmdtool2", re.IGNORECASE)
_PROBES = (
    "adapter", "exit code", "enclosure device id", "firmware state", "virtual drive", "virtual disk", "batterytype",
    "megacli", "cmdtool2", "controller count", "foreign configuration", "seqnum", "event description",
    "rebuild progress",
    "cache policy", "libstorelib", "enclid-", "inquiry data", "slot number", "fw package", "bbu firmware", "on vd #",
    "raw size", "coerced size", "preserved cache",
    "predictive failure", "s.m.a.r.t alert", "battery replacement", "gasguage",
    "command tool", "cpcontroller", "seq num", "offline or missing virtual",
)  # fmt: skip
"""One of these stands, in lower case, in whatever can be claimed; most of an archive's texts are spared the rest."""


def sniff(name: str, text: str) -> Sniffed | None:
    """The claim on a text, None when it is no output of this tool. The name is only a hint."""
    head = text[:_CHARACTERS]
    low = head.lower()
    if not any(probe in low for probe in _PROBES):
        return None
    confidence, votes = 0, dict.fromkeys(_OWN.values(), 0)
    seen: set[str] = set()
    asked = False
    for raw in head.split("\n")[:_LINES]:
        line = raw.strip()
        if not line or len(raw) > grammar.LONGEST_LINE:
            continue
        sure, command = _said(line)
        if sure:
            confidence = max(confidence, sure)
            votes[command] = votes.get(command, 0) + 2
        asked = asked or grammar.COMMAND.search(line) is not None
        # storcli has many of the labels, and prints ``Label = value``
        label = normalized(line.partition(":")[0]) if ":" in line and " = " not in line else ""
        if label in _OWN:
            seen.add(label)
            votes[_OWN[label]] += 1
    own = len(seen)
    if own >= _ENOUGH and not head.lstrip().startswith(("{", "[")):
        confidence = max(confidence, _SURE - 2 if own >= 2 * _ENOUGH else _LIKELY)
    if confidence < _LIKELY and seen & _ALONE and not head.lstrip().startswith(("{", "[")):
        confidence = _LIKELY
    if confidence < _LIKELY and own and asked:
        confidence = _LIKELY
    if confidence < _SURE and _NAME.search(name) and (own or _bare(low)):
        confidence = max(confidence, _LIKELY)
    if confidence < _LIKELY and _CODE.search(low):
        confidence = _LIKELY if own else _BARE
    if not confidence:
        return None
    best = max(votes, key=lambda command: votes[command])
    return Sniffed(KIND, confidence, f"MegaCli64 {best}".strip() if votes[best] else "MegaCli64")


def _said(line: str) -> tuple[int, str]:
    """How sure a sentence or a command line makes, and the command behind it."""
    for form, command, sure in _SENTENCES:
        if form.match(line):
            return sure, command
    return 0, ""


_CODE = re.compile(r"^\s*exit code ?: 0x[0-9a-f]{1,8}\s*$", re.ASCII | re.MULTILINE)
_ONLY_CODE = re.compile(r"\s*exit code\s*:\s*0x[0-9a-f]{1,8}\s*", re.ASCII)


def _bare(low: str) -> bool:
    """``Exit Code: 0x00`` and nothing else: the tool run by somebody who is not root."""
    return len(low) < 200 and _ONLY_CODE.fullmatch(low) is not None


# CLI Version: 8.07.14        of -ShowSummary
_CLI = re.compile(r"^[ \t]*CLI Version\s*:\s*(\d[\d.]{2,20})", re.IGNORECASE | re.MULTILINE | re.ASCII)


def tool_version(text: str) -> str | None:
    """``8.07.14`` of ``MegaCLI SAS RAID Management Tool  Ver 8.07.14 Dec 16, 2013``; None where it is not told."""
    head = text[:_CHARACTERS]
    match = grammar.VERSION.search(head) or _CLI.search(head)
    return match[1] if match else None
