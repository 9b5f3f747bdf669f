"""The signatures of the outputs of mvcli and mnv_cli."""

from __future__ import annotations

from raidctl.vendor.protocol import Confidence
from raidctl.vendor.recognise import Recogniser, Signature
from raidctl_marvell.collect import KIND

_SIGNATURES = (
    Signature(
        "mvcli info -o hba",
        # HBA info image health:               Error
        (r"(?:HBA info|Autoload) image health *:",),
        (
            "boot loader version", "supported raid mode", "maximum disk in one vd", "maximum supported vd",
            "max total blocks", "stripe size supported", "image health", "current pcie link", "sub product",
        ),
    ),
    Signature(
        "mvcli info -o vd",
        # Total # of VD:       1
        (r"Total # of VD *:",),
        (
            "bga status", "pd raid setup", "# of pds", "bga progress", "vd id", "importable", "stripe block size",
            "vd is secure", "pd count", "raid mode",
        ),
    ),
    Signature(
        "mvcli info -o pd",
        # Total # of PD:       2
        (r"Total # of PD *:", r"SSD backend RC/Slot ID *:"),
        (
            "pd id", "linked at", "48 bits lba", "locate led status", "pd status", "associated vds", "pd valid size",
            "ssd backend namespace id", "running os",
        ),
    ),
    # Block Information
    Signature("mvcli info -o blk", own_labels=("block id", "block status", "starting offset")),
    # ID      Attribute Name          Current Worst   Threshhold      RawValue
    Signature("mvcli smart -p 0", (r"ID +Attribute Name +Current Worst +Threshhold\b", r"SMART STATUS RETURN *:")),
    # Current AdapterID:0
    Signature("mvcli event", (r"Current AdapterID *:",)),
    # SG driver version 3.5.36.       CLI Version: 4.1.13.31   RaidAPI Version: 5.0.13.1071
    Signature(
        "mvcli info -o vd",
        (r"SG driver version \d", r"CLI Version: \S+ +RaidAPI Version\b", r"Wait for SG driver ready"),
        confidence=Confidence.LIKELY,
    ),
)  # fmt: skip

sniff = Recogniser(KIND, _SIGNATURES, tool=r"\b(?:mvcli|mnv_?cli)\b").sniff
