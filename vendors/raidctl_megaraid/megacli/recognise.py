"""Whether a text is an output of MegaCli, and of which command."""

from __future__ import annotations

import re

from raidctl.text import regex
from raidctl.vendor.protocol import Confidence
from raidctl.vendor.recognise import Recogniser, Signature
from raidctl_megaraid.megacli import grammar

KIND = "megacli"
_DRIVES, _VOLUMES, _BATTERY, _CONTROLLER = (
    "-PDList -aALL",
    "-LDInfo -Lall -aALL",
    "-AdpBbuCmd -aALL",
    "-AdpAllInfo -aALL",
)
_SURE, _LIKELY = Confidence.SURE, Confidence.LIKELY
# command, lines, confidence of the lines, labels
_FORMS: tuple[tuple[str, tuple[str, ...], Confidence, tuple[str, ...]], ...] = (
    ("-v", (r"MegaCLI SAS RAID Management Tool\b",), _SURE, ()),
    ("-LdPdInfo -aALL", (r"PD: \d{1,5} Information",), _LIKELY, ()),
    ("-CfgDsply -aALL", (r"Number of DISK GROUPS\s*:",), _SURE, ()),
    (
        _VOLUMES,
        (r"Adapter \d{1,3} -- Virtual (?:Drive|Disk) Information",),
        _SURE,
        (
            "default cache policy", "current cache policy", "is vd cached", "span depth", "number of drives per span",
            "strip size", "stripe size", "disk cache policy", "default access policy", "current access policy",
            "mirror data", "parity size", "is vd emulated", "bad blocks exist", "cache cade type",
        ),
    ),
    (
        _VOLUMES,
        (
            r"(?:CacheCade )?Virtual (?:Drive|Disk) ?: ?\d{1,5} ?\(Target Id ?: ?\d",
            # people keep these with grep; no other tool prints them
            r"(?:default|current) cache policy *:",
        ),
        _LIKELY,
        (),
    ),
    (
        _BATTERY,
        (r"BBU [a-z ]{1,40} for Adapter\s*:?\s*\d", r"Adapter \d{1,3}: Get BBU"),
        _SURE,
        (
            "batterytype", "gasguagestatus", "bbu firmware status", "learn cycle requested", "learn cycle active",
            "learn cycle status", "battery pack missing", "issohgood", "i2c errors detected", "charger system state",
            "periodic learn required", "transparent learn", "battery replacement required",
            "pack is about to fail & should be replaced", "auto-learn mode", "relative state of charge",
        ),
    ),
    (_BATTERY, (r"(?:batterytype|gasguagestatus|battery replacement required) *:",), _LIKELY, ()),
    (
        "-EncInfo -aALL",
        (r"Number of enclosures on adapter \d{1,3} --",),
        _SURE,
        ("enclosure zoning mode", "partner device id", "number of sim modules", "esm serial number"),
    ),
    ("-AdpGetPciInfo -aALL", (r"PCI information for Controller \d",), _SURE, ()),
    ("-LDGetNum -aALL", (r"Number of Virtual (?:Drives|Disks)(?: Configured)? on Adapter",), _SURE, ()),
    ("-PDGetNum -aALL", (r"Number of Physical (?:Drives|Disks) on Adapter",), _SURE, ()),
    ("-AdpCount", (r"Controller Count\s*:\s*\d",), _LIKELY, ()),
    (
        "-AdpPR -Info -aALL",
        (r"Adapter \d{1,3}: Patrol Read Information",),
        _SURE,
        ("patrol read mode", "patrol read execution delay"),
    ),
    ("-LDGetProp -Cache -Lall -aALL", (r"Adapter \d{1,3}\s*-\s*VD \d{1,5}\s*\(target id",), _SURE, ()),
    (
        "-GetPreservedCacheList -aALL",
        (
            r"Virtual Drive\(Target ID \d{1,5}\)",
            r"(?:Adapter \d{1,3}: )?No Virtual Drive has Preserved Cache Data",
        ),
        _SURE,
        (),
    ),
    ("-AdpGetProp", (r"Adapter \d{1,3}: (?:Get|Set|Failed|No Virtual|[A-Z].{1,60} = )",), _LIKELY, ()),
    ("-PDRbld -ShowProg", (r"(?:Rebuild|Copyback|Clear) Progress on Device at Enclosure",), _SURE, ()),
    (
        "-LDCC -ShowProg -Lall -aALL",
        (r"(?:Check Consistency|Initialization|Reconstruction) on VD #",),
        _SURE,
        ("number of vd completed", "excluded vds"),
    ),
    ("-PdGetMissing -aALL", (r"Adapter \d{1,3}\s*-\s*(?:No )?Missing Physical",), _SURE, ()),
    ("-PDOnline", (r"(?:Adapter: ?\d{1,3}: )?EnclId-\S{1,6} SlotId-\S{1,6} state changed",), _SURE, ()),
    ("-CfgForeign -Scan -aALL", (r"There (?:is|are) .{1,10} ?foreign configuration",), _SURE, ()),
    ("-LDSetProp", (r"Set .{3,80} on Adapter \d{1,3}, VD \d{1,5}",), _SURE, ()),
    (
        "",
        (
            r".{0,60}libstorelib\S{0,40}: cannot open shared object",
            r"(?:Fatal error - )?Command Tool invoked with wrong",
            r"User specified (?:controller|adapter) is not present|Failed to get CpController",
        ),
        _SURE,
        (),
    ),
    ("", (r"FW error description", r".{0,100}data in cache for offline or missing virtual disks"), _LIKELY, ()),
    (
        _DRIVES,
        (
            r"(?:Adapter \d{1,3}: )?Device at Enclosure - ",
            r"(?:firmware state|inquiry data|predictive failure count|drive has flagged a s\.m\.a\.r\.t alert) *:",
        ),
        _LIKELY,
        (
            "inquiry data", "firmware state", "predictive failure count", "last predictive failure event seq number",
            "non coerced size", "coerced size", "connected port number", "needs ekm attention", "foreign state",
            "device firmware level", "drive has flagged a s.m.a.r.t alert", "enclosure device id", "fde enable",
            "drive's postion", "drive's position", "other error count", "media error count", "raw size",
            "slot number", "pd type", "sas address(0)",
        ),
    ),
    (
        _CONTROLLER,
        (r"fw package build *:",),
        _LIKELY,
        (
            "fw package build", "subvendorid", "subdeviceid", "number of backend port", "cache flush interval",
            "any offline vd cache preserved", "ecc bucket leak rate", "max arms per vd", "deny scsi passthrough",
            "auto detect backplane enabled", "restore hotspare on insertion", "rework date",
        ),
    ),
    ("-ShowSummary -aALL", (), _SURE, ("fw package version", "productname", "disk type")),
    (
        "-AdpEventLog -GetEvents -f /dev/stdout -aALL", (), _SURE, ("event description", "seqnum", "event data"),
    ),
    (
        "-AdpEventLog -GetEventLogInfo -aALL",
        (),
        _SURE,
        ("oldest seq num", "newest seq num", "clear seq num", "boot seq num"),
    ),
)  # fmt: skip
_EXIT = r"exit code\s*:\s*0x[0-9a-f]{1,8}$"
_SIGNATURES = (
    *(
        Signature(f"MegaCli64 {command}".strip(), lines, labels, confidence=sure)
        for command, lines, sure, labels in _FORMS
    ),
    # Exit Code: 0x00        the last line of each output; nothing else if the tool was run without root
    Signature("MegaCli64", (_EXIT,), confidence=_LIKELY),
)

sniff = Recogniser(KIND, _SIGNATURES, tool="megacli|megasascli|cmdtool2", flags=re.IGNORECASE).sniff

_CHARACTERS = 200_000
# CLI Version: 8.07.14        of -ShowSummary
_CLI = regex(r"^[ \t]*CLI Version\s*:\s*(\d[\d.]{2,20})", re.IGNORECASE | re.MULTILINE | re.ASCII)


def tool_version(text: str) -> str | None:
    """``8.07.14`` of ``MegaCLI SAS RAID Management Tool  Ver 8.07.14 Dec 16, 2013``; None if not reported."""
    head = text[:_CHARACTERS]
    match = grammar.VERSION.search(head) or _CLI.search(head)
    return match[1] if match else None
