"""The locate LEDs of a simulated MegaRAID, by storcli and by MegaCli. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from raidctl.text import regex
from raidctl.vendor.simulator import Reply, State
from raidctl_megaraid.simulator.state import ControllerState
from raidctl_megaraid.simulator.storcli_lists import encoded

# "EID:Slt" : "252:3"
_SLOT = regex(r'"EID:Slt"\s*:\s*"(\d*) ?:(\d+)\s*"')
_CONTROLLER = regex(r'"Controller"\s*:\s*"?(\d+)')
# Enclosure Device ID: 8
# Slot Number: 3
_MEGACLI = regex(r"(?m)^Adapter #(\d+)|^Enclosure Device ID: (\d+|N/A)\s*\nSlot Number: (\d+)")
_PATH = regex(r"/c(\d+)(?:/e(\d+))?/s(\d+)")
_PLACE = regex(r"-physdrv\[(\d*):(\d+)\]", re.IGNORECASE)


def leds(text: str) -> State:
    """The LEDs of all drives that an answer lists, off."""
    found: State = {}
    controller = "0"
    for part in re.split(r'(?="Command Status")', text):
        match = _CONTROLLER.search(part)
        controller = match[1] if match else controller
        found |= {f"led {controller} {enclosure}:{slot}": "off" for enclosure, slot in _SLOT.findall(part)}
    for adapter, enclosure, slot in _MEGACLI.findall(text):
        controller = adapter or controller
        if slot:
            found[f"led {controller} {enclosure.removeprefix('N/A')}:{slot}"] = "off"
    return found


def change(argv: Sequence[str], state: Mapping[str, str]) -> Reply | None:
    """``/c0/e252/s3 start locate nolog J`` and ``-PdLocate -start -physdrv[252:3] -a0``; None for other commands."""
    if "locate" in argv:
        return _storcli(argv[1], list(argv[2:]), state)
    if len(argv) > 1 and argv[1].lower() == "-pdlocate":
        return _megacli([word.lower() for word in argv[2:] if word.lower() != "-nolog"], state)
    return None


def _storcli(path: str, words: list[str], state: Mapping[str, str]) -> Reply:
    place = _PATH.fullmatch(path)
    if place is None or words[0] not in ("start", "stop") or words[2:] != ["nolog", "J"]:
        printed = "Status = Failure\nDescription = syntax error, unexpected TOKEN_UNKNOWN\n\n"
        return Reply(1, printed, state)
    name, title = f"led {place[1]} {place[2] or ''}:{place[3]}", words[0].capitalize()
    controller = ControllerState(place[1], state)
    head: dict[str, object] = {"CLI Version": controller.get("cli"), "Controller": int(place[1])}
    if name not in state:
        head |= {"Status": "Failure", "Description": f"{title} Drive Locate Failed."}
        printed = "device state doesn't support requested command"
        head["Detailed Status"] = [{"Drive": path, "Status": "Failure", "ErrCd": 50, "ErrMsg": printed}]
        return Reply(50, _json(head), state)
    second = (controller.get("cli") or "").startswith("008")
    what = "PD" if second else "Drive"
    head |= {"Status": "Success", "Description": f"{title} {what} Locate Succeeded."}
    return Reply(0, _json(head), {**state, name: "on" if words[0] == "start" else "off"})


def _json(head: Mapping[str, object]) -> str:
    return encoded({"Command Status": head})


def _megacli(words: list[str], state: Mapping[str, str]) -> Reply:
    place = _PLACE.fullmatch(words[1]) if len(words) == 3 else None
    if place is None or words[0] not in ("-start", "-stop") or not words[2].startswith("-a"):
        return Reply(1, "Invalid input at or near token \n\nExit Code: 0x01\n", state)
    adapter, verb = words[2].removeprefix("-a"), words[0].removeprefix("-").capitalize()
    name = f"led {adapter} {place[1]}:{place[2]}"
    device = f"Adapter: {adapter}: Device at EnclId-{place[1] or 'N/A'} SlotId-{place[2]}"
    if name not in state:
        return Reply(1, f"\n{device} is not found.\n\nExit Code: 0x01\n", state)
    printed = f"\n{device}  -- PD Locate {verb} Command was successfully sent to Firmware \n\n\nExit Code: 0x00\n"
    return Reply(0, printed, {**state, name: "on" if verb == "Start" else "off"})
