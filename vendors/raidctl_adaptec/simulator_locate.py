"""The locate LEDs of a simulated controller: ``IDENTIFY 1 DEVICE 0 3 TIME 600``. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from raidctl.text import regex
from raidctl.vendor.simulator import Reply, State

# Reported Channel,Device(T:L)             : 0,3(3:0)
_ADDRESS = regex(r"(?im)^\s*Reported Channel,Device(?:\(T:L\))?\s*:\s*(\d{1,5}),(\d{1,5})")
_USAGE = """
 Usage: IDENTIFY <Controller#> ALL [TIME <BlinkTime>] [STOP] [nologs]
 Usage: IDENTIFY <Controller#> LOGICALDRIVE <LogicalDrive#> [TIME <BlinkTime>] [STOP] [nologs]
 Usage: IDENTIFY <Controller#> DEVICE <Channel# Device#> [TIME <BlinkTime>] [STOP] [nologs]
 =====================================================================================

 Blinks LEDs on device(s) connected to a controller.
"""


def leds(controller: str, text: str) -> State:
    """The LEDs of all drives of a ``getconfig``, off."""
    return {f"led {controller} {channel} {device}": "off" for channel, device in _ADDRESS.findall(text)}


def change(words: list[str], state: Mapping[str, str]) -> Reply:
    """``IDENTIFY 1 DEVICE 0 3 TIME 600`` and ``… STOP``; the usage without arguments."""
    if len(words) < 6 or words[2] != "device":
        return Reply(3, f"{_USAGE}\nCommand aborted.\n", state)
    name = f"led {words[1]} {words[3]} {words[4]}"
    if name not in state:
        return Reply(2, "Controllers found: 1\nInvalid device.\n\nCommand aborted.\n", state)
    if words[5:] == ["stop"] and state[name] == "off":
        return Reply(1, "Controllers found: 1\nNone of the LEDs are blinking.\n\nCommand aborted.\n", state)
    if words[5:] != ["stop"] and not (len(words) == 7 and words[5] == "time" and words[6].isdecimal()):
        return Reply(3, f"{_USAGE}\nCommand aborted.\n", state)
    to = "off" if words[5] == "stop" else "on"
    return Reply(0, "Controllers found: 1\n\n\nCommand completed successfully.\n", {**state, name: to})
