"""Simulated storcli and perccli 7: operations on drives, checks, patrol read, replies. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from raidctl.text import regex
from raidctl.vendor.simulated_bays import CHECK_SECONDS, REBUILD_SECONDS
from raidctl.vendor.simulator import Reply
from raidctl_megaraid.simulator import firmware, storcli2_help
from raidctl_megaraid.simulator.machine import Disk, Machine, load
from raidctl_megaraid.simulator.state import ControllerState
from raidctl_megaraid.simulator.storcli_lists import encoded

_PATH = regex(r"/c(\d+)(?:(?:/e(\d+))?/s(\d+)|/v(\d+))?")
_WORDS: dict[tuple[str, ...], tuple[str, firmware.Operation]] = {
    ("set", "offline"): ("Set Drive Offline", firmware.OFFLINE),
    ("set", "online"): ("Set Drive Online", firmware.ONLINE),
    ("set", "missing"): ("Set Drive Missing", firmware.MISSING),
    ("set", "good"): ("Set Drive Good", firmware.GOOD),
    ("set", "jbod"): ("Set Drive JBOD", firmware.JBOD),
    ("del", "jbod"): ("Delete JBOD Drive", firmware.RAID),
    ("set", "uconf"): ("Set Drive UConf", firmware.RAID),
    ("spindown",): ("Spin Down Drive", firmware.SPIN_DOWN),
    ("spinup",): ("Spin Up Drive", firmware.SPIN_UP),
    ("start", "rebuild"): ("Start Drive Rebuild", firmware.START_REBUILD),
    ("stop", "rebuild"): ("Stop Drive Rebuild", firmware.STOP_REBUILD),
    ("pause", "rebuild"): ("Pause Drive Rebuild", firmware.PAUSE_REBUILD),
    ("resume", "rebuild"): ("Resume Drive Rebuild", firmware.RESUME_REBUILD),
    ("stop", "copyback"): ("Stop Drive Copyback", firmware.STOP_COPYBACK),
    ("pause", "copyback"): ("Pause Drive Copyback", firmware.PAUSE_COPYBACK),
    ("resume", "copyback"): ("Resume Drive Copyback", firmware.RESUME_COPYBACK),
    ("add", "hotsparedrive"): ("Add Hot Spare", firmware.GLOBAL_SPARE),
    ("delete", "hotsparedrive"): ("Delete Hot Spare", firmware.REMOVE_SPARE),
}
_POSITION = regex(r"dg=(\d+) array=(\d+) row=(\d+)", re.IGNORECASE)
_GROUPS = regex(r"dgs=(\d+(?:,\d+)*)", re.IGNORECASE)
_TARGET = regex(r"target=(\d*:\d+)")
_VERBS = ("start", "stop", "pause", "resume")


def change(argv: Sequence[str], state: Mapping[str, str]) -> Reply | None:
    """The reply to a deed. None for another command, or a controller with unknown drives."""
    match, words = _PATH.fullmatch(argv[1]), list(argv[2:])
    if match is None or words[-2:] != ["nolog", "J"]:
        return None
    machine = load(match[1], state)
    if not machine.disks:
        return None
    controller = ControllerState(match[1], state)
    act = _act(machine, match, words[:-2])
    second = storcli2_help.is_second_generation(controller)
    if act is None or (not second and words[:2] == ["set", "uconf"]):
        return None
    if second and (not match[3] or not storcli2_help.takes(controller, words)):
        return Reply(1, "Status = Failure\nDescription = syntax error, unexpected TOKEN_UNKNOWN\n\n", state)
    title, run = act
    code = run()
    label = {"Drive": argv[1]} if match[3] else {"VD": int(match[4])} if match[4] else {"Ctrl": int(match[1])}
    head: dict[str, Any] = {
        "CLI Version": controller.get("cli"), "Operating system": controller.get("os") or "Linux",
        "Controller": match[1] if second else int(match[1]), "Status": "Failure" if code else "Success",
        "Description": f"{title} {'Failed' if code else 'Succeeded'}.",
    }  # fmt: skip
    if code:
        row = {"Status": "Failure", "ErrCd": code, "ErrMsg": firmware.MESSAGES[code]}
        head["Detailed Status"] = [label | row]
    printed = encoded({"Command Status": head})
    return Reply(code, printed, state if code else machine.state(state))


def _act(machine: Machine, path: re.Match[str], words: list[str]) -> tuple[str, Callable[[], int]] | None:
    if path[4]:
        if len(words) == 2 and words[0] in _VERBS and words[1] == "cc":
            return f"{words[0].capitalize()} CC Operation", lambda: firmware.check(machine, path[4], words[0])
        return None
    if not path[3]:
        if len(words) == 2 and words[0] in _VERBS and words[1] in ("patrolread", "pr"):
            return f"{words[0].capitalize()} Patrol Read", lambda: firmware.patrol(machine, words[0])
        return None
    disk = machine.at(f"{path[2] or ''}:{path[3]}")
    found = _of_drive(machine, disk, words)
    if found is None or disk is not None:
        return found
    return found[0], lambda: firmware.NOT_FOUND


def _of_drive(machine: Machine, disk: Disk | None, words: list[str]) -> tuple[str, Callable[[], int]] | None:
    there = disk or Disk(state="")
    if tuple(words) in _WORDS:
        title, run = _WORDS[tuple(words)]
        return title, lambda: run(machine, there)
    text = " ".join(words[1:])
    if words[:1] == ["insert"] and (position := _POSITION.fullmatch(text)):
        return "Insert Drive", lambda: firmware.insert(machine, there, ".".join(position.groups()))
    if words[:2] == ["add", "hotsparedrive"] and (groups := _GROUPS.fullmatch(" ".join(words[2:]))):
        return "Add Hot Spare", lambda: firmware.dedicated_spare(machine, there, groups[1].split(","))
    if words[:2] == ["start", "copyback"] and (target := _TARGET.fullmatch(" ".join(words[2:]))):
        return "Start Drive Copyback", lambda: firmware.copyback(machine, there, machine.at(target[1]))
    return None


def rebuilds(machine: Machine, state: Mapping[str, str], what: str) -> str:
    """``show rebuild`` and ``show copyback`` of all drives."""
    word = "Rbld" if what == "Rebuild" else "Cpybck"
    rows = []
    for bay in sorted(machine.bays):
        disk = machine.disks[machine.bays[bay]]
        row: dict[str, Any] = {"Drive-ID": _drive(machine.number, bay), "Progress%": "-", "Status": "Not in progress"}
        if disk.state == word:
            share = int(machine.elapsed(disk) * 100 / REBUILD_SECONDS)
            minutes = int((REBUILD_SECONDS - machine.elapsed(disk)) / 60) + 1
            left = f"{minutes // 60} Hours {minutes % 60} Minutes" if minutes >= 60 else f"{minutes} Minutes"
            row |= {"Progress%": share, "Status": "In progress" if disk.since is not None else "Paused"}
            rows.append(row | {"Estimated Time Left": left})
        else:
            rows.append(row | {"Estimated Time Left": "-"})
    head = _head(machine, state) | {"Status": "Success", "Description": f"Show Drive {what} Status Succeeded."}
    return encoded({"Command Status": head, "Response Data": rows})


def _drive(number: str, bay: str) -> str:
    enclosure, _, slot = bay.partition(":")
    return f"/c{number}/e{enclosure}/s{slot}" if enclosure else f"/c{number}/s{slot}"


def readings(machine: Machine, state: Mapping[str, str]) -> list[tuple[tuple[str, ...], str]]:
    """Return the outputs about rebuilds, copies, checks and the patrol read. raidctl requests them while any runs."""
    found = [
        ((path, "show", what.lower(), "nolog", "J"), rebuilds(machine, state, what))
        for what in ("Rebuild", "Copyback")
        for path in ("/call/eall/sall", f"/c{machine.number}/eall/sall")
    ]
    found += [
        ((f"/c{machine.number}/v{volume}", "show", "cc", "nolog", "J"), _check(machine, volume, state))
        for volume in machine.volumes
    ]
    found += [
        ((path, "show", "patrolread", "nolog", "J"), _patrol(machine, state))
        for path in ("/call", f"/c{machine.number}")
    ]
    controller, more = ControllerState(machine.number, state), list[tuple[tuple[str, ...], str]]()
    more.append(((f"/c{machine.number}/dall", "show", "nolog", "J"), _groups(machine, state)))
    if storcli2_help.is_second_generation(controller):
        more.append((("help",), storcli2_help.text(controller)))
    return [*found, *more]


def _patrol(machine: Machine, state: Mapping[str, str]) -> str:
    """``PR Current State        Active 0``; the number, of iterations or drives, is explained nowhere."""
    shown = {"PR Mode": "Auto", "PR Current State": "Active 0" if "patrol" in machine.tasks else "Stopped"}
    rows = [{"Ctrl_Prop": label, "Value": value} for label, value in shown.items()]
    head = _head(machine, state) | {"Status": "Success", "Description": "None"}
    data = {"Controller Properties": rows}
    return encoded({"Command Status": head, "Response Data": data})


def _groups(machine: Machine, state: Mapping[str, str]) -> str:
    """``TOPOLOGY``: the members of each group in their order."""
    rows = []
    for position in machine.positions:
        disk = machine.occupant(position)
        group, span, row = (int(part) for part in position.split("."))
        shown = {"DG": group, "Arr": span, "Row": row, "EID:Slot": (machine.bay_of(disk) if disk else None) or "-"}
        rows.append(
            shown | {"Type": "DRIVE", "State": disk.state if disk else "Msng", "Size": machine.positions[position].size}
        )
    head = _head(machine, state) | {"Status": "Success", "Description": "Show Diskgroup Succeeded"}
    return encoded({"Command Status": head, "Response Data": {"TOPOLOGY": rows}})


def _check(machine: Machine, volume: str, state: Mapping[str, str]) -> str:
    """``0 CC 36 In progress 38 Minutes``."""
    task = machine.tasks.get(volume)
    row: dict[str, Any] = {"VD": int(volume), "Operation": "CC", "Progress%": "-", "Status": "Not in progress"}
    row["Estimated Time Left"] = "-"
    if task is not None:
        share = int(machine.elapsed(task) * 100 / CHECK_SECONDS)
        row |= {"Progress%": share, "Status": "Paused" if task.since is None else "In progress"}
        row["Estimated Time Left"] = f"{int((CHECK_SECONDS - machine.elapsed(task)) / 60) + 1} Minutes"
    head = _head(machine, state) | {"Status": "Success", "Description": "None"}
    data = {"VD Operation Status": [row]}
    return encoded({"Command Status": head, "Response Data": data})


def _head(machine: Machine, state: Mapping[str, str]) -> dict[str, Any]:
    controller = ControllerState(machine.number, state)
    return {
        "CLI Version": controller.get("cli"),
        "Operating system": controller.get("os") or "Linux",
        "Controller": int(machine.number),
    }
