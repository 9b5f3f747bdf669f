"""Drives in bays behind a simulated MegaRAID. There are members, spares, rebuilds, checks and a clock. Pure.

The machine is in the simulator's state, one value for each part, as JSON:

=============================  ================================================================================
name                           value
=============================  ================================================================================
``megaraid/clock``             seconds
``megaraid/bay 32:5``          serial number of the drive in a bay, for information; ``1/32:5`` of controller 1
``megaraid 0/bay 32:5``        name of the drive in a bay
``megaraid 0/disk 32:5``       :class:`Disk`; a recorded drive has the name of the bay that it was recorded in
``megaraid 0/position 1.0.3``  :class:`Position`: group, span and row of a member, whether a drive is there or not
``megaraid 0/volume 1``        :class:`Volume`
``megaraid 0/back``            ``On``: data move back from a spare to a new drive
``megaraid 0/task 1``          :class:`Task`: the consistency check of volume 1; ``task patrol``: the patrol read
``megaraid 0/auto``            ``On``: a rebuild starts automatically
``megaraid 0/line 32:5``       what is printed of a recorded drive: storcli's row, MegaCli's block
=============================  ================================================================================

State words are those of storcli's list of drives; MegaCli's are :data:`LONG`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec
from msgspec import Struct

from raidctl.vendor.simulated_bays import (
    CHECK_SECONDS,
    REBUILD_SECONDS,
    empty_bay_error,
    filled_bay_error,
    new_serial,
    not_on_shelf_error,
    tolerated,
)
from raidctl.vendor.simulator import NewDrive, State
from raidctl_megaraid.simulator.state import name

CLOCK = "megaraid/clock"
LONG = {
    "Onln": "Online, Spun Up", "Rbld": "Rebuild", "Offln": "Offline", "Failed": "Failed", "Cpybck": "Copyback",
    "UGood": "Unconfigured(good), Spun Up", "UBad": "Unconfigured(bad)", "GHS": "Hotspare, Spun Up",
    "DHS": "Hotspare, Spun Up", "JBOD": "JBOD",
}  # fmt: skip
SPARES = ("GHS", "DHS")
BACK_SECONDS = 15.0
"""Seconds until data move back to a new drive. They run from the rebuild of the spare and from the new drive: the
firmware takes a moment."""


class Disk(Struct, omit_defaults=True):
    """A drive, in a bay or on the shelf."""

    state: str
    position: str = ""
    """Group, span and row of a member."""
    groups: str = ""
    """Groups that a spare is dedicated to."""
    home: str = ""
    """Of a new drive: the bay whose recorded pages it prints. Its serial number, WWN, error counts and alert differ."""
    serial: str = ""
    """Of a new drive."""
    kind: NewDrive = "like"
    """Of a new drive."""
    model: str = ""
    """Size and medium: drives with the same can take each other's place."""
    since: float | None = None
    """When its rebuild or copyback began or was resumed. None while it is paused."""
    done: float = 0.0
    """Seconds of it before the last pause."""
    source: str = ""
    """Of the target of a copyback: the drive that is copied."""
    down: bool = False
    """Spun down."""
    revert: str = ""
    """Bay of the member that a spare which has stepped in replaces. It is set only if data move back from the spare."""
    filled: float = 0.0
    """When it was put in, or its rebuild or copyback ended."""
    foreign: str = ""
    """With MegaCli: number of the foreign configuration that it belongs to."""


class Position(Struct, omit_defaults=True):
    """The place of a member in a span."""

    bay: str = ""
    """Where its drive is, or was last."""
    size: str = ""
    """``278.875 GB``."""


class Volume(Struct):
    """A volume."""

    group: str
    level: str
    """``RAID6``."""


class Task(Struct):
    """A check or patrol read under way."""

    since: float | None
    done: float = 0.0


@dataclass
class Machine:
    """One controller with its drives. :meth:`state` saves the changes."""

    number: str
    clock: float = 0.0
    bays: dict[str, str] = field(default_factory=dict)
    disks: dict[str, Disk] = field(default_factory=dict)
    positions: dict[str, Position] = field(default_factory=dict)
    volumes: dict[str, Volume] = field(default_factory=dict)
    tasks: dict[str, Task] = field(default_factory=dict)
    auto: bool = True
    back: bool = False
    """Whether data move back from a spare to a new drive (copyback). The new drive is in the bay of the former
    member."""

    def state(self, before: Mapping[str, str]) -> State:
        """The simulator's state with this machine in it."""
        start = f"megaraid {self.number}/"
        left = {key: value for key, value in before.items() if not key.startswith(start) or not _is_part(key)}
        parts: dict[str, Mapping[str, Struct]] = {
            "disk": self.disks,
            "position": self.positions,
            "volume": self.volumes,
            "task": self.tasks,
        }
        for kind, items in parts.items():
            left |= {f"{start}{kind} {one}": msgspec.json.encode(item).decode() for one, item in items.items()}
        left |= {f"{start}bay {bay}": one for bay, one in self.bays.items()}
        return left | {CLOCK: f"{self.clock:g}", f"{start}auto": "On" if self.auto else "Off"}

    def at(self, bay: str) -> Disk | None:
        """The drive in a bay."""
        return self.disks.get(self.bays.get(bay, ""))

    def bay_of(self, disk: Disk) -> str | None:
        """The bay of a drive; None: it is on the shelf."""
        return next((bay for bay, one in self.bays.items() if self.disks[one] is disk), None)

    def occupant(self, position: str) -> Disk | None:
        """The member that has a position."""
        return next((disk for disk in self.disks.values() if disk.position == position), None)

    def position(self, position: str, bay: str, size: str) -> None:
        """Add the place of a member."""
        self.positions[position] = Position(bay=bay, size=size)

    def volume(self, number: str, group: str, level: str) -> None:
        """Add a volume."""
        self.volumes[number] = Volume(group=group, level=level)

    def group_of(self, disk: Disk) -> str:
        """The group of a member, or of the target of a copyback. Empty: none."""
        position = disk.position or (self.disks[disk.source].position if disk.source else "")
        return position.partition(".")[0]

    def elapsed(self, job: Disk | Task) -> float:
        """Seconds that a job has run."""
        return job.done + (self.clock - job.since if job.since is not None else 0.0)


def load(number: str, state: Mapping[str, str]) -> Machine:
    """The machine of a controller; without drives if the recording has none."""
    machine, start = Machine(number), f"megaraid {number}/"
    for key, value in state.items():
        if not key.startswith(start):
            continue
        kind, _, one = key[len(start) :].partition(" ")
        if kind == "bay":
            machine.bays[one] = value
        elif kind == "disk":
            machine.disks[one] = msgspec.json.decode(value, type=Disk)
        elif kind == "position":
            machine.positions[one] = msgspec.json.decode(value, type=Position)
        elif kind == "volume":
            machine.volumes[one] = msgspec.json.decode(value, type=Volume)
        elif kind == "task":
            machine.tasks[one] = msgspec.json.decode(value, type=Task)
    machine.clock = float(state.get(CLOCK, "0"))
    machine.back = state.get(name(number, "back"), "Off") == "On"
    machine.auto = state.get(name(number, "auto"), "On") == "On"
    return machine


def _is_part(key: str) -> bool:
    kind = key.partition("/")[2].partition(" ")[0]
    return kind in ("bay", "disk", "position", "volume", "task", "auto")


def numbers(state: Mapping[str, str]) -> list[str]:
    """The controllers that have drives in bays."""
    return sorted({key[9:].partition("/")[0] for key in state if key.startswith("megaraid ") and "/bay " in key})


def occupied(state: Mapping[str, str]) -> State:
    """The state with ``megaraid/bay 32:5`` of all drives that are there."""
    found = {key: value for key, value in state.items() if not key.startswith("megaraid/bay ")}
    for number in numbers(state):
        machine = load(number, state)
        for bay, key in machine.bays.items():
            serial = machine.disks[key].serial or state.get(name(number, f"serial {key}"), "")
            found[shown_bay(number, bay)] = serial
    return found


def shown_bay(number: str, bay: str) -> str:
    """``megaraid/bay 32:5``."""
    return f"megaraid/bay {bay}" if number == "0" else f"megaraid/bay {number}/{bay}"


def group_state(machine: Machine, group: str, span: str | None = None) -> str:
    """``Optl``, ``Pdgd``, ``Dgrd`` or ``OfLn``: a group, or one of its spans."""
    level = next((volume.level for volume in machine.volumes.values() if volume.group == group), "RAID0")
    gone: dict[str, int] = {}
    rows: dict[str, int] = {}
    for position in machine.positions:
        dg, arr, _ = position.split(".")
        if dg != group or span not in (None, arr):
            continue
        member = machine.occupant(position)
        rows[arr] = rows.get(arr, 0) + 1
        gone[arr] = gone.get(arr, 0) + (member is None or member.state != "Onln")
    words = [_word(count, tolerated(level.lower(), rows[arr])) for arr, count in gone.items()]
    order = ("Optl", "Pdgd", "Dgrd", "OfLn")
    return max(words, key=order.index, default="Optl")


def _word(gone: int, most: int) -> str:
    if gone > most:
        return "OfLn"
    return "Optl" if not gone else "Pdgd" if gone < most else "Dgrd"


def advance(machine: Machine, seconds: float) -> None:
    """Let time pass."""
    machine.clock += seconds
    settle(machine)


def pull(machine: Machine, bay: str) -> None:
    """Take the drive out of a bay.

    Raises:
        ValueError: The bay is empty.
    """
    disk = machine.at(bay)
    if disk is None:
        raise empty_bay_error(bay, machine.bays)
    del machine.bays[bay]
    free(disk, "UBad")  # what it shows when it comes back
    settle(machine)


def insert(machine: Machine, bay: str, serial: str | None, kind: NewDrive, known: Mapping[str, str]) -> None:
    """Put a pulled or new drive into an empty bay.

    Args:
        machine: It is changed.
        bay: The bay.
        serial: A drive on the shelf; None: a new one.
        kind: The kind of the new one.
        known: The serial numbers of the recorded drives.

    Raises:
        ValueError: The bay is not empty or not of this machine, or the drive is not on the shelf.
    """
    if bay in machine.bays or bay.partition(":")[0] not in {one.partition(":")[0] for one in known}:
        raise filled_bay_error(bay, machine.bays)
    shelf = {
        one.serial or known.get(key, ""): key for key, one in machine.disks.items() if key not in machine.bays.values()
    }
    if serial is None:
        serial = new_serial({one.serial for one in machine.disks.values()})
        like = bay if bay in known else next(iter(known))
        machine.disks[serial] = Disk(
            state="UGood", home=like, serial=serial, kind=kind, model=machine.disks[like].model
        )  # fmt: skip
        shelf[serial] = serial
    if serial not in shelf:
        raise not_on_shelf_error(serial, shelf)
    machine.bays[bay] = shelf[serial]
    machine.disks[shelf[serial]].filled = machine.clock
    settle(machine)


def fail(machine: Machine, bay: str) -> None:
    """Let the drive in a bay fail; it stays there.

    Raises:
        ValueError: The bay is empty.
    """
    disk = machine.at(bay)
    if disk is None:
        raise empty_bay_error(bay, machine.bays)
    if disk.position:
        disk.state, disk.since, disk.done = "Failed", None, 0.0  # it is a member until it is pulled or replaced
    else:
        free(disk, "UBad")
    settle(machine)


def free(disk: Disk, state: str) -> None:
    """A drive leaves its array, or its place as a spare."""
    disk.state, disk.position, disk.groups, disk.source = state, "", "", ""
    disk.since, disk.done, disk.down = None, 0.0, False


def settle(machine: Machine) -> None:
    """End rebuilds and checks, use spares and new drives, as firmware does."""
    for key, disk in machine.disks.items():
        if disk.state in ("Rbld", "Cpybck") and machine.elapsed(disk) >= REBUILD_SECONDS:
            _complete(machine, key, disk)
    for key, task in list(machine.tasks.items()):
        broken = key != "patrol" and group_state(machine, machine.volumes[key].group) != "Optl"
        if broken or machine.elapsed(task) >= CHECK_SECONDS:
            del machine.tasks[key]
    for position in machine.positions:
        member = machine.occupant(position)
        if member is not None and member.state in ("Onln", "Rbld"):
            machine.positions[position].bay = machine.bay_of(member) or machine.positions[position].bay
        elif machine.auto and group_state(machine, position.partition(".")[0]) != "OfLn":
            _step_in(machine, position, member)
    _move_back(machine)


def _complete(machine: Machine, key: str, disk: Disk) -> None:
    if disk.source:
        source = machine.disks[disk.source]
        disk.position = source.position
        free(source, "GHS" if source.revert else "UGood")
        source.revert = ""
        for other in machine.disks.values():
            other.source = "" if other.source == key else other.source
    disk.state, disk.source, disk.since, disk.done, disk.filled = "Onln", "", None, 0.0, machine.clock


def _step_in(machine: Machine, position: str, member: Disk | None) -> None:
    """Rebuild on a new drive in the missing member's bay. Without one, rebuild on a spare."""
    there = machine.at(machine.positions[position].bay)
    new = member is None and there is not None and there.state == "UGood" and bool(there.serial)
    new = new and there is not None and not there.foreign
    fresh = there if new and there is not None and _fits(machine, there, position) else None
    found = fresh or next(
        (one for one in _spares(machine, position.partition(".")[0]) if _fits(machine, one, position)), None
    )
    if found is None:
        return
    if member is not None:
        free(member, "UBad")
    found.revert = machine.positions[position].bay if machine.back and found.state in SPARES else ""
    free(found, "Rbld")
    found.position, found.since = position, machine.clock


def _move_back(machine: Machine) -> None:
    """Begin to copy a used spare's data back to the new drive."""
    for key, spare in machine.disks.items():
        there = machine.at(spare.revert) if spare.revert and spare.state == "Onln" else None
        if there is None or machine.clock < max(spare.filled, there.filled) + BACK_SECONDS:
            continue
        if there.state == "UGood" and not there.foreign and _fits(machine, there, spare.position):
            free(there, "Cpybck")
            there.source, there.since = key, machine.clock


def _fits(machine: Machine, disk: Disk, position: str) -> bool:
    """Whether a drive can take a place.

    The drive has to be as large as the place needs, and of the same kind as the other members.
    """
    span = position.rpartition(".")[0]
    others = [one for one in machine.disks.values() if one.position.rpartition(".")[0] == span and one is not disk]
    return disk.kind in ("like", "failing") and all(disk.model == one.model for one in others)


def _spares(machine: Machine, group: str) -> Iterator[Disk]:
    """The spares for a group, dedicated ones first."""
    there = [machine.disks[one] for one in machine.bays.values()]
    yield from (disk for disk in there if disk.state == "DHS" and group in disk.groups.split(","))
    yield from (disk for disk in there if disk.state == "GHS")
