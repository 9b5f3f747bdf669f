"""What this family's tools have in common: device nodes, error messages, figures."""

from __future__ import annotations

import re

from raidctl.text import regex
from raidctl_drives.draft import DeviceComplaint

NODE = regex(r"/dev/[\w./:+@-]*\w")
LONGEST_LINE = 4000
"""Length limit of a line, in characters. No line of these tools comes near it, and longer ones are left unread rather
than searched for long."""
_NVME = regex(r"(?:/dev/)?(?:nvme|ng)(\d+)(?:c\d+)?(?:n\d+)?(?:p\d+)?")
_GROUPED = regex(r"\d{1,3}(?:[.,'  \u00a0\u2009\u202f ]\d{3})+|\d{1,2}(?:,\d\d)+,\d{3}|\d+")

ERRNO = (
    "Operation not permitted", "Permission denied", "No such file or directory", "No such device or address",
    "No such device", "Input/output error", "Invalid argument", "Inappropriate ioctl for device",
    "Operation not supported", "No message of desired type", "No medium found", "Device or resource busy",
    "Remote I/O error", "Invalid exchange", "Bad address", "Invalid request descriptor", "Protocol error",
    "Function not implemented", "Connection timed out", "Resource temporarily unavailable", "Read-only file system",
    "Wrong medium type", "Bad message", "Value too large for defined data type", "Is a directory", "Not a directory",
    "Block device required", "Interrupted system call", "Cannot allocate memory", "Numerical result out of range",
)  # fmt: skip
"""Messages of the C library that end these tools' complaints."""

_RIGHTS = ("Operation not permitted", "Permission denied")
_ABSENT = ("No such file or directory", "No such device", "No such device or address")


def grouped_number(text: str) -> int | None:
    """An integer with or without separators of thousands (``1,677``, ``1.677``, ``1 677``). None for any other text."""
    text = text.strip()
    return int(re.sub(r"\D", "", text)) if _GROUPED.fullmatch(text) else None


def any_integer(text: str) -> int | None:
    """``0x1c5c``, ``7``, ``0``; None if it is not an integer."""
    text = text.strip()
    try:
        return int(text, 16) if text.lower().startswith("0x") else int(text)
    except ValueError:
        return None


def nvme_controller(node: str | None) -> str | None:
    """``nvme0`` of ``/dev/nvme0n1``, ``/dev/ng0n1``, ``nvme0``; None for other nodes."""
    match = _NVME.fullmatch(node or "")
    return f"nvme{match[1]}" if match else None


def node_in(text: str) -> str | None:
    """The device node that a command line names, ``/dev/sda``. None if it names none or several."""
    found = set(NODE.findall(text))
    return found.pop() if len(found) == 1 else None


def refused(tool: str, device: str, message: str) -> DeviceComplaint:
    """The problem for a system's answer: no right, no device, or other."""
    text = f"{tool} could not read {device}: {message}."
    if message in _RIGHTS:
        return DeviceComplaint("error", "no_right", text, "Run it as root.", device)
    if message in _ABSENT:
        remedy = "Check the device name: there is no such drive on that machine."
    else:
        remedy = "The device does not support this tool's commands: use its controller's tool, or smartctl."
    return DeviceComplaint("warning", "unread", text, remedy, device)
