"""Changes of settings: the module ``change`` of a vendor package. A package has it if its hardware can be changed.

Its functions are pure. A package without it is read-only: the engine refuses every setting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, cast

from raidctl.model import Controller, Tool
from raidctl.request import Answer
from raidctl.vendor.parts import part_of
from raidctl.vendor.plan import Action, Desired, Flush, Plan, ToolSetting
from raidctl.vendor.protocol import Vendor


class Changes(Protocol):
    """A vendor package whose hardware can be changed."""

    def plan(self, controller: Controller, requests: Sequence[Desired], tools: Sequence[Tool]) -> Plan:
        """The steps from the current to the desired settings.

        A setting that has its value already is listed as such. One that the hardware or the tool does not have is
        refused, with the reason and the nearest alternative; so is one whose current value is unknown, because it
        could not be restored. ``tools`` are the family's installed tools.
        """

    def current_settings(self, controller: Controller) -> Mapping[ToolSetting, str]:
        """The current values of all settings, in the tool's own words."""

    def flushes(self, controller: Controller, tools: Sequence[Tool]) -> Sequence[Flush]:
        """How each cache is flushed: the controller's, and those of reachable drives."""

    def judge(self, action: Action, answer: Answer) -> str | None:
        """The tool's objection in its own words; None if it accepted. The exit code alone never decides."""


def changes_of(vendor: Vendor) -> Changes | None:
    """How hardware of a family is changed; None for a read-only family. Imports the module."""
    return cast("Changes | None", part_of(vendor, "change", without="current_settings"))
