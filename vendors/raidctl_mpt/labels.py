"""The labels of the tools' sections, in lower case. Each label leads to its field, or to the function that reads it.

Labels in none of these tables are details.
"""

from __future__ import annotations

from raidctl.evidence import mark_read
from raidctl.vendor.draft import DETAIL, ROW, Draft, GroupDraft, Pair
from raidctl.vendor.fields import Field, Fields
from raidctl.vendor.statuses import put_raid_level, put_status
from raidctl_mpt import vocabulary
from raidctl_mpt.draft import ControllerDraft

ADDRESS = ("segment", "bus", "device", "function")
"""Decimal numbers that make the PCI address."""


def _support(controller: ControllerDraft, pair: Pair) -> None:
    mode = {"yes": "raid", "no": "hba"}.get(pair.value.lower())
    if mode is not None:
        controller.put(pair.lines[0], "mode", mode)
    controller.keep_detail(pair)


def _address(controller: ControllerDraft, pair: Pair) -> None:
    controller.keep_detail(pair)
    if pair.value.isdecimal() and len(pair.value) < 6:
        controller.conclude(pair.label.lower(), int(pair.value))


def _volume_state(volume: GroupDraft, pair: Pair) -> None:
    if not vocabulary.has_value(pair.value):
        volume.keep_detail(pair)
        return
    found = vocabulary.volume_state(pair.value)
    if found in ("failed", "offline") and volume.get("status") == "inactive":
        volume.discard("status", "status_text")  # worse than that it is disabled
    put_status(volume, pair.lines, "volume", found, text=pair.value)


def _volume_status(volume: GroupDraft, pair: Pair) -> None:
    # Volume status : Enabled
    volume.keep_detail(pair)
    if pair.value.lower() == "disabled":
        put_status(volume, pair.lines, "volume", "inactive", text=pair.value)
    elif pair.value.lower() != "enabled" and vocabulary.has_value(pair.value):
        volume.unread(pair.label, pair.value)


def _level(volume: GroupDraft, pair: Pair) -> None:
    put_raid_level(volume, pair, vocabulary.raid_level(pair.value), empty=not vocabulary.has_value(pair.value))


def _operation(volume: GroupDraft, pair: Pair) -> None:
    found = vocabulary.operation(pair.value)
    volume.conclude("operation", found, DETAIL)
    volume.keep_detail(pair)
    if found == "unknown":
        volume.unread(pair.label, pair.value)


def _quiesced(volume: GroupDraft, pair: Pair) -> None:
    volume.keep_detail(pair)
    if vocabulary.has_value(pair.value) and pair.value.lower() != "not quiesced":
        message = f"Reads and writes of the volume's drives are stopped: {pair.label}: {pair.value}."
        volume.add_problem("warning", "state", message, "Read the controller's log; restart it if this persists.")


def _drive_state(drive: Draft, pair: Pair) -> None:
    found = vocabulary.drive_state(pair.value)
    if found is None and not vocabulary.has_value(pair.value):
        drive.keep_detail(pair)
        return
    status, role = found or (None, None)
    put_status(drive, pair.lines, "drive", status, text=pair.value)
    if role is not None:
        drive.put(pair.lines[0], "role", role)


def _kind(drive: Draft, pair: Pair) -> None:
    interface, media = vocabulary.KINDS.get(pair.value.lower(), (None, None))
    if interface is None:
        drive.keep_detail(pair)
        return
    drive.put(pair.lines[0], "interface", interface)
    if media is not None:
        drive.put(pair.lines[0], "media", media)


def _heading(draft: Draft, pair: Pair) -> None:  # noqa: ARG001 - the signature of all rows
    mark_read(*pair.lines)


CONTROLLER: Fields[ControllerDraft] = {
    # Controller type                         : SAS2308_2
    "controller type": Field("model", vocabulary.text),
    # Firmware version                        : 20.00.02.00
    "firmware version": Field("firmware", vocabulary.text),
    # Slot                                    : Unknown
    "slot": Field("slot", vocabulary.text),
    # RAID Support                            : Yes
    "raid support": _support,
    # Bus                                     : 8
    **dict.fromkeys(ADDRESS, _address),
}
VOLUME: Fields[GroupDraft] = {
    # Status of volume                        : Inactive, Okay (OKY)
    # Volume state                            : Degraded
    **dict.fromkeys(("status of volume", "volume state"), _volume_state),
    "volume status": _volume_status,
    # Volume wwid                             : 04f9d0fa34f56e84
    "volume wwid": Field("unique_id", vocabulary.wwn),
    # RAID level                              : RAID10
    "raid level": _level,
    # Size (in MB)                            : 1714706
    "size (in mb)": Field("size_bytes", vocabulary.mebibytes),
    # Physical hard disks                     :
    "physical hard disks": _heading,
    # Current operation                       : Synchronize
    "current operation": _operation,
    # Percentage complete                     : 2.93%
    "percentage complete": Field("progress.percent", vocabulary.percent),
    # Physical disk I/Os                      : Not quiesced
    "physical disk i/os": _quiesced,
}
DRIVE: Fields[Draft] = {
    # Enclosure #                             : 1
    "enclosure #": Field("enclosure", vocabulary.text),
    "slot #": Field("bay", vocabulary.text),
    # State                                   : Optimal (OPT)
    "state": _drive_state,
    # Size (in MB)/(in sectors)               : 858483/1758174767
    "size (in mb)/(in sectors)": Field("size_bytes", vocabulary.drive_size),
    # Model Number                            : ST9900805SS
    "model number": Field("model", vocabulary.text),
    "firmware revision": Field("firmware", vocabulary.text),
    # Serial No                               : 6XS1TK8W0000B2289SU2
    "serial no": Field("serial", vocabulary.text),
    # Unit Serial No(VPD)                     : BNA7N5994ICB47T3V
    "unit serial no(vpd)": Field("serial", vocabulary.text, ROW, keep=True),
    # GUID                                    : 5000c5004815378b
    "guid": Field("wwn", vocabulary.wwn),
    # Drive Type                              : SAS_HDD
    **dict.fromkeys(("protocol", "drive type"), _kind),
}
