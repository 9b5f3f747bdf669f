"""What all deeds of the family have in common.

Each deed has a tool, objects by identity, expectations, and a step. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidctl.model import Array, Controller, Drive, Tool, Volume
from raidctl.model.objects import by_id
from raidctl.vendor.deed_steps import CannotDo, drive_of, identity
from raidctl.vendor.plan import Action, Deed, Denial, Identity, Saved, Step
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_megaraid.change import tool_number
from raidctl_megaraid.operate.commands import Route, number_of, place_of, table_kind
from raidctl_megaraid.tools import KINDS

_NO_TOOL = "The tool that reported the controller, or the controller's number there, is unknown."
Made = list[Step] | Denial


@dataclass(frozen=True)
class Case:
    """A deed with its controller, objects, and the route to the controller.

    The controller is as it was read, and the objects are those that the deed names.
    """

    deed: Deed
    controller: Controller
    route: Route
    drive: Drive | None
    volume: Volume | None

    def deny(self, reason: str, alternative: str | None = None, *, guard: str = "", unknown: bool = False) -> Denial:
        """Refuse the deed."""
        return Denial(deed=self.deed, reason=reason, alternative=alternative, guard=guard, unknown=unknown)

    def deny_foreign(self, drive: Drive, guard: str, refused: str = "any change of it") -> Denial:
        """Why nothing is done to a drive with a foreign configuration."""
        reason = f"{drive.id} has the configuration of another controller: the firmware refuses {refused}."
        return self.deny(reason, "`raidctl foreign show` lists what is on it.", guard=guard)

    def printed(self, why: str, action: Action) -> Denial:
        """Refuse the deed, with the command that a person may run."""
        return Denial(deed=self.deed, reason=why, alternative=f"Run it yourself: {action}", printed=True)

    @property
    def array(self) -> Array | None:
        """The array of the volume, or of the drive."""
        wanted = (self.volume.array if self.volume is not None else None) or (self.drive.array if self.drive else None)
        return by_id(self.controller.arrays, wanted)

    def other(self, object_id: str | None) -> Drive | None:
        """Another drive of the controller."""
        return by_id(self.controller.drives, object_id)

    def subjects(
        self, first: Drive | Volume | Controller, *more: Drive | Volume | Controller | None
    ) -> tuple[Identity, ...]:  # fmt: skip
        """The objects by their identities.

        Raises:
            CannotDo: One has no known identity (X1).
        """
        return tuple(identity(self.controller, item) for item in (first, *more) if item is not None)

    def saves(self) -> tuple[Saved, ...]:
        """The configuration as the tool prints it, for a person."""
        name = f"{self.controller.id.replace(':', '-')}-configuration"
        return (Saved(name=name, action=self.route.reading()),)


def case_of(deed: Deed, controller: Controller, tools: Sequence[Tool]) -> Case:
    """A deed with its objects.

    Raises:
        CannotDo: It is refused, whatever it is.
    """
    tool = reporting_tool(controller, tools)
    kind = KINDS.get(tool.name) if tool is not None else None
    number = tool_number(controller)
    if controller.told_by == "raidctl-mfi":
        reason = "raidctl does not operate drives with raidctl-mfi, which was tested only on emulated controllers."
        raise CannotDo(reason, "Install storcli64 or perccli64.")
    if tool is None or kind is None or number is None:
        raise CannotDo(_NO_TOOL, unknown=True)
    drive = by_id(controller.drives, deed.object_id)
    if deed.drive is not None:
        drive = drive_of(controller, deed)
    volume = by_id(controller.volumes, deed.object_id)
    if drive is not None and place_of(drive) is None:
        raise CannotDo(f"The tool does not report enclosure and slot of {drive.id}.", unknown=True)
    if volume is not None and number_of(volume) is None:
        raise CannotDo(f"The tool's number of {volume.id} is unknown.", unknown=True)
    case = Case(deed, controller, Route(table_kind(kind), command_of(tool), number), drive, volume)
    case.subjects(drive or volume or controller, volume or controller)
    return case
