"""Flushing through ``raidctl-mfi``: the command and its reply. Pure.

It is the only change that is made through it: the kernel's driver sends the same command (cache and drives)
whenever the machine is shut down. Settings are not offered, since writing was tried on emulated controllers only.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.json_decode import decode_text
from raidctl.model import Controller, Tool
from raidctl.text import collapse
from raidctl.vendor.identity import controller_number
from raidctl.vendor.plan import Action
from raidctl.vendor.tools import command_of
from raidctl_megaraid.collect.tool_call import LOCK
from raidctl_megaraid.mfi.reader import NAME

_TIMEOUT = 660.0
"""Seconds; raidctl-mfi gives up after 600."""
_WORD = "flush"


def flush(controller: Controller, tools: Sequence[Tool]) -> Action | None:
    """The command for a controller that raidctl-mfi reported; None for any other."""
    tool = next((tool for tool in tools if tool.name == NAME), None)
    number = controller_number(controller)
    if controller.told_by != NAME or tool is None or number is None:
        return None
    return Action(argv=(command_of(tool), _WORD, "--controller", number), timeout=_TIMEOUT, lock=LOCK)


def is_flush(action: Action) -> bool:
    """Whether a command is the one above."""
    return action.argv[1:3] == (_WORD, "--controller")


def judge(text: str) -> str | None:
    """The objection; None if the firmware reports that the cache is flushed.

    ``"result": {"outcome": "done", "message": "The firmware reports that its cache is flushed."}``
    """
    try:
        given = decode_text(text)
        result = given["controllers"][0]["result"] if given["controllers"] else given["problems"][0]
        return None if result.get("outcome") == "done" else str(result["message"])[:200]
    except (ValueError, LookupError, TypeError, AttributeError):
        return collapse(text)[:200] or f"{NAME} printed nothing."
