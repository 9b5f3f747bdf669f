"""Fields of nvme-cli's outputs, as text and as JSON, and what their figures mean."""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.evidence import Line
from raidctl.text import regex
from raidctl.vendor.draft import Pair
from raidctl.vendor.fields import Field, Fields
from raidctl_drives import nvme_labels
from raidctl_drives.draft import DeviceComplaint, DriveDraft
from raidctl_drives.vocabulary import any_integer, grouped_number

_INTEGER = regex(r"(0x[0-9a-f]+|\d+)\b")
_SENSOR = regex(r"(?:Temperature Sensor|temperature_sensor_) ?\d+")
_WARNINGS = (
    "available spare below its threshold",
    "temperature outside its thresholds",
    "reliability degraded",
    "media is read-only",
    "backup of volatile memory failed",
    "persistent memory is read-only or unreliable",
)
_FAILED_TESTS = (5, 6, 7)
"""Results of failed self-tests: fatal error, unknown failed segment, known failed segment."""
_ABORTED_TESTS = (1, 2, 3, 4, 8, 9)
_UNUSED_ENTRY = 15
_KINDS_OF_TESTS = {1: "Short", 2: "Extended"}
_LOST = regex(r"(?i)\b(?:dead|deleting|connecting|resetting)\b")


def is_sensor(label: str) -> bool:
    """``Temperature Sensor 1``."""
    return _SENSOR.fullmatch(label) is not None


def celsius(text: str, *, kelvin: bool) -> int | None:
    """Degrees Celsius of ``40 C``, ``40 °C (313 K)``, ``104 °F (313 K)`` or, where kelvin is meant, ``313``."""
    if match := re.match(r"(-?\d+)\s*°?\s*C", text):
        return int(match[1])
    if match := re.search(r"(\d+) K", text):
        return int(match[1]) - 273
    if re.fullmatch(r"\d+", text.strip()):
        return int(text) - 273 if kelvin and int(text) >= 200 else int(text)
    return None


def _read_temperature(*, kelvin: bool) -> Callable[[DriveDraft, Pair], None]:
    def read(draft: DriveDraft, pair: Pair) -> None:
        degrees = celsius(pair.value, kelvin=kelvin)
        # 0 kelvin: the drive has no sensor
        if degrees is None or degrees <= -273:
            draft.keep(pair)
        else:
            draft.put(pair.lines[0], "temperature_celsius", degrees)

    return read


def _read_temperature_limit(draft: DriveDraft, pair: Pair) -> None:
    draft.keep(pair)
    degrees = celsius(pair.value, kelvin=True)
    if degrees is not None and degrees > 0:
        draft.put(pair.lines[0], "max_temperature_celsius", degrees)


def _read_warnings(draft: DriveDraft, pair: Pair) -> int | None:
    """Keep and return the bits of a critical warning; None, with a problem, if it is not a number."""
    draft.keep(pair)
    bits = any_integer(pair.value)
    if bits is None:
        message = f"The drive's {pair.label} {pair.value!r} is not a number: warnings are unknown."
        draft.add_problem("warning", "unread", message, "Run nvme smart-log again.")
    return bits


def _read_errors(draft: DriveDraft, pair: Pair) -> None:
    """``media_errors : 0``: a count that is not a number is not 0."""
    count = grouped_number(pair.value)
    if count is None:
        draft.keep(pair)
        draft.add_problem("warning", "unread", f"The drive's {pair.label} {pair.value!r} is not a number.",
                          "Run nvme smart-log again.")  # fmt: skip
    else:
        draft.put(pair.lines[0], "errors.media", count)


def _named(bits: int) -> list[str]:
    return [text for bit, text in enumerate(_WARNINGS) if bits >> bit & 1]


def _read_critical_warning(draft: DriveDraft, pair: Pair) -> None:
    bits = _read_warnings(draft, pair)
    if bits is None:
        return
    warnings = _named(bits)
    # like every SMART alert a warning; a drive that is read-only has failed
    draft.put(pair.lines[0], "status", "critical" if bits & 0x8 else "warning" if bits else "ok")
    words = f": {', '.join(warnings)}" if warnings else ""
    draft.conclude("status_text", f"critical_warning {pair.value}{words}")
    if bits:
        draft.add_problem(
            "error" if bits & 0x8 else "warning",
            "state",
            f"NVMe critical warning: {', '.join(warnings) or pair.value}.",
            "Check nvme smart-log, back up the data, and replace the drive unless it was only too hot.",
        )


def _read_capacity(draft: DriveDraft, pair: Pair) -> None:
    draft.keep(pair)
    if size := grouped_number(pair.value):
        draft.put(pair.lines[0], "size_bytes", size)


def _read_volatile_cache(draft: DriveDraft, pair: Pair) -> None:
    """Bit 0: there is a volatile write cache. Feature 6 reports whether it is on."""
    draft.keep(pair)
    present = any_integer(pair.value)
    if present is None:
        return
    draft.replace_words("volatile write cache", "present" if present & 1 else "not present")
    if not present & 1:
        draft.put(pair.lines[0], "write_cache", "disabled")


def _read_blocks(draft: DriveDraft, pair: Pair) -> None:
    draft.keep(pair)
    blocks = _first_integer(pair.value)
    if blocks is not None:
        draft.mark(pair.lines[0], "nsze", blocks)


def _read_name(draft: DriveDraft, pair: Pair) -> None:
    draft.keep(pair)
    if pair.value.strip("0") and "wwn" not in draft.values:
        draft.put(pair.lines[0], "wwn", pair.value)


def _first_integer(text: str) -> int | None:
    """The integer that a value begins with; words may follow it."""
    found = _INTEGER.match(text)
    return any_integer(found[1]) if found else None


def _read_group_warning(draft: DriveDraft, pair: Pair) -> None:
    """``endurance group critical warning summary: 0x4``: the same bits for any endurance group of the drive."""
    bits = _read_warnings(draft, pair)
    if bits:
        draft.add_problem(
            "error" if bits & 0x8 else "warning",
            "state",
            f"NVMe endurance group critical warning: {', '.join(_named(bits)) or pair.value}.",
            "Check the backups, and replace the drive.",
        )


def _read_result(draft: DriveDraft, pair: Pair) -> None:
    """Read the result of a self-test, ``0x7``. The newest comes first; the lines with its kind follow."""
    draft.keep(pair)
    result = _first_integer(pair.value)
    if result != _UNUSED_ENTRY:
        passed = True if result == 0 else False if result in _FAILED_TESTS else None
        ended = "aborted, " * (result in _ABORTED_TESTS)
        draft.add_test("", f"{ended}result {pair.value}", passed=passed)


def _read_test_code(draft: DriveDraft, pair: Pair) -> None:
    """Read the kind of the self-test whose result precedes it."""
    draft.keep(pair)
    kind = _KINDS_OF_TESTS.get(_first_integer(pair.value) or 0)
    if kind and draft.tests and not draft.tests[-1][0]:
        draft.tests[-1] = (kind, draft.tests[-1][1])


def read_path_state(draft: DriveDraft, line: Line, name: str, state: str) -> None:
    """The state, ``live`` or ``dead``, of a controller by which the kernel reaches the drive."""
    draft.detail(line, f"state of {name}", state)
    if _LOST.search(state):
        draft.add_problem(
            "error" if "dead" in state.lower() else "warning",
            "state",
            f"The kernel does not reach the NVMe controller {name}: {state}.",
            "Read the kernel's log (dmesg), reseat the drive or check its link, and replace it if this persists.",
        )


CONTROLLER: Fields[DriveDraft] = {
    **dict.fromkeys(nvme_labels.CONTROLLER, DriveDraft.keep),
    # sn      : ABC0123456789
    "sn": Field("serial", str),
    "mn": Field("model", str),
    "fr": Field("firmware", str),
    # tnvmcap : 1024209543168        0: not reported
    "tnvmcap": _read_capacity,
    # cctemp  : 361        kelvin; 0: not reported
    "cctemp": _read_temperature_limit,
    # vwc     : 0x7
    "vwc": _read_volatile_cache,
}
"""Fields of ``id-ctrl``."""
NAMESPACE: Fields[DriveDraft] = {
    **dict.fromkeys(nvme_labels.NAMESPACE, DriveDraft.keep),
    # nsze    : 0x1d1c0beb0
    "nsze": _read_blocks,
    # nguid   : 0123456789abcdef0123456789abcdef
    **dict.fromkeys(("nguid", "eui64"), _read_name),
}
"""Fields of ``id-ns``."""
SMART: Fields[DriveDraft] = {
    **dict.fromkeys(nvme_labels.SMART, DriveDraft.keep),
    # critical_warning                    : 0x4
    "critical_warning": _read_critical_warning,
    # endurance group critical warning summary: 0        endurance_grp_critical_warning_summary in JSON
    "endurance group critical warning summary": _read_group_warning,
    "endurance_grp_critical_warning_summary": _read_group_warning,
    # temperature                         : 40 °C (313 K)
    "temperature": _read_temperature(kelvin=False),
    # power_on_hours                      : 1,677
    "power_on_hours": Field("power_on_hours", grouped_number),
    "media_errors": _read_errors,
    "num_err_log_entries": Field("errors.other", grouped_number),
}
"""Fields of ``smart-log``."""
SMART_JSON: Fields[DriveDraft] = {**SMART, "temperature": _read_temperature(kelvin=True)}
"""The same in JSON, where temperatures are in kelvin."""
LOGS: Fields[DriveDraft] = {
    **dict.fromkeys(nvme_labels.LOGS, DriveDraft.keep),
    #   Operation Result             : 0x7
    "Operation Result": _read_result,
    #   Self Test Code               : 2
    "Self Test Code": _read_test_code,
}
"""Fields of ``error-log``, ``fw-log`` and ``self-test-log``."""


def namespace_size(blocks: int | None, power: int | None) -> int | None:
    """Bytes of a namespace: its blocks of ``1 << power`` bytes."""
    return blocks << power if blocks and power and power < 32 else None


def enabled(value: str) -> str | None:
    """``enabled`` or ``disabled`` from the current value of feature 6. Zero is printed without 0x: ``00000000``."""
    match = re.fullmatch(r"(?:0x)?([0-9a-f]{1,8})", value.strip(), re.IGNORECASE)
    return None if match is None else "enabled" if int(match[1], 16) & 1 else "disabled"


def conclude(draft: DriveDraft) -> None:
    """An NVMe drive in the machine is solid state. One reached over a network may be of any kind."""
    if set(draft.values) - {"device"} or draft.details:
        draft.conclude("interface", "nvme")
        remote = {draft.details.get("TxPort", ""), draft.details.get("Transport", "")} - {"", "pcie"}
        if draft.get("model") != "Linux" and not remote:
            draft.conclude("media", "ssd")


def nothing_found(document: str, reason: str = "") -> DeviceComplaint:
    """``nvme list`` with no drive in it."""
    return DeviceComplaint(
        "info",
        "note",
        f"nvme list found no NVMe drive{reason}.",
        "Expected without NVMe drives; otherwise load the kernel's nvme driver: modprobe nvme.",
        document,
    )
