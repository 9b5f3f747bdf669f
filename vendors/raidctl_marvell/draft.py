"""Drafts of a controller and its objects."""

from __future__ import annotations

from raidctl.vendor import controllers, draft
from raidctl.vendor.draft import GroupDraft


class ControllerDraft(draft.ControllerDraft[GroupDraft]):
    """A controller. ``name`` is its number in the tool, ``n0`` if mnv_cli reports it.

    Volumes are by their number, arrays by that of their volume, drives by their number: ``p0``.
    """


class Controllers(controllers.Controllers[ControllerDraft]):
    """The controllers in a collection of outputs."""

    controller_type = ControllerDraft
