"""The draft of a controller and of what is on it."""

from __future__ import annotations

from typing import ClassVar

from raidctl.vendor import draft
from raidctl.vendor.draft import GroupDraft


class ControllerDraft(draft.ControllerDraft[GroupDraft]):
    """A controller and everything on it. ``name`` is its slot, drives are by their addresses as printed."""

    chassis: str | None = None
    node: str = ""
    """Its device node's name, ``c0`` or ``sg2``, if no slot is known."""

    array_prefix: ClassVar[str] = ""
