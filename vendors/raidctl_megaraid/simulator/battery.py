"""Learn cycles of a simulated battery, for storcli, perccli and MegaCli. Pure.

``megaraid 0/learning``: on the machine's clock, when the cycle began. It takes :data:`SECONDS`; then the battery is
as good as before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidctl.text import regex
from raidctl.vendor.simulator import Reply, State
from raidctl_megaraid.simulator.machine import CLOCK
from raidctl_megaraid.simulator.state import GOOD, ControllerState, name
from raidctl_megaraid.simulator.storcli_lists import encoded

SECONDS = 14_400.0
"""Four hours, as a small battery needs."""
_PATH = regex(r"/c(\d+)/(bbu|cv)")
_ADAPTER = regex(r"-a(\d+)")


def change(argv: Sequence[str], state: Mapping[str, str]) -> Reply | None:
    """``/c0/cv start learn nolog J`` and ``-AdpBbuCmd -BbuLearn -a0 -NoLog``; None for another command."""
    words = list(argv[1:])
    match = _PATH.fullmatch(words[0])
    if match is not None and words[1:] == ["start", "learn", "nolog", "J"]:
        return _storcli(match[1], match[2], state)
    lower = [word.lower() for word in words]
    adapter = _ADAPTER.fullmatch(words[2]) if len(words) > 2 else None
    if lower[:2] == ["-adpbbucmd", "-bbulearn"] and adapter is not None:
        done = _begin(adapter[1], state)
        printed = "Succeeded" if done is not None else "Failed"
        end = "0x00" if done is not None else "0x32"
        text = f"\nAdapter {adapter[1]}: BBU Learn {printed}.\n\nExit Code: {end}\n"
        return Reply(0 if done is not None else 1, text, done or state)
    return None


def _storcli(number: str, part: str, state: Mapping[str, str]) -> Reply:
    done = _begin(number, state)
    controller = ControllerState(number, state)
    title = "BBU" if part == "bbu" else "Cachevault"
    head: dict[str, object] = {
        "CLI Version": controller.get("cli"), "Operating system": controller.get("os") or "Linux",
        "Controller": int(number),
        "Status": "Success" if done is not None else "Failure",
        "Description": f"{title} Learn Operation {'Success' if done is not None else 'Failed'}.",
    }  # fmt: skip
    if done is None:
        printed = "device state doesn't support requested command"
        head["Detailed Status"] = [{"Ctrl": int(number), "Status": "Failed", "ErrCd": 50, "ErrMsg": printed}]
    text = encoded({"Command Status": head})
    return Reply(0 if done is not None else 50, text, done or state)


def _begin(number: str, state: Mapping[str, str]) -> State | None:
    """The state with a learn cycle that has begun. None if the firmware refuses because the battery is not good."""
    battery = state.get(name(number, "battery"))
    if battery not in GOOD:
        return None
    own = {name(number, "battery"): "Learning", name(number, "learning"): f"{state.get(CLOCK, '0')} {battery}"}
    return {**state, **own}


def advance(state: Mapping[str, str]) -> State:
    """End the cycles that have taken their time, by the machine's clock."""
    after = dict(state)
    for key, value in state.items():
        if not key.endswith("/learning"):
            continue
        since, _, battery = value.partition(" ")
        if float(state.get(CLOCK, "0")) - float(since) >= SECONDS:
            del after[key]
            after[f"{key.removesuffix('learning')}battery"] = battery
    return after
