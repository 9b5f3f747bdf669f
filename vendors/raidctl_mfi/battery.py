"""The battery or capacitor of the cache, from the firmware's replies."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from raidctl_mfi.commands import NO_HARDWARE
from raidctl_mfi.dialogue import Answers
from raidctl_mfi.frame import Answer
from raidctl_mfi.problems import Json, Problems
from raidctl_mfi.structures import BBU_PROPS, BBU_STATUS
from raidctl_mfi.vocabulary import BATTERY_TYPES, LEARN_MODES, battery_words

_EPOCH = datetime(2000, 1, 1, tzinfo=timezone.utc)
"""The firmware counts seconds from here; its time zone is not reported."""


def battery(found: Answers, in_hardware: bool | None, where: str, problems: Problems) -> Json | None:
    """Return the battery or capacitor; None if nothing is known of it.

    Args:
        found: The answers.
        in_hardware: Whether CTRL_GET_INFO lists a battery among the hardware; None if unknown.
        where: The controller.
        problems: Takes contradictions.
    """
    status = _status(found.battery)
    asked = _present(found.battery, status)
    present = problems.agree(where, "battery", [("CTRL_GET_INFO", in_hardware), ("BBU_STATUS", asked)])
    if present is None and status is None:
        return None
    made: Json = {"present": present, "type": None, "status_bits": None, "status": None, "charge_percent": None}
    made |= {"temperature_celsius": None, "voltage_volts": None, "learn": _learn(found.battery_properties)}
    if status is None or present is not True:
        return made
    charge = status["relative_charge"]
    kind = status["type"]
    return made | {
        "type": BATTERY_TYPES.get(kind, f"type {kind}"),
        "status_bits": status["fw_status"],
        "status": None if status["fw_status"] is None else battery_words(status["fw_status"]),
        "charge_percent": charge if charge is not None and charge <= 100 else None,
        "temperature_celsius": status["temperature"] or None,
        "voltage_volts": status["millivolts"] / 1000 if status["millivolts"] else None,
    }


def _status(answer: Answer | None) -> dict[str, Any] | None:
    """Decode BBU_STATUS; None if it is all zeros."""
    if answer is None or not answer.has_data or not any(answer.data):
        return None
    return BBU_STATUS.decode(answer.data)


def _present(answer: Answer | None, status: dict[str, Any] | None) -> bool | None:
    """Whether there is a battery: ``no such hardware`` and type 0 mean none."""
    if answer is not None and answer.status == NO_HARDWARE:
        return False
    return None if status is None else bool(status["type"])


def _learn(answer: Answer | None) -> Json | None:
    if answer is None or not answer.has_data or not any(answer.data):
        return None
    read = BBU_PROPS.decode(answer.data)
    mode, seconds = read["learn_mode"], read["next_learn"]
    return {
        "mode": None if mode is None else LEARN_MODES.get(mode, f"mode {mode}"),
        "period_seconds": read["learn_period"] or None,
        "next": (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S") if seconds else None,
    }
