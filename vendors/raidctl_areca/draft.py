"""Drafts of a controller and its objects."""

from __future__ import annotations

from typing import ClassVar

from msgspec import field

from raidctl.vendor import controllers, draft
from raidctl.vendor.draft import GroupDraft


class ControllerDraft(draft.ControllerDraft[GroupDraft]):
    """A controller and everything on it. ``name`` is its number as the tool counts, from 1.

    Arrays (``RAID set`` in the tool) are by number, or by ``=NAME`` if only the name is known. Drives are by channel
    (``3``) or place (``E2:S1``).
    """

    numbers: dict[str, str] = field(default_factory=dict)
    """The places by the tool's own drive number (``drv=9``)."""

    array_prefix: ClassVar[str] = "r"


class Controllers(controllers.Controllers[ControllerDraft]):
    """The controllers in a collection of outputs. The tool's default is the first."""

    controller_type = ControllerDraft

    def of_serial(self, number: str, serial: str) -> ControllerDraft:
        """The controller of a number. A different serial number gives a new one."""
        for controller in self.controllers.values():
            if controller.get("serial") == serial:
                return controller
        known = self.controller(number)
        if known.get("serial") in (None, serial):
            return known
        return self.controller(str(max(int(name) for name in self.controllers) + 1))
