"""Silence alarms: a module ``alarm`` in the package.

Silencing is not a setting: the alarm sounds again with the next event, and no tool reports whether it sounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from raidctl.model import Controller, Tool
from raidctl.request import Answer, Dialogue
from raidctl.vendor.locating import Shape
from raidctl.vendor.parts import part_of
from raidctl.vendor.plan import Action
from raidctl.vendor.protocol import Vendor


class Alarms(Protocol):
    """A vendor package that can silence alarms."""

    @property
    def SHAPES(self) -> Sequence[Shape]:  # noqa: N802 - a module constant
        """The commands after the program's name. One of another form is never run."""

    def silence(self, controller: Controller, tools: Sequence[Tool]) -> Dialogue[Action | str]:
        """The command that silences the alarm. A sentence: why there is none.

        Queries the tool if only its help text shows the words that it accepts.
        """

    def judge(self, action: Action, answer: Answer) -> str | None:
        """The tool's objection in its own words; None if it accepted. Never by the exit code alone."""


def alarms_of(vendor: Vendor) -> Alarms | None:
    """Return how a family's alarms are silenced; None if its tools cannot. Imported here, for that only."""
    return cast("Alarms | None", part_of(vendor, "alarm"))
