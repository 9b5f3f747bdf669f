"""Remedies that depend on what raidctl can set on a controller. Pure."""

from __future__ import annotations

from raidctl.model import Controller


def can_set(controller: Controller, setting: str) -> bool:
    """Whether raidctl can change a setting of ``CAPABILITIES`` on this controller."""
    capability = controller.capabilities.get(setting)
    return capability is not None and capability.set


def settable(controller: Controller, setting: str, remedy: str, by_hand: str) -> str:
    """The remedy if raidctl can set this on the controller.

    Otherwise ``by_hand``, a sentence without its full stop, and why.
    """
    if can_set(controller, setting):
        return remedy
    capability = controller.capabilities.get(setting)
    why = capability.why if capability is not None and capability.why else "No known tool can do it."
    return f"{by_hand}. raidctl cannot do this here. {why}"
