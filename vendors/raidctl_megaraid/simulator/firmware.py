"""What a simulated MegaRAID's firmware does for tools, and its refusal codes. Pure.

Every function changes the machine and returns 0, or a status code of the firmware and changes nothing. The codes are
those of ``MFI_STAT`` in the kernel's and FreeBSD's drivers. The firmware does not check whether a volume survives it;
the guards do.
"""

from __future__ import annotations

from collections.abc import Callable

from raidctl_megaraid.simulator.machine import SPARES, Disk, Machine, Task, free, group_state, settle

INVALID, NOT_FOUND, RUNNING, NOT_OPTIMAL, WRONG_LEVEL = 3, 12, 23, 27, 30
WRONG_STATE, REBUILDING, COPYING, DENIED = 50, 28, 63, 255
MESSAGES = {
    INVALID: "Invalid parameter", NOT_FOUND: "device not found", RUNNING: "consistency check in progress",
    NOT_OPTIMAL: "VD is not optimal", REBUILDING: "rebuild in progress", WRONG_LEVEL: "wrong RAID level",
    WRONG_STATE: "device state doesn't support requested command", COPYING: "copyback in progress",
    DENIED: "Operation not allowed.",
}  # fmt: skip
Operation = Callable[[Machine, Disk], int]


def _from(states: tuple[str, ...], to: Callable[[Machine, Disk], None]) -> Operation:
    """An operation on a drive in one of these states."""

    def run(machine: Machine, disk: Disk) -> int:
        if disk.state not in states:
            return WRONG_STATE
        to(machine, disk)
        settle(machine)
        return 0

    return run


def _offline(machine: Machine, disk: Disk) -> None:  # noqa: ARG001 - the signature of all
    disk.state, disk.since, disk.done = "Offln", None, 0.0


def _online(machine: Machine, disk: Disk) -> None:  # noqa: ARG001 - as above
    disk.state = "Onln"


def _begin(machine: Machine, disk: Disk) -> None:
    disk.state, disk.since, disk.done = "Rbld", machine.clock, 0.0


def _pause(machine: Machine, disk: Disk) -> None:
    disk.done, disk.since = machine.elapsed(disk), None


def _resume(machine: Machine, disk: Disk) -> None:
    disk.since = machine.clock if disk.since is None else disk.since


def _to(state: str) -> Callable[[Machine, Disk], None]:
    return lambda _, disk: free(disk, state)


def _power(*, down: bool) -> Callable[[Machine, Disk], None]:
    def set_power(machine: Machine, disk: Disk) -> None:  # noqa: ARG001 - as above
        disk.down = down

    return set_power


OFFLINE = _from(("Onln", "Rbld"), _offline)
ONLINE = _from(("Offln",), _online)
MISSING = _from(("Offln",), _to("UGood"))
GOOD = _from(("UBad",), _to("UGood"))
START_REBUILD = _from(("Offln",), _begin)
STOP_REBUILD = _from(("Rbld",), _offline)
PAUSE_REBUILD = _from(("Rbld",), _pause)
RESUME_REBUILD = _from(("Rbld",), _resume)
STOP_COPYBACK = _from(("Cpybck",), _to("UGood"))
PAUSE_COPYBACK = _from(("Cpybck",), _pause)
RESUME_COPYBACK = _from(("Cpybck",), _resume)
SPIN_DOWN = _from(("UGood",), _power(down=True))
SPIN_UP = _from(("UGood",), _power(down=False))
JBOD = _from(("UGood",), _to("JBOD"))
RAID = _from(("JBOD",), _to("UGood"))
GLOBAL_SPARE = _from(("UGood",), _to("GHS"))
REMOVE_SPARE = _from(SPARES, _to("UGood"))


def dedicated_spare(machine: Machine, disk: Disk, groups: list[str]) -> int:
    """``DGs=0,1``."""
    if disk.state != "UGood":
        return WRONG_STATE
    if not groups or not all(
        any(position.startswith(f"{group}.") for position in machine.positions) for group in groups
    ):
        return INVALID
    free(disk, "DHS")
    disk.groups = ",".join(groups)
    settle(machine)
    return 0


def insert(machine: Machine, disk: Disk, position: str) -> int:
    """Put a drive in the place of a missing one. The drive is offline until it is rebuilt."""
    if position not in machine.positions or machine.occupant(position) is not None:
        return INVALID
    if disk.state != "UGood" or disk.down or disk.foreign:
        return WRONG_STATE
    free(disk, "Offln")
    disk.position = position
    return 0


def copyback(machine: Machine, source: Disk, target: Disk | None) -> int:
    """Copy a member to an unassigned drive or a spare. The target then takes its place."""
    if target is None:
        return NOT_FOUND
    if source.state != "Onln" or target.state not in ("UGood", *SPARES):
        return WRONG_STATE
    key = next(key for key, disk in machine.disks.items() if disk is source)
    free(target, "Cpybck")
    target.source, target.since = key, machine.clock
    return 0


def check(machine: Machine, volume: str, verb: str) -> int:
    """Start, stop, pause or resume a consistency check."""
    found = machine.volumes.get(volume)
    if found is None:
        return NOT_FOUND
    if verb == "start" and found.level == "RAID0":
        return WRONG_LEVEL
    if verb == "start" and group_state(machine, found.group) != "Optl":
        return NOT_OPTIMAL
    return _task(machine, volume, verb)


def patrol(machine: Machine, verb: str) -> int:
    """Start, stop, pause or resume the patrol read."""
    return _task(machine, "patrol", verb)


def _task(machine: Machine, key: str, verb: str) -> int:
    task = machine.tasks.get(key)
    if verb == "start":
        if task is not None:
            return RUNNING
        machine.tasks[key] = Task(since=machine.clock)
        return 0
    if task is None or ((verb == "pause") is (task.since is None) and verb != "stop"):
        return WRONG_STATE
    if verb == "stop":
        del machine.tasks[key]
    elif verb == "pause":
        machine.tasks[key] = Task(since=None, done=machine.elapsed(task))
    else:
        task.since = machine.clock
    return 0
