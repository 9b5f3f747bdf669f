"""Simulated MegaCli: operations on drives, checks, patrol read, and its replies. Pure.

``-PDOffline``, ``-PDOnline``, ``-PDMakeGood`` and ``-PDMakeJBOD`` name the new state; a rebuild that begins, a place
that is filled and ``-PdGetMissing`` have other sentences. If no recorded output is known, it is one with ``Success``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from raidctl.text import regex
from raidctl.vendor.simulated_bays import REBUILD_SECONDS
from raidctl.vendor.simulator import Reply
from raidctl_megaraid.megacli.failure import CODES
from raidctl_megaraid.simulator import firmware
from raidctl_megaraid.simulator.machine import Disk, Machine, load

_CHANGED = "Adapter: {adapter}: EnclId-{enclosure} SlotId-{slot} state changed to {state}."
_SPARE = "Adapter: {adapter}: {verb} Physical Drive at EnclId-{enclosure} SlotId-{slot} as Hot Spare Success."
_REBUILD = "{verb} rebuild progress on device(Encl-{enclosure} Slot-{slot})"
_OF_DRIVE: dict[tuple[str, ...], tuple[firmware.Operation, str]] = {
    ("pdoffline",): (firmware.OFFLINE, _CHANGED.replace("{state}", "OffLine")),
    ("pdonline",): (firmware.ONLINE, _CHANGED.replace("{state}", "OnLine")),
    ("pdmarkmissing",): (firmware.MISSING, "EnclId-{enclosure} SlotId-{slot} is marked Missing."),
    ("pdmakegood",): (firmware.GOOD, _CHANGED.replace("{state}", "Unconfigured-Good")),
    ("pdmakejbod",): (firmware.JBOD, _CHANGED.replace("{state}", "JBOD")),
    ("pdprprmv",): (firmware.SPIN_DOWN, "Prepare for removal Success"),
    ("pdprprmv", "undo"): (firmware.SPIN_UP, "Undo Prepare for removal Success"),
    ("pdrbld", "start"): (firmware.START_REBUILD, _REBUILD.replace("{verb}", "Started")),
    ("pdrbld", "stop"): (firmware.STOP_REBUILD, _REBUILD.replace("{verb}", "Stopped")),
    ("pdrbld", "suspend"): (firmware.PAUSE_REBUILD, _REBUILD.replace("{verb}", "Suspended")),
    ("pdrbld", "resume"): (firmware.RESUME_REBUILD, _REBUILD.replace("{verb}", "Resumed")),
    ("pdhsp", "set"): (firmware.GLOBAL_SPARE, _SPARE.replace("{verb}", "Set")),
    ("pdhsp", "rmv"): (firmware.REMOVE_SPARE, _SPARE.replace("{verb}", "Remove")),
}  # fmt: skip
_PLACE = regex(r"physdrv\[(\d*):(\d+)(?:,(\d*):(\d+))?\]")
_ARRAY_WORD = regex(r"array(\d+)")
_ROW = regex(r"row(\d+)")
_VERBS = {"start": "start", "abort": "stop", "stop": "stop", "suspend": "pause", "resume": "resume"}
WRONG = "Invalid input at or near token "
CodeAndText = tuple[int, str]


def change(argv: Sequence[str], state: Mapping[str, str]) -> Reply | None:
    """``-PDOffline -PhysDrv[8:1] -a0 -NoLog``; None for another command, or unknown drives."""
    words = [word.lower().removeprefix("-") for word in argv[1:]]
    words = [word for word in words if word != "nolog"]
    if len(words) < 2 or not words[-1].startswith("a"):
        return None
    machine = load(words[-1][1:], state)
    run = _act(machine, words[:-1]) if machine.disks else None
    if run is None:
        return None
    code, text = run()
    if code:
        meaning = CODES.get(code, "the drive does not support it in its state")
        text = f"Adapter: {machine.number}: Failed.\n\nFW error description:\n  {meaning}."
    printed = f"\n{' ' * 37}\n{text}\n\nExit Code: 0x{code:02x}\n"
    return Reply(code, printed, state if code else machine.state(state))


def _act(machine: Machine, words: list[str]) -> Callable[[], CodeAndText] | None:
    if words[0] == "ldcc" and len(words) == 3 and words[1] in _VERBS:
        volume = words[2].removeprefix("l")
        text = f"{words[1].capitalize()} Check Consistency on VD {volume} Success."
        return lambda: (firmware.check(machine, volume, _VERBS[words[1]]), text)
    if words[0] == "adppr" and len(words) == 2 and words[1] in _VERBS:
        text = f"Adapter {machine.number}: Patrol Read {words[1].capitalize()} Success."
        return lambda: (firmware.patrol(machine, _VERBS[words[1]]), text)
    place = next((match for word in words if (match := _PLACE.fullmatch(word))), None)
    if place is None:
        return None
    rest = tuple(word for word in words if not _PLACE.fullmatch(word))
    disk = machine.at(f"{place[1]}:{place[2]}")
    known = rest in _OF_DRIVE or rest[0] in ("pdreplacemissing", "pdhsp", "pdcpybk")
    if disk is None:
        return (lambda: (firmware.NOT_FOUND, "")) if known else None
    names = {"adapter": machine.number, "enclosure": place[1], "slot": place[2]}
    if rest in _OF_DRIVE:
        run, text = _OF_DRIVE[rest]
        return lambda: (run(machine, disk), text.format(**names))
    return _more(machine, disk, rest, place)


def _more(
    machine: Machine, disk: Disk, rest: tuple[str, ...], place: re.Match[str]
) -> Callable[[], CodeAndText] | None:
    """The deeds that name a place, groups or a second drive."""
    if rest[0] == "pdreplacemissing" and len(rest) == 3 and (array := _ARRAY_WORD.fullmatch(rest[1])):
        row = _ROW.fullmatch(rest[2])
        position = position_of(machine, array[1], row[1] if row else "")
        text = f"Adapter: {machine.number}: Missing PD at Array {array[1]}, Row {row[1] if row else ''} is replaced."
        return lambda: (firmware.insert(machine, disk, position), text)
    if rest[:3] == ("pdhsp", "set", "dedicated") and len(rest) == 4:
        groups = [group_of(machine, array) for array in rest[3].removeprefix("array").split(",")]
        names = {"adapter": machine.number, "verb": "Set", "enclosure": place[1], "slot": place[2]}
        text = _SPARE.format(**names)
        return lambda: (firmware.dedicated_spare(machine, disk, groups), text)
    if rest == ("pdcpybk", "start") and place[4]:
        text = f"Adapter: {machine.number}: Started Copyback on device(Encl-{place[3]} Slot-{place[4]}) Success."
        return lambda: (firmware.copyback(machine, disk, machine.at(f"{place[3]}:{place[4]}")), text)
    return None


def arrays(machine: Machine) -> list[str]:
    """Return the spans of all groups, ``0.0``. They are in the order in which the firmware numbers its arrays."""
    return sorted(
        {position.rpartition(".")[0] for position in machine.positions},
        key=lambda text: [int(one) for one in text.split(".")],
    )


def position_of(machine: Machine, array: str, row: str) -> str:
    """The place of a row of an array. Empty if there is none."""
    known = arrays(machine)
    return f"{known[int(array)]}.{row}" if int(array) < len(known) else ""


def group_of(machine: Machine, array: str) -> str:
    """The group that an array belongs to; empty if there is none."""
    known = arrays(machine)
    return known[int(array)].partition(".")[0] if array.isdecimal() and int(array) < len(known) else ""


def readings(machine: Machine, state: Mapping[str, str]) -> list[tuple[tuple[str, ...], str]]:
    """Missing members, how far rebuilds are, and the configuration."""
    del state
    found: list[tuple[tuple[str, ...], str]] = [
        (("-CfgDsply", f"-a{machine.number}", "-NoLog"), _configuration(machine))
    ]
    for target in ("-aALL", f"-a{machine.number}"):
        found.append((("-PdGetMissing", target, "-NoLog"), missing(machine)))
        found.append((("-AdpPR", "-Info", target, "-NoLog"), _patrol(machine)))
        for command, state_word in (("-PDRbld", "Rbld"), ("-PDCpyBk", "Cpybck")):
            places = [bay for bay in sorted(machine.bays) if machine.disks[machine.bays[bay]].state == state_word]
            if places:
                words = (command, "-ShowProg", f"-PhysDrv[{','.join(places)}]", target, "-NoLog")
                found.append(
                    (words, "\n".join(["", *(rebuild(machine, bay) for bay in places), "", "Exit Code: 0x00", ""]))
                )
    return found


def _configuration(machine: Machine) -> str:
    """``DISK GROUP: 0``, ``SPAN: 0``, and the members of each in their order."""
    lines = [
        "",
        f"Adapter: {machine.number}",
        f"Number of DISK GROUPS: {len({one.split('.')[0] for one in machine.positions})}",
    ]
    for reference, span in enumerate(arrays(machine)):
        group, _, number = span.partition(".")
        lines += ["", f"DISK GROUP: {group}", f"SPAN: {number}", f"Span Reference: {reference:#04x}"]
        for position in (one for one in machine.positions if one.startswith(f"{span}.")):
            disk = machine.occupant(position)
            lines.append(f"Physical Disk: {position.rpartition('.')[2]}")
            enclosure, _, slot = ((machine.bay_of(disk) if disk else None) or "").partition(":")
            lines += [f"Enclosure Device ID: {enclosure}", f"Slot Number: {slot}"] if slot else []
    return "\n".join([*lines, "", "Exit Code: 0x00", ""])


def _patrol(machine: Machine) -> str:
    """``Current State: Active 0``, as storcli prints it; ``Stopped``."""
    going = "Active 0" if "patrol" in machine.tasks else "Stopped"
    head = f"Adapter {machine.number}: Patrol Read Information:"
    return "\n".join(["", head, "", "Patrol Read Mode: Auto", f"Current State: {going}", "", "Exit Code: 0x00", ""])


def rebuild(machine: Machine, bay: str) -> str:
    """``Rebuild Progress on Device at Enclosure 252, Slot 7 Completed 8% in 39 Minutes.``."""
    disk = machine.disks[machine.bays[bay]]
    enclosure, _, slot = bay.partition(":")
    run = machine.elapsed(disk)
    share = int(run * 100 / REBUILD_SECONDS)
    done = f"Completed {share}% in {int(run / 60)} Minutes."
    name = "Copyback" if disk.state == "Cpybck" else "Rebuild"
    return f"{name} Progress on Device at Enclosure {enclosure}, Slot {slot} {done}"


def missing(machine: Machine) -> str:
    """``Adapter 0 - Missing Physical drives`` and a table."""
    known = arrays(machine)
    rows: list[str] = []
    for position in machine.positions:
        if machine.occupant(position) is None:
            figure, _, unit = machine.positions[position].size.partition(" ")
            size = int(float(figure or 0) * {"TB": 1024 * 1024, "GB": 1024}.get(unit, 1))
            span, _, row = position.rpartition(".")
            rows.append(f"    {len(rows):<6}{known.index(span):<8}{row:<6}{size} MB")
    start = f"\n{' ' * 37}\n    Adapter {machine.number} - "
    if not rows:
        return f"{start}No Missing Drive is Found.\n\nExit Code: 0x00\n"
    table = ["Missing Physical drives", "", "    No.   Array   Row   Size Expected", *rows]
    return start + "\n".join(table) + "\n\nExit Code: 0x00\n"
