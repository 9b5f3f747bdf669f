"""The signatures of mdadm's outputs and of the kernel's files about md."""

from __future__ import annotations

from raidctl.vendor.protocol import Confidence
from raidctl.vendor.recognise import Recogniser, Signature

_MDSTAT, _DETAIL, _EXAMINE = "cat /proc/mdstat", "mdadm --detail /dev/mdX", "mdadm --examine /dev/sdX"
_SIGNATURES = (
    Signature(
        _MDSTAT,
        (
            r"Personalities ?:(?:\s|$)",
            # md0 : active raid1 sdb1[1] sda1[0]
            r"md[\w.-]{1,60}\s?: (?:(?:in)?active|broken)[ (].{0,60}?\w\[\d+\]",
            r"unused devices ?:",
        ),
    ),
    # Filename : /dev/sdb1
    #    Magic : 6d746962
    Signature("mdadm --examine-bitmap /dev/sdX", (r"Magic : 6d746962",)),
    Signature(
        _EXAMINE,
        (
            r"Magic : (?:a92b4efc|Intel Raid ISM|de11de11)",
            r"(?:MBR Magic : [0-9a-f]{4}|GPT Magic : [0-9a-f]{16})$",
            r"Device Role : (?:Active|Replacement|spare|Journal)",
        ),
    ),
    Signature(
        _DETAIL,
        (
            r"Raid Level : (?:raid\d+|linear|container|multipath)$",
            r"Persistence : Superblock is (?:not )?persistent",
            r"Number   ?Major   ?Minor   ?RaidDevice",
        ),
    ),
    # its first label, alone where the output is cut off there:     Version : 1.2
    Signature(_DETAIL, (r"Version : (?:00?\.9\d(?:\.\d+)?|1\.[0-2]|imsm|ddf)$",), confidence=Confidence.LIKELY),
    Signature("mdadm --examine --export /dev/sdX", (r"MD_(?:DEV_UUID|EVENTS)=",)),
    Signature(
        "mdadm --detail --export /dev/mdX", (r"MD_UUID=\w{8}:", r"MD_(?:LEVEL|METADATA|DEVICES|FIRMWARE_TYPE)=\w")
    ),
    Signature("mdadm --detail --scan", (r"(?:INACTIVE-)?ARRAY (?:/dev/\S+ |metadata=\w).*UUID=\w{8}:",)),
    # /dev/md0: 931.51GiB raid1 2 devices, 0 spares. Use mdadm --detail for more detail.
    Signature("mdadm --query /dev/mdX", (r"/dev/\S+: .{1,60}Use mdadm --(?:detail|examine) for more detail\.",)),
    Signature("mdadm --detail-platform", (r"Platform : Intel\(R\)",)),
    Signature(
        "mdadm --examine-badblocks /dev/sdX",
        (r"(?:Bad-blocks (?:on /dev/\S+:|list is empty in /dev/\S+)|No bad-blocks list configured on /dev/\S+)$",),
    ),
    Signature(_DETAIL, (r"mdadm: ",)),
    Signature("/sys/block/mdX/md", (r"raid_disks: ",), kind="sysfs"),
)

sniff = Recogniser("md", _SIGNATURES).sniff
