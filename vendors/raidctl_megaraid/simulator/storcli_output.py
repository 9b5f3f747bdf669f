"""Settings in the JSON of simulated storcli, perccli and their second generation.

Each place of an output that shows a setting is one :class:`Place`: it reads the value there, and prints another one.
The rest of the output stays as it was recorded. :func:`raidctl.vendor.simulator.walk` goes through lines with one
setting each; here, a leaf of JSON has up to three (``RWBD``), and its meaning depends on the tables around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from raidctl.text import regex
from raidctl.vendor.simulator import State
from raidctl_megaraid.simulator.json_leaves import Leaf, put, tables
from raidctl_megaraid.simulator.state import GOOD, MASKS, ControllerState, flag, name

Table = Mapping[str, Leaf]
Path = tuple[str, ...]

# RWTD NRWBC RaAWB
_TOKEN = regex(r"(NR|Ra|R)?(AWB|WB|WT)([DC])?")
# NR,WB
_PAIR = regex(r"\s*(NR|R)\s*,\s*(AWB|WB|WT)\s*")
_PROPERTIES = regex(r"VD(\d+) Properties")
_DRIVES_OF = regex(r"PDs for VD (\d+)")
_READ = {"NR": "NoRA", "R": "RA", "Ra": "adaptive"}
_READ_SHOWN = {value: key for key, value in _READ.items()}
_IO = {"D": "Direct", "C": "Cached"}
_IO_SHOWN = {value: key for key, value in _IO.items()}
_INITIAL = "Write Cache(initial setting)"
_DISK = {"Disabled": "Off", "Enabled": "On", "Disk's Default": "Default"}
_DISK_SHOWN = {value: key for key, value in _DISK.items()}
_PDC_SHOWN = {"Off": "dsbl", "On": "enbl", "Default": "dflt"}
_PACKS = frozenset({"Cachevault_Info", "BBU_Info", "Energy Pack Info"})
_FLAGS = frozenset({"Firmware_Status", "BBU_Firmware_Status"})
_STATES = frozenset({"State", "Battery State", "Status"})
_SUPPORTED = {
    "Read Policy": "rdcache",
    "Write Policy": "wrcache",
    "IO Policy": "iopolicy",
    "Disk Cache Policy": "pdcache",
}
_RATES = {
    "Rebuild Rate": "rebuildrate", "Check Consistency Rate": "ccrate", "Patrol Read Rate": "prrate",
    "PR Rate": "prrate", "BGI Rate": "bgirate", "Reconstruction Rate": "reconrate",
}  # fmt: skip
BLOCKED = "Block SSD Write Disk Cache Change"
_PRESERVED = ("Any Offline VD Cache Preserved", "Preserved Cache Present")


class Place(NamedTuple):
    """A place of a text that shows settings."""

    leaf: Leaf
    reported: dict[str, str]
    """The settings that it reports."""
    shown: Callable[[ControllerState], str | None]
    """Its text in another state; None: unchanged."""
    controller: str


def initial(text: str) -> State:
    """The settings that an answer reports."""
    found: State = {}
    for place in _places(text):
        found |= place.reported
    return found


def render(text: str, state: Mapping[str, str]) -> str:
    """The answer with the settings as they are now."""
    values: dict[Leaf, str] = {}
    for place in _places(text):
        shown = place.shown(ControllerState(place.controller, state))
        if shown is not None and shown != place.leaf.value:
            values[place.leaf] = shown
    return put(text, values) if values else text


def _places(text: str) -> Iterator[Place]:
    if '"Command Status"' not in text:
        return
    found = tables(text)
    numbers = {
        path[:2]: table["Controller"].value
        for path, table in found.items()
        if path[2:] == ("Command Status",) and "Controller" in table
    }
    whole: dict[Path, dict[Path, Table]] = {}
    for path, table in found.items():
        if path[:2] in numbers:
            whole.setdefault(path[:2], {})[path[2:]] = table
    for top, parts in whole.items():
        yield from _Reading(numbers[top], parts).places()


def _row(table: Table) -> tuple[str, str] | None:
    """Group and volume of ``"DG/VD" : "0/1"``."""
    group, slash, volume = table["DG/VD"].value.partition("/") if "DG/VD" in table else ("", "", "")
    return (group, volume) if slash else None


class _Reading:
    """The settings of one controller."""

    def __init__(self, controller: str, parts: Mapping[Path, Table]) -> None:
        self.controller = controller
        self.parts = parts
        self.groups: dict[str, list[str]] = {}
        self.tokens: dict[str, str] = {}
        for table in parts.values():
            row = _row(table)
            if row is not None:
                self.groups.setdefault(row[0], []).append(row[1])
                if "Cache" in table:
                    self.tokens[row[1]] = table["Cache"].value
        self.reported_initial = any(_INITIAL in table for table in parts.values())
        self.battery = next((state.value for state in self._states()), None)

    def place(self, leaf: Leaf, reported: dict[str, str], shown: Callable[[ControllerState], str | None]) -> Place:
        """A place on this controller."""
        return Place(leaf, reported, shown, self.controller)

    def key(self, setting: str, volume: str | None = None) -> str:
        """The name of a setting of this controller."""
        return name(self.controller, setting, volume)

    def places(self) -> Iterator[Place]:
        """All of them."""
        for path, table in self.parts.items():
            yield from self._of_table(path, table)
        yield from self._battery()

    def _of_table(self, path: Path, table: Table) -> Iterator[Place]:
        row, last = _row(table), path[-1] if path else ""
        if row is not None:
            yield from self._tokens(table, row[1])
        elif (match := _PROPERTIES.fullmatch(last)) is not None:
            yield from self._properties(table, match[1])
        elif len(path) > 1 and (match := _DRIVES_OF.fullmatch(path[-2])) is not None and "Med" in table:
            if table["Med"].value == "SSD":
                yield self.place(table["Med"], {self.key("media", match[1]): "SSD"}, _untouched)
        elif "PDC" in table and "DG" in table:
            yield self.place(table["PDC"], {}, self._pdc(table["DG"].value, table["PDC"].value))
        elif table.get("Policy") is not None and table["Policy"].value == "Cache Flush Interval" and "Current" in table:
            yield from self._interval(table["Current"])
        elif table.get("Policy") is not None and table["Policy"].value in _RATES and "Current" in table:
            yield from self._rate(_RATES[table["Policy"].value], table["Current"])
        elif last == "Command Status":
            for label, setting in (("CLI Version", "cli"), ("Operating system", "os")):
                if label in table:
                    yield self.place(table[label], {self.key(setting): table[label].value}, _untouched)
        else:
            yield from self._plain(last, table)

    def _tokens(self, table: Table, volume: str) -> Iterator[Place]:
        if "Cache" in table and (match := _TOKEN.fullmatch(table["Cache"].value)) is not None:
            reported = {self.key("rdcache", volume): _READ[match[1]]} if match[1] else {}
            if match[3]:
                reported[self.key("iopolicy", volume)] = _IO[match[3]]
            # write-through may be a fallback: only the properties show the configured policy
            if not self.reported_initial and (match[2] != "WT" or self.battery in (None, *GOOD)):
                reported[self.key("wrcache", volume)] = match[2]
            yield self.place(table["Cache"], reported, lambda controller: _token(controller, volume, match))
        for label in ("DefaultCache", "CurrentCache"):
            pair = _PAIR.fullmatch(table[label].value) if label in table else None
            if pair is None:
                continue
            reported = {self.key("rdcache", volume): _READ[pair[1]], self.key("wrcache", volume): pair[2]}
            if label == "DefaultCache":
                yield self.place(
                    table[label],
                    reported,
                    lambda controller: _pair(controller, volume, controller.get("wrcache", volume)),
                )
            else:
                yield self.place(
                    table[label], {}, lambda controller: _pair(controller, volume, controller.active(volume))
                )

    def _properties(self, table: Table, volume: str) -> Iterator[Place]:
        if _INITIAL in table:
            always = "AWB" in self.tokens.get(volume, "")
            written = "WT" if table[_INITIAL].value == "WriteThrough" else "AWB" if always else "WB"
            reported = {self.key("wrcache", volume): written}
            yield self.place(table[_INITIAL], reported, lambda controller: _initial(controller.get("wrcache", volume)))
        leaf = table.get("Disk Cache Policy")
        if leaf is not None and leaf.value in _DISK:
            reported = {self.key("pdcache", volume): _DISK[leaf.value]}
            yield self.place(
                leaf, reported, lambda controller: _DISK_SHOWN.get(controller.get("pdcache", volume) or "")
            )

    def _pdc(self, group: str, printed: str) -> Callable[[ControllerState], str | None]:
        """``dsbl`` of an array and its drives, if all its volumes agree."""

        def shown(controller: ControllerState) -> str | None:
            words = {controller.get("pdcache", volume) for volume in self.groups.get(group, ())}
            return _PDC_SHOWN.get(words.pop() or "") if len(words) == 1 and printed != "-" else None

        return shown

    def _interval(self, leaf: Leaf) -> Iterator[Place]:
        if re.fullmatch(r"\d+s", leaf.value):
            reported = {self.key("cacheflushint"): leaf.value[:-1]}
            yield self.place(leaf, reported, lambda controller: f"{controller.get('cacheflushint')}s")

    def _rate(self, setting: str, leaf: Leaf) -> Iterator[Place]:
        if match := re.fullmatch(r"(\d+)( ?)%", leaf.value):
            reported = {self.key(setting): match[1]}
            yield self.place(leaf, reported, lambda controller: f"{controller.get(setting) or match[1]}{match[2]}%")

    def _plain(self, title: str, table: Table) -> Iterator[Place]:
        """Switches that are shown as they are."""
        wanted: dict[str, str] = {}
        if title == "Supported VD Operations":
            wanted = {label: f"supports {setting}" for label, setting in _SUPPORTED.items()}
        elif title == "Supported Adapter Operations":
            wanted = {BLOCKED: "block ssd"}
        elif title == "HwCfg":
            wanted = {"Alarm": "alarm"}
        elif title == "Status":
            wanted = dict.fromkeys(_PRESERVED, "preserved")
        for label, setting in wanted.items():
            if label in table:
                reported = {self.key(setting): table[label].value}
                yield self.place(table[label], reported, _same(setting))

    # --- the battery

    def _states(self) -> Iterator[Leaf]:
        """``{"Model": "CVPM02", "State": "Optimal"}`` and ``{"Property": "State", "Value": "Optimal"}``."""
        for path, table in self.parts.items():
            if len(path) < 2 or path[-2] not in _PACKS:
                continue
            if "Property" in table and "Value" in table:
                if table["Property"].value in _STATES:
                    yield table["Value"]
            else:
                yield from (table[label] for label in ("State", "Status") if label in table)

    def _battery(self) -> Iterator[Place]:
        """The battery's state word, and the fields that follow from it."""
        recorded = self.battery
        if recorded is None:
            return
        for leaf in self._states():
            yield self.place(leaf, {self.key("battery"): leaf.value}, _same("battery"))
        for path, table in self.parts.items():
            if len(path) > 1 and path[-2] in _FLAGS and "Property" in table and "Value" in table:
                yield self.place(table["Value"], {}, _flagged(table["Property"].value, recorded))
            elif path and path[-1] == "Status" and "BBU Status" in table:
                yield self.place(table["BBU Status"], {}, _masked(recorded))


def _untouched(_: ControllerState) -> str | None:
    return None


def _same(setting: str) -> Callable[[ControllerState], str | None]:
    return lambda controller: controller.get(setting)


def _flagged(label: str, recorded: str) -> Callable[[ControllerState], str | None]:
    def shown(controller: ControllerState) -> str | None:
        now = controller.get("battery")
        return None if now in (None, recorded) else flag(label, now or "")

    return shown


def _masked(recorded: str) -> Callable[[ControllerState], str | None]:
    def shown(controller: ControllerState) -> str | None:
        now = controller.get("battery")
        return None if now in (None, recorded) or now not in MASKS else str(MASKS[now or ""])

    return shown


def _token(controller: ControllerState, volume: str, like: re.Match[str]) -> str | None:
    active = controller.active(volume)
    if active is None:
        return None
    read = _READ_SHOWN.get(controller.get("rdcache", volume) or "", "") if like[1] else ""
    io = _IO_SHOWN.get(controller.get("iopolicy", volume) or "", "") if like[3] else ""
    return f"{read}{active}{io}"


def _pair(controller: ControllerState, volume: str, write: str | None) -> str | None:
    read = _READ_SHOWN.get(controller.get("rdcache", volume) or "")
    return None if read is None or write is None else f"{read},{write}"


def _initial(value: str | None) -> str | None:
    return None if value is None else "WriteThrough" if value == "WT" else "WriteBack"
