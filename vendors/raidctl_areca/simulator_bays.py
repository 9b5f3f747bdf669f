"""Drives in bays of a simulated Areca controller.

The module reads and prints lists, and has the commands and the clock. Pure.

``disk info``, ``disk info drv=N``, ``rsf info`` and ``vsf info`` together describe it. They are kept as recorded until
the first change, which combines them. A drive that is put into the bay of a missing one is rebuilt at once.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping

from raidctl.text import regex
from raidctl.vendor import simulated_bays as machine_of
from raidctl.vendor.simulated_bays import (
    CHECK_SECONDS,
    REBUILD_SECONDS,
    Bays,
    Check,
    FamilyBays,
    SimulatedArray,
    SimulatedDrive,
    Slot,
    array_status,
)
from raidctl.vendor.simulator import Reply, State
from raidctl_areca.capability import FAMILY
from raidctl_areca.grammar import heading, row
from raidctl_areca.tables import place_of

_LISTS = (("disk", "info"), ("rsf", "info"), ("vsf", "info"))
_SERIAL = regex(r"(?m)^Serial Number +: (\S+)")
_LOCATION = regex(r"(?m)^(?:Device Location +: Enclosure#(\d+) (.+?)|(?:IDE )?Channel +: (\d+)) *$")
_PERCENT = regex(r"\((\d+(?:\.\d+)?)%\)")
_SUCCESS = "GuiErrMsg<0x00>: Success.\n"


def _rows(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row of the tables of a list, with its cells."""
    kind = None
    for line in text.split("\n"):
        kind = heading(line) or kind
        cells = row(line, kind) if kind is not None else None
        if cells is not None:
            yield line, cells


def _place(cells: Mapping[str, str]) -> str:
    """``E2:S4``, or a channel."""
    return place_of(cells.get("enclosure"), cells.get("slot") or cells["channel"])


def initial(words: tuple[str, ...], text: str) -> State:
    """The recorded lists, and the serial number of each drive by number."""
    if words in _LISTS:
        return {f"{FAMILY}/{' '.join(words)}": text, f"{FAMILY}/clock": "0.0"}
    if words[:2] == ("vsf", "info"):
        return {f"{FAMILY}/{' '.join(words)}": text}
    match, place = _SERIAL.search(text), _LOCATION.search(text)
    if words[:2] != ("disk", "info") or match is None or place is None:
        return {}
    bay = place_of(place[1], place[2] or place[3])
    return {f"{FAMILY}/serial {words[2].removeprefix('drv=')}": match[1], f"{FAMILY}/bay {bay}": match[1]}


class _Bays(FamilyBays):
    """Bays are by enclosure and slot, ``E2:S4``, or by channel. There is one controller, the tool's default."""

    family = FAMILY

    def numbers(self, state: Mapping[str, str]) -> list[str]:  # noqa: ARG002 - of all families
        """The number of the tool's default controller."""
        return ["1"]

    def of(self, state: Mapping[str, str], number: str) -> Bays | None:
        """The drives as they are now. None: the recorded lists are not complete."""
        lists = [state.get(f"{FAMILY}/{' '.join(words)}") for words in _LISTS]
        if any(text is None for text in lists):
            return None
        return super().of(state, number) or _recorded(state, *(text or "" for text in lists))

    def known(self, state: Mapping[str, str], number: str, machine: Bays, bay: str) -> Mapping[str, object]:  # noqa: ARG002 - the signature of all
        """The bays that had a drive when the machine was recorded."""
        return {
            _place(cells): None
            for _, cells in _rows(state[f"{FAMILY}/disk info"])
            if f"{FAMILY}/serial {cells['number']}" in state
        }


BAYS = _Bays()
advance, pull, fail, insert = BAYS.advance, BAYS.pull, BAYS.fail, BAYS.insert


def _recorded(state: Mapping[str, str], disks: str, sets: str, volumes: str) -> Bays:
    """The drives of the recorded lists. A failed drive is a member of the array that lacks one."""
    machine = Bays(clock=0.0, bays={}, disks={}, groups={}, volumes={}, same_bay=True)
    levels: dict[str, tuple[str, str]] = {}
    for _, cells in _rows(volumes):
        home = re.split(r" {2,}", cells["names"])[-1]
        levels.setdefault(home, (cells["level"], cells["state"]))
        machine.volumes[cells["number"]] = home
        if cells["state"].lower().startswith("checking"):
            since = -_percent(cells["state"]) / 100 * CHECK_SECONDS
            machine.checks[cells["number"]] = Check(repair=False, since=since)
    usage = {}
    for _, cells in _rows(disks):
        serial = state.get(f"{FAMILY}/serial {cells['number']}")
        if serial is not None:
            machine.bays[_place(cells)], usage[serial] = serial, cells["usage"].strip()
            machine.disks[serial] = SimulatedDrive(like=cells["number"], state=_role(cells["usage"]))
    for _, cells in _rows(sets):
        word, state_word = levels.get(cells["name"], ("Raid0", "Normal"))
        level = "raid1" if word == "Raid0+1" and cells["disks"] == "2" else word.lower().replace("0+1", "10")
        slots = [
            Slot(serial, "present", machine.bay_of(serial) or "")
            for serial, name in usage.items()
            if name == cells["name"]
        ]
        lost = [serial for serial, name in usage.items() if machine.disks[serial].state == "failed"]
        for _ in range(int(cells["disks"]) - len(slots)):
            serial = lost.pop(0) if lost else ""
            slots.append(Slot(serial, "failed" if serial else "missing", machine.bay_of(serial) or ""))
        if level == "raid10":
            for number, slot in enumerate(slots):
                slot.part = number // 2
        machine.groups[cells["name"]] = group = SimulatedArray(level=level, slots=slots)
        if state_word.lower().startswith("rebuild"):
            slots[-1].state, group.since = "rebuilding", -_percent(state_word) / 100 * REBUILD_SECONDS
    return machine


def _percent(word: str) -> float:
    match = _PERCENT.search(word)
    return float(match[1]) if match else 0.0


def _role(usage: str) -> machine_of.DriveState:
    low = usage.lower()
    if low.startswith(("hotspare", "hot spare")):
        return "spare"
    return "free" if low == "free" else "failed" if low.startswith("fail") else "member"


def renumber(state: Mapping[str, str], one: str, other: str) -> State:
    """Exchange the numbers of two volumes, as if deleted and created again."""
    machine = BAYS.of(state, "1")
    if machine is None or not {one, other} <= machine.volumes.keys():
        raise LookupError
    new = {one: other, other: one}
    machine.volumes = {new.get(number, number): group for number, group in sorted(machine.volumes.items())}
    machine.checks = {new.get(number, number): check for number, check in machine.checks.items()}
    after = BAYS.kept(state, "1", machine)
    texts = {number: state[f"{FAMILY}/vsf info vol={number}"] for number in new}
    return (
        after
        | {f"{FAMILY}/vsf info vol={new[number]}": text for number, text in texts.items()}
        | {f"{FAMILY}/vsf info": _exchanged(state[f"{FAMILY}/vsf info"], one, other)}
    )


def _exchanged(text: str, one: str, other: str) -> str:
    """A list in which two rows have each other's number, still sorted."""
    lines = {cells["number"]: line for line, cells in _rows(text)}
    fresh = {
        lines[at]: re.sub(rf"^( *){was}(?= )", rf"\g<1>{at}", lines[was]) for at, was in ((one, other), (other, one))
    }
    return "\n".join(fresh.get(line, line) for line in text.split("\n"))


def change(words: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """``rsf createhs drv=9`` and its like; None: another command."""
    if words[:2] not in (("rsf", "createhs"), ("rsf", "deletehs"), ("vsf", "check"), ("vsf", "stopcheck")):
        return None
    machine = BAYS.of(state, "1")
    if machine is None:
        return Reply(0, "GuiErrMsg<0x44>: No RAID Set.\n", state)
    name = words[2].rpartition("=")[2] if len(words) > 2 else ""
    why = _hot_spare(machine, state, words[1], name) if words[0] == "rsf" else _check(machine, words[1], name)
    if why is not None:
        return Reply(0, f"GuiErrMsg<0x{why}\n", state)
    machine_of.settle(machine)
    return Reply(0, _SUCCESS, BAYS.kept(state, "1", machine))


def _hot_spare(machine: Bays, state: Mapping[str, str], verb: str, number: str) -> str | None:
    """The objection that the tool prints last; None: it is done."""
    serial = machine.bays.get(_numbered(state, number))
    wanted, to = ("free", "spare") if verb == "createhs" else ("spare", "free")
    if serial is None or machine.disks[serial].state != wanted:
        return "46>: Drive Not Exist." if serial is None else "48>: The Drive Is In Use."
    machine.disks[serial].state = to  # type: ignore[assignment] # one of the two above
    return None


def _numbered(state: Mapping[str, str], number: str) -> str:
    """The bay of a number in the list of drives. Empty: there is none."""
    found = (_place(cells) for _, cells in _rows(state[f"{FAMILY}/disk info"]) if cells["number"] == number)
    return next(found, "")


def _check(machine: Bays, verb: str, volume: str) -> str | None:
    if verb == "stopcheck":
        machine.checks.clear()
        return None
    group = machine.groups.get(machine.volumes.get(volume, ""))
    if group is None:
        return "45>: No Volume Set."
    if array_status(group) != "ok" or volume in machine.checks:
        return "49>: The Volume Set Is Busy."
    machine.checks[volume] = Check(repair=False, since=machine.clock)
    return None


def printed(words: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """A recorded output as it is now. It stays unchanged until something is changed."""
    machine = BAYS.stored(state, "1")
    if machine is None:
        return text
    if words == ("disk", "info"):
        return _drives(text, machine)
    if words == ("rsf", "info"):
        return _last_cells(text, [_set_state(machine.groups[cells["name"]]) for _, cells in _rows(text)])
    if words[:2] == ("vsf", "info"):
        text = state[f"{FAMILY}/{' '.join(words)}"]
    if words == ("vsf", "info"):
        return _last_cells(text, [_volume_state(machine, cells["number"]) for _, cells in _rows(text)])
    if words[:2] == ("vsf", "info"):
        word = _volume_state(machine, words[2].removeprefix("vol="))
        return re.sub(r"(?m)^(Volume State +: ).*$", lambda match: match[1] + word, text)
    return _drive(words, text, state, machine) if words[:2] == ("disk", "info") else text


def _set_state(group: SimulatedArray) -> str:
    return {"ok": "Normal", "degraded": "Degraded", "rebuilding": "Rebuilding", "failed": "Failed"}[array_status(group)]


def _volume_state(machine: Bays, volume: str) -> str:
    group = machine.groups[machine.volumes[volume]]
    check = machine.checks.get(volume)
    if check is not None:
        return f"Checking({min(99.9, (machine.clock - check.since) / CHECK_SECONDS * 100):.1f}%)"
    word = _set_state(group)
    return f"{word}({machine.percent(group):.1f}%)" if word == "Rebuilding" else word


def _last_cells(text: str, words: list[str]) -> str:
    """A table with other states in its last column."""
    for (line, cells), word in zip(list(_rows(text)), words, strict=True):
        cut = line.rindex(cells["state"])
        text = text.replace(line, f"{line[:cut]}{word}{line[cut + len(cells['state']) :]}")
    return text


def _drives(text: str, machine: Bays) -> str:
    groups = machine.groups.items()
    # 13 13  ST31000340AS                    1000.2GB  HotSpare        16 16  WDC WD7500AYYS  750.2GB  HotSpare[Global]
    spare = "HotSpare[Global]" if "HotSpare[" in text or "HotSpare" not in text else "HotSpare"
    sets = {slot.serial: name for name, group in groups for slot in group.slots if slot.state != "missing"}
    for line, cells in list(_rows(text)):
        serial = machine.bays.get(_place(cells))
        head = line[: line.index(cells["model"])]
        width = line.index(cells["size"]) - len(head)
        if serial is None:
            fresh = f"{head}{'N.A.':<{width}}{'0.0GB':>{len(cells['size'])}}  N.A.            "
        else:
            disk, size = machine.disks[serial], cells["size"]
            words = {"free": "Free", "spare": spare, "failed": "Failed"}
            usage = words.get(disk.state) or sets.get(serial, "Free")
            if disk.kind == "small":
                size = f"{float(size.removesuffix('GB')) / 2:.1f}GB".rjust(len(size))
            fresh = f"{head}{cells['model']:<{width}}{size}  {usage:<16}"
        text = text.replace(line, fresh)
    return text


def _drive(words: tuple[str, ...], text: str, state: Mapping[str, str], machine: Bays) -> str:
    number = words[2].removeprefix("drv=")
    serial = machine.bays.get(_numbered(state, number))
    if serial is None:
        return "GuiErrMsg<0x46>: Drive Not Exist.\n"
    disk = machine.disks[serial]
    text = re.sub(r"(?m)^(Serial Number +: ).*$", rf"\g<1>{serial}", text)
    text = re.sub(r"(?m)^(Device State +: ).*$", rf"\g<1>{'FAILED' if disk.state == 'failed' else 'NORMAL'}", text)
    if state.get(f"{FAMILY}/serial {number}") != serial:
        errors = "12" if disk.kind == "failing" else "0"
        text = re.sub(r"(?m)^((?:Media Error|Timeout) Count +: ).*$", rf"\g<1>{errors}", text)
        address = zlib.crc32(serial.encode()) % 16**7
        text = re.sub(r"(?m)^(Device Type +: S\w+)\(.*\)", rf"\g<1>(5000C5005{address:07X})", text)
    if disk.kind == "small":
        half = re.compile(r"(?m)^(Disk Capacity +: )([\d.]+)GB")
        text = half.sub(lambda match: f"{match[1]}{float(match[2]) / 2:.1f}GB", text)
    return text
