"""Which of the family's tools printed a loose text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from raidctl.vendor.protocol import Sniffed
from raidctl_drives.smart import sniff_smartctl

_HEAD = 64 * 1024
"""Characters that are looked at: every form shows itself there."""


@dataclass(frozen=True)
class _Form:
    """A line that only one tool prints, its command, and the confidence.

    One of ``probes`` stands in every such line: most texts of an archive are spared the expressions.
    """

    confidence: int
    command: str
    line: re.Pattern[str]
    probes: tuple[str, ...]

    def fits(self, head: str) -> bool:
        """Whether the line stands in a text."""
        return any(probe in head for probe in self.probes) and self.line.search(head) is not None


def _form(confidence: int, command: str, line: str, *probes: str) -> _Form:
    return _Form(confidence, command, re.compile(line, re.MULTILINE), probes)


_ERRNO = (
    r"(?:No such file or directory|Operation not permitted|Permission denied|No such device|No medium found"
    r"|Input/output error|No such device or address)"
)
_HDPARM = (
    _form(
        95,
        "hdparm -I",
        r"^[ \t]*(?:ATA device|ATAPI [^\n]*), with (?:non-)?removable media|^CompactFlash ATA device",
        " removable media",
        "-removable media",
        "CompactFlash ATA",
    ),
    _form(90, "hdparm -i", r"^[ \t]*Model=.*, ?FwRev=.*, ?SerialNo=", "FwRev="),
    _form(
        85,
        "hdparm",
        r"^[ \t]*(?:write-caching|look-ahead|APM_level|max sectors|IO_support|readahead|geometry|multcount|acoustic"
        r"|write-read-verify|queue_depth|unmaskirq|using_dma|wdidle3|drive state is:|drive temperature \(celsius\) is)"
        r"[ \t]*(?:[=:][ \t]*\S|not supported)",
        "write-caching",
        "look-ahead",
        "APM_level",
        "max sectors",
        "IO_support",
        "readahead",
        "geometry",
        "multcount",
        "acoustic",
        "write-read-verify",
        "queue_depth",
        "unmaskirq",
        "using_dma",
        "wdidle3",
        "drive state is:",
        "drive temperature (celsius)",
    ),
    _form(85, "hdparm --dco-identify", r"^DCO (?:Revision: 0x|Checksum (?:verified|FAILED))", "DCO "),
    _form(
        80,
        "hdparm --sanitize-status",
        r"^[ \t]*(?:Issuing SANITIZE_STATUS command|Sanitize status:)[ \t]*$",
        "SANITIZE_STATUS",
        "Sanitize status:",
    ),
    _form(85, "hdparm -tT", r"^[ \t]*Timing (?:O_DIRECT )?(?:cached|buffered|disk).* = +[\d.]+ [kM]B/sec", "Timing "),
    _form(85, "hdparm -I", r"^[ \t]*Enabled[ \t]+Supported:[ \t]*$", "Supported:"),
    _form(
        80,
        "hdparm",
        r"^[ \t]*setting (?:drive write-caching|Advanced Power Management|standby|fs readahead)",
        "setting ",
    ),
    _form(
        75,
        "hdparm",
        r"^[ \t]*(?:HDIO_\w*.*|BLK[A-Z]+|(?:READ|GET)_NATIVE_MAX_ADDRESS\w*|SET_(?:ACCESSIBLE_)?MAX_ADDRESS.*) failed: "
        r"|^SG_IO: (?:bad|missing|questionable|ATA_)",
        "HDIO_",
        "BLK",
        "_MAX_ADDRESS",
        "SG_IO: ",
    ),
    _form(
        70,
        "hdparm -I",
        r"^[ \t]*LBA(?:48)? +user addressable sectors:|^[ \t]*Nominal Media Rotation Rate:",
        "user addressable sectors",
        "Nominal Media",
    ),
    # /dev/sdq: No such file or directory        several tools say so; nothing else stands in the text
    _form(
        40,
        "hdparm",
        rf"\A(?=\s{{0,9}}/dev/)(?:[ \t]*\n|[ \t]*/dev/[a-z][\w/-]{{0,60}}: {_ERRNO}[ \t]*(?:\n|\Z))+\Z",
        "/dev/",
    ),
    # /dev/nvme0n1:        hdparm -W says no more of a drive that is no ATA drive
    _form(40, "hdparm", r"\A(?=\s{0,9}/dev/)(?:[ \t]*\n|/dev/[a-z][\w/-]{0,60}:[ \t]*(?:\n|\Z))+\Z", "/dev/"),
)
_SDPARM = (
    _form(92, "sdparm", r"^.* mode page(?: \[PS=[01]\])?:[ \t]*$", " mode page"),
    _form(
        92,
        "sdparm --inquiry",
        r"^\S.* VPD page(?: \[0x[0-9a-f]+\])?:[ \t]*$|^SCSI Feature sets:[ \t]*$",
        " VPD page",
        "SCSI Feature sets:",
    ),
    _form(
        90,
        "sdparm --get",
        r"^[ \t]*(?:WCE|RCD|AWRE|ARRE|SWP)[ \t]+[01][ \t]+\[\s?(?:cha|sav|def):",
        "[cha:",
        "[sav:",
        "[def:",
        "[ cha:",
        "[ sav:",
        "[ def:",
    ),
    _form(70, "sdparm --get", r"^[ \t]*(?:WCE|RCD)[ \t]+[01][ \t]*$", "WCE", "RCD"),
    _form(92, "sdparm --inquiry --page=sinq", r"^standard INQUIRY:", "standard INQUIRY:"),
    _form(85, "sdparm --command=capacity", r"^blocks: \d+\nblock_length: \d+\ncapacity_mib: ", "block_length: "),
    _form(80, "sdparm", r"^    /dev/\S+: .{8}  .{16}  \S.{0,3}[ \t]*(?:\[\w.* ]*\])?$", "    /dev/"),
    _form(85, "sdparm", r"^open error: \S+ \[read (?:only|/write)\]: ", "open error: "),
)
_NVME = (
    _form(95, "nvme id-ctrl", r"^NVM[Ee] Identify Controller", "Identify Controller"),
    _form(95, "nvme id-ns", r"^NVM[Ee] Identify Namespace", "Identify Namespace"),
    _form(95, "nvme list-subsys", r"^nvme-subsys\d+ - NQN=", "nvme-subsys"),
    _form(95, "nvme smart-log", r"^(?:Additional )?Smart Log for NVME device:", "Smart Log for NVME"),
    _form(
        95,
        "nvme error-log",
        r"^(?:Error Log Entries|Firmware Log|Device Self Test Log) for (?:NVME )?device:",
        "Error Log Entries",
        "Firmware Log",
        "Device Self Test",
    ),
    _form(95, "nvme get-feature", r"^get-feature:[ \t]*\S+ \(.*\), \w[\w ]* value:", "get-feature:"),
    _form(95, "nvme list", r"^[ \t]*Node[ \t]+(?:Generic[ \t]+)?SN[ \t]+Model\s", "Node"),
    _form(95, "nvme list -v", r"^[ \t]*Subsystem[ \t]+Subsystem-NQN[ \t]+Controllers", "Subsystem-NQN"),
    _form(90, "nvme ocp smart-add-log", r"^SMART Cloud Attributes", "SMART Cloud"),
    _form(85, "nvme list", r"^Failed to scan topology: ", "Failed to scan"),
    _form(80, "nvme", r"^(?:\x1b\[1m)?Usage: nvme ", "Usage: nvme "),
    _form(75, "nvme", r"^(?:[\w:() -]{1,80}: )?NVMe?(?:-MI)? [Ss]tatus[ \t]*: ?", "NVM"),
    _form(75, "nvme", rf"^Failed to open /dev/(?:nvme|ng)\d\w*: {_ERRNO}", "Failed to open"),
    _form(45, "nvme", rf"\A\s{{0,9}}/dev/(?:nvme|ng)\d\w*: {_ERRNO}\s{{0,9}}\Z", "/dev/"),
)
_FORMS = {"hdparm": _HDPARM, "sdparm": _SDPARM, "nvme": _NVME}
_JSON_FORMS = (
    (95, '"SubsystemNQN"', "nvme list -v -o json"),
    (90, '"DevicePath"', "nvme list -o json"),
    (92, '"cntlid"', "nvme id-ctrl -o json"),
    (92, '"nsze"', "nvme id-ns -o json"),
    (90, '"critical_warning"', "nvme smart-log -o json"),
    (90, '"feature: 0x', "nvme get-feature -o json"),
)

_NO_DEVICES = re.compile(r'\s{0,99}\{\s{0,99}"Devices"\s{0,9}:\s{0,9}\[\s{0,99}\]\s{0,99}\}\s{0,99}')


def sniff(name: str, text: str) -> Sniffed | None:
    """The tool that printed an output, and the confidence; None for other tools."""
    head = text[:_HEAD].replace("\r\n", "\n")
    claims = [claim for claim in (sniff_smartctl(name, text), _json(head)) if claim]
    if not claims:
        claims = [
            Sniffed(tool, form.confidence, form.command)
            for tool, forms in _FORMS.items()
            for form in forms
            if form.fits(head)
        ]
    return max(claims, key=lambda claim: claim.confidence, default=None)


def _json(head: str) -> Sniffed | None:
    start = head.lstrip()
    if not start.startswith("{") or '"smartctl"' in head:
        return None
    if _NO_DEVICES.fullmatch(head):
        return Sniffed("nvme", 60, "nvme list -o json")
    for confidence, key, command in _JSON_FORMS:
        if key in head and _is_nvme(head, key):
            return Sniffed("nvme", confidence, command)
    return None


def _is_nvme(head: str, key: str) -> bool:
    """Whether other words of nvme-cli stand beside the key."""
    beside = {
        '"SubsystemNQN"': ('"Devices"',),
        '"DevicePath"': ('"SerialNumber"', '"ModelNumber"'),
        '"cntlid"': ('"sn"', '"mn"', '"vid"'),
        '"nsze"': ('"lbafs"', '"flbas"', '"nlbaf"'),
        '"feature: 0x': ('"name"',),
        '"critical_warning"': ('"avail_spare"', '"percent_used"', '"spare_thresh"'),
    }
    return any(json.dumps(word.strip('"')) in head for word in beside[key])
