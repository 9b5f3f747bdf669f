"""Error messages of hdparm and their meaning for its remaining output."""

from __future__ import annotations

from raidctl.evidence import Line
from raidctl.text import regex
from raidctl.vendor.draft import Complaint
from raidctl_drives.draft import DriveDraft
from raidctl_drives.vocabulary import refused

# the model has no fields for these: settings of the kernel's old IDE driver and of its block layer
_OLD_REQUEST = regex(r"HDIO_(?:GET_(?!IDENTITY)|SET_)|BLKR[AO]\w*|BLKRRPART")
_FLUSHED = "(wait for flush complete)"
_NO_IOCTL = "Inappropriate ioctl for device"


def _name(draft: DriveDraft) -> str:
    return str(draft.get("device") or "The device")


def sense(draft: DriveDraft, line: Line, message: str) -> None:
    """``SG_IO: bad/missing sense data, sb[]: 70 00 05 00``: the drive rejected an ATA command."""
    draft.detail(line, "SG_IO", message)
    draft.mark(line, "sense")


def failed(draft: DriveDraft, line: Line, what: str, message: str) -> None:
    """``HDIO_DRIVE_CMD(identify) failed: Invalid argument``."""
    draft.detail(line, what, message or "failed")
    if _FLUSHED in what:
        # printed between the timings of every device that lacks a command for it
        return
    if message == _NO_IOCTL:
        draft.mark(line, "no_ata")
        return
    name = _name(draft)
    if _OLD_REQUEST.match(what):
        complaint = Complaint(
            "info",
            "note",
            f"{name} does not support one of hdparm's requests ({what}{': ' * bool(message)}{message}).",
            "None needed: newer kernels do not support it.",
        )
    elif message in ("Operation not permitted", "Permission denied"):
        complaint = refused("hdparm", name, message)
    else:
        complaint = Complaint(
            "warning",
            "unread",
            f"{name} rejected a request of hdparm: {what}{': ' * bool(message)}{message}.",
            "A controller or USB adapter may not pass ATA commands on: use the controller's tool, or smartctl.",
        )
    draft.complain(complaint)


def conclude(draft: DriveDraft) -> None:
    """Conclude what a device's complaints mean, at the end of its output."""
    name = _name(draft)
    known = set(draft.values) - {"device"}
    if draft.marked("no_ata"):
        timed = any("Timing" in label for label in draft.details)
        draft.complain(_no_ata(name, known=bool(known) or timed))
    elif draft.marked("ata") and not {"model", "serial", "firmware"} & known:
        draft.complain(_unanswered(name))
    elif draft.marked("sense") and not draft.complaints:
        draft.complain(_sense(name, draft.details["SG_IO"], known=bool(known)))


def _no_ata(name: str, *, known: bool) -> Complaint:
    return Complaint(
        "info" if known else "warning",
        "note" if known else "unread",
        f"{name} does not support ATA commands: hdparm can only measure its speed.",
        "Read its members or its controller instead; SCSI, SAS and NVMe drives are read with sdparm, nvme "
        "and smartctl.",
    )


def _unanswered(name: str) -> Complaint:
    return Complaint(
        "warning",
        "unread",
        f"{name} returned no identification to hdparm: all values are empty.",
        "Not an ATA drive, or its controller blocks the request: use sdparm or smartctl.",
    )


def _sense(name: str, message: str, *, known: bool) -> Complaint:
    return Complaint(
        "info" if known else "warning",
        "state" if known else "unread",
        f"{name} rejected a command of hdparm (SG_IO: {message.partition(',')[0]}): "
        f"{'the values from hdparm may be wrong' if known else 'features shown as not supported are unknown'}.",
        "SCSI and SAS drives and volumes of RAID controllers are read with sdparm, smartctl and the "
        "controller's own tool.",
    )
