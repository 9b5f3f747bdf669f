"""Drafts of a controller and its objects."""

from __future__ import annotations

from msgspec import Struct

from raidctl.vendor import draft
from raidctl.vendor.draft import GroupDraft


class ControllerDraft(draft.ControllerDraft[GroupDraft]):
    """A controller; ``name`` is the adapter's number, ``n0`` if mnv_cli reports it.

    Volumes are by their number, arrays by that of their volume, drives by their number: ``p0``.
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
