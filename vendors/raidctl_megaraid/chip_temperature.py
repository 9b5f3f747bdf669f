"""The temperature of a controller's chip."""

from __future__ import annotations

import re

from raidctl.text import regex
from raidctl.vendor.draft import Draft
from raidctl.vendor.limits import CHIP_THROTTLED, CHIP_TOO_HOT
from raidctl_megaraid.vocabulary import normalized

# ROC temperature(Degree Celsius) = 67, Chip temperature(C) = 57, Ctrl temperature(Degree Celsius) = 51
# Controller temperature : 62  degree Celcius
_LABELS = ("roc temperature", "chip temperature", "ctrl temperature", "controller temperature")
_DEGREES = regex(r"(\d{1,3})(?:\s|$)", re.ASCII)
_MAX_CELSIUS = 150
"""Higher values mean that the sensor cannot be read."""


def report_chip_temperature(controller: Draft, label: str, value: str) -> None:
    """Report a chip at a temperature at which the firmware throttles it or stops."""
    if not normalized(label).startswith(_LABELS):
        return
    match = _DEGREES.match(value.strip())
    degrees = int(match[1]) if match else 0
    if CHIP_TOO_HOT <= degrees <= _MAX_CELSIUS:
        throttled = degrees >= CHIP_THROTTLED
        then = "it is throttled, and stops if it gets hotter" if throttled else "it is too hot"
        controller.add_problem(
            "error" if throttled else "warning", "state", f"The chip of the controller is at {degrees} °C: {then}.",
            "Check the fans and the airflow at its slot.",
        )  # fmt: skip
