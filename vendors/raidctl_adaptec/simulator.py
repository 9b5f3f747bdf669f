"""A simulated controller: what arcconf prints, and replies to commands. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import basename

from raidctl.vendor.simulator import Reply, State, settings, walk
from raidctl_adaptec import simulator_bays, simulator_locate, simulator_outputs
from raidctl_adaptec.simulator_bays import advance, fail, insert, pull
from raidctl_adaptec.simulator_settings import OF_MODE, ConfigPlace, good, is_setting, plain, spelt

__all__ = ["advance", "change", "fail", "initial", "insert", "leds", "pull", "render"]

_FOUND = "Controllers found: {}\n"
_DONE = "\n\nCommand completed successfully.\n"
_ABORTED = "\n\nCommand aborted.\n"
_SWITCH = ("enable", "disable")
_LAST = ("noprompt", "nologs")
_THRESHOLDS = range(16, 1041, 16)


def initial(argv: tuple[str, ...], text: str) -> State:
    """The settings and drives in a ``getconfig N``; ``controller 1/ld 0/writecache`` is ``wbb``."""
    if _tasks(argv):
        return {f"since {argv[2]} {number}": since for number, since in simulator_outputs.began(text).items()}
    return {**_settings(argv, text), **_bays(argv, text)} if _is_getconfig(argv) else {}


def _settings(argv: tuple[str, ...], text: str) -> State:
    return settings(
        text, ConfigPlace(f"controller {argv[2]}"), lambda name, value: plain(name, value) if is_setting(name) else None
    )


def _bays(argv: tuple[str, ...], text: str) -> State:
    machine = simulator_outputs.recorded(text)
    return {} if machine is None else simulator_bays.BAYS.kept({}, argv[2], machine)


def leds(argv: tuple[str, ...], text: str) -> State:
    """The locate LEDs of all drives in a ``getconfig N``."""
    return simulator_locate.leds(argv[2], text) if _is_getconfig(argv) else {}


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """The answer with other settings, in the words of this version."""
    machine = (
        simulator_bays.BAYS.of(state, argv[2]) if len(argv) > 2 and (_is_getconfig(argv) or _tasks(argv)) else None
    )
    if _tasks(argv):
        return text if machine is None else simulator_outputs.status(text, machine)
    if not _is_getconfig(argv):
        return text
    recorded = _settings(argv, text)
    if machine is not None and not _bays(argv, text).items() <= state.items():
        text = simulator_outputs.config(text, machine)
    other = {name: value for name, value in state.items() if recorded.get(name, value) != value}

    def show(name: str, value: str) -> str:
        if is_setting(name):
            return spelt(name, other[name], value) if name in other else value
        return _status(name, value, state, other)

    return walk(text, ConfigPlace(f"controller {argv[2]}"), show) if other else text


def _status(name: str, value: str, state: Mapping[str, str], other: Mapping[str, str]) -> str:
    """The status that follows from the settings. The recorded one stays where none of them was changed.

    Without a good battery or ZMM, a volume that is cached only when protected is in write-through.
    """
    place, _, kind = name.rpartition("/")
    controller = place.partition("/")[0]
    if kind == "acceleration":
        mode = other.get(f"{place}/caching")
        return value if mode is None else "Controller Cache" if mode == "con" else "None"
    setting = f"{place}/{'writecache' if kind == 'writestatus' else 'readcache'}"
    changed = setting in other or (kind == "writestatus" and f"{controller}/battery" in other)
    mode = state.get(setting)
    if mode is None or not changed:
        return value
    on = mode in ("wb", "ron") or (mode == "wbb" and good(state.get(f"{controller}/battery")))
    return "On" if on else "Off"


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """``setcache 1 logicaldrive 0 wt noprompt`` and its like."""
    words = [word.lower() for word in argv[1:]]
    if not argv or basename(argv[0]) != "arcconf":
        return None
    if words[:1] == ["identify"]:
        return simulator_locate.change(words, state)
    if words[:1] in (["setstate"], ["task"]):
        return simulator_bays.change(words, state)
    if words[:1] != ["setcache"]:
        return None
    while words[-1] in _LAST:
        words.pop()
    controllers = {name.partition("/")[0] for name in state if name.startswith("controller ")}
    controller = f"controller {words[1] if len(words) > 1 else ''}"
    if controller not in controllers:
        return Reply(6, f"{_FOUND.format(len(controllers))}Invalid controller number.{_ABORTED}", state)
    return _set(controller, words[2:], state, _FOUND.format(len(controllers)))


def _set(controller: str, words: list[str], state: Mapping[str, str], head: str) -> Reply:
    fresh = _wanted(controller, words)
    if fresh is None:
        return Reply(3, f"{head}Usage: SETCACHE <Controller#> ...{_ABORTED}", state)
    if any(name not in state for name in fresh):
        return Reply(2, f"{head}The controller has no such device or setting.{_ABORTED}", state)
    if all(state[name] == value for name, value in fresh.items()):
        return Reply(2, f"{head}The setting is the same as the old one.{_ABORTED}", state)
    if words[0] == "deviceall":
        mode = {"enable": "wb", "disable": "wt"}[words[1]]
        drives = [name for name in state if name.startswith(f"{controller}/device ")]
        fresh |= dict.fromkeys(drives, mode)
    return Reply(0, f"{head}{_DONE}", dict(state) | fresh)


def _wanted(controller: str, words: list[str]) -> State | None:
    """The settings that a command sets. None if the tool does not accept the command."""
    what, *rest = words or [""]
    if what == "logicaldrive" and len(rest) == 2 and rest[1] in OF_MODE:
        return {f"{controller}/ld {rest[0]}/{OF_MODE[rest[1]]}": rest[1]}
    if what == "device" and len(rest) == 3 and rest[2] in ("wb", "wt"):
        return {f"{controller}/device {rest[0]},{rest[1]}/writecache": rest[2]}
    if what == "cacheratio" and len(rest) == 2 and all(word.isdecimal() for word in rest):
        read, write = map(int, rest)
        return (
            {f"{controller}/{what}/read": str(read), f"{controller}/{what}/write": str(write)}
            if read + write == 100
            else None
        )
    if what in ("deviceall", "nobatterywritecache", "waitforcacheroom") and len(rest) == 1 and rest[0] in _SWITCH:
        return {f"{controller}/{what}": rest[0]}
    if what == "writecachebypassthreshold" and len(rest) == 1 and rest[0].isdecimal() and int(rest[0]) in _THRESHOLDS:
        return {f"{controller}/{what}": str(int(rest[0]))}
    return None


def _is_getconfig(argv: tuple[str, ...]) -> bool:
    return len(argv) > 2 and basename(argv[0]) == "arcconf" and argv[1].lower() == "getconfig"


def _tasks(argv: tuple[str, ...]) -> bool:
    return len(argv) == 3 and basename(argv[0]) == "arcconf" and argv[1].lower() == "getstatus"
