"""The verdict on a drive's health, and the sums over its attributes.

The rules:

* ``PASSED`` and ``OK`` are ok.
* A SMART alert predicts a failure and is a warning, as predictive failures are in every family: ``FAILED!``, an
  attribute that is ``FAILING_NOW``, SCSI's informational exceptions (``[asc=5d, ascq=…]``: a failure is predicted;
  ``[asc=b, …]``: a limit was passed) and the bits of NVMe's critical warning.
* A drive that can no longer be used is critical: NVMe, when the media has become read-only (bit 3).
* A ``Pre-fail`` attribute that failed ``In_the_past`` is a warning; one of the type ``Old_age`` (wear, heat) that
  did is ignored.
* ``errors.media`` of ATA drives is the number of sectors that are damaged: the reallocated ones (attribute 5)
  and those that cannot be read now (the larger of 197 and 198, which count the same sectors).
  ``errors.other`` is the number of transfer errors on the cable (attribute 199).
* Errors that the host received (attributes 184 and 187, a device statistic, ATA's error log) are a problem of the
  drive. The log lists the errors that the others count, and is reported only if they count none.
* ``errors.media`` of SCSI drives is the sum of the errors that could not be corrected while reading, writing and
  verifying; ``errors.reallocated`` is the length of the grown defect list, ``errors.other`` the count of non-medium
  errors.
* ``errors.media`` of NVMe drives is ``Media and Data Integrity Errors``; ``errors.other`` is the number of commands
  that ended in error (``Error Information Log Entries``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from raidctl.model import Health as Verdict
from raidctl.text import attempt, counted, regex
from raidctl.vendor.limits import MANY_ERRORS
from raidctl.vendor.statuses import worst
from raidctl_drives.smart import numbers
from raidctl_drives.smart.draft import PASSED, Attribute, SmartDraft

REALLOCATED = regex(r"Re-?alloc|Retired|Bad_Bl", re.IGNORECASE)
PENDING = regex(r"Pending", re.IGNORECASE)
UNCORRECTABLE = regex(r"Offl|Unc", re.IGNORECASE)
CRC = regex(r"CRC|Interface", re.IGNORECASE)
_COUNTS_OF_ERRORS = (
    # "184 End-to-End_Error        0x0032   063   063   000    Old_age   Always       -       37"
    (184, regex(r"End.to.End", re.IGNORECASE), None, "error", "between its memory and the host (End-to-End)"),
    (
        # "0x04  0x008  4             412  ---  Number of Reported Uncorrectable Errors"
        187, regex(r"Uncorr", re.IGNORECASE), "Number of Reported Uncorrectable Errors",
        "uncorrectable error", "reported to the host",
    ),
)  # fmt: skip
"""Attributes and device statistics that count errors since the drive was made. Nearly all drives have none."""
_STATISTICS = (
    ("reallocated", 5, REALLOCATED, "Number of Reallocated Logical Sectors"),
    ("pending", 197, PENDING, "Number of Realloc. Candidate Logical Sectors"),
)
"""Counts of sectors that a drive without the attribute reports in its device statistics."""
TEMPERATURE = regex(r"Temp", re.IGNORECASE)
POWER_ON = regex(r"Power[_-]?On", re.IGNORECASE)

CRITICAL_WARNINGS = (
    (0x01, "available spare has fallen below threshold"),
    (0x02, "temperature is above or below threshold"),
    (0x04, "NVM subsystem reliability has been degraded"),
    (0x08, "media has been placed in read only mode"),
    (0x10, "volatile memory backup device has failed"),
    (0x20, "persistent memory region has become read-only or unreliable"),
)
"""The bits of NVMe's critical warning, in smartctl's words."""
_TRIP = ("Drive Trip Temperature", "temperature.drive_trip")
"""Names of the temperature at which a SCSI drive stops. The first is that of the text, the second that of the JSON."""
_WEAR = "Media_Wearout_Indicator"
_LIFE_LEFT = frozenset({"SSD_Life_Left", "Percent_Lifetime_Remain", "Remaining_Lifetime_Perc"})
"""Attributes whose normalised value is the remaining rated endurance in percent."""
_NO_COUNT = (1 << 32) - 1
"""What a device statistic of four bytes has instead of a count."""
_READ_ONLY = CRITICAL_WARNINGS[3]
_FAILED_TESTS = {
    3: "fatal or unknown error", 4: "unknown element", 5: "electrical element", 6: "servo or seek element",
    7: "read element", 8: "suspected handling damage",
}  # fmt: skip
"""High half of the status byte of an ATA drive's self-test, and what failed."""
_RESERVED_TESTS = range(9, 15)
_FAILED = {"FAILED!", "FAILED"}


def conclude_health(draft: SmartDraft) -> None:
    """Conclude sums over attributes, status, and the problems that follow."""
    _no_temperature_log(draft)
    _attributes(draft)
    _past_errors(draft)
    for line, _ in draft.counters:
        draft.offer(line, "errors.media", sum(count for _, count in draft.counters))
    _defects(draft)
    _self_test(draft)
    _status(draft)


def _self_test(draft: SmartDraft) -> None:
    """Report a failed self-test that only the status byte shows: the drive has no log, or it was not read."""
    result = draft.test_status >> 4
    found = _FAILED_TESTS.get(result)
    if result in _RESERVED_TESTS and not draft.tested:
        draft.report(
            f"The result of the drive's last self-test is unknown (status {draft.test_status}).", kind="unread"
        )
    if found is not None and not draft.tested:
        draft.report(
            f"The drive's last self-test failed: {found} (status {draft.test_status}).",
            remedy="Check the backups and replace the drive.",
        )


def _defects(draft: SmartDraft) -> None:
    """Count the sectors that a log lists as unreadable. If an attribute counts more, its count stays."""
    total = sum(count for _, count in draft.defects)
    for line, _ in draft.defects:
        draft.offer(line, "errors.pending", total, rank=1 if total > (draft.get("errors.pending") or 0) else -1)


def _no_temperature_log(draft: SmartDraft) -> None:
    """Discard a 0 °C temperature if the trip temperature is 0 °C.

    "Current Drive Temperature:     0 C" and "Drive Trip Temperature:        0 C" are what smartctl prints of a SCSI
    drive that has no such log page: no drive stops working at 0 °C.
    """
    if any(draft.details.get(label) in ("0 C", "0") for label in _TRIP):
        draft.drop_value("temperature_celsius", 0)


def _find(attributes: Iterable[Attribute], number: int, name: re.Pattern[str]) -> Attribute | None:
    return next((row for row in attributes if row.number == number and name.search(row.name)), None)


def _count(row: Attribute | None) -> int | None:
    found = attempt(numbers.first_number, row.raw) if row else None
    # Above 32 bits a maker has packed several figures into one: what it counts is unknown
    return found if found is not None and 0 <= found < 1 << 32 else None


def _attributes(draft: SmartDraft) -> None:
    rows = draft.attributes.values()
    reallocated = _find(rows, 5, REALLOCATED)
    unreadable = [row for row in (_find(rows, 197, PENDING), _find(rows, 198, UNCORRECTABLE)) if row]
    counts = [count for row in unreadable if (count := _count(row)) is not None]
    if _count(reallocated) is not None or counts:
        total = (_count(reallocated) or 0) + max(counts, default=0)
        for row in (reallocated, *unreadable):
            if row and _count(row) is not None:
                draft.offer(row.line, "errors.media", total)
    crc = _find(rows, 199, CRC)
    if crc and _count(crc) is not None:
        draft.offer(crc.line, "errors.other", _count(crc))
    each = (("reallocated", reallocated), ("pending", _find(rows, 197, PENDING)),
            ("uncorrectable", _find(rows, 198, UNCORRECTABLE)), ("link", crc))  # fmt: skip
    for name, row in each:
        if row and _count(row) is not None:
            draft.offer(row.line, f"errors.{name}", _count(row))
    for name, number, pattern, statistic in _STATISTICS:
        line, count = draft.statistics.get(statistic, (None, 0))
        if line and _count(_find(rows, number, pattern)) is None and 0 <= count < _NO_COUNT:
            draft.offer(line, f"errors.{name}", count, rank=-1)
    for row in rows:
        # of drives other than Intel's, 233 counts something else, and its raw value is not 0
        known = row.name in _LIFE_LEFT or (row.name == _WEAR and row.value and _count(row) == 0)
        if known and row.value is not None and 0 <= row.value <= 100:
            draft.offer(row.line, "life_used_percent", 100 - row.value, rank=-1)
    for number, rank in ((194, 2), (190, 1), (231, 0), (220, 0)):
        warm = _find(rows, number, TEMPERATURE)
        degrees = attempt(numbers.ata_celsius, warm.raw) if warm else None
        if warm and degrees is not None:
            draft.offer(warm.line, "temperature_celsius", degrees, rank=rank)
    on = _find(rows, 9, POWER_ON)
    time = attempt(numbers.hours, on.raw) if on else None
    if on and time is not None and ("h" in on.raw or "Hours" in on.name):  # else it counts minutes or seconds
        draft.offer(on.line, "power_on_hours", time, rank=2)


def _past_errors(draft: SmartDraft) -> None:
    """Report errors that the host has received. They do not show whether the drive still has bad sectors."""
    for number, name, statistic, noun, what in _COUNTS_OF_ERRORS:
        _, other = draft.statistics.get(statistic or "", (None, 0))
        count = max(_count(_find(draft.attributes.values(), number, name)) or 0, other if other < _NO_COUNT else 0)
        if count:
            _report_errors(draft, f"The drive counts {counted(count, noun)} {what}.", many=count >= MANY_ERRORS)
            if statistic:
                return  # the log lists the same errors
    listed = draft.error_log.listed.values()
    lost, total = sum(listed), max(draft.error_log.total, len(listed))
    if lost:
        words = f"counts {counted(total, 'error')} and lists {counted(lost, 'unreadable sector')} (UNC or IDNF)"
        many = (total if all(listed) else lost) >= MANY_ERRORS
        _report_errors(draft, f"The drive's error log {words}.", many=many)


def _report_errors(draft: SmartDraft, message: str, *, many: bool) -> None:
    remedy = "Check the backups; replace the drive if the number grows."
    draft.report(message, severity="warning" if many else "info", remedy=remedy)


def _failing(draft: SmartDraft) -> list[tuple[str, Attribute]]:
    found: list[tuple[str, Attribute]] = []
    for row in draft.attributes.values():
        if row.failed == "now":
            found.append((f"{row.name} FAILING_NOW", row))
        elif row.failed == "past" and row.prefail:
            found.append((f"{row.name} failed In_the_past", row))
    return found


def _status(draft: SmartDraft) -> None:
    health = draft.health
    failing = _failing(draft)
    verdict = _verdict_of(draft)
    reasons = list(dict.fromkeys([*health.reasons, *(words for words, _ in failing)]))
    verdicts: list[Verdict] = ["warning"] if failing else []
    verdicts += [verdict] if verdict else []
    if not verdicts:
        return
    status = worst(verdicts)
    text = "; ".join(([health.verdict] if health.verdict else []) + reasons) or health.warning_text
    lines = [line for line in (health.verdict_line, health.warning_line) if line] + [row.line for _, row in failing]
    for line in lines:
        draft.offer(line, "status", status)
        if text:
            draft.offer(line, "status_text", text)


def _verdict_of(draft: SmartDraft) -> Verdict | None:
    """Status from the verdict alone; None without a verdict."""
    health = draft.health
    warning = health.critical_warning or 0
    known = [words for bit, words in CRITICAL_WARNINGS if warning & bit]
    if others := warning & ~sum(bit for bit, _ in CRITICAL_WARNINGS):
        known.append(f"unknown critical warning {others:#04x}")
    health.reasons += [words for words in known if words not in health.reasons]
    if warning & _READ_ONLY[0] or _READ_ONLY[1] in health.reasons:
        return "critical"
    if warning or health.verdict in _FAILED or (health.verdict is not None and health.scsi):
        return "warning"
    if health.verdict in PASSED:
        return "ok"
    if health.verdict is not None:
        draft.report(
            f"Unknown SMART health status: {health.verdict!r}.", kind="unread",
            remedy="Run smartctl -x on the drive and check its output.",
        )  # fmt: skip
        return "unknown"
    return "ok" if health.critical_warning == 0 else None
