"""``smartctl --scan`` and ``--scan-open``: which drives there are and how smartctl reaches them."""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.evidence import Line, mark_read
from raidctl.model import Interface
from raidctl.text import regex
from raidctl_drives.smart import messages
from raidctl_drives.smart.draft import SmartDraft

# "/dev/bus/0 -d sat+megaraid,5 # /dev/bus/0 [megaraid_disk_05] [SAT], ATA device"
ROW = regex(
    r"(?P<device>(?:/dev/|IOService:/|/)\S+|[a-z]+\d*) -d (?P<kind>\S+)(?: # (?P<name>.*?), (?P<protocol>\w+) device)?",
    re.ASCII,
)
# "# /dev/sda -d scsi # /dev/sda, SCSI device open failed: Permission denied"
FAILED = regex(r"# (?P<device>\S+) -d (?P<kind>\S+) # (?P<name>.*), \w+ device open failed: (?P<why>.*)", re.ASCII)


# "/dev/sda [SAT]: Device of type 'sat' [ATA] opened"                                            (-d test)
OPENED = regex(
    r"(?P<device>\S+)(?P<name>(?: \[[^\]]*\])*): Device (?:of type '(?P<kind>[^']*)' \[(?P<protocol>[^\]]*)\]"
    r" (?P<what>detected|opened)|open changed type from '[^']*' to '[^']*')",
    re.ASCII,
)


def row(current: SmartDraft, begin: Callable[[], SmartDraft], line: Line, text: str) -> bool:
    """Whether the line is a row of a scan. Each row is another drive, whose draft ``begin`` returns."""
    opened = OPENED.fullmatch(text)
    if opened:
        _opened(current, line, opened)
        return True
    match = ROW.fullmatch(text)
    if match:
        draft = _found(begin(), line, match)
        interface = interface_of(match["kind"], match["name"] or "", match["protocol"] or "")
        if interface:
            draft.offer(line, "interface", interface)
        return True
    failed = FAILED.fullmatch(text)
    if failed:
        draft = _found(begin(), line, failed)
        if not messages.read(draft, failed["why"]):
            draft.report(f"smartctl could not open {failed['device']}: {failed['why']}.", kind="unread")
        return True
    return False


def _opened(draft: SmartDraft, line: Line, match: re.Match[str]) -> None:
    draft.scanned = True
    if match["what"] != "opened":
        mark_read(line)
        return
    draft.found_at(line, draft.node or match["device"], match["kind"])
    interface = interface_of(match["kind"], match["name"], match["protocol"])
    if interface:
        draft.offer(line, "interface", interface)


def _found(draft: SmartDraft, line: Line, match: re.Match[str]) -> SmartDraft:
    draft.found_at(line, match["device"], match["kind"])
    draft.scanned = True
    return draft


def interface_of(kind: str, name: str, protocol: str) -> Interface | None:
    """How the drive is attached, if shown: NVMe, or a USB bridge."""
    if "[USB" in name or kind.startswith(("usb", "snt")):
        return "usb"
    if kind.startswith("nvme") or protocol == "NVMe":
        return "nvme"
    return None
