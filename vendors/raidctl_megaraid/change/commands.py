"""Settings of the tools' commands, their values, and what cannot be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from raidctl.model import Controller, Volume
from raidctl.model.objects import by_id
from raidctl.vendor.plan import Action, Desired, Setting, ToolSetting
from raidctl.vendor.planner import CannotError
from raidctl.vendor.setting_values import ENDLESS, endless, value

TIMEOUT = 60.0
"""Seconds for one changing call."""
FLUSH_TIMEOUT = 600.0
"""Seconds for writing a whole cache out: gigabytes on slow drives."""

RANGE = ("The accepted range is undocumented (0 to 255 seconds); the firmware may reject the value.",)
PERCENT: Mapping[str, int] = {str(number): 0 for number in range(101)}
"""Values of a rate; none of them loses data."""
ALARM = "alarm"
"""The setting of the audible alarm."""
CACHED = "With cached I/O the controller may hold writes in its cache whatever the write policy"


@dataclass(frozen=True)
class Assignment:
    """A setting and its desired value, in the tool's own words."""

    setting: ToolSetting
    value: str
    affects: tuple[str, ...] = ()


class Grammar(Protocol):
    """The commands of one kind of tool."""

    risks: Mapping[str, Mapping[str, int]]
    """The values of each setting, the higher the less safe. The tool takes no other value."""

    def current_settings(self, controller: Controller) -> dict[ToolSetting, str]:
        """The current values of all settings, in the tool's own words."""

    def assignments(
        self, controller: Controller, desired: Desired, current: Mapping[ToolSetting, str]
    ) -> list[Assignment]:
        """The assignments for a desired setting, whether they are needed or not.

        Raises:
            CannotError: The tool has no word for it.
        """

    def action(self, command: str, number: str, setting: ToolSetting, value: str) -> Action:
        """The command that sets a setting. ``number`` is the tool's number of the controller."""

    def flush(self, command: str, number: str) -> Action:
        """The command that writes the controller's cache out."""


def percent(desired: Desired) -> str:
    """A rate in the tools' form: percent of the controller's time.

    Raises:
        CannotError: It is not a percentage, or a rebuild would never end with it.
    """
    if endless(desired.setting, desired.value):
        raise CannotError(ENDLESS)
    figure = desired.value.removesuffix("%")
    if not (figure.isascii() and figure.isdecimal() and len(figure) < 4 and int(figure) <= 100):
        raise CannotError(f"The controller's rates are percentages, 0 to 100, not {desired.value}.")
    return str(int(figure))


def rates(controller: Controller, words: Mapping[Setting, str]) -> dict[ToolSetting, str]:
    """The reported rates, under the tool's words."""
    reported = {word: value(controller, controller.id, setting) for setting, word in words.items()}
    return {(controller.id, word): rate.removesuffix("%") for word, rate in reported.items() if rate is not None}


def alarm(controller: Controller, words: Mapping[str, str]) -> dict[ToolSetting, str]:
    """The alarm as the tool spells it, if it is reported."""
    reported = value(controller, controller.id, "alarm")
    return {(controller.id, ALARM): words[reported]} if reported is not None else {}


def volume_of(controller: Controller, object_id: str) -> Volume:
    """The volume of a request.

    Raises:
        CannotError: The setting is not of a volume.
    """
    found = by_id(controller.volumes, object_id)
    if found is None:
        raise CannotError(
            "The tools set this for a volume only.", alternative="Name the volume, or the controller for all of them."
        )
    return found


def neighbours(controller: Controller, volume: Volume) -> list[str]:
    """The other volumes on the same drives."""
    return [
        other.id
        for other in controller.volumes
        if other.id != volume.id and volume.array is not None and other.array == volume.array
    ]


def of_drives(controller: Controller, volume: Volume) -> tuple[str, ...]:
    """The objects of a change of the drives' caches."""
    others = neighbours(controller, volume)
    more = f" They also carry {', '.join(others)}." if others else ""
    return (f"It acts on the write caches of all drives of the volume.{more}",)


def seconds(text: str) -> str:
    """A flush interval in the tools' form.

    Raises:
        CannotError: It is not a whole number of seconds that fits the byte in which the firmware keeps it.
    """
    if not (text.isascii() and text.isdecimal() and len(text) < 4 and int(text) <= 255):
        raise CannotError(f"The firmware stores the interval in one byte: 0 to 255 seconds, not {text}.")
    return str(int(text))


def reported(pairs: Sequence[tuple[ToolSetting, str | None]]) -> dict[ToolSetting, str]:
    """The settings with a known current value."""
    return {setting: value for setting, value in pairs if value is not None}
