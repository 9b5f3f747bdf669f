"""The signatures of the outputs of ssacli, hpssacli and hpacucli."""

from __future__ import annotations

from msgspec.structs import replace

from raidctl.vendor.protocol import Confidence, Sniffed
from raidctl.vendor.recognise import Recogniser, Signature
from raidctl_smartarray import proc_reader, status_reader
from raidctl_smartarray.grammar import tool_of_command
from raidctl_smartarray.tools import KIND

_LIST, _DETAIL, _STATUS = "ctrl all show", "ctrl all show detail", "ctrl all show status"
_VOLUMES, _DRIVES, _ARRAYS = (f"ctrl slot=N {what} all show" for what in ("ld", "pd", "array"))
_VOLUME, _DRIVE = f"{_VOLUMES} detail", f"{_DRIVES} detail"
_TOOL = r"(?:hpacucli|hpssacli|ssacli)(?:\.exe)?"
_BRACKETS = r"(?:\s*\([^()]{1,120}\))*$"
# Smart Array P410i in Slot 0 (Embedded)    (sn: 5001438012345670)
_CONTROLLER = (
    r"(?i:(?=.{0,120}(?:smart array|smart hba|msa|gen1[012]|\bsr\b|\bhpe?\b))(?!error|warning|note|caution))"
    rf"[^:(]{{2,80}}(?:\([^()]{{1,40}}\)[^:(]{{0,40}})? in Slot [^\s()]{{1,40}}{_BRACKETS}"
)
# bash: hpacucli: command not found        a short line: not a sentence of a mail
_MISSING = (
    rf"(?i:(?=(?:\S+\s+){{0,10}}\S+$)(?=.*:)(?:.*[\s/#>$=])?{_TOOL}\b.*"
    r"(?:command not found|: not found|could not find|no such file))"
)
# [root@host ~]# sudo /usr/sbin/ssacli ctrl all show
_CALL = (
    rf"(?i:(?:.{{0,80}}[#$%>]\s*)?(?:sudo\s+(?:-\w+\s+)*)?\"?(?:\S*[/\\])?{_TOOL}\"?\s+"
    r"(?:-\S+|ctrl|controller|cmd|version|rescan|help)\b)"
)
# Error: The specified device does not have any logical drives.
_ERROR = (
    r"(?i:error: .*(?:no controllers? (?:was |were )?(?:detected|found)|does not have any \w+|another instance of"
    r"|already running|is not a valid option|syntax|not a valid target|must be (?:identified|specified)"
    r"|unknown command))"
)
_SIGNATURES = (
    *(
        Signature("ctrl all show config detail", parts=(_DETAIL, part))
        for part in (_ARRAYS, _VOLUME, _VOLUMES, _DRIVE, _DRIVES)
    ),
    Signature("ctrl all show config", parts=(_ARRAYS, _VOLUMES, _DRIVES)),
    Signature(
        _DETAIL,
        (r"(?:Bus Interface|Hardware Revision|Cache Board Present):",),
        ("cache board present", "surface scan delay"),
        confidence=None,
    ),
    # Logical Drive: 2
    Signature(
        _VOLUME,
        (r"(?i:logical ?drive:?\s+\d{1,5})$",),
        ("fault tolerance", "logical drive label", "array accelerator", "multidomain status"),
    ),
    # physicaldrive 1I:1:4
    Signature(
        _DRIVE,
        (r"(?i:physical ?drive:? (?:[\w?]{1,6}(?::[\w?]{1,6}){1,3}|\?))$",),
        (
            "drive authentication status", "carrier application version", "phy transfer rate", "native block size",
            "logical/physical block size",
        ),
        confidence=Confidence.LIKELY,
    ),
    # logicaldrive 2 (1.6 TB, RAID 5): OK
    Signature(_VOLUMES, (r"(?i:logical ?drive \S+\s*\(.*\))",)),
    # physicaldrive 1I:1:4 (port 1I:box 1:bay 4, 900 GB): OK
    Signature(_DRIVES, (r"(?i:physical ?drive \S+\s*\(.*\))",)),
    # array A (SAS, Unused Space: 0  MB)
    # Array: A
    Signature(
        _ARRAYS,
        (r"(?:SmartCache |SSD )?[Aa]rray:?\s+(?:[A-Z]{1,3}|\d{1,3})(?:\s*\(.*\))?$",),
        ("unused space",),
        confidence=None,
    ),
    Signature(_STATUS, (r"Controller Status:",), ("battery/capacitor status",), confidence=None),
    Signature(
        _LIST,
        (
            _CONTROLLER,
            # MSA1500 CS in ARCHIVE ROOM
            rf"(?:MSA|RA4|StorageWorks )[^:(]{{0,40}}? in [^:()]{{1,60}}?{_BRACKETS}",
            # HP Array Configuration Utility CLI 9.40.12.0
            r".*(?:Array Configuration Utility|Storage Administrator) CLI\s+\d",
            # SSACLI Version: 4.21.7.0 2019-11-19
            r"(?i:(?:acu|ssa) cli|hpacucli|hpssacli|ssacli) Version:\s*\d",
            _MISSING,
            _CALL,
        ),
    ),
    # /dev/cciss/c0d0: (Smart Array P800) RAID 0 Volume 0 status: OK.
    Signature(
        "cciss_vol_status -V DEVICE",
        (
            r"/dev/[\w/?]{1,40}: \([^()]{1,40}\) (?:\(Unknown )?RAID .{1,60}? Volume \d{1,4}(?:\(\?\))? status:",
            r"/dev/[\w/?]{1,40}: \([^()]{1,40}\) Enclosure .{1,120}?, Physical Port .{1,4} status:",
            r"/dev/[\w/?]{1,40}\([^():]{1,40}:\d{1,3}\): Non-Volatile Cache status:",
            r"(?:b\d+t\d+ +)?connector \S\S box \S{1,3} bay \S{1,3} +\S",
            r"Controller: (?:HP |Smart |MSA)\S.{0,40}$",
        ),
        ("running firmware", "rom firmware", "cache configured", "total cache memory", "write cache memory"),
        kind=status_reader.KIND,
    ),
    # cciss0: HP Smart Array 5i Controller
    Signature(
        "cat /proc/driver/cciss/cciss0",
        (
            r"cciss\d{1,3}: +(?:HP|Compaq) \S.{0,80} Controller$",
            r"cciss/c\d{1,3}d\d{1,4}: +(?:[\d.]+GB|blksz=\d)",
        ),
        ("current q depth", "max q depth since init", "max sg entries since init"),
        kind=proc_reader.KIND,
    ),
    Signature(
        _LIST,
        (r"Available options are", _ERROR),
        confidence=Confidence.LIKELY,
    ),
)  # fmt: skip
_TEXT = Recogniser(KIND, _SIGNATURES, tool=_TOOL)


def sniff(name: str, text: str) -> Sniffed | None:
    """The claim on an output, None if it comes from another tool. The name is only a hint."""
    found = _TEXT.sniff(name, text)
    if found is None or found.kind != KIND:
        return found
    return replace(found, command=f"{tool_of_command(name) or 'ssacli'} {found.command}")
