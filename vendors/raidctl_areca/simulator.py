"""An Areca controller whose locate LEDs can be switched. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import basename

from raidctl.vendor.simulator import Reply, State

_TOOLS = ("cli64", "cli32", "areca-cli", "areca_cli64", "areca_cli32")
#  9  02  SLOT 05 HGST HUS724040ALS640             4000.8GB  archive set
_ROW = re.compile(r"(?m)^ +(\d+) +\d+ .*GB ", re.ASCII)


def leds(argv: tuple[str, ...], text: str) -> State:
    """The rows of the list of drives, each with its LED off."""
    if not argv or basename(argv[0]) not in _TOOLS or argv[1:] != ("disk", "info"):
        return {}
    return {f"areca drv={number}/identify": "off" for number in _ROW.findall(text)}


def initial(argv: tuple[str, ...], text: str) -> State:  # noqa: ARG001 - the signature of all
    """No setting that can be changed."""
    return {}


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """``disk identify drv=9``; ``drv=0`` stops all. ``areca password``: it is wanted first, in one session."""
    wanted, entered = state.get("areca password"), None
    if len(argv) == 3 and basename(argv[0]) in _TOOLS and argv[1] == "<":
        first, command, *_ = argv[2].splitlines()
        entered, argv = first.removeprefix("set password="), (argv[0], *command.split())
    said = "" if entered is None else "CLI> GuiErrMsg<0x00>: Success.\nCLI> "
    if wanted is not None and entered != wanted and argv[1:3] == ("disk", "identify"):
        return Reply(0, "GuiErrMsg<0x4a>: Password Required.\n", dict(state))
    if len(argv) != 4 or basename(argv[0]) not in _TOOLS or argv[1:3] != ("disk", "identify"):
        return None
    known = [name for name in state if name.startswith("areca drv=")]
    name = f"areca {argv[3]}/identify"
    if argv[3] != "drv=0" and name not in known:
        return Reply(0, f"{said}GuiErrMsg<0x46>: Drive Not Exist.\n", dict(state))
    after = {**state, **dict.fromkeys(known, "off")}
    if name in known:
        after[name] = "on"
    return Reply(0, f"{said}GuiErrMsg<0x00>: Success.\n", after)


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:  # noqa: ARG001 - the signature of all
    """As recorded: no table shows the LEDs."""
    return text
