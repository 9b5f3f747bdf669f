"""Recognise a loose text by its content.

Most texts of a support archive are none of ours: a sign's expression is sought only where the words that it cannot do
without stand in the text.
"""

from __future__ import annotations

import re

from raidctl.vendor.protocol import Sniffed

_LOOK_AT = 60_000
_EARLY = 4_000
_MDSTAT, _DETAIL, _EXAMINE = "cat /proc/mdstat", "mdadm --detail /dev/mdX", "mdadm --examine /dev/sdX"

# words of which one must be there, pattern, confidence, the command that prints such a text
_SIGNS: tuple[tuple[tuple[str, ...], re.Pattern[str], int, str], ...] = tuple(
    (words, re.compile(pattern, re.MULTILINE | re.ASCII), confidence, command)
    for words, pattern, confidence, command in (
        (("Personalities",), r"^\s{0,20}Personalities ?:(?=\s|$)", 95, _MDSTAT),
        (
            (": active", ": inactive", ": broken"),
            r"^\s{0,20}md[\w.-]{1,60}\s?: (?:(?:in)?active|broken)[ (].{0,60}?\w\[\d+\]",
            90,
            _MDSTAT,
        ),
        (("unused devices",), r"^\s{0,20}unused devices ?:", 90, _MDSTAT),
        (("Magic : ",), r"^[ \t]{0,20}Magic : (?:a92b4efc|Intel Raid ISM|de11de11)", 95, _EXAMINE),
        ((" Magic : ",), r"^[ \t]{0,20}(?:MBR Magic : [0-9a-f]{4}|GPT Magic : [0-9a-f]{16})\s*$", 90, _EXAMINE),
        (("Device Role : ",), r"^[ \t]{0,20}Device Role : (?:Active|Replacement|spare|Journal)", 85, _EXAMINE),
        (("Raid Level : ",), r"^[ \t]{0,20}Raid Level : (?:raid\d+|linear|container|multipath)\s*$", 85, _DETAIL),
        (("Superblock is ",), r"^[ \t]{0,20}Persistence : Superblock is (?:not )?persistent", 85, _DETAIL),
        (("RaidDevice",), r"^[ \t]{0,20}Number   ?Major   ?Minor   ?RaidDevice", 85, _DETAIL),
        (("MD_UUID=",), r"^MD_UUID=\w{8}:", 95, "mdadm --detail --export /dev/mdX"),
        (("MD_",), r"^(?:MD_LEVEL|MD_METADATA|MD_DEVICES|MD_FIRMWARE_TYPE)=\w", 85, "mdadm --detail --export /dev/mdX"),
        (
            ("ARRAY ",),
            r"^(?:INACTIVE-)?ARRAY (?:/dev/\S+ |metadata=\w).*UUID=\w{8}:",
            90,
            "mdadm --detail --scan",
        ),
        (
            ("Use mdadm --",),
            r"^/dev/\S+: .{1,60}Use mdadm --(?:detail|examine) for more detail\.",
            95,
            "mdadm --query /dev/mdX",
        ),
        (("Platform : Intel",), r"^[ \t]{0,20}Platform : Intel\(R\)", 90, "mdadm --detail-platform"),
        (
            (": 6d746962",),
            r"^[ \t]{0,20}Filename : /dev/\S+\s*\n[ \t]{0,20}Magic : 6d746962",
            95,
            "mdadm --examine-bitmap /dev/sdX",
        ),
        (
            ("ad-blocks ",),
            r"^(?:Bad-blocks (?:on /dev/\S+:|list is empty in /dev/\S+)|No bad-blocks list configured on /dev/\S+)\s*$",
            90,
            "mdadm --examine-badblocks /dev/sdX",
        ),
        (("mdadm: ",), r"^mdadm: ", 80, _DETAIL),
        (("raid_disks: ",), r"^level: (?:raid\d+|linear)?\s*\nraid_disks: ", 80, "/sys/block/mdX/md"),
    )
)


def sniff(_name: str, text: str) -> Sniffed | None:
    """Whether a text is an output of mdadm's, or /proc/mdstat; what its first lines look like decides its command.

    A sign further down counts less: a mail or a log may quote one.
    """
    start = text[:_LOOK_AT]
    found: list[tuple[int, int, str]] = []
    for words, pattern, confidence, command in _SIGNS:
        match = pattern.search(start) if any(word in start for word in words) else None
        if match:
            found.append((match.start(), confidence if match.start() < _EARLY else confidence - 30, command))
    if not found:
        return None
    best = max(confidence for _, confidence, _ in found)
    _, _, command = min(found)
    if "--detail --export" in command and re.search(r"^MD_(?:DEV_UUID|EVENTS)=", start, re.MULTILINE):
        command = "mdadm --examine --export /dev/sdX"
    kind = "sysfs" if command.startswith("/sys") else "md"
    return Sniffed(kind, best, command)
