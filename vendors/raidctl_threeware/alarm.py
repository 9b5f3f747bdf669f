"""The alarms of 3ware enclosures, which raidctl does not silence. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.model import Controller, Tool
from raidctl.request import Dialogue
from raidctl.vendor.locating import Shape
from raidctl.vendor.plan import Action
from raidctl_threeware.change import judge

__all__ = ["SHAPES", "judge", "silence"]

SHAPES: tuple[Shape, ...] = ()


def silence(controller: Controller, tools: Sequence[Tool]) -> Dialogue[Action | str]:  # noqa: ARG001 - of the protocol
    """The command to run by hand: the tool addresses the alarm of an enclosure, which raidctl does not read."""
    yield from ()
    return "The alarm belongs to an enclosure. By hand: `tw_cli /cX/eX/almX set alarm=mute`."
