"""What a vendor package offers beyond reading, when its hardware can be changed: a module ``change`` in the package.

Its functions are pure. A package without it is read-only: the engine says so for every wish.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from types import ModuleType
from typing import Protocol, cast

from raidctl.model import Controller, Tool
from raidctl.request import Answer
from raidctl.vendor.plan import Action, Desired, Flush, Plan, ToolSetting
from raidctl.vendor.protocol import Vendor


class Changes(Protocol):
    """A vendor package whose hardware can be changed."""

    def plan(self, controller: Controller, wishes: Sequence[Desired], tools: Sequence[Tool]) -> Plan:
        """The steps from what the controller is to what is wished.

        A wish that is already so is told as such; one that the hardware or the tool cannot fulfil is refused, with the
        reason and the nearest alternative; so is one whose present value the tool does not tell, because it could not
        be put back. ``tools`` are the family's programs on this machine.
        """

    def current_settings(self, controller: Controller) -> Mapping[ToolSetting, str]:
        """All settings that steps can turn, as the tool's own words, as far as the controller tells them."""

    def flushes(self, controller: Controller, tools: Sequence[Tool]) -> Sequence[Flush]:
        """How the controller's cache, and those of drives that can be reached, are flushed: one answer for each."""

    def judge(self, action: Action, answer: Answer) -> str | None:
        """What the tool said against it, in its own words; None when it accepted. Never by the exit code alone."""


def changes_of(vendor: Vendor) -> Changes | None:
    """How hardware of a family is changed; None for a family that is only read. Imported here, for changes only."""
    if not isinstance(vendor, ModuleType):
        # no module: an object that may offer the functions itself
        return cast("Changes", vendor) if hasattr(vendor, "current_settings") else None
    if find_spec(f"{vendor.__name__}.change") is None:
        return None
    return cast("Changes", importlib.import_module(f"{vendor.__name__}.change"))
