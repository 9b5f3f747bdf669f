"""The drives of a simulated controller in ``getconfig`` and ``getstatus``.

These outputs are read, and printed with other drives. Pure.

Segments, hot spares and the state of logical devices are printed in the words of the recorded outputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from raidctl.text import regex
from raidctl.vendor.simulated_bays import REBUILD_SECONDS, Bays, SimulatedArray, SimulatedDrive, Slot, array_status

# Logical device number 0
_VOLUME = regex(r"(?m)^Logical device number (\d+)[ ]*$")
#    Group 0, Segment 1                       : Present (Controller:1,Enclosure:0,Slot:1)      P9KD41CB
_SEGMENT = regex(
    r"(?m)^(?P<head> +(?:Group (?P<group>\d+), )?Segment \d+ +: )(?P<word>[A-Z]\w+)"
    r"(?: (?P<place>\([^)]*\))(?P<gap> +)(?P<serial>\S+))? *$"
)
_DEVICE = regex(r"(?m)^ {6}Device #\d+ *$")
_LEVEL = regex(r"(?m)^ +RAID level +: (\d+)")
_PHYSICAL = regex(r"(?m)^Physical Device information *$", re.IGNORECASE)
_END = "\n\nCommand completed successfully."
_WORDS = {"present": "Present", "rebuilding": "Rebuilding", "failed": "Inconsistent", "missing": "Missing"}
_OF_SEGMENT = {"present": "present", "rebuilding": "rebuilding", "inconsistent": "failed", "missing": "missing"}
_STATES = {
    "online": "member", "ready": "free", "raw (pass through)": "raw", "global hot-spare": "spare",
    "dedicated hot-spare": "spare", "failed": "failed", "rebuilding": "member",
}  # fmt: skip


def _value(block: str, label: str) -> str | None:
    match = re.search(rf"(?m)^ +{re.escape(label)} *: *(.*?) *$", block)
    return match[1] if match else None


def _set_value(block: str, label: str, value: str) -> str:
    return re.sub(rf"(?m)^( +{re.escape(label)} *: ).*?$", lambda match: match[1] + value, block, count=1)


def blocks(text: str) -> tuple[str, list[str], str]:
    """What is before the devices, the device blocks, and the end."""
    start = _PHYSICAL.search(text)
    marks = [match.start() for match in _DEVICE.finditer(text, start.start() if start else 0)]
    if not marks:
        return text, [], ""
    end = text.find(_END, marks[-1])
    end = len(text) if end < 0 else end
    return text[: marks[0]], [text[a:b] for a, b in zip(marks, [*marks[1:], end], strict=True)], text[end:]


def _volumes(head: str) -> Iterator[tuple[str, str]]:
    """Number and text of each logical device."""
    found = list(_VOLUME.finditer(head))
    for match, after in zip(found, [*(one.start() for one in found[1:]), len(head)], strict=True):
        yield match[1], head[match.start() : after]


def recorded(text: str) -> Bays | None:
    """The drives of a recorded ``getconfig N AL`` of an aacraid controller. None: it does not show them all."""
    head, devices, _ = blocks(text)
    if "smartpqi" in text or not devices:
        return None
    machine = Bays(clock=0.0, bays={}, disks={}, groups={}, volumes={})
    for block in devices:
        serial, place = _value(block, "Serial number"), _place(block)
        state = _STATES.get((_value(block, "State") or "").lower())
        if state is not None and serial and place:
            owner = _value(block, "Dedicated Spare for") or ""
            disk = SimulatedDrive(like=serial, state=state, array=owner.removeprefix("logical device ").strip())  # type: ignore[arg-type] # of the table
            machine.disks[serial], machine.bays[place] = disk, serial
    for number, part in _volumes(head):
        level, slots = _LEVEL.search(part), list(_slots(part, machine))
        if level is None or not slots or any(not slot.serial for slot in slots):
            return None
        same = next((name for name, group in machine.groups.items() if _same(group, slots)), None)
        if same is None:
            machine.groups[number] = SimulatedArray(level=f"raid{level[1]}", slots=slots)
        machine.volumes[number] = same or number
    for disk in machine.disks.values():
        disk.array = machine.volumes.get(disk.array, "")
    machine.same_bay = _value(head, "Automatic Failover") == "Enabled"
    machine.arrival = "raw" if "RAW" in (_value(head, "Controller Mode") or "") else "free"
    return machine if machine.groups else None


def _same(group: SimulatedArray, slots: list[Slot]) -> bool:
    return [slot.serial for slot in group.slots] == [slot.serial for slot in slots]


def _place(block: str) -> str | None:
    """``0,3`` of ``Reported Channel,Device(T:L) : 0,3(3:0)``."""
    match = re.search(r"(?m)^ +Reported Channel,Device(?:\(T:L\))? *: (\d+,\d+)", block)
    return match[1] if match else None


def _slots(part: str, machine: Bays) -> Iterator[Slot]:
    for match in _SEGMENT.finditer(part):
        serial = match["serial"] or ""
        state = _OF_SEGMENT.get(match["word"].lower(), "missing")
        yield Slot(serial, state, machine.bay_of(serial) or "", int(match["group"] or 0))  # type: ignore[arg-type] # of the table


def began(text: str) -> dict[str, str]:
    """When the rebuild of a recorded ``getstatus`` began, by the volume's number. The clock is 0 at the recording."""
    found = re.findall(
        r"Logical device +: (\d+)\n(?:.+\n)*?"
        r".*Current operation +: Rebuild *\n(?:.+\n)*?.*Percentage complete +: (\d+)",
        text,
    )
    return {number: f"{-int(percent) / 100 * REBUILD_SECONDS:.1f}" for number, percent in found}


def config(text: str, machine: Bays) -> str:
    """A recorded ``getconfig`` with the drives as they are now."""
    head, devices, tail = blocks(text)
    known = {serial: block for block in devices if (serial := _value(block, "Serial number")) is not None}
    others = [block for block in devices if _value(block, "Serial number") not in machine.disks]
    printed = [
        _device(known[machine.disks[serial].like], machine, serial, place)
        for place, serial in sorted(machine.bays.items(), key=lambda pair: tuple(map(int, pair[0].split(","))))
    ]
    parts = [re.sub(r"Device #\d+", f"Device #{number}", one) for number, one in enumerate([*printed, *others])]
    for number, part in list(_volumes(head)):
        if number in machine.volumes:
            head = head.replace(part, _volume(part, machine, number))
    return _counted(head, machine) + "".join(parts) + tail


def _counted(head: str, machine: Bays) -> str:
    states = [array_status(machine.groups[group]) for group in machine.volumes.values()]
    worse = sum(state in ("degraded", "rebuilding") for state in states)
    head = _set_value(head, "Logical devices/Failed/Degraded", f"{len(states)}/{states.count('failed')}/{worse}")
    gone = sum(machine.disks[serial].state == "failed" for serial in machine.bays.values())
    return _set_value(head, "Defunct disk drive count", str(gone))


def _volume(part: str, machine: Bays, number: str) -> str:
    group = machine.groups[machine.volumes[number]]
    words = {"ok": "Optimal", "failed": "Failed"}
    part = _set_value(part, "Status of logical device", words.get(array_status(group), "Degraded"))
    spares = {
        "Global Hot-Spare": [bay for bay, one in machine.bays.items() if _spare(machine.disks[one], "")],
        "Dedicated Hot-Spare": [
            bay for bay, one in machine.bays.items() if _spare(machine.disks[one], machine.volumes[number])
        ],
    }
    part = re.sub(r"(?m)^ +(?:Global|Dedicated) Hot-Spare +: .*\n", "", part)
    part = _set_value(part, "Protected by Hot-Spare", "Yes" if any(spares.values()) else "No")
    for label, bays in spares.items():
        if bays:
            line = f"   {label:41}: {' '.join(bays)}\n"
            part = re.sub(r"(?m)^( +Protected by Hot-Spare.*\n)", rf"\g<1>{line}", part)
    slots = iter(group.slots)
    return _SEGMENT.sub(lambda match: _segment(match, next(slots)), part)


def _spare(disk: SimulatedDrive, array: str) -> bool:
    return disk.state == "spare" and disk.array == array


def _segment(match: re.Match[str], slot: Slot) -> str:
    if slot.state == "missing":
        return f"{match['head']}{_WORDS['missing']}"
    device = slot.bay.partition(",")[2]
    place = re.sub(r"Slot:\d+", f"Slot:{device}", match["place"] or f"({slot.bay})")
    return f"{match['head']}{_WORDS[slot.state]} {place}{match['gap'] or ' '}{slot.serial}"


def _device(block: str, machine: Bays, serial: str, place: str) -> str:
    """The block of a drive. A new one is printed as the recorded one that it is like."""
    channel, _, device = place.partition(",")
    state = _state(machine, serial)
    block = _set_value(block, "State", state)
    block = _set_value(block, "Serial number", serial)
    if machine.disks[serial].like != serial:
        block = _set_value(block, "World-wide name", f"5000CCA22DF{int(re.sub(r'[^0-9]', '', serial) or 0):05X}"[:16])
        block = _other(block, machine.disks[serial])
    block = re.sub(
        r"(?m)^( +Reported Channel,Device(?:\(T:L\))? *: )\S+", rf"\g<1>{channel},{device}({device}:0)", block
    )
    block = re.sub(r"(?m)^( +Reported Location *: .*?(?:Slot|Device) )\d+", rf"\g<1>{device}", block)
    block = re.sub(r"(?m)^ +Dedicated Spare for .*\n", "", block)
    if state == "Dedicated Hot-Spare":
        volume = next(name for name, group in machine.volumes.items() if group == machine.disks[serial].array)
        line = f"         {'Dedicated Spare for':35}: logical device {volume}\n"
        block = re.sub(r"(?m)^( +State .*\n)", lambda match: match[1] + line, block, count=1)
    return block


def _other(block: str, disk: SimulatedDrive) -> str:
    """A new drive: smaller, failing, or of another medium than the recorded."""
    failing = disk.kind == "failing"
    block = _set_value(block, "S.M.A.R.T.", "Yes" if failing else "No")
    block = _set_value(block, "S.M.A.R.T. warnings", "3" if failing else "0")
    if disk.kind == "small":
        for label in ("Total Size", "Size"):
            size = re.match(r"(\d+) MB", _value(block, label) or "")
            block = _set_value(block, label, f"{int(size[1]) // 2} MB") if size else block
    if disk.kind == "other_media":
        block = _set_value(block, "SSD", "No" if _value(block, "SSD") == "Yes" else "Yes")
    return block


def _state(machine: Bays, serial: str) -> str:
    disk = machine.disks[serial]
    if disk.state == "spare":
        return "Dedicated Hot-Spare" if disk.array else "Global Hot-Spare"
    rebuilding = any(slot.state == "rebuilding" for _, slot in machine.slots_of(serial))
    words = {"free": "Ready", "raw": "Raw (Pass Through)", "failed": "Failed", "member": "Online"}
    return "Rebuilding" if rebuilding else words[disk.state]


def status(text: str, machine: Bays) -> str:
    """A recorded ``getstatus`` as it is now."""
    rebuilding = {name for name, group in machine.groups.items() if array_status(group) == "rebuilding"}
    if machine.clock == 0 and not machine.checks and rebuilding == {machine.volumes.get(one) for one in began(text)}:
        return text
    tasks: list[str] = []
    for number, name in machine.volumes.items():
        group = machine.groups[name]
        if array_status(group) == "rebuilding":
            tasks.append(_task(number, len(tasks), "Rebuild", machine.percent(group)))
        check = machine.checks.get(number)
        if check is not None:
            word = "Verify with fix" if check.repair else "Verify"
            tasks.append(_task(number, len(tasks), word, (machine.clock - check.since) / 36))
    body = "\n".join(tasks) or "Current operation              : None\n"
    return f"Controllers found: 1\n{body}\n{_END[1:]}\n"


def _task(volume: str, place: int, word: str, percent: float) -> str:
    return (
        "Logical device Task:\n"
        f"   Logical device                 : {volume}\n"
        f"   Task ID                        : {101 + place}\n"
        f"   Current operation              : {word}\n"
        "   Status                         : In Progress\n"
        "   Priority                       : High\n"
        f"   Percentage complete            : {min(99, int(percent))}\n"
    )
