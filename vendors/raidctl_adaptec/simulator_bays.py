"""Drives in bays of a simulated aacraid controller: SETSTATE, TASK, automatic rebuilds. Pure.

The states are those of recorded outputs: ``Failed``, ``Ready``, ``Raw (Pass Through)``, ``Rebuilding``, ``Global
Hot-Spare``. What the commands do is as Adaptec's command line guide describes "arcconf setstate" and "arcconf task".
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from raidctl.text import regex
from raidctl.vendor import simulated_bays as machine_of
from raidctl.vendor.simulated_bays import Bays, Check, FamilyBays, array_status
from raidctl.vendor.simulator import Reply, State

_FOUND = "Controllers found: 1\n"
DONE = f"{_FOUND}\n\nCommand completed successfully.\n"
_ADDRESS = regex(r"\d{1,3},\d{1,4}", re.ASCII)


class _Bays(FamilyBays):
    """Bays are by channel and device: ``0,3``."""

    family = "adaptec"

    def of(self, state: Mapping[str, str], number: str) -> Bays | None:
        """The drives of a controller; None: it has none that are simulated."""
        machine = super().of(state, number)
        for name, group in machine.groups.items() if machine is not None else ():
            group.since = float(state.get(f"since {number} {name}", group.since))
        return machine

    def kept(self, state: Mapping[str, str], number: str, machine: Bays) -> State:
        """The state with a machine."""
        fresh = {name: value for name, value in state.items() if not name.startswith(f"since {number} ")}
        return super().kept(fresh, number, machine)

    def known(self, state: Mapping[str, str], number: str, machine: Bays, bay: str) -> Mapping[str, object]:  # noqa: ARG002 - the signature of all
        """The bays that have or had a drive. The first eight devices of each channel count, too."""
        known = dict.fromkeys([*machine.bays, *(slot.bay for group in machine.groups.values() for slot in group.slots)])
        if _ADDRESS.fullmatch(bay) and int(bay.partition(",")[2]) < 8:
            known[bay] = None
        return known


BAYS = _Bays()
advance, pull, fail, insert = BAYS.advance, BAYS.pull, BAYS.fail, BAYS.insert


def change(words: list[str], state: Mapping[str, str]) -> Reply | None:
    """``SETSTATE 1 DEVICE 0 3 DDD noprompt`` and ``TASK START …``, in lower case; None: another command."""
    if words[:1] not in (["setstate"], ["task"]):
        return None
    number = (words[1:2] if words[0] == "setstate" else words[2:3] or [""])[0]
    machine = BAYS.of(state, number)
    if machine is None:
        return _aborted(state, "The controller has no such device.")
    if "noprompt" not in words and words[:2] != ["task", "stop"]:
        return _aborted(state, "Are you sure you want to continue?")
    rest = [word for word in words if word not in ("noprompt", "nologs")]
    objection = _set(machine, rest[2:]) if rest[0] == "setstate" else _task(machine, rest[1], rest[3:])
    if objection is not None:
        return _aborted(state, objection)
    machine_of.settle(machine)
    return Reply(0, DONE, BAYS.kept(state, number, machine))


def _aborted(state: Mapping[str, str], text: str) -> Reply:
    return Reply(2, f"{_FOUND}{text}\n\nCommand aborted.\n", state)


def _set(machine: Bays, words: list[str]) -> str | None:
    """``device 0 3 ddd``; the objection, None: it is done."""
    if len(words) < 4 or words[0] != "device":
        return "Invalid command."
    serial = machine.bays.get(f"{words[1]},{words[2]}")
    if serial is None:
        return "The specified device does not exist."
    disk, to = machine.disks[serial], words[3:]
    if to == ["ddd"]:
        if disk.state == "failed":
            return "The device is already in the failed state."
        machine_of.fail(machine, f"{words[1]},{words[2]}")
        return None
    if to == ["rdy"]:
        if disk.state not in ("spare", "failed"):
            return "The device is not in a state that can be changed to Ready."
        for _, slot in machine.slots_of(serial):
            slot.state = "missing"
        disk.state, disk.array = "free", ""
        return None
    if disk.state != "free" or to[0] != "hsp" or not (len(to) == 1 or (len(to) == 3 and to[1] == "logicaldrive")):
        return "The device cannot be a hot spare."
    if len(to) == 3 and to[2] not in machine.volumes:
        return "The specified logical device does not exist."
    disk.state, disk.array = "spare", machine.volumes[to[2]] if len(to) == 3 else ""
    return None


def _task(machine: Bays, verb: str, words: list[str]) -> str | None:
    """``start``, ``logicaldrive 0 verify``; the objection, None: it is done."""
    if words[:1] == ["device"] and len(words) == 4 and (verb, words[3]) == ("start", "initialize"):
        serial = machine.bays.get(f"{words[1]},{words[2]}", "")
        if serial not in machine.disks or machine.disks[serial].state != "raw":
            return "The device cannot be initialized."
        machine.disks[serial].state = "free"
        return None
    if words[:1] != ["logicaldrive"] or len(words) < 2 or words[1] not in machine.volumes:
        return "The specified logical device does not exist."
    volume = words[1]
    if verb == "stop":
        return None if machine.checks.pop(volume, None) else "No task is running on the logical device."
    if array_status(machine.groups[machine.volumes[volume]]) != "ok" or volume in machine.checks:
        return "The task cannot be started in the current state of the logical device."
    if words[2:] not in (["verify"], ["verify_fix"]):
        return "Invalid task."
    machine.checks[volume] = Check(repair=words[2] == "verify_fix", since=machine.clock)
    return None
