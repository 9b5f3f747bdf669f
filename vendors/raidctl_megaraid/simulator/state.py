"""The settings of a simulated controller, shared by all simulated tools.

``megaraid 0/cacheflushint`` is one of controller 0, ``megaraid 0/v1/wrcache`` one of its volume 1. Values are storcli's
words for all tools. Settings that no command changes are for users of the simulation: ``battery`` (the
tool's own word), ``charge`` (percent), ``preserved``, ``supports iopolicy`` …
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from raidctl.text import collapse

GOOD = frozenset({"Optimal", "Operational"})
"""Words for a battery with which the firmware uses write-back."""
DEGRADED = "Degraded (need attention)"
BATTERIES = ("Optimal", "Learning", "Charging", DEGRADED, "Failed", "Missing")
"""Words for a battery that the simulation supports; the tools have more."""

MASKS = {"Optimal": 0, "Missing": 1, "Charging": 8, "Learning": 64, "Failed": 1024, DEGRADED: 2048}
"""The bit mask ``BBU Status`` for each of them."""

_FLAGS: dict[str, tuple[str, str, str]] = {
    # its words, the word if it is set, and the word if it is not
    "learn cycle active": ("Learning", "Yes", "No"),
    "charging status": ("Charging", "Charging", "None"),
    "battery pack missing": ("Missing", "Yes", "No"),
    "replacement required": ("Failed", "Yes", "No"),
    "battery replacement required": ("Failed", "Yes", "No"),
    "remaining capacity low": (DEGRADED, "Yes", "No"),
}
"""The flags that depend on the battery's state, by their labels."""


def flag(label: str, battery: str) -> str | None:
    """The value of a battery flag in a state. None for a label that the simulation does not set."""
    known = _FLAGS.get(collapse(label.lower()))
    return None if known is None else known[1] if known[0] == battery else known[2]


def name(controller: str, setting: str, volume: str | None = None) -> str:
    """``megaraid 0/v1/wrcache``."""
    return f"megaraid {controller}/{setting}" if volume is None else f"megaraid {controller}/v{volume}/{setting}"


@dataclass(frozen=True)
class ControllerState:
    """The settings of one controller."""

    number: str
    state: Mapping[str, str]

    def get(self, setting: str, volume: str | None = None) -> str | None:
        """A setting; None if the recording does not contain it."""
        return self.state.get(name(self.number, setting, volume))

    @property
    def battery_good(self) -> bool:
        """Whether there is a battery with which the firmware uses write-back."""
        return self.get("battery") in GOOD

    def active(self, volume: str) -> str | None:
        """Return the active write policy. The firmware falls back to write-through while the battery is not good."""
        set_to = self.get("wrcache", volume)
        goes_on = self.battery_good or self.get("badbbu", volume) == "Yes"
        return "WT" if set_to == "WB" and not goes_on else set_to


def volumes(controller: str, state: Mapping[str, str]) -> list[str]:
    """The numbers of a controller's volumes."""
    start = f"megaraid {controller}/v"
    found = {key[len(start) :].partition("/")[0] for key in state if key.startswith(start) and "/" in key[len(start) :]}
    return sorted(found, key=lambda text: (len(text), text))


def known(controller: str, state: Mapping[str, str]) -> bool:
    """Whether there is such a controller."""
    return any(key.startswith(f"megaraid {controller}/") for key in state)
