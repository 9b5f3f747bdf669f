"""What the figures of nvme-cli mean: its fields read into the model, from text and from JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from raidctl.evidence import Line
from raidctl.model import Problem
from raidctl_drives.draft import Draft
from raidctl_drives.parts import DrivePart
from raidctl_drives.vocabulary import any_integer, grouped_number

_IDENTITY = {"sn": "serial", "mn": "model", "fr": "firmware"}
_SENSOR = re.compile(r"(?:Temperature Sensor|temperature_sensor_) ?\d+")
_WARNINGS = (
    "available spare below its threshold",
    "temperature outside its thresholds",
    "reliability degraded",
    "media is read-only",
    "backup of volatile memory failed",
    "persistent memory is read-only or unreliable",
)


def is_sensor(label: str) -> bool:
    """``Temperature Sensor 1``."""
    return _SENSOR.fullmatch(label) is not None


def read_controller(draft: Draft, line: Line, label: str, value: str) -> None:
    """One field of ``id-ctrl``."""
    if field := _IDENTITY.get(label):
        # sn      : ABC0123456789
        draft.fact(line, field, value)
    elif label == "tnvmcap":
        # tnvmcap : 1024209543168        0: not reported
        draft.detail(line, label, value)
        if size := grouped_number(value):
            draft.fact(line, "size_bytes", size)
    elif label == "vwc":
        # vwc     : 0x7        bit 0: there is a volatile write cache; feature 6 reports whether it is on
        draft.detail(line, label, value)
        present = any_integer(value)
        if present is not None and not present & 1:
            draft.details["volatile write cache"] = "not present"
            draft.fact(line, "write_cache", "disabled")
        elif present is not None:
            draft.details["volatile write cache"] = "present"
    else:
        draft.detail(line, label, value)


def read_smart(draft: Draft, line: Line, label: str, value: str, *, kelvin: bool) -> None:
    """One field of ``smart-log``; JSON gives temperatures in kelvin."""
    number = grouped_number(value)
    if label == "critical_warning":
        _critical_warning(draft, line, value)
    elif label == "temperature":
        _temperature(draft, line, value, kelvin=kelvin)
    elif label == "power_on_hours" and number is not None:
        draft.fact(line, "power_on_hours", number)
    elif label == "media_errors" and number is not None:
        draft.fact(line, "errors.media", number)
    elif label == "num_err_log_entries" and number is not None:
        draft.fact(line, "errors.other", number)
    else:
        draft.detail(line, label, value)


def celsius(text: str, *, kelvin: bool) -> int | None:
    """Degrees Celsius of ``40 C``, ``40 °C (313 K)``, ``104 °F (313 K)`` or, where kelvin is meant, ``313``."""
    if match := re.match(r"(-?\d+)\s*°?\s*C", text):
        return int(match[1])
    if match := re.search(r"(\d+) K", text):
        return int(match[1]) - 273
    if re.fullmatch(r"\d+", text.strip()):
        return int(text) - 273 if kelvin and int(text) >= 200 else int(text)
    return None


def _temperature(draft: Draft, line: Line, value: str, *, kelvin: bool) -> None:
    degrees = celsius(value, kelvin=kelvin)
    # 0 kelvin: the drive has no sensor
    if degrees is None or degrees <= -273:
        draft.detail(line, "temperature", value)
    else:
        draft.fact(line, "temperature_celsius", degrees)


def _critical_warning(draft: Draft, line: Line, value: str) -> None:
    # critical_warning                    : 0x4
    bits = any_integer(value)
    if bits is None:
        draft.detail(line, "critical_warning", value)
        draft.problem(
            Problem(
                severity="warning",
                where=draft.key,
                message=f"The drive's critical_warning {value!r} is not a number: warnings are unknown.",
                remedy="Run nvme smart-log again.",
                kind="unread",
            )
        )
        return
    warnings = [text for bit, text in enumerate(_WARNINGS) if bits >> bit & 1]
    # like every SMART alert a warning; a drive that takes no writes any more has failed
    draft.fact(line, "status", "critical" if bits & 0x8 else "warning" if bits else "ok")
    draft.values["status_text"] = f"critical_warning {value}" + (f": {', '.join(warnings)}" if warnings else "")
    draft.detail(line, "critical_warning", value)
    if bits:
        draft.problem(
            Problem(
                severity="error" if bits & 0x8 else "warning",
                where=draft.key,
                message=f"NVMe critical warning: {', '.join(warnings) or value}.",
                remedy="Check nvme smart-log, back up the data, and replace the drive unless it was only too hot.",
                kind="state",
            )
        )


def namespace_size(values: Mapping[str, Any]) -> int | None:
    """Bytes of a namespace: ``nsze`` blocks of ``1 << lbads`` bytes."""
    blocks, shift = values.get("nsze"), values.get("lbads")
    return int(blocks) << int(shift) if blocks and shift and int(shift) < 32 else None


def enabled(value: str) -> str | None:
    """``enabled`` or ``disabled`` of the current value of feature 6; zero is printed without 0x: ``00000000``."""
    match = re.fullmatch(r"(?:0x)?([0-9a-f]{1,8})", value.strip(), re.IGNORECASE)
    return None if match is None else "enabled" if int(match[1], 16) & 1 else "disabled"


def finished(draft: Draft) -> DrivePart | None:
    """The part of an NVMe drive; None if nothing is reported.

    An NVMe drive in the machine is solid state; one reached over a network may be of any kind.
    """
    if set(draft.values) - {"device"} or draft.details:
        draft.values.setdefault("interface", "nvme")
        remote = {draft.details.get("TxPort", ""), draft.details.get("Transport", "")} - {"", "pcie"}
        if draft.values.get("model") != "Linux" and not remote:
            draft.values.setdefault("media", "ssd")
    return draft.part()


def nothing_found(draft: Draft, document: str, reason: str = "") -> None:
    """``nvme list`` with no drive in it."""
    draft.problem(
        Problem(
            severity="info",
            where=document,
            message=f"nvme list found no NVMe drive{reason}.",
            remedy="Expected without NVMe drives; otherwise load the kernel's nvme driver: modprobe nvme.",
        )
    )
