"""Rows of tables that give facts.

The tables list attributes, SCSI error counters, self-tests, device statistics and SAS ports.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.evidence import Line, mark_read
from raidctl.text import attempt, collapse, printable, regex
from raidctl_drives.smart import numbers
from raidctl_drives.smart.draft import Attribute, SmartDraft, failed_now

# "  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -       0"
# "0x05 ..." with -f hex; "---" where the drive gives no value
_FULL = regex(
    r"(?P<id>\d{1,3}|0x[0-9a-f]{2}) (?P<name>\S.{0,60}?) +0x[0-9a-f]{4} +(?P<value>\S+) +(?P<worst>\S+)"
    r" +(?P<threshold>\S+) +(?P<type>Pre-fail|Old_age) +(?P<updated>Always|Offline)"
    r" +(?P<failed>FAILING_NOW|In_the_past|-) *(?P<raw>.*)",
    re.ASCII,
)
# "  5 Reallocated_Sector_Ct   PO--CK   100   100   010    -    0"     (-x, -f brief)
_BRIEF = regex(
    r"(?P<id>\d{1,3}|0x[0-9a-f]{2}) (?P<name>\S.{0,60}?) +(?P<flags>[-POSRCK+]{6,7}) +(?P<value>\S+) +(?P<worst>\S+)"
    r" +(?P<threshold>\S+) +(?P<failed>NOW|Past|-) *(?P<raw>.*)",
    re.ASCII,
)
# "read:   123456        0         0    123456     123456       5678.901           0"
_COUNTER = regex(r"(?P<what>read|write|verify): +(?P<figures>\d+(?: +[\d.,]+){5,6})", re.ASCII)
_ERRORS = regex(r"\d{1,18}", re.ASCII)
# "# 1  Short offline       Completed without error       00%     12345         -"
_TEST = regex(r"# ?(?P<number>\d+) +(?P<words>\S.*)", re.ASCII)
_KIND = regex(r" {2,}")
"""Blanks between the kind of a self-test and its result."""
FAILED_TEST = regex(r"failure|Fatal|failed segment|segment failed|Failed in|Unknown error|handling damage")
"""Words of a self-test that found a fault. An aborted or interrupted one has none."""
_PASSED_TEST = regex(r"\bCompleted(?![:,])")
# "0x01  0x010  4           12345  ---  Power-on Hours"; before 6.4 page and value looked otherwise
_STATISTIC = regex(
    r"(?:0x[0-9a-f]{2}|\d+) +0x(?P<offset>[0-9a-f]{3}) +(?:\d+|-) +(?P<value>-?\d+|-)~?"
    r" +(?:[-NDC+V~]{3,5} +)?(?P<name>\S.*)",
    re.ASCII,
)
_LOGGED = regex(r"Error (\d{1,9}) (?:\[\d+\] )?occurred at ", re.ASCII)
# "    negotiated logical link rate: phy enabled; 12 Gbps"
_LINK = regex(r"negotiated logical link rate: (?P<rate>.*)", re.ASCII)
# "    Invalid DWORD count = 4"
_DWORDS = regex(r"Invalid DWORD count = (\d{1,12})", re.ASCII)
# "           Read:     70 (7.0 seconds)" | "           Read: Disabled"
_RECOVERY = regex(r"Read: +(?P<limit>Disabled|\d+ \([\d.]+ seconds\))", re.ASCII)
_NO_RECOVERY = "SCT Error Recovery Control command not supported"
_ADDRESS = regex(r"SAS address = (?P<address>\S+)", re.ASCII)
# "    Accumulated power on time, hours:minutes 12345:06 [740706 minutes]"
_POWER_ON = regex(r"Accumulated power on time, hours:minutes (?P<hours>\d+:\d\d)\b.*", re.ASCII)
# "  number of hours powered up = 12345.67"
_POWERED = regex(r"number of hours powered up ?= (?P<hours>\d+)(?:[.,]\d+)?", re.ASCII)
# "    Number of background scans performed: 12,  scan progress: 0.00%"
_SCANS = regex(r"Number of background scans performed: (?P<count>\d+), +scan progress: (?P<progress>\S+)", re.ASCII)
# "  Pending defect count:0 Pending Defects"
_PENDING = regex(r"Pending defect count: ?(?P<count>\d+) Pending Defects?\b.*", re.ASCII)
# "    0          123456789    43210"
# "   1 50000:12  0000000012345678  [3,11,0]   Require Write or Reassign Blocks command"
_DEFECT = regex(r"\d+ +\d+ +(?:\d+|-)|\d+ +\d+:\d\d +[0-9a-f]{8,16} +\[.*\] +Require Write or Reassign.*", re.ASCII)
# "Current temperature = 34"                                            (-l envrep)
_ENVIRONMENT = regex(
    r"(?P<label>(?:Current|Lifetime (?:maximum|minimum)|M(?:ax|in)imum(?: other)?|Relative)"
    r" (?:relative )?(?:temperature|humidity)(?: since power on)?) = (?P<value>-?\d+|unknown)",
    re.ASCII,
)


def attribute(draft: SmartDraft, line: Line, text: str) -> bool:
    """Read a row of the ATA attribute table, full or brief."""
    match = _FULL.fullmatch(text) or _BRIEF.fullmatch(text)
    if not match:
        return False
    row = match.groupdict()
    number = int(row["id"], 16 if row["id"].startswith("0x") else 10)
    raw = collapse(row["raw"])
    prefail = row["type"] == "Pre-fail" if "type" in row else row["flags"].startswith("P")
    if raw and not any(map(str.isdecimal, raw)):
        draft.report(f"The raw value {raw[:40]!r} of the attribute {row['name']} is not a number.", kind="unread")
    failed = {"FAILING_NOW": "now", "NOW": "now", "In_the_past": "past", "Past": "past"}.get(row["failed"], "")
    value, threshold = (attempt(int, row[place]) for place in ("value", "threshold"))
    failed = failed or failed_now(value, threshold)
    name = printable(row["name"])
    if (number, name) in draft.attributes:
        mark_read(line)  # the same table once more: the "marginal" or "failed" attributes
        return True
    draft.attributes[number, name] = Attribute(line, number, name, raw, prefail, failed, value)
    draft.detail(line, name if name not in draft.details else f"{name} ({number})", raw)
    return True


def counter(draft: SmartDraft, line: Line, text: str) -> bool:
    """Read a row of SCSI's error counters. The last figure counts the errors that could not be corrected."""
    match = _COUNTER.fullmatch(text)
    if not match:
        return False
    columns = match["figures"].split()
    if len(columns) < 7:
        return False
    uncorrected = int(columns[-1]) if _ERRORS.fullmatch(columns[-1]) else None
    draft.detail(line, f"{match['what']} errors corrected", columns[3])
    draft.detail(line, f"{match['what']} errors uncorrected", columns[-1])
    if uncorrected is not None:
        draft.counters.append((line, uncorrected))
    return True


def test(draft: SmartDraft, line: Line, text: str) -> bool:
    """A self-test; the newest one is kept as a detail."""
    match = _TEST.fullmatch(text)
    if not match:
        return False
    _keep_test(draft, line, match["words"], newest=match["number"] == "1")
    return True


def nvme_test(draft: SmartDraft, line: Line, text: str) -> bool:
    """A self-test of an NVMe drive: `` 0   Short   Completed without error   1234  -  -  -  -  -``."""
    match = re.fullmatch(r"(\d+) +((?:Short|Extended|Vendor specific|Unknown \(.*?\))\s.*)", text, re.ASCII)
    if not match:
        return False
    _keep_test(draft, line, match[2], newest=match[1] == "0")
    return True


def _keep_test(draft: SmartDraft, line: Line, row: str, *, newest: bool) -> None:
    draft.tested = True
    words = re.sub(r"( -)+$", "", collapse(row))  # no address of an error
    if newest and "Last self-test" not in draft.details:
        draft.detail(line, "Last self-test", words)
    else:
        mark_read(line)
    draft.add_test(_KIND.split(row, 1)[0], words, passed=has_passed(words))


def has_passed(words: str) -> bool | None:
    """Whether a drive passed a self-test; None: the test was not completed, or is running."""
    return False if FAILED_TEST.search(words) else True if _PASSED_TEST.search(words) else None


def statistic(draft: SmartDraft, line: Line, text: str) -> bool:
    """A row of the device statistics."""
    match = _STATISTIC.fullmatch(text)
    if not match or match["value"] == "-":
        return False
    name = collapse(match["name"])
    value = int(match["value"])
    if name == "Power-on Hours":
        draft.offer(line, "power_on_hours", value, rank=3)
    elif name == "Current Temperature" and 0 < value < 128:
        draft.offer(line, "temperature_celsius", value, rank=1, label="Current Temperature (device statistics)")
    else:
        draft.detail(line, name, str(value))
        draft.statistics.setdefault(name, (line, value))
        if name == "Percentage Used Endurance Indicator" and 0 <= value <= 255:
            draft.offer(line, "life_used_percent", value)
    return True


def port(draft: SmartDraft, line: Line, text: str) -> bool:
    """Read a row of the SAS ports' log. The rows give the link's speed and the drive's address."""
    rate = _LINK.fullmatch(text)
    if rate:
        speed = attempt(numbers.gbps, rate["rate"])
        if speed is not None:
            draft.offer(line, "link_gbps", speed)
            draft.offer(line, "interface", "sas", rank=1)
        else:
            mark_read(line)  # "phy enabled; unknown rate": the port that nothing is plugged into
        return True
    dwords = _DWORDS.fullmatch(text)
    if dwords:
        # the phy with the most errors counts
        draft.offer(line, "errors.link", int(dwords[1]), rank=int(dwords[1]), label="Invalid DWORD count")
        return True
    address = _ADDRESS.fullmatch(text)
    if address and "SAS address" not in draft.details:
        draft.detail(line, "SAS address", address["address"])
        return True
    if address:
        mark_read(line)
        return True
    return False


def recovery(draft: SmartDraft, line: Line, text: str) -> bool:
    """How long the drive tries to read a sector."""
    match = _RECOVERY.fullmatch(text)
    if match or text == _NO_RECOVERY:
        draft.detail(line, "SCT Error Recovery Control", collapse(match["limit"]) if match else "not supported")
    return match is not None or text == _NO_RECOVERY


def background(draft: SmartDraft, line: Line, text: str) -> bool:
    """Rows of the background scan: they have the hours since manufacture."""
    on = _POWER_ON.fullmatch(text)
    if on:
        draft.offer(line, "power_on_hours", numbers.hours(on["hours"]), rank=2)
        return True
    scans = _SCANS.fullmatch(text)
    if scans:
        draft.detail(line, "Number of background scans performed", scans["count"])
        return True
    return False


def powered(draft: SmartDraft, line: Line, text: str) -> bool:
    """``number of hours powered up`` of Seagate's and Hitachi's log page."""
    match = _POWERED.fullmatch(text)
    if match:
        draft.offer(line, "power_on_hours", int(match["hours"]), rank=1, label="number of hours powered up")
    return match is not None


def environment(draft: SmartDraft, line: Line, text: str) -> bool:
    """Temperature and humidity of SCSI's environmental reports."""
    match = _ENVIRONMENT.fullmatch(text)
    if not match:
        return False
    if match["label"] == "Current temperature" and match["value"] != "unknown":
        draft.offer(line, "temperature_celsius", int(match["value"]), rank=1, label="Current temperature")
    else:
        draft.detail(line, match["label"], match["value"])
    return True


def pending(draft: SmartDraft, line: Line, text: str) -> bool:
    """How many sectors of a SCSI drive wait to be reassigned."""
    match = _PENDING.fullmatch(text)
    if match:
        draft.detail(line, "Pending defect count", match["count"])
        draft.offer(line, "errors.pending", int(match["count"][:12]))
    return match is not None


def defect(draft: SmartDraft, line: Line, text: str) -> bool:
    """Read a row for a sector that cannot be read now.

    Such rows are in an ATA drive's log, or in the results of a SCSI background scan.
    """
    if not _DEFECT.fullmatch(text):
        return False
    draft.defects.append((line, 1))
    mark_read(line)
    return True


def logged_error(draft: SmartDraft, line: Line, text: str) -> bool:
    """Read the two rows of an error in ATA's log that identify it: its number, then its kind."""
    # "Error 57 [0] occurred at disk power-on lifetime: 31800 hours (1325 days + 0 hours)"
    begun = _LOGGED.match(text)
    # "  40 51 00 ff ff ff 0f  Error: UNC at LBA = 0x0fffffff = 268435455"
    number = int(begun[1]) if begun else next(reversed(draft.error_log.listed), None)
    if number is not None and (begun or "Error: " in text):
        draft.error_log.note(number, "" if begun else text)
        mark_read(line)
        return True
    return False


HANDLERS: dict[str, Callable[[SmartDraft, Line, str], bool]] = {
    "attributes": attribute,
    "marginal": attribute,
    "counters": counter,
    "errors": logged_error,
    "tests": test,
    "nvme_tests": nvme_test,
    "statistics": statistic,
    "defects": defect,
    "background": defect,
    "ports": port,
    "recovery": recovery,
    "seagate": powered,
}
"""The reader of a section's rows. It is tried before they are matched against the section's grammar."""

COUNTING = ("attributes", "marginal", "counters")
LIKE_A_ROW = regex(
    r"\S+ +\S.*(?: (?:0x[0-9a-f]{4}|[-POSRCK+]{6,7}|Pre-fail|Old_age|Always|Offline) ).*|(?:read|write|verify): .*"
)
"""Rows of these sections. Without one of them, a failed attribute or a count of errors may be missing."""

ANYWHERE: tuple[Callable[[SmartDraft, Line, str], bool], ...] = (background, powered, environment, pending, recovery)
"""Rows that have no separate section in some releases."""
