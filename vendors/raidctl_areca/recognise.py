"""The signatures of the outputs of Areca's tool."""

from __future__ import annotations

from raidctl.vendor.protocol import Confidence
from raidctl.vendor.recognise import Recogniser, Signature
from raidctl_areca.collect import KIND

# rows begin with a number, headings do not: \D keeps the search for a later word away from the rows
_SIGNATURES = (
    # Ch  ModelName                       Serial#          FirmRev     Capacity  State
    #  # Enc# Slot#   ModelName                        Capacity  Usage
    #   ModelName        Serial#          FirmRev     Capacity  State
    Signature("cli64 disk info", (r"(?:# *)?(?:(?:IDE)?Ch|Enc)\b.* ModelName\b", r"# +ModelName +Serial#")),
    #  #  Name             Disks TotalCap  FreeCap DiskChannels       State
    Signature("cli64 rsf info", (r"\D.* TotalCap +FreeCap\b",)),
    #  # Name             Raid Name       Level   Capacity Ch/Id/Lun  State
    Signature("cli64 vsf info", (r"\D.* Level .*\bCh/Id/Lun\b",)),
    # Date-Time            Device           Event Type            Elapsed Time Errors
    Signature("cli64 event info", (r"Date-? ?Time +Device\b",), confidence=Confidence.LIKELY),
    #  S  Name       Type             Interface
    # Controller#01(PCI): ARC-1210
    Signature("cli64 main", (r"S +Name +Type +Interface$", r"Controller#\d{1,2}\([^()]*\) *: *\S")),
    Signature("cli64 main", ("Areca CLI, Version",)),
    Signature(
        "cli64 hw info",
        ("The Hardware Monitor Information",),
        confidence=Confidence.LIKELY,
    ),
    Signature(
        "cli64 sys showcfg",
        ("The Advanced Feature Information", "The HDD Power Management Information"),
        (
            "disk write cache mode", "buffer threshold", "hdd read ahead cache", "jbod/raid configuration",
            "background task priority",
        ),
        confidence=Confidence.LIKELY,
    ),
    Signature("cli64 sys showcfg", (r"(?:The )?System Configuration$",), confidence=None),
    Signature(
        "cli64 sys info", (r"(?:The )?System Information$",), ("boot rom version", "main processor"), confidence=None
    ),
    Signature("cli64 hw info", (r"Hardware Monitor Information$",), confidence=None),
    Signature(
        "cli64 disk info drv=N",
        (r"(?:The )?Drive Information$",),
        ("device location", "ide channel", "firmware rev.", "timeout count"),
        confidence=None,
    ),
    Signature(
        "cli64 vsf info vol=N",
        (r"(?:The )?Volume ?Set Information$",),
        ("volume set name", "scsi ch/id/lun"),
        confidence=None,
    ),
    Signature(
        "cli64 rsf info raid=N",
        (r"(?:The )?Raid ?Set Information$",),
        ("raid set state", "total raw capacity"),
        confidence=None,
    ),
    # Controller Name    : ARC-1680
    Signature("cli64 sys info", (r"Controller Name *: ARC-\d",)),
    # GuiErrMsg<0x00>: Success.        the last line of each output
    Signature("cli64 sys info", ("GuiErrMsg<",)),
)  # fmt: skip

sniff = Recogniser(KIND, _SIGNATURES).sniff
