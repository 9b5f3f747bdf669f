"""Drives at the ports of a simulated 3ware controller.

Tables are read and printed; there are commands and the clock. Pure.

The answers are those of the CLI guide and of sessions that users have published: ``Removing port /c0/p1 ... Done.``,
``Sending rebuild start request to /c0/u0 on 1 disk(s) [1] ... Done.``. With Auto-Rebuild on, a drive that is put in is
used at once. A spare is a separate unit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from raidctl.text import regex
from raidctl.vendor import simulated_bays as machine_of
from raidctl.vendor.simulated_bays import (
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
from raidctl_threeware.capability import FAMILY

# u1    RAID-5    REBUILDING     37%     -       256K    2793.96   RiW    ON
_UNIT = regex(r"(?m)^u(?P<unit>\d+) +(?P<type>\S+) +(?P<status>[A-Z-]+) +(?P<rebuilt>\S+) +(?P<done>\S+)(?P<rest> .*)$")
# p3    REBUILDING     u1   931.51 GB SATA  3   -            WDC WD1003FBYX-01Y7B
_PORT = regex(r"(?m)^p(?P<port>\d+) +(?P<status>[A-Z-]+) +(?P<unit>u\d+|-) +(?P<rest>\d\S* \wB .*)$")
# u1-1     DISK      REBUILDING     37%     -       p3    -       931.32
_PART = regex(r"(?m)^u(?P<unit>\d+)-(?P<part>\d+) +DISK +(?P<status>\S+) +\S+ +\S+ +(?:p\d+|-)(?P<rest> .*)$")
_LEVELS = {"RAID-0": "raid0", "RAID-1": "raid1", "RAID-5": "raid5", "RAID-6": "raid6", "RAID-10": "raid10"}
_WORDS = {"ok": "OK", "degraded": "DEGRADED", "rebuilding": "REBUILDING", "failed": "INOPERABLE"}
_SPARE_REST = "-       931.505   -      ON     "
_SERIAL = regex(r"(?m)^/c\d+/p\d+ Serial = (\S+) *$")


class _Bays(FamilyBays):
    """Bays are by port: ``3`` of ``p3``."""

    family = FAMILY
    prefix = "p"

    def of(self, state: Mapping[str, str], number: str) -> Bays | None:
        """The drives of a controller, with their serial numbers."""
        machine = super().of(state, number)
        for port, name in list(machine.bays.items()) if machine is not None else ():
            known = state.get(f"serial /c{number}/p{port}")
            if machine is not None and name == f"p{port}" and known:
                _rename(machine, port, name, known)
        return machine

    def known(self, state: Mapping[str, str], number: str, machine: Bays, bay: str) -> Mapping[str, object]:  # noqa: ARG002 - the signature of all
        """The ports that had a drive when the machine was recorded."""
        return {name.rpartition("/p")[2]: None for name in state if name.startswith(f"serial /c{number}/p")}


BAYS = _Bays()
advance, pull, fail, insert = BAYS.advance, BAYS.pull, BAYS.fail, BAYS.insert


def _rename(machine: Bays, port: str, old: str, new: str) -> None:
    """Give a recorded drive its serial number. The table of ports has none: it comes from the drive's own output."""
    machine.bays[port] = new
    disk = machine.disks.pop(old)
    disk.like = port
    machine.disks[new] = disk
    for group in machine.groups.values():
        for slot in group.slots:
            slot.serial = new if slot.serial == old else slot.serial


def recorded(text: str) -> Bays | None:
    """The drives in a ``/c6 show all``; None without the newer tables."""
    machine = Bays(clock=0.0, bays={}, disks={}, groups={}, volumes={}, same_bay=False)
    units = {match["unit"]: match for match in _UNIT.finditer(text)}
    for unit, match in units.items():
        level = _LEVELS.get(match["type"])
        if level is not None:
            percent = float(match["rebuilt"].rstrip("%")) if match["rebuilt"].rstrip("%").isdecimal() else 0.0
            machine.groups[unit] = SimulatedArray(level=level, slots=[], since=-percent / 100 * REBUILD_SECONDS)
            machine.volumes[unit] = unit
    for match in _PORT.finditer(text):
        port, unit = match["port"], match["unit"].lstrip("u")
        spare = unit in units and units[unit]["type"] == "SPARE"
        machine.bays[port] = name = f"p{port}"
        machine.disks[name] = SimulatedDrive(
            bus="SAS" if " SAS " in match["rest"] else "SATA",
            like=port,
            state="spare" if spare else "member" if unit in machine.groups else "free",
        )
        if unit in machine.groups:
            state = {"OK": "present", "VERIFYING": "present", "REBUILDING": "rebuilding"}.get(match["status"], "failed")
            slots = machine.groups[unit].slots
            part = len(slots) // 2 if machine.groups[unit].level == "raid10" else 0
            slots.append(Slot(name, state, port, part))  # type: ignore[arg-type] # of the table
    machine.takes_free = "Auto-Rebuild Policy = on" in text
    return machine if machine.groups and "VPort" in text else None


def serial(argv: tuple[str, ...], text: str) -> State:
    """The serial number in a recorded ``/c6/p3 show serial``."""
    match = _SERIAL.search(text)
    port = argv[1].rpartition("/")[2]
    return {f"serial {argv[1]}": match[1], f"{FAMILY}/bay {port}": match[1]} if match else {}


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """``/c6/p3 remove quiet`` and its like; None: another command."""
    match = re.fullmatch(r"/c(\d+)(?:/([pu])(\d+))?", argv[1]) if len(argv) > 2 else None
    machine = BAYS.of(state, match[1]) if match is not None else None
    if match is None or machine is None:
        return None
    words, kind, name = argv[2:], match[2] or "", match[3] or ""
    act = {
        ("p", "remove"): _remove, ("", "rescan"): _rescan, ("u", "start"): _start, ("u", "stop"): _start,
        ("", "add"): _add, ("u", "del"): _delete,
    }.get((kind, words[0]))  # fmt: skip
    if act is None:
        return None
    code, text = act(machine, match[1], name, words)
    if code == 0:
        machine_of.settle(machine)
    return Reply(code, text, BAYS.kept(state, match[1], machine) if code == 0 else state)


Result = tuple[int, str]


def _error(text: str) -> Result:
    return 1, f"Error: (CLI:144) {text}\n"


def _remove(machine: Bays, number: str, name: str, words: tuple[str, ...]) -> Result:
    serial_number = machine.bays.get(name)
    if serial_number is None:
        return _error(f"Invalid drive /c{number}/p{name}.")
    if words[1:] != ("quiet",):
        return 1, f"Removing /c{number}/p{name} will take the disk offline.\nDo you want to continue ? Y|N [N]: \n"
    places = list(machine.slots_of(serial_number))
    if any(machine_of.tolerated(group.level, len(group.slots)) == 0 for group, _ in places):
        return _error(f"/c{number}/p{name} is in a non-redundant unit.")
    machine_of.pull(machine, name)
    machine.removed[name] = serial_number
    return 0, f"Removing port /c{number}/p{name} ... Done.\n"


def _rescan(machine: Bays, number: str, name: str, words: tuple[str, ...]) -> Result:  # noqa: ARG001 - of all commands
    found = list(machine.removed)
    machine.bays |= machine.removed
    machine.removed = {}
    drives = ", ".join(f"/c{number}/p{port}" for port in found) or "none"
    return 0, (
        f"Rescanning controller /c{number} for units and drives ...Done.\n"
        f"Found the following unit(s): [none].\nFound the following drive(s): [{drives}].\n"
    )


def _start(machine: Bays, number: str, name: str, words: tuple[str, ...]) -> Result:
    group = machine.groups.get(name)
    if group is None:
        return _error(f"Invalid unit /c{number}/u{name}.")
    if words == ("start", "verify"):
        if array_status(group) != "ok" or name in machine.checks:
            return _error(f"/c{number}/u{name} cannot be verified in its current state.")
        machine.checks[name] = Check(repair=True, since=machine.clock)
        return 0, f"Sending start verify message to /c{number}/u{name} ... Done.\n"
    if words == ("stop", "verify"):
        done = machine.checks.pop(name, None) is not None
        return (
            (0, f"Sending stop verify message to /c{number}/u{name} ... Done.\n") if done else _error("Not verifying.")
        )
    disk = re.fullmatch(r"disk=(\d+)", words[-1])
    serial_number = machine.bays.get(disk[1], "") if disk else ""
    slot = next((slot for slot in group.slots if slot.state in ("missing", "failed")), None)
    usable = serial_number in machine.disks and machine.disks[serial_number].state in ("free", "spare")
    if (
        words[:2] != ("start", "rebuild")
        or disk is None
        or not usable
        or slot is None
        or array_status(group) != "degraded"
    ):
        return _error(f"/c{number}/u{name} cannot be rebuilt on this drive.")
    machine_of.rebuild(machine, group, slot, serial_number)
    return 0, f"Sending rebuild start request to /c{number}/u{name} on 1 disk(s) [{disk[1]}] ... Done.\n"


def _add(machine: Bays, number: str, name: str, words: tuple[str, ...]) -> Result:  # noqa: ARG001 - of all commands
    disk = re.fullmatch(r"disk=(\d+)", words[-1])
    serial_number = machine.bays.get(disk[1], "") if disk else ""
    if words[1:2] != ("type=spare",) or serial_number not in machine.disks:
        return _error("Invalid command.")
    if machine.disks[serial_number].state != "free":
        return _error("The drive is in use.")
    machine.disks[serial_number].state = "spare"
    unit = spares(machine).get(serial_number, "?")
    return 0, (
        f"Creating new unit on controller /c{number} ... Done. The new unit is /c{number}/u{unit}.\n"
        "WARNING: This Spare unit may replace failed drive of same interface type only.\n"
    )


def _delete(machine: Bays, number: str, name: str, words: tuple[str, ...]) -> Result:
    if words[1:] != ("quiet",):
        return 1, f"Deleting /c{number}/u{name} will cause the data on the unit to be permanently lost.\nY|N [N]: \n"
    found = next((one for one, unit in spares(machine).items() if unit == name), None)
    if name in machine.groups:
        del machine.groups[name]
        machine.volumes.pop(name)
        return 0, f"Deleting unit c{number}/u{name} ...Done.\n"
    if found is None:
        return _error(f"Invalid unit /c{number}/u{name}.")
    machine.disks[found].state = "free"
    return 0, f"Deleting unit c{number}/u{name} ...Done.\n"


def spares(machine: Bays) -> dict[str, str]:
    """Return the unit number of each spare, by its serial number. The first free numbers are used."""
    waiting = [
        serial_number for serial_number in machine.bays.values() if machine.disks[serial_number].state == "spare"
    ]
    free = (str(number) for number in range(1000) if str(number) not in machine.groups)
    return {serial_number: next(free) for serial_number in waiting}


def _unit_state(machine: Bays, unit: str) -> tuple[str, str, str]:
    """Status word, and percentages of a rebuild and a verify."""
    group = machine.groups[unit]
    check = machine.checks.get(unit)
    if check is not None:
        return "VERIFYING", "-", f"{min(99, int((machine.clock - check.since) / 36))}%"
    how = array_status(group)
    return _WORDS[how], f"{int(machine.percent(group))}%" if how == "rebuilding" else "-", "-"


def printed(text: str, machine: Bays) -> str:
    """A recorded ``/c6 show all`` with the units and drives as they are now."""
    rows = {match["unit"]: match for match in _UNIT.finditer(text)}
    lines = []
    for unit in machine.groups:
        status, rebuilt, done = _unit_state(machine, unit)
        rest = rows[unit]["rest"].lstrip()
        lines.append((int(unit), f"{'u' + unit:<6}{rows[unit]['type']:<10}{status:<15}{rebuilt:<8}{done:<8}{rest}"))
    like = next((row["rest"].lstrip() for row in rows.values() if row["type"] == "SPARE"), _SPARE_REST)
    lines += [
        (int(unit), f"{'u' + unit:<6}{'SPARE':<10}{'OK':<15}{'-':<8}{'-':<8}{like}")
        for unit in spares(machine).values()
    ]
    ports = {match["port"]: match for match in _PORT.finditer(text)}
    drives = [_port(machine, ports, port) for port in sorted(machine.bays, key=int)]
    well = sum(array_status(group) == "ok" for group in machine.groups.values()) + len(spares(machine))
    text = re.sub(r"(Total Optimal Units = )\d+", rf"\g<1>{well}", text)
    text = re.sub(r"(Not Optimal Units = )\d+", rf"\g<1>{len(lines) - well}", text)
    text = _replaced(text, _UNIT, [line for _, line in sorted(lines)])
    return _replaced(text, _PORT, drives)


def _replaced(text: str, rows: re.Pattern[str], lines: list[str]) -> str:
    """The rows of a table, which follow each other, with other ones."""
    found = list(rows.finditer(text))
    return text[: found[0].start()] + "\n".join(lines) + text[found[-1].end() :] if found else text


def _port(machine: Bays, ports: Mapping[str, re.Match[str]], port: str) -> str:
    serial_number = machine.bays[port]
    disk = machine.disks[serial_number]
    places = [
        (name, slot) for name, group in machine.groups.items() for slot in group.slots if slot.serial == serial_number
    ]
    unit = f"u{places[0][0]}" if places else f"u{spares(machine)[serial_number]}" if disk.state == "spare" else "-"
    status = {"rebuilding": "REBUILDING", "failed": "DEGRADED"}.get(places[0][1].state if places else "", "OK")
    if disk.state == "failed":
        status = "DEVICE-ERROR"
    status = "SMART-FAILURE" if disk.kind == "failing" and status == "OK" else status
    rest = (ports.get(port) or ports[disk.like])["rest"]
    if disk.kind == "small":
        rest = re.sub(r"^[\d.]+", lambda match: f"{float(match[0]) / 2:.2f}", rest)
    return f"{'p' + port:<6}{status:<15}{unit:<5}{rest}"


def unit_printed(text: str, machine: Bays, number: str, unit: str) -> str:
    """A recorded ``/c6/u1 show all`` as it is now."""
    if unit not in machine.groups:
        return f"Error: (CLI:005) Invalid unit /c{number}/u{unit}.\n"
    status, rebuilt, done = _unit_state(machine, unit)
    head = f"/c{number}/u{unit}"
    text = re.sub(rf"(?m)^{head} status = \S+", f"{head} status = {status}", text)
    for word, percent in (("rebuilding", rebuilt), ("verifying", done)):
        now = (
            f"is {word} with percent completion = {percent}"
            if percent != "-"
            else f"is not {word}, its current state is {status}"
        )
        text = re.sub(rf"(?m)^{head} is (?:not )?{word}\b.*$", f"{head} {now}", text)
    text = re.sub(rf"(?m)^({head} is not \w+, its current state is )\S+", rf"\g<1>{status}", text)
    slots = machine.groups[unit].slots

    def part(match: re.Match[str]) -> str:
        slot = slots[int(match["part"])]
        word = {"present": "OK", "rebuilding": "REBUILDING"}.get(slot.state, "DEGRADED")
        port = f"p{slot.bay}" if slot.state != "missing" else "-"
        percent = rebuilt if slot.state == "rebuilding" else "-"
        name, rest = f"u{unit}-{match['part']}", match["rest"].lstrip()
        return f"{name:<9}{'DISK':<10}{word:<15}{percent:<8}{'-':<8}{port:<6}{rest}"

    text = _PART.sub(part, text)
    whole = re.compile(rf"(?m)^(u{unit} +\S+ +)\S+( +)\S+ +\S+ +-")
    return whole.sub(lambda match: f"{match[1]}{status:<15}{rebuilt:<8}{done:<8}-", text)


def serial_printed(text: str, machine: Bays, port: str) -> str:
    """A recorded ``/c6/p3 show serial`` of the drive that is there now."""
    serial_number = machine.bays.get(port)
    if serial_number is None:
        return f"Error: (CLI:008) Invalid drive p{port}.\n"
    return re.sub(r"(Serial = )\S+", rf"\g<1>{serial_number}", text)
