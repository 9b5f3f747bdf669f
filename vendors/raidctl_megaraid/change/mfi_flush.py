"""Flushing through ``raidctl-mfi``: the command, and what it says of it. Pure.

It is the one thing that is done to a card through it: the kernel's driver sends the same command (cache and drives)
whenever the machine is shut down. Settings are not offered, since writing was tried on emulated cards only.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.json_decode import decode_text
from raidctl.model import Controller, Tool
from raidctl.vendor.plan import Action
from raidctl.vendor.tools import command_of
from raidctl_megaraid.collect.tool_call import LOCK
from raidctl_megaraid.mfi.reader import NAME

_TIMEOUT = 660.0
"""Seconds; the program itself gives up after 600."""
_WORD = "flush"


def flush(controller: Controller, tools: Sequence[Tool]) -> Action | None:
    """The command for a controller that raidctl-mfi has told of; None for any other."""
    tool = next((tool for tool in tools if tool.name == NAME), None)
    number = controller.id.partition(":")[2]
    if controller.told_by != NAME or tool is None or not number.isdecimal():
        return None
    return Action(argv=(command_of(tool), _WORD, "--controller", number), timeout=_TIMEOUT, lock=LOCK)


def is_flush(action: Action) -> bool:
    """Whether a command is the one above."""
    return action.argv[1:3] == (_WORD, "--controller")


def judge(text: str) -> str | None:
    """What the program said against it; None where the firmware says that the cache is written out.

    ``"result": {"outcome": "done", "message": "The firmware reports that its cache was flushed."}``
    """
    try:
        given = decode_text(text)
        result = given["controllers"][0]["result"] if given["controllers"] else given["problems"][0]
        return None if result.get("outcome") == "done" else str(result["message"])[:200]
    except (ValueError, LookupError, TypeError, AttributeError):
        return " ".join(text.split())[:200] or f"{NAME} printed nothing."
