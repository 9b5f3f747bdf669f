"""What a line of MegaCli's output is: heading, rule, command or pair."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from raidctl.evidence import Line
from raidctl.text import regex
from raidctl.vendor.draft import Pair
from raidctl.vendor.forms import Forms, first_form, forms
from raidctl_megaraid.vocabulary import normalized

Kind = Literal[
    "adapter", "controller", "volume", "drive", "hotspare", "group", "span", "span_of_volume", "battery", "enclosure",
    "event", "foreign", "summary", "section", "missing",
]  # fmt: skip

LONGEST_LINE = 4096
"""Characters; the tool's lines are below 300."""
_LABEL = 90
_BROKEN = 60
"""Least length of a line that a mailer may have broken. The break is inside a sentence."""
RULE = regex(r"[=\-_*]{3,}")
EXIT = regex(r"Exit Code\s*:\s*(0x[0-9a-f]{1,8}|\d{1,5})\.?", re.IGNORECASE | re.ASCII)
# MegaCLI SAS RAID Management Tool  Ver 8.07.14 Dec 16, 2013
VERSION = regex(r"MegaCLI SAS RAID Management Tool\s+Ver(?:sion)?\s+(\d[\w.\-]{0,40})", re.IGNORECASE)
COPYRIGHT = regex(r"\(c\)\s*Copyright\b.{0,100}", re.IGNORECASE)
# root@host:~# /opt/MegaRAID/MegaCli/MegaCli64 -LDInfo -Lall -a0 -NoLog
COMMAND = regex(
    r"(?:^|[\s/#$>\"'`(])(?:megacli(?:64)?|megasascli|cmdtool2(?:64)?)(?:\.exe)?[\"']?\s+"
    r"(?:-{1,2}[a-z]|(?:adp|ld|pd|cfg|enc|show|dpm|getp)[a-z]*\b)",
    re.IGNORECASE,
)
_ADAPTER_OPTION = regex(r"(?:^|\s)-?a(\d{1,3})\b", re.IGNORECASE | re.ASCII)


class Heading(Struct, frozen=True):
    """A line that opens something."""

    kind: Kind
    name: str = ""
    """Number or title as printed."""
    adapter: str | None = None
    target: str | None = None
    """Of a virtual drive: its SCSI target."""
    rest: str = ""
    """Further contents of the line."""


_N = r"(\d{1,5})"
_TARGET = rf"(?:\(\s*Target Id\s*:\s*(?P<target>{_N})\s*\))?"
_FORMS: Forms[Kind] = forms(
    # Adapter #0
    ("adapter", "#", rf"(?:Adapter|Controller)\s*#\s*(?P<adapter>{_N})\s*:?"),
    # Adapter 0:        of -AdpGetTime
    ("adapter", "adapter", rf"Adapter\s+(?P<adapter>{_N})\s*:"),
    # Adapter: 0
    ("controller", ":", rf"(?:Adapter|Controller)\s*:\s*(?P<adapter>{_N})"),
    # Adapter 0 -- Virtual Drive Information:
    ("adapter", "virtual", rf"Adapter\s+(?P<adapter>{_N})\s*--?\s*Virtual (?:Drive|Disk) Information\s*:?"),
    # PCI information for Controller 0
    ("section", "pci ", rf"(?P<name>PCI) information for (?:Controller|Adapter)\s*:?\s*(?P<adapter>{_N})\s*:?"),
    # Adapter 0: Patrol Read Information:
    ("section", "patrol read", rf"Adapter\s+(?P<adapter>{_N})\s*:\s*(?P<name>Patrol Read) Information\s*:?"),
    # Number of enclosures on adapter 0 -- 1
    ("adapter", "number", rf"Number of enclosures on adapter\s*(?P<adapter>{_N})\s*--\s*(?P<rest>\d{{1,5}})"),
    # BBU status for Adapter: 0
    # BBU Capacity Info for Adapter: 0
    ("battery", "bbu ", rf"BBU (?P<name>[A-Za-z ]{{1,40}}?) for Adapter\s*:?\s*(?P<adapter>{_N})\s*:?"),
    # Adapter 0 - Missing Physical drives
    ("missing", "missing", rf"Adapter\s+(?P<adapter>{_N})\s*-+\s*Missing Physical drives\s*:?"),
    # DISK GROUP: 0        DISK GROUPS: 0
    ("group", "disk group", rf"DISK GROUPS?\s*:\s*(?P<name>{_N})"),
    # SPAN: 0
    ("span", "span", rf"SPAN\s*:\s*(?P<name>{_N})"),
    # Span: 0 - Number of PDs: 2
    ("span_of_volume", "span", rf"Span\s*:\s*(?P<name>{_N})\s*-+\s*(?P<rest>Number of PDs\s*:\s*\d{{1,5}})"),
    # Virtual Drive: 0 (Target Id: 0)        Virtual Disk: 0 (target id: 0)
    # CacheCade Virtual Drive: 1 (Target Id: 1)
    ("volume", "virtual d", rf"(?P<rest>CacheCade\s+)?Virtual (?:Drive|Disk)\s*:\s*(?P<name>{_N})\s*{_TARGET}"),
    # PD: 0 Information        Physical Disk: 0
    ("drive", "pd", rf"PD\s*:\s*(?P<name>{_N})\s+Information\s*:?"),
    ("drive", "physical d", rf"Physical (?:Disk|Drive)\s*:\s*(?P<name>{_N})"),
    # Dedicated Hotspare: 0
    ("hotspare", "spare", rf"(?P<rest>Dedicated |Global )?Hot\s?spare\s*:\s*(?P<name>{_N})"),
    # Enclosure 0:
    ("enclosure", "enclosure", rf"Enclosure\s+(?P<name>{_N})\s*:"),
    # Foreign configuration 0
    ("foreign", "foreign config", rf"Foreign Config(?:uration)?\s*[#:]?\s*(?P<name>{_N})\s*:?"),
    # seqNum: 0x00002a10
    ("event", "seqnum", r"seqNum\s*:\s*(?P<name>0x[0-9a-f]{1,8}|\d{1,10})"),
    flags=re.IGNORECASE | re.ASCII,
)
# Physical Disk Information:
TITLES = regex(
    r"(?:Virtual (?:Drive|Disk)|Physical (?:Disk|Drive)|(?:Dedicated |Global )?Hot\s?spares?|BBU) Information\s*:?"
    r"|Exit Code\s*:?|Adapter Information\s*:?|Done\.?",
    re.IGNORECASE,
)
SUMMARY_START = frozenset({"System", "Hardware", "Storage"})
SUMMARY_PARTS = frozenset(
    {
        "System", "Hardware", "Controller", "BBU", "Enclosure", "PD", "Storage", "Virtual Drives", "CacheVault",
        "Foreign Drives", "Unconfigured Drives", "Virtual Drive",
    }
)  # fmt: skip
SECTIONS = frozenset(
    {
        "Versions", "Mfg. Data", "Image Versions in Flash", "Pending Images in Flash", "PCI Info", "HW Configuration",
        "Settings", "Capabilities", "Status", "Limitations", "Device Present", "Supported Adapter Operations",
        "Supported VD Operations", "Supported PD Operations", "Error Counters", "Cluster Information",
        "Default Settings", "Current Settings", "Allowed Mixing",
    }
)  # fmt: skip
"""Titles of ``-AdpAllInfo``."""


_OPERATION = (
    r"(?:Check Consistency|Consistency Check|Background Initialization|Initialization|Reconstruction|Rebuild|Copyback|"
    r"Clear|Erase|Secure Erase|Patrol Read)"
)
SENTENCE = regex(
    # Adapter 0: Rebuild Rate = 30%        Adapter: 0: EnclId-8 SlotId-3 state changed to OffLine.
    # Adapter 0-VD 0(target id: 0): Cache Policy:WriteBack, ReadAdaptive, Direct, No Write Cache if bad BBU
    rf"Adapter\s*:?\s*\d{{1,3}}\s*[:-]\s*\S"
    # Virtual Drive(Target ID 06): Missing.
    r"|Virtual (?:Drive|Disk)\s*\(\s*Target"
    # Rebuild Progress on Device at Enclosure 8, Slot 3 Completed 27% in 64 Minutes.
    rf"|{_OPERATION}\s+(?:Progress\s+)?on\s+(?:VD|Virtual|Device)"
    # Number of Virtual Drives Configured on Adapter 0: 1
    r"|Number of (?:Virtual|Physical) (?:Drives|Disks)(?: Configured)? on Adapter"
    r"|FW error description|Controller Count\b|(?:Fatal )?error\b|Device\s*(?:\(Encl|at Enclosure)|Device\s*- "
    r"|EnclId\s*-"
    r"|There (?:is|are) |User specified|Failed to |Invalid (?!Dword)|No (?:Virtual|Physical|Foreign|Missing|Adapter)",
    re.IGNORECASE | re.ASCII,
)
"""Beginnings of lines that are sentences of the tool. Some contain a colon."""
_BEGINNINGS = regex(
    # headings and titles
    r"adapter|controller|pci|number of|bbu|disk group|span|virtual d|cachecade|pd\s*:|physical d|dedicated|global"
    r"|hot\s?spare|enclosure\s+\d|foreign config|seqnum|exit code|done"
    # sentences
    r"|check|consistency|background|initialization|reconstruction|rebuild|copyback|clear|erase|secure|patrol"
    r"|fw error|fatal|error|device\s*(?:\(|at |- )|enclid|there |user|failed|invalid(?! dword)|no "
)


@lru_cache(maxsize=4096)
def ordinary(text: str) -> bool:
    """Whether a line begins as only pairs do. Headings, sentences, command lines and banners do not.

    Drives repeat most of their lines.
    """
    low = text.lower()
    return not (_BEGINNINGS.match(low) or "mega" in low or "cmdtool" in low or "copyright" in low)


def heading(text: str) -> Heading | None:
    """What a line opens, None if it opens nothing."""
    low = text.lower()
    match = first_form(_FORMS, text, low) if len(text) <= _LABEL else None
    if match is None:
        return None
    found = {key: (value or "").strip() for key, value in match[1].groupdict().items()}
    return Heading(
        match[0],
        _number(found.get("name", "")),
        _number(found["adapter"]) if found.get("adapter") else None,
        _number(found["target"]) if found.get("target") else None,
        found.get("rest", ""),
    )


def _number(text: str) -> str:
    """``00`` and ``0`` are one number."""
    return str(int(text)) if text.isdecimal() and text.isascii() else text


@lru_cache(maxsize=4096)
def split(text: str) -> tuple[str, str] | None:
    """Label and value of ``Name :Virtual Disk 0``, ``Max Error = 0 %``; None if it is not a pair."""
    cut = text.find(":")
    equal = text.find(" = ")
    if equal != -1 and (cut == -1 or equal < cut):
        cut, width = equal, 3
    else:
        width = 1
    label = text[:cut].strip() if cut != -1 else ""
    if not label or len(label) > _LABEL or not (label[0].isalpha() or any(c.isalpha() for c in label)):
        return None
    return label, text[cut + width :].strip()


# Default Cache Policy: WriteBack, ReadAdaptive, Direct, No Write Cache if        Bad BBU
_POLICY_END = regex(r"(?:[a-z]+, ?)*(?:no )?(?:write )?(?:cache )?(?:ok )?(?:if )?(?:bad )?bbu\.?", re.IGNORECASE)
# RAID Level          : Primary-1, Secondary-0, RAID Level        Qualifier-0
_LEVEL_END = regex(r"(?:secondary-\d{1,2}, ?)?(?:raid )?(?:level )?qualifier-\d{1,2}", re.IGNORECASE)


def glue(above: str, text: str) -> str:
    """The separator of two lines of one value. A line that a mailer broke gets a blank, any other ``; ``."""
    return " " if len(above) >= _BROKEN and (above.endswith(",") or text[:1].islower()) else "; "


def wrapped(label: str, value: str, text: str) -> bool:
    """Whether the next line is the wrapped end of a volume's value."""
    key, printed = normalized(label), normalized(value)
    if key.endswith("cache policy"):
        return not printed.rstrip(".").endswith("bbu") and _POLICY_END.fullmatch(text) is not None
    return key == "raid level" and "qualifier" not in printed and _LEVEL_END.fullmatch(text) is not None


def adapter_of_command(text: str) -> str | None:
    """The controller in ``MegaCli64 -LDInfo -Lall -a0 -NoLog``. None for ``-aALL`` and for no command line."""
    if len(text) > LONGEST_LINE or COMMAND.search(text) is None:
        return None
    found = _ADAPTER_OPTION.findall(text)
    return _number(found[0]) if len(found) == 1 else None


LONGEST_RUN = 60
"""Most lines of one value."""


def append(pair: Pair, text: str, line: Line, between: str) -> bool:
    """Append a line to a value that runs on. False if it is too long."""
    if len(pair.lines) >= LONGEST_RUN:
        return False
    pair.value = f"{pair.value}{between}{text}"
    pair.lines.append(line)
    return True
