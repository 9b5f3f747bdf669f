"""Event logs of a family: a module ``events`` in the package. Its functions are pure, or dialogues.

A controller keeps its own log, with its own clock. The kernel's log is read once for all families; each package
has a table of the lines that concern its drives and arrays. A package without the module reports no events.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal, Protocol, cast

from msgspec import Struct
from msgspec.structs import replace

from raidctl.described import doc
from raidctl.model import Controller, Problem, Tool
from raidctl.request import Dialogue, Failure, Run, RunAnswer, ask
from raidctl.text import collapse
from raidctl.vendor.parts import part_of
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.session import death
from raidctl.vendor.tools import call_problem

Level = Literal["debug", "progress", "info", "warning", "critical", "fatal"]
LEVELS: tuple[Level, ...] = ("debug", "progress", "info", "warning", "critical", "fatal")
"""From harmless to worst."""
NEWEST = 1000
"""Events that are read per controller. Reading a whole log takes minutes on some."""


class Event(Struct, frozen=True, kw_only=True):
    """One entry of a log."""

    at: Annotated[
        str | None,
        doc(
            "When, on the clock of the log: a controller's own without a time zone, the kernel's in UTC; null: unknown."
        ),
    ] = None
    host_at: Annotated[
        str | None, doc("The same in UTC on the machine's clock; null: the difference of the clocks is unknown.")
    ] = None
    uptime: Annotated[str | None, doc("Seconds since the boot, as dmesg prints them; null: not of dmesg.")] = None
    clock: Annotated[Literal["controller", "host"], doc("Whose clock `at` is.")] = "controller"
    controller: Annotated[str | None, doc("Id of the controller that keeps the log; null: the kernel.")] = None
    number: Annotated[int | None, doc("Number of the entry in the log; null: entries have none.")] = None
    level: Annotated[Level | None, doc("How serious it is according to the log; null: not reported.")] = None
    code: Annotated[str | None, doc("Kind of event in the tool's own code; null: none.")] = None
    object_id: Annotated[str | None, doc("Id of the object that it is about; null: none, or unknown.")] = None
    possible_object_id: Annotated[
        str | None,
        doc(
            "Id of the object that has the device name in the message now, if the name may have meant another one when "
            "it was logged; null: no such name, or the object is certain."
        ),
    ] = None
    text: Annotated[str, doc("The message, as printed.")]
    details: Annotated[Mapping[str, str], doc("Further data of the entry, in the tool's own words.")] = {}


class EventLog(Struct, frozen=True, kw_only=True):
    """The result of reading one log."""

    controller: str | None = None
    """Id of the controller that keeps it; None: the kernel's."""
    command: str
    """The command that printed the log."""
    events: tuple[Event, ...] = ()
    unparsed: tuple[str, ...] = ()
    """Lines that were not understood."""
    clock: str | None = None
    """The controller's clock at the time of reading. ISO 8601 without a time zone. None: unknown."""
    limited: bool = False
    """Whether there may be older entries that were not requested."""
    begins: str | None = None
    """Time of the oldest entry read, as its `at`; None: unknown."""
    problems: tuple[Problem, ...] = ()


LogReader = Callable[[Controller, Sequence[Tool]], Dialogue[EventLog]]
"""Reads the log of one controller with the family's tools."""


class Events(Protocol):
    """A vendor package with event logs."""

    @property
    def KERNEL(self) -> Sequence[re.Pattern[str]]:  # noqa: N802 - a module constant
        """Lines of the kernel log that concern this family, from their beginning.

        The group ``device`` is a kernel name (``sdb``, ``md0``); in a line with the group ``fresh`` the name was newly
        assigned to a device, so that earlier lines may mean another one.
        """

    @property
    def log(self) -> LogReader | None:
        """The reader of a controller's own log. None for a family whose objects are only in the kernel's log."""


def events_of(vendor: Vendor) -> Events | None:
    """A family's event logs; None if it has none. Imported here, for that only."""
    return cast("Events | None", part_of(vendor, "events"))


def read_log(
    controller: Controller, request: Run, read: Callable[[Controller, str, RunAnswer], EventLog]
) -> Dialogue[EventLog]:
    """Run the command that prints a controller's log. ``read`` receives its output with the command."""
    answer = yield from ask(request)
    command = " ".join(request.argv)
    log = failed(controller.id, request, answer) or read(controller, command, answer)
    died = death(answer, command, lost="events after its last line")
    return log if died is None or log.problems else replace(log, problems=(died,))


def not_read(
    controller: str | None, command: str, why: str, remedy: str | None = "Run the command by hand, as root."
) -> EventLog:
    """A log that could not be read; ``why`` is a sentence."""
    problem = Problem(severity="error", kind="unread", where=command, message=why, remedy=remedy)
    return EventLog(controller=controller, command=command, problems=(problem,))


def failed(controller: str, request: Run, answer: RunAnswer) -> EventLog | None:
    """The log of a call that could not be run. None if it ran, whatever its exit code."""
    command = " ".join(request.argv)
    # a recording replies for tools that it does not have: "storcli64 is not installed on the recorded machine"
    if answer.trouble is Failure.UNRECORDED or (answer.trouble is Failure.MISSING and "recorded" in answer.detail):
        return not_read(controller, command, "The recording does not contain this event log.", _RECORD)
    problem = call_problem(request, answer)
    return None if problem is None else EventLog(controller=controller, command=command, problems=(problem,))


_RECORD = 'Record the machine with "raidctl record --events".'


def no_log(controller: str, command: str, answer: RunAnswer) -> EventLog:
    """A log that could not be read, as the tool printed something else."""
    printed = collapse(answer.text or answer.error_text)[:200] or f"nothing (exit code {answer.code})"
    return not_read(controller, command, f"The event log could not be read; the tool printed: {printed}.")


def oldest(events: Sequence[Event]) -> str | None:
    """The time of the oldest of some events; None: unknown."""
    return min((event.at for event in events if event.at), default=None)
