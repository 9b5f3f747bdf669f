"""Simulated drives in bays, arrays that are rebuilt, and a clock. Pure.

All controllers do the same: a pulled drive is missing in its array, a spare steps in, a rebuild advances
with the clock. The words of a tool, and what it accepts, are its family's: :mod:`raidctl_adaptec.simulator_bays` and
others. The machine is one value of the simulator's state, as JSON; its clock and bays are further values, for the core.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import ClassVar, Literal

import msgspec
from msgspec import Struct

from raidctl.model.raid_levels import PARITY_DRIVES
from raidctl.text import listing
from raidctl.vendor.simulator import NewDrive, State

DriveState = Literal["member", "free", "raw", "spare", "failed"]
SlotState = Literal["present", "rebuilding", "failed", "missing"]
REBUILD_SECONDS = 7200.0
"""Duration of a rebuild."""
CHECK_SECONDS = 3600.0
"""Duration of a consistency check."""


class SimulatedDrive(Struct):
    """A drive, in a bay or on the shelf."""

    like: str
    """Serial number of a recorded drive. A new one prints the same except for its serial number."""
    state: DriveState
    array: str = ""
    """The array that a spare is dedicated to; empty: any."""
    kind: NewDrive = "like"
    """The difference from the recorded drive; a smaller one is never used."""
    bus: str = ""
    """Its interface, if controllers do not mix them."""


class Slot(Struct):
    """The place of a member in an array."""

    serial: str
    state: SlotState
    bay: str
    """Where its drive is, or was."""
    part: int = 0
    """Mirror set or span."""


class SimulatedArray(Struct):
    """An array."""

    level: str
    slots: list[Slot]
    since: float = 0.0
    """The start of its rebuild."""


class Check(Struct):
    """A running consistency check."""

    repair: bool
    since: float


class Bays(Struct):
    """The drives and arrays of one controller."""

    clock: float
    bays: dict[str, str]
    """Serial number of the drive in each bay. An empty bay is not listed."""
    disks: dict[str, SimulatedDrive]
    groups: dict[str, SimulatedArray]
    volumes: dict[str, str]
    """The array of each volume."""
    checks: dict[str, Check] = {}
    """By volume."""
    removed: dict[str, str] = {}
    """Drives removed by a command that are still in their bays."""
    arrival: DriveState = "free"
    """The state of an inserted drive."""
    same_bay: bool = True
    """Whether the controller automatically rebuilds in a missing member's bay. It rebuilds on the new drive there."""
    takes_free: bool = False
    """Whether it rebuilds on any free drive automatically."""

    def bay_of(self, serial: str) -> str | None:
        """The bay of a drive; None: it is on the shelf."""
        return next((bay for bay, name in self.bays.items() if name == serial), None)

    def slots_of(self, serial: str) -> Iterator[tuple[SimulatedArray, Slot]]:
        """The places that a drive has in arrays."""
        for group in self.groups.values():
            for slot in group.slots:
                if slot.serial == serial and slot.state != "missing":
                    yield group, slot

    def percent(self, group: SimulatedArray) -> float:
        """The progress of a rebuild; less than 100."""
        return min(99.0, max(0.0, (self.clock - group.since) / REBUILD_SECONDS * 100))


def array_status(group: SimulatedArray) -> Literal["ok", "degraded", "rebuilding", "failed"]:
    """The status of an array: ``rebuilding`` is degraded as well."""
    parts: dict[int, list[Slot]] = {}
    for slot in group.slots:
        parts.setdefault(slot.part, []).append(slot)
    for slots in parts.values():
        gone = sum(slot.state != "present" for slot in slots)
        if gone > tolerated(group.level, len(slots)):
            return "failed"
    states = {slot.state for slot in group.slots}
    if states == {"present"}:
        return "ok"
    return "rebuilding" if "rebuilding" in states else "degraded"


def tolerated(level: str, members: int) -> int:
    """Number of missing members that a mirror set, span or array tolerates."""
    return members - 1 if level in ("raid1", "raid10") else PARITY_DRIVES.get(level, 0)


def empty_bay_error(bay: str, filled: Iterable[str]) -> ValueError:
    """The error for an empty bay."""
    return ValueError(f"bay {bay} is empty; there are drives in {listing(sorted(filled))}")


def filled_bay_error(bay: str, filled: Iterable[str]) -> ValueError:
    """The error for a bay that is filled or does not exist."""
    return ValueError(f"bay {bay} is not an empty bay; there are drives in {listing(sorted(filled))}")


def not_on_shelf_error(serial: str, shelf: Iterable[str]) -> ValueError:
    """The error for a drive that was not pulled."""
    return ValueError(f"{serial} is not a drive that was pulled ({listing(sorted(filter(None, shelf))) or 'none was'})")


def new_serial(taken: Container[str]) -> str:
    """The serial number of a new drive."""
    return next(name for number in range(1, 1000) if (name := f"ZC1N{number:04}") not in taken)


def fail(machine: Bays, bay: str) -> None:
    """Let a drive fail; it stays in its bay.

    Raises:
        ValueError: The bay is empty.
    """
    if bay not in machine.bays:
        raise empty_bay_error(bay, machine.bays)
    serial = machine.bays[bay]
    for _, slot in machine.slots_of(serial):
        slot.state = "failed"
    machine.disks[serial].state = "failed"
    machine.disks[serial].array = ""
    settle(machine)


def pull(machine: Bays, bay: str) -> None:
    """Take the drive out of a bay.

    Raises:
        ValueError: The bay is empty.
    """
    serial = machine.bays.pop(bay, None)
    if serial is None and machine.removed.pop(bay, None) is not None:
        return
    if serial is None:
        raise empty_bay_error(bay, machine.bays)
    for _, slot in machine.slots_of(serial):
        slot.state = "missing"
    machine.disks[serial].state = "free"
    machine.disks[serial].array = ""
    settle(machine)


def insert(
    machine: Bays, bay: str, serial: str | None, known: Mapping[str, object], kind: NewDrive = "like"
) -> str:  # fmt: skip
    """Insert a pulled or a new drive into an empty bay. Return its serial number.

    Args:
        machine: It is changed.
        bay: The bay.
        serial: A drive on the shelf; None: a new one.
        known: All bays that the machine has.
        kind: How a new drive differs from the last one in the bay.

    Raises:
        ValueError: The bay is not empty or does not exist, or the drive is not on the shelf.
    """
    if bay in machine.bays or bay in machine.removed or bay not in known:
        raise filled_bay_error(bay, {*machine.bays, *machine.removed})
    used = {*machine.bays.values(), *machine.removed.values()}
    shelf = sorted(name for name in machine.disks if name not in used)
    if serial is None:
        like = next((slot.serial for group in machine.groups.values() for slot in group.slots if slot.bay == bay), None)
        like = like or next(iter(machine.disks))
        serial = new_serial(machine.disks)
        machine.disks[serial] = SimulatedDrive(
            like=machine.disks[like].like, state="free", kind=kind, bus=machine.disks[like].bus
        )  # fmt: skip
    elif serial not in shelf:
        raise not_on_shelf_error(serial, shelf)
    machine.bays[bay] = serial
    machine.disks[serial].state = machine.arrival
    _come_back(machine, bay, serial)
    settle(machine)
    return serial


def _come_back(machine: Bays, bay: str, serial: str) -> None:
    """Restart an array that stopped when a member left. The member is back, and nothing was written since."""
    for group in machine.groups.values():
        for slot in group.slots:
            if (slot.serial, slot.state) == (serial, "missing") and array_status(group) == "failed":
                slot.state, slot.bay, machine.disks[serial].state = "present", bay, "member"


def settle(machine: Bays) -> None:
    """Apply automatic changes. Rebuilds and checks end, and spares and new drives step in."""
    for volume, check in list(machine.checks.items()):
        over = machine.clock - check.since >= CHECK_SECONDS
        if over or array_status(machine.groups[machine.volumes[volume]]) != "ok":
            del machine.checks[volume]
    for name, group in machine.groups.items():
        for slot in group.slots:
            if slot.state == "rebuilding" and machine.clock - group.since >= REBUILD_SECONDS:
                slot.state = "present"
        _step_in(machine, name, group)


def _step_in(machine: Bays, name: str, group: SimulatedArray) -> None:
    if array_status(group) != "degraded":
        return  # complete, lost, or being rebuilt: one member at a time
    for slot in group.slots:
        if slot.state not in ("missing", "failed"):
            continue
        serial = _candidate(machine, name, slot)
        if serial is not None:
            rebuild(machine, group, slot, serial)
            return


def rebuild(machine: Bays, group: SimulatedArray, slot: Slot, serial: str) -> None:
    """Begin to rebuild a member on a drive."""
    slot.serial, slot.state, slot.bay = serial, "rebuilding", machine.bay_of(serial) or slot.bay
    group.since = machine.clock
    machine.disks[serial].state = "member"
    machine.disks[serial].array = ""


def _candidate(machine: Bays, name: str, slot: Slot) -> str | None:
    """The drive that replaces a member automatically.

    A drive in its bay comes first, then a spare, then any free one.
    """
    there = machine.bays.get(slot.bay)
    fitting = [serial for serial in machine.bays.values() if _fits(machine, slot, serial)]
    if machine.same_bay and there in fitting and machine.disks[there].state == "free":
        return there
    spares = [
        serial for serial in fitting
        if machine.disks[serial].state == "spare" and machine.disks[serial].array in ("", name)
    ]  # fmt: skip
    spares.sort(key=lambda serial: machine.disks[serial].array == "")  # dedicated spares first
    free = [serial for serial in fitting if machine.disks[serial].state == "free"]
    return next(iter(spares + (free if machine.takes_free else [])), None)


def _fits(machine: Bays, slot: Slot, serial: str) -> bool:
    """Whether a drive has the missing one's interface and is as large."""
    disk, before = machine.disks[serial], machine.disks.get(slot.serial)
    return disk.kind != "small" and (before is None or before.bus == disk.bus)


class FamilyBays:
    """The simulated drives of a family's controllers, in its simulator's state.

    A family states which bays there are, and where its state differs; its module offers ``advance``, ``pull``,
    ``fail`` and ``insert``, the functions of :class:`raidctl.vendor.simulator.Bays`.
    """

    family: ClassVar[str]
    prefix: ClassVar[str] = ""
    """Prefix of the bay's name in a drive's id: ``p`` of ``p3``."""

    def known(self, state: Mapping[str, str], number: str, machine: Bays, bay: str) -> Mapping[str, object]:
        """The bays of a controller, one of which gets a drive."""
        raise NotImplementedError

    def numbers(self, state: Mapping[str, str]) -> list[str]:
        """The numbers of the controllers that have simulated bays."""
        head = f"{self.family}/machine "
        return [name.removeprefix(head) for name in state if name.startswith(head)]

    def of(self, state: Mapping[str, str], number: str) -> Bays | None:
        """The drives of a controller; None: they are not simulated."""
        return self.stored(state, number)

    def stored(self, state: Mapping[str, str], number: str) -> Bays | None:
        """The drives of a controller as they were kept. None: they never were."""
        value = state.get(f"{self.family}/machine {number}")
        return None if value is None else msgspec.json.decode(value.encode(), type=Bays)

    def kept(self, state: Mapping[str, str], number: str, machine: Bays) -> State:
        """The state with a machine."""
        head = f"{self.family}/bay "
        fresh = {name: value for name, value in state.items() if not name.startswith(head)}
        fresh[f"{self.family}/machine {number}"] = msgspec.json.encode(machine).decode()
        fresh[f"{self.family}/clock"] = f"{machine.clock:.1f}"
        filled = (*machine.bays.items(), *machine.removed.items())
        return fresh | {f"{head}{self.prefix}{bay}": serial for bay, serial in filled}

    def advance(self, state: Mapping[str, str], seconds: float) -> State:
        """Let time pass: rebuilds and checks advance."""
        fresh = dict(state)
        for number in self.numbers(state):
            machine = self.of(fresh, number)
            if machine is not None:
                machine.clock += seconds
                settle(machine)
                fresh = self.kept(fresh, number, machine)
        return fresh

    def pull(self, state: Mapping[str, str], bay: str) -> State:
        """Take the drive out of a bay."""
        number, machine, place = self._named(state, bay)
        pull(machine, place)
        return self.kept(state, number, machine)

    def fail(self, state: Mapping[str, str], bay: str) -> State:
        """Let the drive in a bay fail."""
        number, machine, place = self._named(state, bay)
        fail(machine, place)
        return self.kept(state, number, machine)

    def insert(self, state: Mapping[str, str], bay: str, serial: str | None, kind: NewDrive = "like") -> State:
        """Put a drive into an empty bay."""
        number, machine, place = self._named(state, bay)
        insert(machine, place, serial, self.known(state, number, machine, place), kind)
        return self.kept(state, number, machine)

    def _named(self, state: Mapping[str, str], bay: str) -> tuple[str, Bays, str]:
        """Number and drives of a controller, and the bay there. A bay is ``0,3``, or ``adaptec:1/0,3``.

        Raises:
            LookupError: The machine has no such controller with bays.
        """
        head, _, place = bay.rpartition("/")
        found = [number for number in self.numbers(state) if head in ("", f"{self.family}:{number}")]
        machine = self.of(state, found[0]) if found else None
        if machine is None:
            raise LookupError
        return found[0], machine, place.removeprefix(self.prefix)
