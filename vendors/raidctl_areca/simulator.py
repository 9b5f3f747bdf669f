"""An Areca controller with drives in bays and switchable locate LEDs. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import basename

from raidctl.text import regex
from raidctl.vendor.simulator import Reply, State
from raidctl_areca import NAMES, simulator_bays
from raidctl_areca.simulator_bays import advance, fail, insert, pull

__all__ = ["advance", "change", "fail", "initial", "insert", "leds", "pull", "render"]

_CHANGING = (("disk", "identify"), ("rsf", "createhs"), ("rsf", "deletehs"), ("vsf", "check"), ("vsf", "stopcheck"))
#  9  02  SLOT 05 HGST HUS724040ALS640             4000.8GB  archive set
_ROW = regex(r"(?m)^ +(\d+) +\d+ .*GB ", re.ASCII)


def leds(argv: tuple[str, ...], text: str) -> State:
    """The rows of the list of drives, each with its LED off."""
    if not argv or basename(argv[0]) not in NAMES or argv[1:] != ("disk", "info"):
        return {}
    return {f"led areca drv={number}": "off" for number in _ROW.findall(text)}


def initial(argv: tuple[str, ...], text: str) -> State:
    """What the recorded lists and the outputs of the drives hold."""
    return simulator_bays.initial(argv[1:], text) if argv and basename(argv[0]) in NAMES else {}


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """``disk identify drv=9``, ``drv=0`` stops all; ``rsf createhs drv=9``.

    ``areca password``: it is entered first, in one session.
    """
    wanted, entered = state.get("areca password"), None
    if len(argv) == 3 and basename(argv[0]) in NAMES and argv[1] == "<":
        first, command, *_ = argv[2].splitlines()
        entered, argv = first.removeprefix("set password="), (argv[0], *command.split())
    message = "" if entered is None else "CLI> GuiErrMsg<0x00>: Success.\nCLI> "
    if wanted is not None and entered != wanted and argv[1:3] in _CHANGING:
        return Reply(0, "GuiErrMsg<0x4a>: Password Required.\n", dict(state))
    if argv and basename(argv[0]) in NAMES and argv[1:3] in _CHANGING[1:]:
        reply = simulator_bays.change(argv[1:], state)
        return reply and reply._replace(out=f"{message}{reply.out}")
    if len(argv) != 4 or basename(argv[0]) not in NAMES or argv[1:3] != ("disk", "identify"):
        return None
    known = [name for name in state if name.startswith("led areca drv=")]
    name = f"led areca {argv[3]}"
    if argv[3] != "drv=0" and name not in known:
        return Reply(0, f"{message}GuiErrMsg<0x46>: Drive Not Exist.\n", dict(state))
    after = {**state, **dict.fromkeys(known, "off")}
    if name in known:
        after[name] = "on"
    return Reply(0, f"{message}GuiErrMsg<0x00>: Success.\n", after)


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """As recorded, except the drives; no table shows the LEDs."""
    return simulator_bays.printed(argv[1:], text, state) if argv and basename(argv[0]) in NAMES else text
