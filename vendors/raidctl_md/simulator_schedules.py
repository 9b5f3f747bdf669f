"""systemd's timers on a simulated machine: on or off, with a drop-in. Pure.

State: ``timer NAME`` is enabled or disabled, ``times NAME`` its calendar, ``dropin NAME`` the text of raidctl's
drop-in, ``loaded NAME`` the calendar that systemd has read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from raidctl.request import Answer, Read, ReadAnswer, Request
from raidctl.text import regex
from raidctl.vendor.simulator import Reply, State
from raidctl_md.schedule_steps import DROP_IN, calendars_of
from raidctl_md.schedules import CALENDAR, SHOW, TIMERS

_CALENDARS = regex(r"(?:[A-Z][a-z]{2}(?:[.,][.A-Za-z]*)? )?[\d*]+-[\d*]+-[\d*.,]+ \d\d:\d\d(:\d\d)?")


def initial(argv: tuple[str, ...], text: str) -> State:
    """The timers of a recorded machine."""
    if argv != SHOW.argv:
        return {}
    found: State = {}
    for block in text.split("\n\n"):
        unit = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        name = unit.get("Id", "")
        if name in TIMERS and unit.get("LoadState") == "loaded":
            times = ", ".join(match[1] for match in CALENDAR.finditer(unit.get("TimersCalendar", "")))
            found |= {f"timer {name}": unit.get("UnitFileState", ""), f"times {name}": times, f"loaded {name}": times}
    return found


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """Carry out a command of systemctl, or on a drop-in. None for another command."""
    if argv[:2] == ("systemctl", "daemon-reload"):
        loaded = {f"loaded {name[6:]}": _effective(name[6:], state) for name in state if name.startswith("timer ")}
        return Reply(0, "", {**state, **loaded})
    if len(argv) == 4 and argv[0] == "systemctl" and argv[1] in ("enable", "disable") and argv[2] == "--now":
        if f"timer {argv[3]}" not in state:
            return Reply(1, f"Failed to {argv[1]} unit: Unit file {argv[3]} does not exist.\n", state)
        return Reply(0, "", {**state, f"timer {argv[3]}": f"{argv[1]}d"})
    if argv[:2] == ("systemd-analyze", "calendar") and len(argv) == 3:
        match = _CALENDARS.fullmatch(argv[2])
        form = argv[2] if match is None or match[1] else f"{argv[2]}:00"
        return Reply(0 if match else 1, f"Normalized form: {form}\n" if match else "", state)
    return _on_drop_in(argv, state)


def _on_drop_in(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    paths = {DROP_IN.format(name[6:]): name[6:] for name in state if name.startswith("timer ")}
    if len(argv) == 8 and argv[:5] == ("install", "-D", "-m", "644", "/dev/stdin") and argv[5] in paths:
        return Reply(0, "", {**state, f"dropin {paths[argv[5]]}": argv[7]})
    if argv[:2] == ("rm", "--") and argv[-1] in paths:
        return Reply(0, "", {name: text for name, text in state.items() if name != f"dropin {paths[argv[-1]]}"})
    return None


def _effective(name: str, state: Mapping[str, str]) -> str:
    own = calendars_of(state.get(f"dropin {name}", ""))
    return ", ".join(own) or state[f"times {name}"]


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """What systemctl shows of the timers as they are now."""
    if argv != SHOW.argv:
        return text
    blocks = text.split("\n\n")
    for number, block in enumerate(blocks):
        name = next((line[3:] for line in block.splitlines() if line.startswith("Id=")), "")
        if f"timer {name}" in state:
            blocks[number] = "\n".join(_line(line, name, state) for line in block.split("\n"))
    return "\n\n".join(blocks)


def _line(line: str, name: str, state: Mapping[str, str]) -> str:
    label, _, value = line.partition("=")
    on = state[f"timer {name}"] == "enabled"
    loaded = state[f"loaded {name}"]
    calendars = " ".join(f"{{ OnCalendar={one} ; next_elapse=(null) }}" for one in loaded.split(", "))
    fresh = {
        "UnitFileState": state[f"timer {name}"],
        "ActiveState": "active" if on else "inactive",
        "TimersCalendar": value if loaded == state[f"times {name}"] else calendars,
    }
    if label == "NextElapseUSecRealtime" and (not on or loaded != state[f"times {name}"]):
        return f"{label}="
    return f"{label}={fresh.get(label, value)}"


def generated(state: Mapping[str, str]) -> dict[Request[Answer], Answer]:
    """The drop-ins that are there."""
    found: dict[Any, Answer] = {}
    for name, text in state.items():
        if name.startswith("dropin "):
            found[Read(DROP_IN.format(name[7:]))] = ReadAnswer(data=text.encode())
    return found
