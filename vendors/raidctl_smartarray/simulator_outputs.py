"""Tool output for the drives now in a simulated Smart Array's bays. Pure.

Each drive's section is the recorded one of the drive that it looks like, with its own place, serial number and state;
the words are those of recorded outputs: ``Interim Recovery Mode``, ``Recovering, 55.73% complete``, ``Ready for
Rebuild``, ``Rebuilding``, ``Predictive Failure``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256

from raidctl.text import regex
from raidctl.vendor.simulator import fields
from raidctl_smartarray.simulator_bays import (
    HEAD,
    SECONDS,
    address_of,
    has_bays,
    initial,
    named,
    present,
    slots_of,
    works,
)
from raidctl_smartarray.simulator_headings import ARRAY, CONTROLLER, VOLUME

_UNASSIGNED = regex(r"\s*unassigned\s*$", re.IGNORECASE)
# physicaldrive 1I:3:6
_DRIVE = regex(r"(?P<head>\s*physicaldrive )(?P<address>[\w:]+)\s*$")
# physicaldrive 1I:1:3 (port 1I:box 1:bay 3, SAS, 1.2 TB, OK)
_ROW = regex(r"(?P<head>\s*physicaldrive )(?P<address>[\w:]+)(?P<open> \()(?P<inside>.*)\)\s*$")
_PAIR = regex(r"(?P<head>\s*(?P<label>[^:]+?): *)(?P<value>.*)$")
# 1.2 TB
_SIZE = regex(r"(?P<number>\d+(?:\.\d+)?) (?P<unit>[MGT]B)")
# SEP (Vendor ID HPE, Model Smart Adapter) 379
_BEHIND = regex(r"\s*(?:SEP|Expander|Enclosure SEP) ")
_OF_THE_SYSTEM = ("Disk Name", "Mount Points")
"""Lines of a drive that the operating system sees. A new drive has another node."""
Blocks = dict[str, list[str]]


def render(text: str, state: Mapping[str, str]) -> str:
    """The output for the bays as they are now. Unchanged while they are as they were recorded."""
    recorded = initial(text)
    if not has_bays(state) or not has_bays(recorded) or all(state.get(name) == recorded[name] for name in recorded):
        return text
    several = any("/" in key for key in named(state, "bay"))
    lines = text.split("\n")
    return "\n".join(_Output(state, _blocks(lines, several=several), several=several).lines(lines))


def _blocks(lines: list[str], *, several: bool) -> Blocks:
    """The section of each recorded drive."""
    found: Blocks = {}
    slot, key = "", None
    for line in lines:
        if match := CONTROLLER.match(line):
            slot = match["slot"]
        if match := _DRIVE.match(line):
            key = f"{slot}/{match['address']}" if several else match["address"]
            found[key] = []
        elif not line.strip():
            key = None
        if key is not None:
            found[key].append(line)
    return found


class _Output:
    """Prints a recorded output again, section by section."""

    def __init__(self, state: Mapping[str, str], blocks: Blocks, *, several: bool) -> None:
        self.state = state
        self.blocks = blocks
        self.several = several
        self.slot = self.section = self.place = ""
        self.volumes = 0

    def lines(self, recorded: list[str]) -> Iterator[str]:
        """Yield the lines of the output."""
        inside = False  # in the section of a drive: those of the bay's drives come at its first place
        shown: set[str] = set()
        for line in recorded:
            if match := CONTROLLER.match(line):
                yield from self._rest(shown)
                self.slot, self.section = match["slot"], ""
            elif match := ARRAY.match(line):
                self.section, self.volumes, self.place = match["name"], 0, "array"
            elif _UNASSIGNED.match(line):
                self.section, self.place = "unassigned", ""
            elif VOLUME.match(line):
                self.volumes, self.place = self.volumes + 1, "volume"
            elif _BEHIND.match(line):
                yield from self._rest(shown)
                self.section = ""
            if _DRIVE.match(line) and self.section:
                inside = True
                if self._name(self.section) not in shown:
                    shown.add(self._name(self.section))
                    yield from self._drives(self.section)
                continue
            if inside and line.strip():
                continue
            if inside:
                inside = False
                continue  # the empty line behind a drive's section is printed with it
            yield from self._line(line)
        yield from self._rest(shown)

    def _name(self, what: str) -> str:
        return f"{self.slot}/{what}" if self.several else what

    def _rest(self, shown: set[str]) -> Iterator[str]:
        """The drives without an array, where the recorded output had none."""
        name = self._name("unassigned")
        if self.slot and name not in shown and self._unassigned():
            shown.add(name)
            yield from ("   Unassigned", "")
            yield from self._drives("unassigned")
            yield ""

    def _unassigned(self) -> list[str]:
        controller = self.slot if self.several else ""
        known = named(self.state, "slot")
        return [key for key in named(self.state, "bay") if key not in known and key.rpartition("/")[0] == controller]

    def _drives(self, section: str) -> Iterator[str]:
        if section == "unassigned":
            keys = self._unassigned()
        else:
            keys = [key for key, _ in slots_of(self.state, self._name(section))]
        for key in sorted(keys):
            if f"{HEAD}bay {key}" in self.state:
                yield from self._drive(key)
                yield ""

    def _drive(self, key: str) -> Iterator[str]:
        """The section of a drive in its bay."""
        serial = self.state[f"{HEAD}bay {key}"]
        about = fields(self.state[f"{HEAD}drive {serial}"])
        source = about["from"] if about["from"] in self.blocks else next(iter(self.blocks))
        recorded = source == key and f"Serial Number: {serial}" in "\n".join(self.blocks[source])
        place = dict(zip(("Port", "Box", "Bay"), address_of(key).split(":"), strict=False))
        wwn = sha256(serial.encode()).hexdigest()[:10].upper()
        new = {
            **place, "Serial Number": serial, "Status": self._status(key), "Drive Type": self._type(key),
            **({} if recorded else {"Drive exposed to OS": "False", "WWID": f"5000C5{wwn}", "Drive Unique ID": wwn}),
        }  # fmt: skip
        for line in self.blocks[source]:
            match = _PAIR.match(line)
            if drive := _DRIVE.match(line):
                yield f"{drive['head']}{address_of(key)}"
            elif match is None or (not recorded and match["label"].strip() in _OF_THE_SYSTEM):
                if match is None:
                    yield line
            else:
                label, value = match["label"].strip(), match["value"]
                value = new.get(label, value)
                yield from _of_kind(match["head"], label, value, about["kind"])

    def _status(self, key: str) -> str:
        serial = self.state[f"{HEAD}bay {key}"]
        state = fields(self.state[f"{HEAD}drive {serial}"])["state"]
        if state == "failed":
            return "Failed"
        if f"{HEAD}fill {key}" in self.state:
            return "Rebuilding"
        return "Predictive Failure" if state == "failing" else "OK"

    def _type(self, key: str) -> str:
        use = fields(self.state.get(f"{HEAD}slot {key}", "use=none"))["use"]
        if use == "spare":
            return "Active Spare Drive" if f"{HEAD}helps {key}" in self.state else "Spare Drive"
        return "Data Drive" if use == "data" else "Unassigned Drive"

    def _line(self, line: str) -> Iterator[str]:
        """Yield a line outside of the drives' sections.

        Rows of drives and the states of arrays and volumes are the current ones.
        """
        if row := _ROW.match(line):
            key = self._name(row["address"])
            if f"{HEAD}bay {key}" in self.state:
                yield f"{row['head']}{row['address']}{row['open']}{self._row(key, row['inside'])})"
            return
        match = _PAIR.match(line)
        if match and match["label"].strip() == "Status" and self.section and f"{HEAD}array {self._array}" in self.state:
            own = self._volume_status(self.volumes) if self.place == "volume" else self._array_status()
            if own is not None:
                yield f"{match['head']}{own}"
                return
        yield line

    @property
    def _array(self) -> str:
        return self._name(self.section)

    def _row(self, key: str, inside: str) -> str:
        """``port 1I:box 1:bay 4, SAS HDD, 900 GB, OK, spare``."""
        kind = fields(self.state[f"{HEAD}drive {self.state[f'{HEAD}bay {key}']}"])["kind"]
        parts = [part for part in inside.split(", ") if "spare" not in part]
        parts[-1] = self._status(key)
        parts = [_halved(part) if kind == "small" and _SIZE.fullmatch(part) else part for part in parts]
        if kind == "other_media":
            parts[1] = _other(parts[1])
        if fields(self.state.get(f"{HEAD}slot {key}", "use=none"))["use"] == "spare":
            helped = self.state.get(f"{HEAD}helps {key}")
            parts.append("spare" if helped is None else f"active spare for {address_of(helped)}")
        return ", ".join(parts)

    def _volume_status(self, number: int) -> str | None:
        """The state of the n-th volume of the array. None: as it was recorded."""
        slots = dict(slots_of(self.state, self._array))
        if fields(self.state[f"{HEAD}array {self._array}"])["state"] == "failed":
            return "Failed"
        filled = [float(self.state[f"{HEAD}fill {key}"]) for key in slots if f"{HEAD}fill {key}" in self.state]
        if filled:
            percent = (float(self.state[f"{HEAD}clock"]) - max(filled)) / SECONDS * 100
            return f"Recovering, {percent:.2f}% complete" if number == 1 else "Ready for Rebuild"
        helped = {self.state.get(f"{HEAD}helps {key}") for key in slots}
        gaps = [key for key, use in slots.items() if use == "data" and not works(self.state, key) and key not in helped]
        return "Interim Recovery Mode" if gaps else "OK"

    def _array_status(self) -> str | None:
        slots = dict(slots_of(self.state, self._array))
        if fields(self.state[f"{HEAD}array {self._array}"])["state"] == "failed":
            return "Failed"
        gone = [key for key in slots if not present(self.state, key)]
        return "Failed Physical Drive" if gone else "OK"


def _of_kind(head: str, label: str, value: str, kind: str) -> Iterator[str]:
    """Change a recorded line for a smaller drive or the other kind."""
    if kind == "small" and label == "Size":
        value = _halved(value)
    if kind == "other_media" and label == "Interface Type":
        value = _other(value)
    if not (kind == "other_media" and label == "Rotational Speed"):
        yield f"{head}{value}"


def _halved(size: str) -> str:
    return _SIZE.sub(lambda match: f"{float(match['number']) / 2:g} {match['unit']}", size)


def _other(interface: str) -> str:
    if interface.startswith("Solid State "):
        return interface.removeprefix("Solid State ")
    if interface.endswith(" SSD"):
        return f"{interface.removesuffix(' SSD')} HDD"
    return f"Solid State {interface.removesuffix(' HDD')}"
