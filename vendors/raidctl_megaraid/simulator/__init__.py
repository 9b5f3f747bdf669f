"""A simulated MegaRAID that can be changed.

Its tools print the changed settings and drives, and reply to commands. Pure.

* :mod:`.state`: the names of the settings, and what follows from them;
* :mod:`.storcli_output`, :mod:`.storcli_set`: settings with storcli, perccli and their second generation, in JSON;
* :mod:`.megacli`: settings with MegaCli;
* :mod:`.machine`, :mod:`.firmware`: drives in bays, arrays, a clock, and the deeds that the firmware carries out;
* :mod:`.storcli_drives`, :mod:`.storcli_deeds`, :mod:`.megacli_drives`, :mod:`.megacli_deeds`: the same in the tools'
  words;
* :mod:`.foreign`, :mod:`.megacli_foreign`, :mod:`.battery`: foreign configurations and preserved cache; learn cycles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from posixpath import basename
from typing import Any

from raidctl.request import Answer, Request, Run, RunAnswer
from raidctl.vendor.simulator import NewDrive, Reply, State
from raidctl_megaraid.simulator import (
    battery,
    foreign,
    locate,
    machine,
    megacli,
    megacli_deeds,
    megacli_drives,
    megacli_foreign,
    storcli_deeds,
    storcli_drives,
    storcli_output,
    storcli_set,
)
from raidctl_megaraid.simulator.machine import Machine, load
from raidctl_megaraid.simulator.state import name
from raidctl_megaraid.tools import KINDS


def initial(argv: tuple[str, ...], text: str) -> State:
    """The settings and drives of all controllers that an output reports."""
    kind = _kind(argv)
    if kind is None:
        return {}
    drives = megacli_drives.initial(text) if kind == "megacli" else storcli_drives.initial(text)
    tool = {name(number, "tool"): argv[0] for number in machine.numbers(drives)}
    if kind == "megacli":
        return megacli.initial(text) | drives | tool
    return storcli_output.initial(text) | foreign.initial(text) | drives | tool


def leds(argv: tuple[str, ...], text: str) -> State:
    """The locate LEDs of all drives that an output lists."""
    return locate.leds(text) if _kind(argv) is not None else {}


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """Return the output with other settings and drives, in this tool's words."""
    kind = _kind(argv)
    if kind is None:
        return text
    if kind == "megacli":
        return megacli_drives.render(megacli.render(text, state), state)
    return foreign.render(storcli_drives.render(storcli_output.render(text, state), state), state)


def generated(state: Mapping[str, str]) -> dict[Request[Any], Answer]:
    """Return the outputs that only this state has: progress, missing members."""
    found: dict[Request[Any], Answer] = {}
    for number in machine.numbers(state):
        tool = state.get(name(number, "tool"), "")
        of_tool = megacli_deeds if _kind((tool,)) == "megacli" else storcli_deeds
        shown = load(number, state)
        outputs = list(of_tool.readings(shown, state))
        if of_tool is megacli_deeds:
            outputs += megacli_foreign.readings(shown, state)
        for words, text in outputs:
            for program in {tool, basename(tool)}:
                found[Run((program, *words))] = RunAnswer(code=0, out=text.encode())
    return found


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """What a changing command of one of the tools does. None for a command that only reads or is another tool's."""
    kind = _kind(argv)
    if kind is None or len(argv) < 2:
        return None
    located = locate.change(argv, state)
    if located is not None:
        return located
    decided = megacli_foreign.change if kind == "megacli" else foreign.change
    apart = battery.change(argv, state) or decided(argv, state)
    if apart is not None:
        return apart
    deed = megacli_deeds.change(argv, state) if kind == "megacli" else storcli_deeds.change(argv, state)
    if deed is not None:
        return deed
    return megacli.change(argv, state) if kind == "megacli" else storcli_set.change(argv, state)


# --- bays


def advance(state: Mapping[str, str], seconds: float) -> State:
    """Let time pass: rebuilds, checks and the patrol read advance."""
    after = dict(state)
    for number in machine.numbers(state):
        found = load(number, state)
        machine.advance(found, seconds)
        after = found.state(after)
    return battery.advance(after)


def pull(state: Mapping[str, str], bay: str) -> State:
    """Take the drive out of a bay."""
    return _in_bay(state, bay, machine.pull)


def insert(state: Mapping[str, str], bay: str, serial: str | None, kind: NewDrive = "like") -> State:
    """Put a pulled or new drive into a bay."""

    def put(found: Machine, where: str) -> None:
        start = name(found.number, "serial ")
        known = {key.removeprefix(start): text for key, text in state.items() if key.startswith(start)}
        machine.insert(found, where, serial, kind, known)

    return _in_bay(state, bay, put)


def fail(state: Mapping[str, str], bay: str) -> State:
    """Let the drive in a bay fail."""
    return _in_bay(state, bay, machine.fail)


def _in_bay(state: Mapping[str, str], bay: str, act: Callable[[Machine, str], None]) -> State:
    """Act on the controller of a bay, ``32:5`` or ``megaraid:0/32:5``."""
    numbers = machine.numbers(state)
    if not numbers:
        raise LookupError
    whole, _, where = bay.rpartition("/")
    number = whole.removeprefix("megaraid:") or numbers[0]
    if number not in numbers:
        raise ValueError(f"there is no controller {whole}")
    found = load(number, state)
    act(found, where)
    return machine.occupied(found.state(state))


def _kind(argv: tuple[str, ...]) -> str | None:
    return KINDS.get(basename(argv[0])) if argv else None
