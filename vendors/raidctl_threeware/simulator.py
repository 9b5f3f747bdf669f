"""A simulated 3ware controller with drives at its ports.

Its locate LEDs can be switched, and its rates can be set. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import basename

from raidctl.text import regex
from raidctl.vendor.simulator import Reply, State
from raidctl_threeware import simulator_bays
from raidctl_threeware.simulator_bays import fail, insert, pull

__all__ = ["advance", "change", "fail", "initial", "insert", "leds", "pull", "render"]

_TOOLS = ("tw_cli", "tw-cli")
TEST_SECONDS = 86_400.0
"""Duration of a battery test. By the CLI guide it is up to 24 hours."""
_PORT = regex(r"/c\d+/p\d+", re.ASCII)
# p0    OK               u0     1.82 TB     SATA  0   -            ST2000NM0033
_ROW = regex(r"(?m)^(p\d+)\s+(?!NOT-PRESENT)\S", re.ASCII)
# /c6 Rebuild Rate = 1
_RATE = regex(r"(?m)^(/c\d+) (Rebuild|Verify) Rate = (\d)(?=\r?$)", re.ASCII)
_CONTROLLER = regex(r"/c\d+", re.ASCII)
_OBJECT = regex(r"/c(\d+)(?:/([pu])(\d+))?", re.ASCII)
_BBU = regex(r"/c(\d+)/bbu", re.ASCII)
# bbu   On           Yes       OK        OK       OK       168    19-Jan-2026
_PACK = regex(r"(?m)^(bbu +\S+ +\S+ +)(OK|Testing)( +)")
_SET = regex(r"(rebuild|verify)rate=(\w+)", re.ASCII)


def leds(argv: tuple[str, ...], text: str) -> State:
    """The ports with a drive, each with its LED off."""
    if not argv or basename(argv[0]) not in _TOOLS or argv[2:] != ("show", "all"):
        return {}
    return {f"led {argv[1]}/{port}": "off" for port in _ROW.findall(text)}


def initial(argv: tuple[str, ...], text: str) -> State:
    """The rates of a controller, and its drives."""
    if not argv or basename(argv[0]) not in _TOOLS:
        return {}
    if argv[2:] == ("show", "serial"):
        return simulator_bays.serial(argv, text)
    if argv[2:] != ("show", "all"):
        return {}
    rates = {f"{match[1]} {match[2].lower()}rate": match[3] for match in _RATE.finditer(text)}
    pack = {f"bbu {argv[1]}": match[2] for match in _PACK.finditer(text)}
    return {**rates, **pack, **_bays(argv, text)}


def _bays(argv: tuple[str, ...], text: str) -> State:
    machine = simulator_bays.recorded(text) if _CONTROLLER.fullmatch(argv[1]) else None
    return {} if machine is None else simulator_bays.BAYS.kept({}, argv[1][2:], machine)


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """``/c6 set rebuildrate=3``, ``/c0/p5 set identify=on`` and ``/c0/p5 show identify``."""
    if len(argv) == 4 and basename(argv[0]) in _TOOLS and argv[2] == "set" and (match := _SET.fullmatch(argv[3])):
        return _rate(argv[1], match, state)
    if argv and basename(argv[0]) in _TOOLS and (pack := _BBU.fullmatch("".join(argv[1:2]))):
        return _test(pack[1], argv[2:], state)
    if argv and basename(argv[0]) in _TOOLS and argv[2:3] and argv[2] not in ("show", "set"):
        return simulator_bays.change(argv, state)
    if len(argv) != 4 or basename(argv[0]) not in _TOOLS or not _PORT.fullmatch(argv[1]):
        return None
    name, words = f"led {argv[1]}", argv[2:]
    if words not in (("set", "identify=on"), ("set", "identify=off"), ("show", "identify")):
        return None
    if name not in state:
        return Reply(1, f"Error: (CLI:008) Invalid drive {argv[1]}.\n", state)
    if words[0] == "show":
        return Reply(0, f"{argv[1]} Identify Status = {state[name].capitalize()}\n", state)
    to = words[1].partition("=")[2]
    return Reply(0, f"Setting Port Identify on {argv[1]} to [{to}] ... Done.\n", {**state, name: to})


def _test(number: str, words: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """``/c6/bbu test quiet``: the capacity test of :data:`TEST_SECONDS`; without ``quiet`` the tool asks."""
    if words[:1] != ("test",) or f"bbu /c{number}" not in state:
        return None
    if words != ("test", "quiet") or state[f"bbu /c{number}"] != "OK":
        return Reply(1, f"Error: (CLI:144) /c{number}/bbu cannot be tested in its current state.\n", state)
    due = {f"bbu /c{number}": "Testing", f"bbu /c{number} left": f"{TEST_SECONDS:g}"}
    return Reply(0, f"Sending battery test request to /c{number}/bbu ... Done.\n", {**state, **due})


def advance(state: Mapping[str, str], seconds: float) -> State:
    """Let time pass: rebuilds, verifies and tests of batteries advance."""
    after = simulator_bays.advance(state, seconds)
    for key in [key for key in after if key.startswith("bbu ") and key.endswith(" left")]:
        left = float(after.pop(key)) - seconds
        after |= {key: f"{left:g}"} if left > 0 else {key.removesuffix(" left"): "OK"}
    return after


def _rate(path: str, match: re.Match[str], state: Mapping[str, str]) -> Reply:
    name = f"{path} {match[1]}rate"
    if name not in state or match[2] not in tuple("12345"):
        return Reply(1, f"Error: (CLI:003) Specified controller or value {path} {match[2]} is invalid.\n", state)
    text = f"Setting {match[1].capitalize()} Rate on {path} to [{match[2]}] ... Done.\n"
    return Reply(0, text, {**state, name: match[2]})


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """The output as recorded, except for the rates and the drives. No table shows the LEDs."""
    if not argv or basename(argv[0]) not in _TOOLS:
        return text
    text = _drives(argv, text, state)

    def shown(match: re.Match[str]) -> str:
        rate = state.get(f"{match[1]} {match[2].lower()}rate", match[3])
        return f"{match[1]} {match[2]} Rate = {rate}"

    pack = state.get(f"bbu {argv[1]}") if argv[2:] == ("show", "all") else None
    if pack is not None:
        text = _PACK.sub(lambda match: f"{match[1]}{pack:<{len(match[2] + match[3])}}", text)
    return _RATE.sub(shown, text)


def _drives(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """An output with the drives as they are now. Unchanged where they are as they were recorded."""
    match = _OBJECT.fullmatch(argv[1]) if len(argv) == 4 else None
    machine = simulator_bays.BAYS.of(state, match[1]) if match is not None else None
    if match is None or machine is None:
        return text
    if argv[2:] == ("show", "serial") and match[2] == "p":
        return simulator_bays.serial_printed(text, machine, match[3])
    if argv[2:] == ("show", "all") and match[2] == "u":
        return simulator_bays.unit_printed(text, machine, match[1], match[3])
    return simulator_bays.printed(text, machine) if argv[2:] == ("show", "all") and not match[2] else text
