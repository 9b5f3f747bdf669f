"""A controller under construction, and the resources that belong to it."""

from __future__ import annotations

from raidctl.vendor import draft
from raidctl.vendor.draft import GroupDraft


class ControllerDraft(draft.ControllerDraft[GroupDraft]):
    """A Storage resource with its controllers, or an array controller of HPE."""
