"""The audible alarms of controllers, and how to silence one. Pure but for the dialogue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Struct

from raidctl.described import doc
from raidctl.model import Alarm, Controller, Host, Inventory, Problem, unread_problems
from raidctl.request import Dialogue
from raidctl.select import family_of
from raidctl.vendor.alarms import Alarms, alarms_of
from raidctl.vendor.locating import fits
from raidctl.vendor.plan import Action
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendor_of

Result = Literal["planned", "accepted", "refused", "uncertain"]


class ControllerAlarm(Struct, frozen=True, kw_only=True):
    """The alarm of a controller."""

    object_id: Annotated[str, doc("Id of the controller.")]
    model: Annotated[str | None, doc("Its model.")] = None
    alarm: Annotated[Alarm | None, doc("Its alarm; null: not reported.")] = None


class AlarmReport(Struct, frozen=True, kw_only=True):
    """The alarms of a machine's RAID controllers."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("The machine.")]
    controllers: Annotated[tuple[ControllerAlarm, ...], doc("Its RAID controllers.")] = ()
    problems: Annotated[tuple[Problem, ...], doc("What could not be read.")] = ()


class Silenced(Struct, frozen=True, kw_only=True):
    """The result of silencing an alarm."""

    object_id: Annotated[str, doc("Id of the controller.")]
    command: Annotated[str | None, doc("The command; null: there is none.")] = None
    result: Annotated[
        Result,
        doc(
            "`planned`: a dry run; `accepted` by the tool: nothing reports whether the alarm sounds; `refused`; "
            "`uncertain`: the tool did not end, or not in time."
        ),
    ]
    message: Annotated[str, doc("One sentence.")]


def report(inventory: Inventory) -> AlarmReport:
    """The alarms of an inventory."""
    hardware = [one for one in inventory.controllers if one.mode not in ("software", "none")]
    return AlarmReport(
        host=inventory.host,
        controllers=tuple(ControllerAlarm(object_id=one.id, model=one.model, alarm=one.alarm) for one in hardware),
        problems=unread_problems(inventory.problems),
    )


def way_of(
    controller: Controller, inventory: Inventory, vendors: Sequence[Vendor]
) -> Dialogue[tuple[Alarms, Action] | str]:
    """Return how to silence a controller's alarm. If that is impossible, return the reason as a sentence."""
    vendor = vendor_of(controller.id, vendors)
    offered = alarms_of(vendor) if vendor is not None else None
    if vendor is None or offered is None:
        return f"raidctl does not silence alarms of {family_of(controller)} controllers."
    names = {spec.name for spec in vendor.TOOLS}
    tools = [tool for tool in inventory.tools if tool.name in names]
    action = yield from offered.silence(controller, tools)
    if isinstance(action, str):
        return action
    if not fits(action.argv[1:], offered.SHAPES):
        return f"The command {action} has no permitted form."
    return offered, action
