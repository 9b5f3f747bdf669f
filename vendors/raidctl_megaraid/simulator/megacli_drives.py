"""What MegaCli prints of drives in bays and arrays: ``-LdPdInfo`` and ``-PDList``. Pure.

Each recorded drive has its block in the state (``megaraid 0/line 8:1``). A block that shows the drive as it is stays as
it was recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from raidctl.text import regex
from raidctl.vendor.simulated_bays import CHECK_SECONDS
from raidctl.vendor.simulator import State
from raidctl_megaraid.megacli.inquiry import split_inquiry
from raidctl_megaraid.simulator.machine import LONG, Disk, Machine, group_state, load, numbers, shown_bay
from raidctl_megaraid.simulator.state import name

# Adapter #0
_ADAPTER = regex(r"Adapter #(\d+)")
# Virtual Drive: 0 (Target Id: 0)
VOLUME = regex(r"(?:CacheCade )?Virtual Drive\s*:\s*\d+ \(Target Id: (\d+)\)")
# RAID Level          : Primary-5, Secondary-0, RAID Level Qualifier-3
_LEVEL = regex(r"RAID Level\s*: Primary-(\d), Secondary-(\d)")
# Span: 0 - Number of PDs: 4
_SPAN = regex(r"Span: (\d+) - Number of PDs")
# PD: 3 Information
_MEMBER = regex(r"PD: (\d+) Information")
# Enclosure Device ID: 8
_BLOCK = regex(r"Enclosure Device ID: (\S+)")
# Slot Number: 9
_SLOT = regex(r"(?m)^Slot Number: (\d+)$")
# Drive's position: DiskGroup: 0, Span: 0, Arm: 1
_POSITION = regex(r"(?m)^Drive's position: DiskGroup: (\d+), Span: (\d+), Arm: (\d+)\n")
# Firmware state: Online, Spun Up
_STATE = regex(r"(?m)^Firmware state: (.*)$")
# Coerced Size: 278.875 GB [0x22dc0000 Sectors]
_COERCED = regex(r"(?m)^Coerced Size: ([\d.]+) ([GTM]B)")
# Media Type: Hard Disk Device
_MEDIUM = regex(r"(?m)^Media Type: (.*?) *$")
# Foreign State: None
_FOREIGN = regex(r"(?m)^Foreign State: \w+")
# Inquiry Data: RCTLDISKRC300GB15K5     RS0A3LM0RC01
_INQUIRY = regex(r"(?m)^Inquiry Data: (.*)$")
_OF_VOLUME = regex(r"State\s*: ")
# Disks           : 4
_DISKS = regex(r"( +Disks +: )\d+")
_END = regex(r"Exit Code: ")
_WORDS = {text.partition(",")[0].lower(): word for word, text in reversed(LONG.items())}
_STATES = {"Optl": "Optimal", "Pdgd": "Partially Degraded", "Dgrd": "Degraded", "OfLn": "Offline"}


class Piece(NamedTuple):
    """A part of an output: a drive's block, or other lines."""

    adapter: str
    lines: list[str]
    volume: str = ""
    position: str = ""
    """Span and arm."""
    drive: bool = False


def pieces(text: str) -> list[Piece]:
    """The parts of an output, in order."""
    found = [Piece("", [])]
    adapter = volume = span = ""
    for line in text.split("\n"):
        stripped = line.strip()
        if match := _ADAPTER.fullmatch(stripped):
            adapter, volume, span = match[1], "", ""
            found.append(Piece(adapter, []))
        elif match := VOLUME.fullmatch(stripped):
            volume = match[1]
            found.append(Piece(adapter, [], volume))
        elif match := _SPAN.match(stripped):
            span = match[1]
        elif match := _MEMBER.fullmatch(stripped):
            found.append(Piece(adapter, [], volume, f"{span}.{match[1]}", drive=True))
        elif _BLOCK.match(stripped) and not found[-1].position:
            found.append(Piece(adapter, [], drive=True))
        elif _END.match(stripped):
            found.append(Piece(adapter, []))
        found[-1].lines.append(line)
    return found


def _body(piece: Piece) -> str:
    """A drive's block without the lines around it. Empty if the drive is missing."""
    lines = piece.lines[1:] if piece.position else piece.lines
    return "\n".join(lines).strip("\n") + "\n" if any(line.strip() for line in lines) else ""


def _bay(body: str) -> str:
    enclosure, slot = _BLOCK.search(body), _SLOT.search(body)
    return f"{(enclosure[1] if enclosure else '').removeprefix('N/A')}:{slot[1] if slot else ''}"


def initial(text: str) -> State:
    """The drives that an output lists."""
    found: State = {}
    parts = pieces(text)
    for number in sorted({piece.adapter for piece in parts if piece.drive and piece.adapter}):
        mine = [piece for piece in parts if piece.adapter == number]
        machine = Machine(number)
        for piece in mine:
            if piece.drive and (body := _body(piece)):
                found |= _add(machine, body)
        _add_positions(machine, mine)
        found |= machine.state({})
    return found


def _add(machine: Machine, body: str) -> State:
    bay, state, position = _bay(body), _STATE.search(body), _POSITION.search(body)
    words = (state[1] if state else "").lower().split(",")
    disk = machine.disks[bay] = Disk(state=_WORDS.get(words[0], words[0]), down="down" in words[-1])
    machine.bays[bay] = bay
    size, medium = _COERCED.search(body), _MEDIUM.search(body)
    disk.model = f"{size[0] if size else ''} {medium[1] if medium else ''}"
    if position is not None:
        disk.position = ".".join(position.groups())
        machine.position(disk.position, bay, f"{size[1]} {size[2]}" if size else "")
    inquiry = _INQUIRY.search(body)
    serial = split_inquiry(inquiry[1], None, None).serial if inquiry else None
    return {
        name(machine.number, f"line {bay}"): body,
        name(machine.number, f"serial {bay}"): serial or "",
        shown_bay(machine.number, bay): serial or "",
    }


def _add_positions(machine: Machine, parts: list[Piece]) -> None:
    """The volumes, and the places of members that are missing."""
    for volume in dict.fromkeys(piece.volume for piece in parts if piece.volume):
        mine = [piece for piece in parts if piece.volume == volume]
        printed = next((found for piece in mine if (found := _POSITION.search("\n".join(piece.lines)))), None)
        level = next((found for piece in mine for line in piece.lines if (found := _LEVEL.match(line))), None)
        if printed is None or level is None:
            continue
        machine.volume(volume, printed[1], f"RAID{level[1]}{'0' if level[2] == '3' else ''}")
        size = next(position.size for position in machine.positions.values())
        for piece in mine:
            position = f"{printed[1]}.{piece.position}"
            if piece.position and position not in machine.positions:
                machine.position(position, _bay_of(machine, position), size)


def _bay_of(machine: Machine, position: str) -> str:
    """Return the bay of a missing member; empty if unknown.

    The bay is known if the bay numbers of the others follow their rows.
    """
    span, _, row = position.rpartition(".")
    known = [
        (one.bay.partition(":"), key)
        for key, one in machine.positions.items()
        if key.startswith(f"{span}.") and one.bay
    ]
    apart = {(enclosure, int(slot) - int(key.rpartition(".")[2])) for (enclosure, _, slot), key in known}
    if len(apart) != 1:
        return ""
    [(enclosure, delta)] = apart
    return f"{enclosure}:{int(row) + delta}"


def render(text: str, state: Mapping[str, str]) -> str:
    """The output with the drives as they are now."""
    machines = {number: load(number, state) for number in numbers(state)}
    if "Enclosure Device ID:" not in text:
        return _counted(text, machines)
    lines: list[str] = []
    shown: set[str] = set()
    found = list(pieces(text))
    for piece in found:
        machine = machines.get(piece.adapter)
        if machine is None or not machine.disks:
            lines += piece.lines
        elif piece.drive and piece.position:
            lines += _of_position(machine, piece, state)
        elif piece.drive:
            if piece.adapter not in shown:
                shown.add(piece.adapter)
                own = [one for one in found if one.drive and one.adapter == piece.adapter]
                lines += _list(machine, own, state)
        else:
            lines += _of_volume(machine, piece) if piece.volume else piece.lines
    return "\n".join(lines)


def _counted(text: str, machines: Mapping[str, Machine]) -> str:
    """``-AdpAllInfo`` with the number of drives: ``  Disks           : 4``."""
    lines, adapter = text.split("\n"), ""
    for at, line in enumerate(lines):
        if match := _ADAPTER.fullmatch(line.strip()):
            adapter = match[1]
        elif (match := _DISKS.match(line)) and adapter in machines:
            lines[at] = f"{match[1]}{len(machines[adapter].bays)}{line[match.end() :]}"
    return "\n".join(lines)


def _of_position(machine: Machine, piece: Piece, state: Mapping[str, str]) -> list[str]:
    volume = machine.volumes.get(piece.volume)
    disk = machine.occupant(f"{volume.group}.{piece.position}") if volume is not None else None
    bay = machine.bay_of(disk) if disk is not None else None
    body = block(machine, bay, state) if bay is not None else ""
    if body == _body(piece):
        return piece.lines
    return [piece.lines[0], *body.split("\n")[:-1], "", "", ""]


def _list(machine: Machine, recorded: list[Piece], state: Mapping[str, str]) -> Iterator[str]:
    """The blocks of ``-PDList``."""
    before = {_bay(_body(piece)): piece for piece in recorded}
    for bay in sorted(machine.bays, key=lambda bay: [int(part or 0) for part in bay.split(":")]):
        body = block(machine, bay, state)
        old = before.get(bay)
        yield from old.lines if old is not None and _body(old) == body else [*body.split("\n")[:-1], "", "", ""]


def _of_volume(machine: Machine, piece: Piece) -> Iterator[str]:
    """``State               : Degraded``, and a check in progress."""
    volume, task = machine.volumes.get(piece.volume), machine.tasks.get(piece.volume)
    for line in piece.lines:
        match = _OF_VOLUME.match(line)
        yield f"{match[0]}{_STATES[group_state(machine, volume.group)]}" if match and volume is not None else line
        if line.startswith("Disk Cache Policy") and task is not None:
            run = machine.elapsed(task)
            yield "Ongoing Progresses:"
            share = int(run * 100 / CHECK_SECONDS)
            yield f"  Check Consistency        : Completed {share}%, Taken {int(run / 60)} min."


def block(machine: Machine, bay: str, state: Mapping[str, str]) -> str:
    """Return the current block of the drive in a bay. The block begins with ``Enclosure Device ID: 8``."""
    key = machine.bays[bay]
    disk = machine.disks[key]
    body = state[name(machine.number, f"line {disk.home or key}")]
    if bay != (disk.home or key):
        enclosure, _, slot = bay.partition(":")
        body = _BLOCK.sub(f"Enclosure Device ID: {enclosure or 'N/A'}", body, count=1)
        body = _SLOT.sub(f"Slot Number: {slot}", body, count=1)
    position = ""
    if disk.position:
        group, span, arm = disk.position.split(".")
        position = f"Drive's position: DiskGroup: {group}, Span: {span}, Arm: {arm}\n"
    body = _SLOT.sub(lambda match: f"{match[0]}\n{position}".rstrip("\n"), _POSITION.sub("", body), count=1)
    body = _STATE.sub(lambda match: f"Firmware state: {_state(disk, match[1])}", body, count=1)
    body = _FOREIGN.sub("Foreign State: Foreign", body) if disk.foreign else body
    return _new(body, disk) if disk.serial else body


def _state(disk: Disk, printed: str) -> str:
    words = printed.lower().split(",")
    if _WORDS.get(words[0]) == disk.state and ("down" in words[-1]) == disk.down:
        return printed
    text = LONG.get(disk.state, disk.state)
    return text.replace("Spun Up", "Spun down") if disk.down else text


def _new(body: str, disk: Disk) -> str:
    """Return the block of another drive of the same model. Its serial number is new, and it has no errors yet."""
    inquiry = _INQUIRY.search(body)
    old = split_inquiry(inquiry[1], None, None).serial if inquiry else None
    if old:
        body = body.replace(old, disk.serial.ljust(len(old)))
    body = re.sub(r"(?m)^WWN: .*$", f"WWN: 5000C500{disk.serial[-4:]}0000", body)
    body = re.sub(r"(?m)^(Media Error|Other Error|Predictive Failure) Count: \d+$", r"\1 Count: 0", body)
    if disk.kind == "failing":
        body = re.sub(r"(?m)^(Predictive Failure Count): \d+$", r"\1: 1", body)
    alert = "Yes" if disk.kind == "failing" else "No"
    body = re.sub(r"(?m)^(Drive has flagged a S.M.A.R.T alert :) \w+", rf"\1 {alert}", body)
    if disk.kind == "other_media":
        other = "Hard Disk Device" if "Solid State" in body else "Solid State Device"
        body = re.sub(r"(?m)^Media Type: .*$", f"Media Type: {other}", body)
    return re.sub(r"(?m)^((?:Raw|Non Coerced|Coerced) Size): ([\d.]+) (\w+) \[0x([0-9a-f]+) Sectors\]",
                  _half, body) if disk.kind == "small" else body  # fmt: skip


def _half(match: re.Match[str]) -> str:
    return f"{match[1]}: {float(match[2]) / 2:.3f} {match[3]} [{int(match[4], 16) // 2:#x} Sectors]"
