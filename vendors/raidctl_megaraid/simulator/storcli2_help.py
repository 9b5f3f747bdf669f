"""The help of a simulated storcli2. For drives it accepts only what the help lists. Pure.

It lists what a tool that follows the StorCLI2 guide uses. With ``whole`` in the state (``megaraid 0/help``) it lists
the commands of version 7 for drives as well, which no source shows of version 8: for tests.
"""

from __future__ import annotations

from raidctl_megaraid.simulator.state import ControllerState

_KNOWN = (
    "/cx/ex/sx start|stop locate",
    "/cx/ex/sx set jbod [force]",
    "/cx/ex/sx set uconf [force]",
    "/cx/ex/sx set good [force]",
    "/cx/ex/sx show rebuild",
)
_WHOLE = (
    "/cx/ex/sx set offline|online|missing",
    "/cx/ex/sx spindown",
    "/cx/ex/sx spinup",
    "/cx/ex/sx insert dg=A array=B row=C",
    "/cx/ex/sx start|stop|pause|resume rebuild",
    "/cx/ex/sx add hotsparedrive [DGs=<N|0,1,2...>] [enclaffinity][nonrevertible]",
    "/cx/ex/sx delete hotsparedrive",
    "/cx/ex/sx start copyback target=e:s",
)
_OF_WHOLE = frozenset({"offline", "online", "missing", "spindown", "spinup", "insert", "rebuild", "copyback"})
_SPARE = "hotsparedrive"


def is_second_generation(controller: ControllerState) -> bool:
    """Whether a controller is reported by version 8."""
    return (controller.get("cli") or "").startswith("008")


def text(controller: ControllerState) -> str:
    """What ``help`` prints."""
    lines = (*_KNOWN, *(_WHOLE if _is_whole(controller) else ()))
    return "\n".join(
        ["     Storage Command Line Tool 2  (c) simulated", "", *(f"storcli2 {line}" for line in lines), ""]
    )


def takes(controller: ControllerState, words: list[str]) -> bool:
    """Whether it accepts a command for a drive that version 7 accepts."""
    if words[:2] == ["del", "jbod"]:
        return False
    return _is_whole(controller) or not {*words} & {*_OF_WHOLE, _SPARE}


def _is_whole(controller: ControllerState) -> bool:
    return controller.get("help") == "whole"
