"""The labels that MegaCli prints, by what they report. Other labels are details of the open block.

An unmistakable label begins a block if none is open, so fragments can be read.
"""

from __future__ import annotations

from typing import Literal

Owner = Literal["controller", "volume", "drive", "battery"]

LABELS: dict[Owner, frozenset[str]] = {
    "drive": frozenset(
        {
            "enclosure device id", "slot number", "drive's position", "drive's postion", "enclosure position",
            "device id", "wwn", "sequence number", "media error count", "other error count",
            "predictive failure count", "last predictive failure event seq number", "pd type", "raw size",
            "non coerced size", "coerced size", "logical sector size", "physical sector size",
            "firmware state", "commissioned spare", "emergency spare", "device firmware level", "shield counter",
            "successful diagnostics completion on", "sas address(0)", "sas address(1)", "connected port number",
            "inquiry data", "ibm fru/cru", "fde capable", "fde enable", "secured", "locked", "needs ekm attention",
            "foreign state", "foreign secure", "device speed", "media type", "drive temperature", "pi eligibility",
            "drive is formatted for pi information", "pi", "drive's write cache", "drive's ncq setting",
            "drive has flagged a s.m.a.r.t alert", "emulated drive", "drive", "port status", "port's linkspeed",
            "drive write cache",
        }
    ),
    "volume": frozenset(
        {
            "raid level", "parity size", "mirror data", "strip size", "stripe size", "number of drives",
            "number of drives per span", "span depth", "default cache policy", "current cache policy",
            "default access policy", "current access policy", "access policy", "disk cache policy",
            "encryption type", "bad blocks exist", "is vd cached", "is vd emulated", "cache cade type", "pi type",
            "ongoing progresses", "default power savings policy", "current power savings policy",
            "can spin up in 1 minute", "virtual drive type", "target id of the associated lds",
        }
    ),
    "battery": frozenset(
        {
            "batterytype", "battery type", "battery state", "bbu firmware status", "gasguagestatus", "issohgood",
            "relative state of charge", "absolute state of charge", "charging status", "learn cycle requested",
            "learn cycle active", "learn cycle status", "learn cycle timeout", "i2c errors detected",
            "battery pack missing", "battery replacement required", "remaining capacity low",
            "periodic learn required", "transparent learn", "charger status", "full charge capacity",
            "remaining capacity", "auto learn period", "next learn time", "learn delay interval", "auto-learn mode",
            "design capacity", "cycle count", "run time to empty", "average time to empty", "pack energy",
        }
    ),
    "controller": frozenset(
        {
            "product name", "serial no", "fw package build", "fw version", "bios version", "mfg. date", "rework date",
            "memory size", "sas address", "bus number", "cache flush interval", "number of disk groups",
            "number of virtual disks", "number of virtual drives", "patrol read mode", "operation mode",
            "newest seq num", "oldest seq num", "fw package version", "current size of fw cache", "bbu", "memory",
            "boot block version", "nvdata version", "webbios version", "ctrl-r version", "preboot cli version",
            "mpt version", "battery fru", "subvendorid", "subdeviceid", "roc temperature", "critical disks",
            "failed disks", "physical devices", "virtual drives",
        }
    ),
}  # fmt: skip

ONCE = frozenset(
    {
        "firmware state", "inquiry data", "media error count", "other error count", "predictive failure count",
        "raw size", "coerced size", "foreign state", "device firmware level", "raid level", "default cache policy",
        "current cache policy", "disk cache policy",
    }
)  # fmt: skip
"""Labels that a drive or a volume has once. A repeated one belongs to the next object, whose first lines are missing.
"""

PARTS = {
    "bbu firmware status": "BBU Firmware Status", "gasguagestatus": "GasGauge Status",
    "gasgaugestatus": "GasGauge Status", "ongoing progresses": "Ongoing Progresses",
    "ongoing progress": "Ongoing Progresses", "hotspare information": "Hotspare", "inquiry data": "Inquiry data",
    "bbu gasgauge status": "GasGauge Status",
}  # fmt: skip
"""Labels that open a part of a block, with its name. They have no value."""
AFTER_GAUGE = frozenset(
    {
        "relative state of charge", "charger system state", "charger system ctrl", "charging current", "max error",
        "absolute state of charge", "charger status", "remaining capacity", "full charge capacity", "issohgood",
        "battery state", "batterytype", "battery type", "pack energy", "capacitance", "remaining reserve space",
    }
)  # fmt: skip
"""The battery's own labels that are below the gauge's flags. Older versions print them there."""
SENSORS = frozenset({"voltage sensor", "power supply", "fan", "temp sensor", "chassis", "alarm", "sim module", "slot"})
"""Labels of ``-EncInfo`` that open a part: their value is its number."""

_OWNERS: dict[str, Owner] = {label: kind for kind, labels in LABELS.items() for label in labels}


def owner(label: str) -> Owner | None:
    """The kind of object that a label belongs to. None if it is in no table."""
    return _OWNERS.get(label)


NAMELESS = "?"
"""Name of a volume whose heading is missing or damaged."""
_DAMAGED = frozenset({"virtual drive", "virtual disk", "cachecade virtual drive"})


def lost_heading(label: str, kind: str) -> bool:
    """Whether a label is that of a volume's damaged heading, or shows in a block of this kind that it is missing.

    ``Virtual Drive: ? (Target Id: 1)`` is damaged. No drive and no disk group has a ``RAID Level``.
    """
    return label in _DAMAGED or (label == "raid level" and kind in ("drive", "group"))
