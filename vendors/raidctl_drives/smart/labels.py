"""Lines of the form ``Label:   value``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from raidctl.evidence import Line
from raidctl.text import attempt, collapse, pair, printable
from raidctl_drives.smart import numbers, words
from raidctl_drives.smart.draft import Draft

_NOTHING = re.compile(r"\[No Information Found\]|<not available>|\[not set\]|-|", re.ASCII)
# 5.x: "Device: SEAGATE  ST3146855SS      Version: 0002": vendor of 8 characters, product of up to 16
_OLD_SCSI = re.compile(r"Device: (?P<vendor>.{8}) (?P<product>.{1,16}?) *Version: (?P<revision>\S.*|)")
_OLD_LOOSE = re.compile(r"Device: (?P<vendor>\S+) +(?P<product>\S.*?) +Version: (?P<revision>\S.*|)")
_OLD_SMART = re.compile(r"Device (?:supports SMART and is (?:Enabled|Disabled)|does not support SMART)(?: \[.*\])?")
_MADE = re.compile(r"Manufactured in (?P<when>week \S+ of year \S+)")
_SENSE = re.compile(r"(?P<words>.*\S) *\[asc=(?P<asc>[0-9a-f]+), *ascq=(?P<ascq>[0-9a-f]+)\]", re.ASCII)
_CACHE = {"Enabled": "enabled", "Disabled": "disabled"}
_BEST_SPEED = re.compile(r", (\d{1,2}(?:\.\d)?) Gb/s(?: \(current: |$)", re.ASCII)
_ZERO = re.compile(r"0(?:\D|$)", re.ASCII)
_FAMILY_SSD = re.compile(r"\bSSDs?\b|\bSolid State\b", re.IGNORECASE)
_FAMILY_SATA = re.compile(r"(?<!ATA/)\b(?:SATA|Serial ATA)\b(?!/P?ATA)")


def read(draft: Draft, line: Line, text: str, section: str) -> bool:
    """Whether the line has a known label; gives its fact or detail to the draft."""
    if _old_scsi(draft, line, text):
        return True
    made = _MADE.fullmatch(text)
    if made:
        draft.detail(line, "Manufactured in", made["when"])
        return True
    found = pair(text)
    if found is None:
        return False
    label, value = collapse(found[0]), found[1]
    if section == "farm":
        return False
    special = SPECIAL.get(label)
    if special:
        special(draft, line, value)
    elif label in ALSO:
        ALSO[label](draft, label, line, value)
    elif label in words.VERDICTS:
        _verdict(draft, line, value)
    elif label in words.IDENTITY:
        _identity(draft, line, words.IDENTITY[label], value)
    elif label in words.FIGURES:
        _figure(draft, line, label, value)
    elif label in words.DETAILS:
        draft.detail(line, label, collapse(value))
    elif label in words.NOTED:
        draft.note(line)
    elif words.NUMBERED_DETAILS.fullmatch(label):
        _numbered(draft, line, label, value)
    else:
        return False
    return True


def _old_scsi(draft: Draft, line: Line, text: str) -> bool:
    if not text.startswith("Device"):
        return False
    match = _OLD_SCSI.fullmatch(text) or _OLD_LOOSE.fullmatch(text)
    if match:
        draft.detail(line, "Vendor", match["vendor"].strip())
        draft.offer(line, "model", collapse(match["product"]))
        if match["revision"]:
            draft.offer(line, "firmware", match["revision"].strip())
        return True
    if _OLD_SMART.fullmatch(text):
        draft.detail(line, "SMART support is", text.removeprefix("Device "))
        return True
    return False


def _identity(draft: Draft, line: Line, name: str, value: str) -> None:
    if _NOTHING.fullmatch(value):
        draft.note(line)
        return
    known = draft.get(name)
    value = collapse(value) if name == "model" else value
    draft.offer(line, name, value)
    if name == "model":
        if _FAMILY_SSD.search(value):
            draft.offer(line, "media", "ssd")
        if known not in (None, value):
            draft.problem(
                f"The output names two models in one place, {known!r} and {value!r}.",
                kind="unread", remedy="Give raidctl one output of one drive in each file.",
            )  # fmt: skip


def _figure(draft: Draft, line: Line, label: str, value: str) -> None:
    name, reader, rank = words.FIGURES[label]
    if _NOTHING.fullmatch(value):
        draft.note(line)
        return
    parse: Callable[[str], int] = getattr(numbers, reader)
    found = attempt(parse, value)
    if found is None or not 0 <= found < 1 << 64:
        draft.detail(line, label, collapse(value))
        if not _ZERO.match(value):
            unreadable(draft, label, collapse(value))
        return
    draft.offer(line, name, found, rank=rank)


def unreadable(draft: Draft, label: str, value: object) -> None:
    """Add a problem for a figure that its label cannot have."""
    draft.problem(
        f"The figure of {label!r} could not be read: {value}.", kind="unread",
        remedy="Look at the output itself: it may have been altered, or the drive tells nonsense.",
    )  # fmt: skip


def _numbered(draft: Draft, line: Line, label: str, value: str) -> None:
    size = attempt(numbers.capacity, value) if words.NAMESPACE_SIZE.fullmatch(label) else None
    if size is not None:
        draft.offer(line, "size_bytes", size, rank=1)
    name = words.NAMESPACE_NAME.fullmatch(label)
    if name and value.strip("0 ") and draft.get("wwn") is None:
        draft.offer(line, "wwn", value)
        return
    label = label.split(" (0x", maxsplit=1)[0]
    draft.detail(line, label, collapse(value))


def _verdict(draft: Draft, line: Line, value: str) -> None:
    value = printable(collapse(value))
    if not value:
        draft.note(line)
        return
    if draft.health.verdict is not None:
        draft.note(line)
        return
    draft.health.verdict, draft.health.verdict_line = value, line
    draft.health.scsi = _SENSE.fullmatch(value) is not None


def _rotation(draft: Draft, line: Line, value: str) -> None:
    # "Rotation Rate:    7200 rpm" | "Rotation Rate:    Solid State Device"
    rpm = attempt(numbers.rpm, value)
    if value.startswith("Solid State Device"):
        draft.offer(line, "media", "ssd", rank=2)
    elif rpm is not None:
        draft.offer(line, "media", "hdd", rank=2)
        draft.offer(line, "rpm", rpm)
    else:
        draft.detail(line, "Rotation Rate", value)


def _family(draft: Draft, line: Line, value: str) -> None:
    # "Model Family:     Seagate Barracuda 7200.12": smartctl's own database knows what the family is
    draft.detail(line, "Model Family", collapse(value))
    if _FAMILY_SSD.search(value):
        draft.offer(line, "media", "ssd")
    if _FAMILY_SATA.search(value):
        draft.offer(line, "interface", "sata")


def _sata(draft: Draft, line: Line, value: str) -> None:
    # "SATA Version is:  SATA 3.1, 6.0 Gb/s (current: 3.0 Gb/s)": the current speed counts, the other is the best one
    draft.offer(line, "interface", "sata", rank=2)
    draft.detail(line, "SATA Version is", collapse(value))
    current = re.search(r"\(current: ([^)]*)\)", value)
    speed = attempt(numbers.gbps, current[1]) if current else None
    if speed is not None:
        draft.offer(line, "link_gbps", speed)
    best = _BEST_SPEED.search(value)
    if best:
        draft.offer(line, "max_link_gbps", float(best[1]))


def _transport_type(draft: Draft, line: Line, value: str) -> None:
    # "Transport Type:   Parallel, ATA8-APT" | "Transport Type:   Serial, SATA 2.6"
    draft.detail(line, "Transport Type", collapse(value))
    if value.startswith("Parallel"):
        draft.offer(line, "interface", "ata", rank=2)
    elif value.startswith("Serial"):
        draft.offer(line, "interface", "sata", rank=2)


def _transport_protocol(draft: Draft, line: Line, value: str) -> None:
    # "Transport protocol:   SAS (SPL-4)"
    draft.detail(line, "Transport protocol", collapse(value))
    interface = next((word for pattern, word in words.TRANSPORTS if pattern.search(value)), None)
    if interface:
        draft.offer(line, "interface", interface, rank=2)


def _write_cache(label: str) -> Callable[[Draft, Line, str], None]:
    def read_cache(draft: Draft, line: Line, value: str) -> None:
        # "Write cache is:   Enabled" | "Writeback Cache is:   Disabled" | "Write cache is:   Unavailable"
        state = _CACHE.get(value)
        if state:
            draft.offer(line, "write_cache", state)
        else:
            draft.detail(line, label, value)

    return read_cache


def _smart_support(draft: Draft, line: Line, value: str) -> None:
    # "SMART support is: Available - device has SMART capability." and "SMART support is: Enabled"
    draft.detail(line, "SMART support is", value)
    if value:
        draft.details["SMART support is"] = printable(value)  # the second line is the state
    if value.startswith("Disabled"):
        draft.problem("SMART is disabled on the drive.", remedy="Enable it: smartctl -s on.", severity="info")


def _critical(draft: Draft, line: Line, value: str) -> None:
    # "Critical Warning:                   0x00"
    draft.detail(line, "Critical Warning", value)
    if re.fullmatch(r"0x[0-9a-fA-F]{1,2}", value):
        draft.health.critical_warning = int(value, 16)
        draft.health.warning_line = line


def _nvme_version(draft: Draft, line: Line, value: str) -> None:
    draft.detail(line, "NVMe Version", value)
    draft.offer(line, "interface", "nvme")
    draft.offer(line, "media", "ssd")


def _model_number(draft: Draft, line: Line, value: str) -> None:
    _identity(draft, line, "model", value)
    draft.offer(line, "interface", "nvme")
    draft.offer(line, "media", "ssd", rank=1)


def _error_count(draft: Draft, line: Line, value: str) -> None:
    # "ATA Error Count: 12 (device log contains only the most recent five errors)"
    draft.detail(line, "ATA Error Count", collapse(value).split(" ")[0])


def _test_status(draft: Draft, line: Line, value: str) -> None:
    # SCSI: "Self-test execution status:      34% of test remaining"; ATA begins a paragraph here
    if "of test remaining" in value:
        draft.detail(line, "Self-test execution status", collapse(value))
    else:
        draft.note(line)


def _status(draft: Draft, line: Line, value: str) -> None:
    # Of the background scan: "  Status: no scans active" | "  Status: waiting until BMS interval timer expires"
    draft.detail(line, "Background scan", collapse(value))


def _status_scan(draft: Draft, line: Line, value: str) -> None:
    draft.detail(line, "Number of background medium scans performed", collapse(value))


def _also(name: str, highest: int) -> Callable[[Draft, str, Line, str], None]:
    """A reader of a detail that gives a count as well, up to the highest one that makes sense."""

    def read_count(draft: Draft, label: str, line: Line, value: str) -> None:
        draft.detail(line, label, collapse(value))
        plain = value.strip().removesuffix("%")
        if plain.isascii() and plain.isdecimal() and len(plain) < 12 and int(plain) <= highest:
            draft.offer(line, name, int(plain))

    return read_count


ALSO: dict[str, Callable[[Draft, str, Line, str], None]] = {
    # "Percentage Used:                    3%"
    "Percentage Used": _also("life_used_percent", 255),
    # "Percentage used endurance indicator: 3%"
    "Percentage used endurance indicator": _also("life_used_percent", 255),
    # "Elements in grown defect list: 412"
    "Elements in grown defect list": _also("errors_reallocated", 1 << 32),
}
"""Details that give a field as well."""
SPECIAL: dict[str, Callable[[Draft, Line, Any], None]] = {
    "Model Number": _model_number,
    "Model Family": _family,
    "Rotation Rate": _rotation,
    "SATA Version is": _sata,
    "Transport Type": _transport_type,
    "Transport protocol": _transport_protocol,
    "Write cache is": _write_cache("Write cache is"),
    "Writeback Cache is": _write_cache("Writeback Cache is"),
    "SMART support is": _smart_support,
    "Critical Warning": _critical,
    "NVMe Version": _nvme_version,
    "ATA Error Count": _error_count,
    "Device Error Count": _error_count,
    "Self-test execution status": _test_status,
    "Status": _status,
    "Number of background medium scans performed": _status_scan,
}
"""Labels that give several facts, or whose value decides."""
