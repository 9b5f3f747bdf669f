"""The alarm of Adaptec controllers: ``arcconf SETALARM 1 silence``. Pure.

The command is undocumented; the tool's own help text shows whether this version accepts it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Tool
from raidctl.request import Dialogue, Run, ask
from raidctl.text import regex
from raidctl.vendor.identity import controller_number
from raidctl.vendor.locating import Shape
from raidctl.vendor.plan import Action
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_adaptec.change import judge
from raidctl_adaptec.dialogue import LOCK, TIMEOUT

__all__ = ["SHAPES", "judge", "silence"]

SHAPES: tuple[Shape, ...] = (("SETALARM",), ("SETALARM", r"\d{1,3}", "silence"))
# Usage: SETALARM <Controller#> <on|off|test|silence>
_USAGE = regex(r"\bSETALARM\s+<Controller\s?#?>[^\n]{0,60}\bsilence\b", re.IGNORECASE)


def silence(controller: Controller, tools: Sequence[Tool]) -> Dialogue[Action | str]:
    """The command, if the help text of this version shows it."""
    tool = reporting_tool(controller, tools)
    number = controller_number(controller)
    if tool is None or number is None:
        return "arcconf's number for the controller is unknown."
    command = command_of(tool)
    answer = yield from ask(Run((command, "SETALARM"), timeout=TIMEOUT, lock=LOCK))
    if not answer.fine or not _USAGE.search(f"{answer.text}\n{answer.error_text}"):
        return "The help text of this version of arcconf does not show a command that silences the alarm."
    return Action(argv=(command, "SETALARM", number, "silence"), timeout=TIMEOUT, lock=LOCK)
