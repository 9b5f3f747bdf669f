"""The signatures of the outputs of hdparm, sdparm, nvme and smartctl."""

from __future__ import annotations

from raidctl.text import regex
from raidctl.vendor.protocol import Confidence, Sniffed
from raidctl.vendor.recognise import Recogniser, Signature, surest
from raidctl_drives.smart.recognise import sniff_smartctl

_ERRNO = (
    r"(?:No such file or directory|Operation not permitted|Permission denied|No such device|No medium found"
    r"|Input/output error|No such device or address)"
)
_SETTINGS = (
    r"write-caching|look-ahead|APM_level|max sectors|IO_support|readahead|geometry|multcount|acoustic"
    r"|write-read-verify|queue_depth|unmaskirq|using_dma|wdidle3|drive state is:|drive temperature \(celsius\) is"
)
_HDPARM = (
    Signature(
        "hdparm -I",
        (
            # ATA device, with non-removable media
            r"(?:ATA device|ATAPI .*), with (?:non-)?removable media",
            r"CompactFlash ATA device",
            # Enabled Supported:
            r"Enabled\s+Supported:$",
        ),
    ),
    Signature(
        "hdparm -I",
        (r"LBA(?:48)? +user addressable sectors:", r"Nominal Media Rotation Rate:"),
        confidence=Confidence.LIKELY,
    ),
    Signature("hdparm -i", (r"Model=.*, ?FwRev=.*, ?SerialNo=",)),
    Signature("hdparm --dco-identify", (r"DCO (?:Revision: 0x|Checksum (?:verified|FAILED))",)),
    Signature("hdparm --sanitize-status", (r"(?:Issuing SANITIZE_STATUS command|Sanitize status:)$",)),
    #  Timing buffered disk reads: 512 MB in  3.00 seconds = 170.66 MB/sec
    Signature("hdparm -tT", (r"Timing (?:O_DIRECT )?(?:cached|buffered|disk).* = +[\d.]+ [kM]B/sec",)),
    Signature(
        "hdparm",
        (
            #  write-caching =  1 (on)
            rf"(?:{_SETTINGS})\s*(?:[=:]\s*\S|not supported)",
            r"setting (?:drive write-caching|Advanced Power Management|standby|fs readahead)",
        ),
    ),
    Signature(
        "hdparm",
        (
            r"(?:HDIO_\w*.*|BLK[A-Z]+|(?:READ|GET)_NATIVE_MAX_ADDRESS\w*|SET_(?:ACCESSIBLE_)?MAX_ADDRESS.*) failed: ",
            r"SG_IO: (?:bad|missing|questionable|ATA_)",
        ),
        confidence=Confidence.LIKELY,
    ),
    # /dev/sdq: No such file or directory        several tools print it
    # /dev/nvme0n1:        all that hdparm -W prints about a drive that is no ATA drive
    Signature(
        "hdparm", (rf"/dev/[a-z][\w/-]{{0,60}}:(?: {_ERRNO})?$",), confidence=Confidence.POSSIBLE, every_line=True
    ),
)  # fmt: skip
_SDPARM = (
    Signature(
        "sdparm --inquiry", (r"\S.* VPD page(?: \[0x[0-9a-f]+\])?:$", r"SCSI Feature sets:$", r"standard INQUIRY:")
    ),
    #   WCE           1  [cha: y, def:  1, sav:  1]
    Signature("sdparm --get", (r"(?:WCE|RCD|AWRE|ARRE|SWP)\s+[01]\s+\[\s?(?:cha|sav|def):",)),
    Signature("sdparm --get", (r"(?:WCE|RCD)\s+[01]$",), confidence=Confidence.LIKELY),
    Signature("sdparm --command=capacity", (r"block_length: \d+$",)),
    #     /dev/sda: ATA       LUMEN S480 DC     11.2
    Signature("sdparm", (r".* mode page(?: \[PS=[01]\])?:$",)),
    Signature(
        "sdparm",
        (r"/dev/\S+: .{8}  .{16}  \S.{0,3}\s*(?:\[\w.* ]*\])?$", r"open error: \S+ \[read (?:only|/write)\]: "),
    ),
)
_NVME = (
    Signature("nvme list -v -o json", json_keys=("SubsystemNQN", "Devices")),
    Signature("nvme list -o json", json_keys=("DevicePath", "SerialNumber")),
    Signature("nvme list -o json", json_keys=("DevicePath", "ModelNumber")),
    *(Signature("nvme id-ctrl -o json", json_keys=("cntlid", key)) for key in ("sn", "mn", "vid")),
    *(Signature("nvme id-ns -o json", json_keys=("nsze", key)) for key in ("lbafs", "flbas", "nlbaf")),
    *(
        Signature("nvme smart-log -o json", json_keys=("critical_warning", key))
        for key in ("avail_spare", "percent_used", "spare_thresh")
    ),
    Signature("nvme id-ctrl", (r"NVM[Ee] Identify Controller",)),
    Signature("nvme id-ns", (r"NVM[Ee] Identify Namespace",)),
    # nvme-subsys0 - NQN=nqn.2014.08.org.nvmexpress:...
    Signature("nvme list-subsys", (r"nvme-subsys\d+ - NQN=",)),
    Signature("nvme smart-log", (r"(?:Additional )?Smart Log for NVME device:",)),
    Signature(
        "nvme error-log", (r"(?:Error Log Entries|Firmware Log|Device Self Test Log) for (?:NVME )?device:",)
    ),
    # get-feature:0x06 (Volatile Write Cache), Current value:0x00000001
    Signature("nvme get-feature", (r"get-feature:\s*\S+ \(.*\), \w[\w ]* value:",)),
    Signature("nvme list", (r"Node\s+(?:Generic\s+)?SN(?:\s+Model(?:\s|$)|$)", r"Failed to scan topology: ")),
    Signature("nvme list -v", (r"Subsystem\s+Subsystem-NQN\s+Controllers",)),
    Signature("nvme ocp smart-add-log", (r"SMART Cloud Attributes",)),
    Signature("nvme", (r"Usage: nvme ",)),
    Signature(
        "nvme",
        (r"(?:[\w:() -]{1,80}: )?NVMe?(?:-MI)? [Ss]tatus\s*: ?", rf"Failed to open /dev/(?:nvme|ng)\d\w*: {_ERRNO}"),
        confidence=Confidence.LIKELY,
    ),
    Signature(
        "nvme", (rf"/dev/(?:nvme|ng)\d\w*: {_ERRNO}$",), confidence=Confidence.POSSIBLE, every_line=True
    ),
)  # fmt: skip
_TOOLS = (Recogniser("nvme", _NVME), Recogniser("hdparm", _HDPARM), Recogniser("sdparm", _SDPARM))
# {"feature: 0x06": {"name": "Volatile Write Cache"}}        the key contains the number
_FEATURE = regex(r'\s*\{\s*"feature: 0x')
_NO_DEVICES = regex(r'\s{0,99}\{\s{0,99}"Devices"\s{0,9}:\s{0,9}\[\s{0,99}\]\s{0,99}\}\s{0,99}')


def sniff(name: str, text: str) -> Sniffed | None:
    """The tool that printed an output, and the confidence. None for other tools."""
    if _NO_DEVICES.fullmatch(text[:1000]):
        return Sniffed("nvme", Confidence.LIKELY, "nvme list -o json")
    if _FEATURE.match(text[:1000]):
        return Sniffed("nvme", Confidence.SURE, "nvme get-feature -o json")
    tools = () if '"smartctl"' in text else _TOOLS
    return surest((sniff_smartctl(name, text), *(tool.sniff(name, text) for tool in tools)))
