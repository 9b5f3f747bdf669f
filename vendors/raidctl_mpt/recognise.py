"""The signatures of the outputs of sas2ircu and sas3ircu."""

from __future__ import annotations

from raidctl.vendor.protocol import Confidence
from raidctl.vendor.recognise import Recogniser, Signature
from raidctl_mpt.collect import KIND

_DISPLAY, _STATUS, _LIST = "sas3ircu 0 DISPLAY", "sas3ircu 0 STATUS", "sas3ircu LIST"
_SIGNATURES = (
    Signature(
        _DISPLAY,
        (
            # Read configuration has been initiated for controller 0
            r"Read configuration has been initiated for controller \d",
            # PHY[0] Enclosure#/Slot#                 : 1:0
            r"PHY\[\d+\] Enclosure#/Slot# *:",
            # Size (in MB)/(in sectors)               : 858483/1758174767
            r"Size \(in MB\)/\(in sectors\) *:",
        ),
        (
            "channel description",
            "initiator id",
            "maximum physical devices",
            "concurrent commands supported",
            "raid support",
            "status of volume",
            "volume wwid",
            "enclosure #",
            "slot #",
            "numslots",
            "startslot",
        ),
    ),
    Signature(
        _STATUS,
        # Background command progress status for controller 0...
        (r"Background command progress status for controller \d",),
        ("current operation", "physical disk i/os", "volume state", "number of remaining sectors"),
    ),
    # Index    Type          ID      ID    Pci Address          Ven ID  Dev ID
    Signature(_LIST, (r"Index +Type +ID +ID +Pci Address\b",)),
    # LSI Corporation SAS2 IR Configuration Utility.
    # SAS2IRCU: Utility Completed Successfully.
    Signature(_LIST, (r".{0,40}\bSAS[23] IR Configuration Utility", r"SAS[23]IRCU: \S"), confidence=Confidence.SURE),
)

sniff = Recogniser(KIND, _SIGNATURES, tool=r"\bsas[23]ircu").sniff
