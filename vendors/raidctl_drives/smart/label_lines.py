"""Lines of the form ``Label:   value``."""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.evidence import Line, mark_read
from raidctl.text import attempt, collapse, pair, printable, regex
from raidctl.vendor.draft import Pair
from raidctl.vendor.fields import Fields, read_pair
from raidctl_drives.smart import labels, numbers
from raidctl_drives.smart.draft import SmartDraft

_NOTHING = regex(r"\[No Information Found\]|<not available>|\[not set\]|-|", re.ASCII)
# 5.x: "Device: SEAGATE  ST3146855SS      Version: 0002": vendor of 8 characters, product of up to 16
_OLD_SCSI = regex(r"Device: (?P<vendor>.{8}) (?P<product>.{1,16}?) *Version: (?P<revision>\S.*|)")
# Device: HARBOR   HS300 K15        Version: 0B12
_OLD_LOOSE = regex(r"Device: (?P<vendor>\S+) +(?P<product>\S.*?) +Version: (?P<revision>\S.*|)")
# Device supports SMART and is Enabled
_OLD_SMART = regex(r"Device (?:supports SMART and is (?:Enabled|Disabled)|does not support SMART)(?: \[.*\])?")
# Manufactured in week 21 of year 2021
_MADE = regex(r"Manufactured in (?P<when>week \S+ of year \S+)")
# FIRMWARE IMPENDING FAILURE DATA ERROR RATE TOO HIGH [asc=5d, ascq=62]
_SENSE = regex(r"(?P<words>.*\S) *\[asc=(?P<asc>[0-9a-f]+), *ascq=(?P<ascq>[0-9a-f]+)\]", re.ASCII)
_CACHE = {"Enabled": "enabled", "Disabled": "disabled"}
# SATA 3.2, 6.0 Gb/s (current: 6.0 Gb/s)
_BEST_SPEED = regex(r", (\d{1,2}(?:\.\d)?) Gb/s(?: \(current: |$)", re.ASCII)
_CURRENT_SPEED = regex(r"\(current: ([^)]*)\)")
_CRITICAL = regex(r"0x[0-9a-fA-F]{1,2}")
_COUNT = regex(r"(\d{1,11})%?", re.ASCII)
# halted due to fatal error     halted due to a vendor specific pattern of error
_SCAN_STOPPED = regex(r"halted due to (?:a )?(?:fatal error|vendor specific pattern of error)", re.IGNORECASE)
_TEST_STATUS = regex(r"\( *(\d{1,3})\)", re.ASCII)
_ZERO = regex(r"0(?:\D|$)", re.ASCII)
_FAMILY_SSD = regex(r"\bSSDs?\b|\bSolid State\b", re.IGNORECASE)
_FAMILY_SATA = regex(r"(?<!ATA/)\b(?:SATA|Serial ATA)\b(?!/P?ATA)")


def read(draft: SmartDraft, line: Line, text: str, section: str) -> bool:
    """Read a line by its label; False if the label is unknown."""
    if _read_old_scsi(draft, line, text):
        return True
    made = _MADE.fullmatch(text)
    if made:
        draft.detail(line, "Manufactured in", made["when"])
        return True
    found = pair(text)
    if found is None or section == "farm":
        return False
    label, value = collapse(found[0]), found[1]
    if read_pair(draft, Pair(label, value, [line]), label, _FIELDS):
        return True
    if labels.NUMBERED_DETAILS.fullmatch(label):
        _read_numbered(draft, line, label, value)
        return True
    return False


def _read_old_scsi(draft: SmartDraft, line: Line, text: str) -> bool:
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


def _skip(draft: SmartDraft, pair: Pair) -> None:
    del draft
    mark_read(*pair.lines)


def _text(name: str) -> Callable[[SmartDraft, Pair], None]:
    """A reader of a field whose value is the text. The tool's words for "none" are only marked as read."""

    def read_text(draft: SmartDraft, pair: Pair) -> None:
        if _NOTHING.fullmatch(pair.value):
            mark_read(*pair.lines)
        else:
            draft.offer(pair.lines[0], name, pair.value)

    return read_text


def _read_model(draft: SmartDraft, pair: Pair) -> None:
    [line] = pair.lines
    if _NOTHING.fullmatch(pair.value):
        mark_read(line)
        return
    known, model = draft.get("model"), collapse(pair.value)
    draft.offer(line, "model", model)
    if _FAMILY_SSD.search(model):
        draft.offer(line, "media", "ssd")
    if known not in (None, printable(model)):
        draft.report(
            f"The output names two models in one place, {known!r} and {model!r}.",
            kind="unread", remedy="Give raidctl one output of one drive in each file.",
        )  # fmt: skip


def _read_nvme_model(draft: SmartDraft, pair: Pair) -> None:
    _read_model(draft, pair)
    draft.offer(pair.lines[0], "interface", "nvme")
    draft.offer(pair.lines[0], "media", "ssd", rank=1)


def _read_limit(draft: SmartDraft, pair: Pair) -> None:
    """The temperature that a drive permits. 0: it reports none."""
    draft.keep(pair)
    if degrees := attempt(numbers.celsius, pair.value):
        draft.offer(pair.lines[0], "max_temperature_celsius", degrees)


def _figure(name: str, parse: Callable[[str], int], rank: int = 2) -> Callable[[SmartDraft, Pair], None]:
    """A reader of a figure. A value in another form is a problem, except 0."""

    def read_figure(draft: SmartDraft, pair: Pair) -> None:
        [line] = pair.lines
        if _NOTHING.fullmatch(pair.value):
            mark_read(line)
            return
        found = attempt(parse, pair.value)
        if found is None or not 0 <= found < 1 << 64:
            draft.keep(pair)
            if not _ZERO.match(pair.value):
                report_unreadable(draft, pair.label, collapse(pair.value))
        else:
            draft.offer(line, name, found, rank=rank)

    return read_figure


def report_unreadable(draft: SmartDraft, label: str, value: object) -> None:
    """Add a problem for a figure that its label cannot have."""
    draft.report(
        f"The figure of {label!r} could not be read: {value}.", kind="unread",
        remedy="Look at the output itself: it may have been altered, or the drive reports an impossible value.",
    )  # fmt: skip


def _read_numbered(draft: SmartDraft, line: Line, label: str, value: str) -> None:
    """``Namespace 1 Size/Capacity``, ``Temperature Sensor 1``."""
    size = attempt(numbers.capacity, value) if labels.NAMESPACE_SIZE.fullmatch(label) else None
    if size is not None:
        draft.offer(line, "size_bytes", size, rank=1)
    name = labels.NAMESPACE_NAME.fullmatch(label)
    if name and value.strip("0 ") and draft.get("wwn") is None:
        draft.offer(line, "wwn", value)
        return
    draft.detail(line, label.split(" (0x", maxsplit=1)[0], value)


def expect_failure(draft: SmartDraft, line: Line) -> None:
    """Use the sentence below the verdict ``FAILED!`` as the verdict, unless that was read."""
    mark_read(line)
    if draft.health.verdict in (None, "PASSED"):
        draft.health.verdict, draft.health.verdict_line = "FAILED!", line


def _read_verdict(draft: SmartDraft, pair: Pair) -> None:
    value = printable(collapse(pair.value))
    mark_read(*pair.lines)
    if value:
        draft.health.judged_by(value, pair.lines[0], scsi=_SENSE.fullmatch(value) is not None)


def _read_rotation(draft: SmartDraft, pair: Pair) -> None:
    [line] = pair.lines
    rpm = attempt(numbers.rpm, pair.value)
    if pair.value.startswith("Solid State Device"):
        draft.offer(line, "media", "ssd", rank=2)
    elif rpm is not None:
        draft.offer(line, "media", "hdd", rank=2)
        draft.offer(line, "rpm", rpm)
    else:
        draft.keep(pair)


def _read_family(draft: SmartDraft, pair: Pair) -> None:
    """A product family; it is from the database of smartctl."""
    draft.keep(pair)
    if _FAMILY_SSD.search(pair.value):
        draft.offer(pair.lines[0], "media", "ssd")
    if _FAMILY_SATA.search(pair.value):
        draft.offer(pair.lines[0], "interface", "sata")


def _read_sata(draft: SmartDraft, pair: Pair) -> None:
    """The current speed counts, the other is the best one."""
    [line] = pair.lines
    draft.offer(line, "interface", "sata", rank=2)
    draft.keep(pair)
    current = _CURRENT_SPEED.search(pair.value)
    speed = attempt(numbers.gbps, current[1]) if current else None
    if speed is not None:
        draft.offer(line, "link_gbps", speed)
    best = _BEST_SPEED.search(pair.value)
    if best:
        draft.offer(line, "max_link_gbps", float(best[1]))


def _read_transport_type(draft: SmartDraft, pair: Pair) -> None:
    draft.keep(pair)
    interface = {"Parallel": "ata", "Serial": "sata"}.get(pair.value.partition(",")[0])
    if interface:
        draft.offer(pair.lines[0], "interface", interface, rank=2)


def _read_transport_protocol(draft: SmartDraft, pair: Pair) -> None:
    draft.keep(pair)
    interface = next((word for pattern, word in labels.TRANSPORTS if pattern.search(pair.value)), None)
    if interface:
        draft.offer(pair.lines[0], "interface", interface, rank=2)


def _read_write_cache(draft: SmartDraft, pair: Pair) -> None:
    if pair.value in _CACHE:
        draft.offer(pair.lines[0], "write_cache", _CACHE[pair.value])
    else:
        draft.keep(pair)


def _read_smart_support(draft: SmartDraft, pair: Pair) -> None:
    """Read the two lines on SMART. The first is whether the drive has it, the second whether it is enabled."""
    draft.keep(pair)
    if pair.value:
        draft.replace_words(pair.label, printable(pair.value))
    if pair.value.startswith("Disabled"):
        draft.report("SMART is disabled on the drive.", remedy="Enable it: smartctl -s on.", severity="info")


def _read_critical_warning(draft: SmartDraft, pair: Pair) -> None:
    draft.keep(pair)
    if _CRITICAL.fullmatch(pair.value):
        draft.health.critical_warning = int(pair.value, 16)
        draft.health.warning_line = pair.lines[0]


def _read_nvme_version(draft: SmartDraft, pair: Pair) -> None:
    draft.keep(pair)
    draft.offer(pair.lines[0], "interface", "nvme")
    draft.offer(pair.lines[0], "media", "ssd")


def _read_error_count(draft: SmartDraft, pair: Pair) -> None:
    count = collapse(pair.value).split(" ")[0]
    draft.detail(pair.lines[0], "ATA Error Count", count)
    draft.error_log.total = max(draft.error_log.total, attempt(int, count[:12]) or 0)


def _read_test_status(draft: SmartDraft, pair: Pair) -> None:
    """SCSI drives have a value here; ATA drives begin a paragraph."""
    (SmartDraft.keep if "of test remaining" in pair.value else _skip)(draft, pair)
    # ( 121) The previous self-test completed having
    status = _TEST_STATUS.match(pair.value)
    draft.test_status = int(status[1]) if status else draft.test_status


def _read_background_scan(draft: SmartDraft, pair: Pair) -> None:
    """``no scans active``; ``halted due to fatal error``, as the scan of the media met one."""
    draft.detail(pair.lines[0], "Background scan", pair.value)
    if _SCAN_STOPPED.search(pair.value):
        draft.report(f"The drive's scan of its media is {pair.value}.", remedy="Check the backups; replace the drive.")


def _count(name: str, highest: int) -> Callable[[SmartDraft, Pair], None]:
    """Return a reader of a detail that gives a count as well. ``highest`` is the highest count that makes sense."""

    def read_count(draft: SmartDraft, pair: Pair) -> None:
        draft.keep(pair)
        match = _COUNT.fullmatch(pair.value.strip())
        if match and int(match[1]) <= highest:
            draft.offer(pair.lines[0], name, int(match[1]))
        elif not pair.value.strip() or not _NOTHING.fullmatch(pair.value.strip()):
            report_unreadable(draft, pair.label, collapse(pair.value) or "nothing is printed")

    return read_count


_FIELDS: Fields[SmartDraft] = {
    **dict.fromkeys(labels.DETAILS, SmartDraft.keep),
    **dict.fromkeys(labels.NOTED, _skip),
    # Device Model:     EXAMPLE HD1000
    **dict.fromkeys(("Device Model", "Product"), _read_model),
    # Model Number:                       EXAMPLE Q9
    "Model Number": _read_nvme_model,
    # Serial Number:    ABC0123456789
    **dict.fromkeys(("Serial Number", "Serial number"), _text("serial")),
    **dict.fromkeys(("Firmware Version", "Revision"), _text("firmware")),
    # LU WWN Device Id: 5 000cca 0b1c2d3e4
    **dict.fromkeys(("LU WWN Device Id", "Logical Unit id"), _text("wwn")),
    # Model Family:     Seagate Barracuda 7200.12
    "Model Family": _read_family,
    # User Capacity:    500,107,862,016 bytes [500 GB]
    "User Capacity": _figure("size_bytes", numbers.capacity),
    "Total NVM Capacity": _figure("size_bytes", numbers.capacity, rank=0),
    # Rotation Rate:    7200 rpm | Solid State Device
    "Rotation Rate": _read_rotation,
    # SATA Version is:  SATA 3.1, 6.0 Gb/s (current: 3.0 Gb/s)
    "SATA Version is": _read_sata,
    # Transport Type:   Parallel, ATA8-APT | Serial, SATA 2.6
    "Transport Type": _read_transport_type,
    # Transport protocol:   SAS (SPL-4)
    "Transport protocol": _read_transport_protocol,
    # NVMe Version:                       1.3
    "NVMe Version": _read_nvme_version,
    # Write cache is:   Enabled | Unavailable
    **dict.fromkeys(("Write cache is", "Writeback Cache is"), _read_write_cache),
    # SMART support is: Available - device has SMART capability.
    # SMART support is: Enabled
    "SMART support is": _read_smart_support,
    # SMART overall-health self-assessment test result: PASSED
    # SMART Health Status: OK
    **dict.fromkeys(labels.VERDICTS, _read_verdict),
    # Critical Warning:                   0x00
    "Critical Warning": _read_critical_warning,
    # Current Drive Temperature:     34 C
    # Temperature:                        40 Celsius
    **dict.fromkeys(("Current Drive Temperature", "Temperature"), _figure("temperature_celsius", numbers.celsius)),
    "Current Temperature": _figure("temperature_celsius", numbers.celsius, rank=3),
    # Drive Trip Temperature:        68 C            Critical Comp. Temp. Threshold:     88 Celsius
    **dict.fromkeys(("Drive Trip Temperature", "Critical Comp. Temp. Threshold"), _read_limit),
    # Power On Hours:                     1,677
    "Power On Hours": _figure("power_on_hours", numbers.grouped),
    # Media and Data Integrity Errors:    0
    "Media and Data Integrity Errors": _figure("errors.media", numbers.grouped),
    # Error Information Log Entries:      12
    # Non-medium error count:        3
    **dict.fromkeys(
        ("Error Information Log Entries", "Non-medium error count"), _figure("errors.other", numbers.grouped)
    ),
    # Percentage Used:                    3%
    # Percentage used endurance indicator: 3%
    # SS Media used endurance indicator: 3%   of older versions
    **dict.fromkeys(
        ("Percentage Used", "Percentage used endurance indicator", "SS Media used endurance indicator"),
        _count("life_used_percent", 255),
    ),
    # Elements in grown defect list: 412
    "Elements in grown defect list": _count("errors.reallocated", 1 << 32),
    # ATA Error Count: 12 (device log contains only the most recent five errors)
    **dict.fromkeys(("ATA Error Count", "Device Error Count"), _read_error_count),
    # Self-test execution status:      34% of test remaining
    "Self-test execution status": _read_test_status,
    # Status: no scans active                of the background scan
    "Status": _read_background_scan,
}
