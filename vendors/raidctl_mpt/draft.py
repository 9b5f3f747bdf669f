"""Drafts of a controller and its objects."""

from __future__ import annotations

from msgspec import Struct

from raidctl.vendor import draft
from raidctl.vendor.draft import GroupDraft


class ControllerDraft(draft.ControllerDraft[GroupDraft]):
    """A controller; ``name`` is its index in the tool, with the generation: ``sas3-0``; ``0`` if that is unknown.

    Volumes are by the number of ``IR volume 1``, arrays by the number of their volume, drives by place: ``1:4``. The
    members of an array are places, also those that no drive is listed for.
    """

    def new_group(self, name: str) -> GroupDraft:
        """An empty draft of an array or volume."""
        return GroupDraft(name)


class Controllers(Struct):
    """The controllers in a collection of outputs."""

    controllers: dict[str, ControllerDraft] = {}

    def controller(self, name: str) -> ControllerDraft:
        """The draft of a controller, made if it is new."""
        return self.controllers.setdefault(name, ControllerDraft(name))
