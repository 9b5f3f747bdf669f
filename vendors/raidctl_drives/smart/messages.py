"""smartctl's errors and warnings about a drive."""

from __future__ import annotations

import re

from msgspec import Struct

from raidctl.model import ProblemKind, Severity
from raidctl.text import regex
from raidctl_drives.smart.draft import SmartDraft


class Message(Struct, frozen=True):
    """A kind of message, with its form and meaning for the reader."""

    pattern: re.Pattern[str]
    """The expression that is searched for in the line. It has a fixed beginning if its words are common."""
    kind: ProblemKind
    severity: Severity
    meaning: str
    """A sentence that ends in the tool's words, which follow it."""
    remedy: str | None = None
    last: bool = False
    """Reported only if no other message gives the cause."""


def _message(
    pattern: str, kind: ProblemKind, severity: Severity, meaning: str, remedy: str | None = None, *, last: bool = False
) -> Message:
    return Message(regex(pattern, re.ASCII), kind, severity, meaning, remedy, last)


_ROOT = "Run raidctl as root (or with the capability CAP_SYS_RAWIO)."
_REACH = "Check that the drive is connected and answers, and run smartctl -x on it."
_LATER = "Run raidctl again when the drive is in use."
_MEMBERS = "Its drives are shown with their controller."

MESSAGES = (
    _message(
        r"Permission denied|Operation not permitted", "no_right", "error", "smartctl may not open the drive", _ROOT
    ),
    _message(
        # "Smartctl open device: /dev/sda failed: DELL or MegaRaid controller, please try adding '-d megaraid,N'"
        r"or MegaRaid controller, please try adding|3ware controller, please try adding|"
        r"please try '-d (?:marvell|cciss|areca|3ware|hpt)",
        "note", "info", "The device belongs to a RAID controller", _MEMBERS,
    ),
    _message(
        # "/dev/sdb: Unknown USB bridge [0x1234:0x5678 (0x100)]"
        r": (?:[Uu]nable to (?:auto)?detect device type|(?:Unknown|Unsupported) USB bridge \[)",
        "unread", "warning", "smartctl does not recognise the type of the drive's connection",
        "Run smartctl with -d and the drive's type; some USB adapters pass nothing on.",
    ),
    _message(
        # "Device is in STANDBY mode, exit(2)"
        r"^Device is in [\w ()-]+ mode(?:, exit\(\d+\))?",
        "note", "info", "The drive is in standby and was not woken up", _LATER,
    ),
    _message(
        r"^Smartctl open device: \S.* failed: |[Dd]evice open failed|^/dev/\S+: No such (?:device|file or directory)$",
        "unread", "error", "smartctl could not open the drive", _REACH,
    ),
    _message(
        r"^Standard Inquiry \(\d+ bytes\) failed |^Read Device Identity failed: |^Read NVMe Identify \w.*failed: |"
        r"^Read SMART (?:Data|Thresholds) failed: |^Read NVMe SMART/Health Information .*failed: |^INQUIRY failed|"
        r"^Smartctl: Device Read Identity Failed|^Error SMART (?:Values|Thresholds) Read failed|"
        r"^Smartctl: SMART Read (?:Values|Thresholds) failed",
        "unread", "error", "The drive did not respond to smartctl", _REACH,
    ),
    _message(
        # "Log Sense failed, IE page [unsupported field in scsi command]": the verdict comes from that page
        r"^Log Sense failed, IE page", "unread", "warning", "The drive's health is unknown",
        "Run smartctl -x on the drive and check its output.",
    ),
    _message(
        r"^A mandatory SMART command failed: exiting", "unread", "warning", "smartctl gave up on the drive", _REACH,
        last=True,
    ),
    _message(
        r"^Read SMART (?:Error|Self-test|Log Directory)\b.* failed|^SMART Status command failed|^Log Sense failed|"
        r"^Read \d+ entries from Error Information Log failed|"
        r"^SMART Status (?:not supported|command failed): |^Error SMART .* failed|^Smartctl: SMART .* [Ff]ailed",
        "note", "info", "The drive did not respond to one of smartctl's commands",
    ),
    _message(
        r"^device is NOT READY \(e\.g\. spun down, busy\)|^NO MEDIUM present (?:in|on) device|"
        r"^device Test Unit Ready +\[",
        "note", "info", "The drive is not ready", _LATER,
    ),
    _message(
        r"^Warning! .* error: invalid SMART checksum", "state", "info",
        "One of the drive's logs has a wrong checksum",
        "Compare with smartctl -x; the drive's firmware may be at fault.",
    ),
    _message(
        r"^Warning: This result is based on an Attribute check", "note", "info",
        "The drive returned no health status; smartctl derived it from the attributes",
    ),
    _message(r"^==> WARNING: ", "state", "warning",
        "smartctl has a warning about this model", "Follow the link in the warning.",
    ),
    _message(
        r"^=======> (?:UNRECOGNIZED OPTION|INVALID ARGUMENT TO|ARGUMENT REQUIRED FOR OPTION)|"
        r"^ERROR: smartctl (?:requires|takes|can only run) |^\S+: Unknown device type '",
        "unread", "error", "smartctl does not support the command", "Update smartmontools.",
    ),
)  # fmt: skip
"""The messages, in the order in which they are tried. The first that is found counts."""

_LONGEST = 500
_HINT = regex(
    r"[Ff]ail|denied|permitted|please try|detect|bridge|Device is in|No such|INQUIRY|Inquiry|NOT READY|MEDIUM|"
    r"Test Unit Ready|Warning|WARNING|=====|ERROR|Unknown device|SMART Status"
)
"""Words of which each message has one. Most lines need not be compared with all messages."""
_DEVICE = regex(r"(?:Smartctl open device: )?(/dev/[^\s:]+)(?: \[[^\]]*\])*(?: failed)?:", re.ASCII)


def read(draft: SmartDraft, text: str) -> bool:
    """Report a message as a problem of the draft, each kind once. False if the text is not a message."""
    if len(text) > _LONGEST or not _HINT.search(text):
        return False
    found = next((message for message in MESSAGES if message.pattern.search(text)), None)
    if found is None:
        return False
    named = _DEVICE.match(text)
    if named and draft.node is None:
        draft.node = named[1]
    known = any(problem.message.startswith(found.meaning) for problem in draft.complaints)
    if not known and not (found.last and draft.complaints):
        draft.report(
            f"{found.meaning}: {text.removeprefix('==> WARNING: ').rstrip('.,;')}.",
            remedy=found.remedy, kind=found.kind, severity=found.severity,
        )  # fmt: skip
    return True
