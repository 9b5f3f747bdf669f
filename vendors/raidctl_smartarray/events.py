"""Smart Array events: no command of the tools lists them. The diagnostics archive contains them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Problem, Tool
from raidctl.request import Dialogue, ask_all
from raidctl.vendor.events import EventLog
from raidctl.vendor.tools import command_of

KERNEL: tuple[re.Pattern[str], ...] = ()
"""Patterns of further kernel lines: none. The core finds the lines that begin with the driver's name."""
_WHY = "The tool reports no events; only its diagnostics archive contains them. Shown is what the kernel logged."


def log(controller: Controller, tools: Sequence[Tool]) -> Dialogue[EventLog]:
    """A note: nothing can be read."""
    yield from ask_all([])
    command = command_of(tools[0]) if tools else "ssacli"
    remedy = f"{command} ctrl all diag file=diagnostics.zip"
    note = Problem(severity="info", kind="note", where=controller.id, message=_WHY, remedy=remedy)
    return EventLog(controller=controller.id, command=command, problems=(note,))
