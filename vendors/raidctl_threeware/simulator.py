"""A 3ware controller whose locate LEDs can be switched. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import basename

from raidctl.vendor.simulator import Reply, State

_TOOLS = ("tw_cli", "tw-cli")
_PORT = re.compile(r"/c\d+/p\d+", re.ASCII)
# p0    OK               u0     1.82 TB     SATA  0   -            ST2000NM0033
_ROW = re.compile(r"(?m)^(p\d+)\s+(?!NOT-PRESENT)\S", re.ASCII)


def leds(argv: tuple[str, ...], text: str) -> State:
    """The ports with a drive, each with its LED off."""
    if not argv or basename(argv[0]) not in _TOOLS or argv[2:] != ("show", "all"):
        return {}
    return {f"identify {argv[1]}/{port}": "off" for port in _ROW.findall(text)}


def initial(argv: tuple[str, ...], text: str) -> State:  # noqa: ARG001 - the signature of all
    """No setting that can be changed."""
    return {}


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """``/c0/p5 set identify=on`` and ``/c0/p5 show identify``."""
    if len(argv) != 4 or basename(argv[0]) not in _TOOLS or not _PORT.fullmatch(argv[1]):
        return None
    name, words = f"identify {argv[1]}", argv[2:]
    if words not in (("set", "identify=on"), ("set", "identify=off"), ("show", "identify")):
        return None
    if name not in state:
        return Reply(1, f"Error: (CLI:008) Invalid drive {argv[1]}.\n", state)
    if words[0] == "show":
        return Reply(0, f"{argv[1]} Identify Status = {state[name].capitalize()}\n", state)
    to = words[1].partition("=")[2]
    return Reply(0, f"Setting Port Identify on {argv[1]} to [{to}] ... Done.\n", {**state, name: to})


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:  # noqa: ARG001 - the signature of all
    """As recorded: no table shows the LEDs."""
    return text
