"""The locate LEDs of a simulated Smart Array: ``ctrl slot=1 pd 1I:1:4 modify led=on``. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from raidctl.text import regex
from raidctl.vendor.simulator import Reply, State
from raidctl_smartarray.simulator_headings import CONTROLLER

# physicaldrive 1I:3:6
_DRIVE = regex(r"\s*physicaldrive (?P<address>\S+)\s*(?:\(|$)")
_OLD = "hpacucli"
_HELP = """
   <target> modify led=on|off [duration=<seconds>]

      Turns the LEDs of the target on or off. The target can be a controller, an array, a logical drive or a
      physical drive. duration switches them off after this time.

"""


def leds(text: str) -> State:
    """The LEDs of all drives that an answer lists, off."""
    found: State = {}
    controller = None
    for line in text.split("\n"):
        controller = match["slot"] if (match := CONTROLLER.match(line)) else controller
        if controller is not None and (match := _DRIVE.match(line)):
            found[f"led slot={controller} pd {match['address']}"] = "off"
    return found


def change(tool: str, words: list[str], state: Mapping[str, str]) -> Reply | None:
    """``help led``, and ``… pd 1I:1:4 modify led=on [duration=600]``; None for other commands."""
    if words == ["help", "led"]:
        return Reply(0, "\nError: No help available.\n\n" if tool == _OLD else _HELP, state)
    if len(words) < 6 or words[2] not in ("pd", "physicaldrive") or not words[5].startswith("led="):
        return None
    name, to = f"led {words[1]} pd {words[3]}", words[5].partition("=")[2]
    if name not in state:
        return Reply(1, "\nError: The specified device was not found.\n\n", state)
    timed = len(words) == 7 and re.fullmatch(r"duration=\d+", words[6]) and to == "on" and tool != _OLD
    if to not in ("on", "off") or (len(words) > 6 and not timed):
        return Reply(1, f'\nError: Syntax error at "{words[-1]}"\n\n', state)
    return Reply(0, "\n", {**state, name: to})
