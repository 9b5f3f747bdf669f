"""hdparm's complaints, and what they mean for the rest that it prints."""

from __future__ import annotations

import re

from raidctl.evidence import Line
from raidctl.model import Problem
from raidctl_drives.draft import Draft
from raidctl_drives.vocabulary import refused

# what these would tell is nowhere in the model: settings of the kernel's old IDE driver and of its block layer
_OLD_QUESTION = re.compile(r"HDIO_(?:GET_(?!IDENTITY)|SET_)|BLKR[AO]\w*|BLKRRPART")
_FLUSHED = "(wait for flush complete)"
_NO_IOCTL = "Inappropriate ioctl for device"


def _name(draft: Draft) -> str:
    return str(draft.values.get("device") or "The device")


def sense(draft: Draft, line: Line, said: str) -> None:
    """``SG_IO: bad/missing sense data, sb[]:  70 00 05 00``: the drive did not take an ATA command."""
    draft.detail(line, "SG_IO", said)
    draft.mark(line, "sense")


def failed(draft: Draft, line: Line, what: str, message: str) -> None:
    """``HDIO_DRIVE_CMD(identify) failed: Invalid argument``."""
    draft.detail(line, what, message or "failed")
    if _FLUSHED in what:
        # said between the timings of every device that has no command for it
        return
    if message == _NO_IOCTL:
        draft.mark(line, "no_ata")
        return
    name = _name(draft)
    if _OLD_QUESTION.match(what):
        problem = Problem(
            severity="info",
            where=draft.key,
            message=f"{name} does not know one of hdparm's questions ({what}{': ' * bool(message)}{message}).",
            remedy="Nothing: newer kernels do not answer it.",
        )
    elif message in ("Operation not permitted", "Permission denied"):
        problem = refused("hdparm", name, message)
    else:
        problem = Problem(
            severity="warning",
            where=draft.key,
            message=f"{name} did not do what hdparm asked: {what}{': ' * bool(message)}{message}.",
            remedy="A controller or adapter in between may not pass ATA commands on: ask it, or use smartctl.",
            kind="unread",
        )
    draft.problem(problem)


def settle(draft: Draft) -> None:
    """At the end of a device's output: what its complaints leave of the rest."""
    name = _name(draft)
    told = set(draft.values) - {"device"}
    if draft.marked("no_ata"):
        timed = any("Timing" in label for label in draft.details)
        draft.problem(_no_ata(draft.key, name, told=bool(told) or timed))
    elif draft.marked("ata") and not {"model", "serial", "firmware"} & told:
        draft.problem(_unanswered(draft.key, name))
    elif draft.marked("sense") and not draft.problems:
        draft.problem(_sense(draft.key, name, draft.details["SG_IO"], told=bool(told)))


def _no_ata(key: str, name: str, *, told: bool) -> Problem:
    return Problem(
        severity="info" if told else "warning",
        where=key,
        message=f"{name} does not understand ATA commands: hdparm can at most measure its speed.",
        remedy="Ask for its members or its controller instead; SCSI, SAS and NVMe drives are read with sdparm, nvme "
        "and smartctl.",
        kind="note" if told else "unread",
    )


def _unanswered(key: str, name: str) -> Problem:
    return Problem(
        severity="warning",
        where=key,
        message=f"{name} did not tell hdparm what it is: all that is printed of it is empty.",
        remedy="It is no ATA drive, or a controller in between keeps the question: use sdparm or smartctl.",
        kind="unread",
    )


def _sense(key: str, name: str, said: str, *, told: bool) -> Problem:
    return Problem(
        severity="info" if told else "warning",
        where=key,
        message=f"{name} refused a command of hdparm (SG_IO: {said.partition(',')[0]}): "
        f"{'what hdparm says of it may be wrong' if told else 'that something is not supported tells nothing then'}.",
        remedy="SCSI and SAS drives and volumes of RAID controllers are read with sdparm, smartctl and the "
        "controller's own tool.",
        kind="state" if told else "unread",
    )
