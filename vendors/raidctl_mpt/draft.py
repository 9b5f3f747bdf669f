"""Drafts of a controller and its objects."""

from __future__ import annotations

from raidctl.vendor import controllers, draft
from raidctl.vendor.draft import GroupDraft


class ControllerDraft(draft.ControllerDraft[GroupDraft]):
    """A controller. ``name`` is its index in the tool, with the generation: ``sas3-0``; ``0`` if that is unknown.

    Volumes are by the number of ``IR volume 1``, arrays by the number of their volume, drives by place: ``1:4``. The
    members of an array are places, also those that no drive is listed for.
    """


class Controllers(controllers.Controllers[ControllerDraft]):
    """The controllers in a collection of outputs."""

    controller_type = ControllerDraft
