"""A simulated machine with md arrays: bays, members, rebuilds that take time. Pure.

The machine's state is lines ``NAME = VALUE``, in a demo the output of ``simulated-md``:

=====================  =======================================================================================
name                   value
=====================  =======================================================================================
``clock``              seconds; rebuilds advance with it
``bay 4``              serial number of the drive in the bay
``drive LAB1``         ``node=sda sectors=262144 sig=ext4 boot=grub``; one on the shelf has no node
``enclosure``          logical identifier of the SES enclosure that the bays are in; none: no bay has an LED
``md md0``             ``level=raid5 slots=3 sectors=260096 offset=2048 uuid=… seconds=600``; sectors of one member;
                       ``ro=read-auto``: as after assembly, nothing is rebuilt until the first write
``member md0 LAB1``    ``slot=0 state=in_sync``; state: in_sync spare faulty rebuilding copying; with ``from=CLOCK``;
                       ``LAB1-2`` is its second partition
=====================  =======================================================================================

Facts of the outputs from mdadm 4.2 and the kernel's drivers/md; :mod:`raidctl_md.operate` has the commands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from raidctl.request import Answer, Request
from raidctl.text import regex
from raidctl.vendor.simulated_bays import empty_bay_error, filled_bay_error, new_serial, not_on_shelf_error
from raidctl.vendor.simulator import NewDrive, Reply, State, fields, words
from raidctl_md import simulator_create, simulator_schedules
from raidctl_md.simulated_machine import Fields, arrays, failed, key_of, members, node_of, whole
from raidctl_md.simulated_outputs import answers_of
from raidctl_md.simulator_create import BUSY

MACHINE = ("simulated-md",)
"""The command whose recorded output is the machine's first state."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_STATE = regex(r"(?m)^( +State : (?:clean|active)\b[^\n]*?)(?= *$)")


def initial(argv: tuple[str, ...], text: str) -> State:
    """Return the state of the recorded machine. Empty for the output of another tool."""
    if argv != MACHINE:
        return simulator_schedules.initial(argv, text)
    pairs = (line.partition(" = ") for line in text.splitlines() if " = " in line)
    return settled({f"md/{name}": value for name, _, value in pairs})


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """Return an output of mdadm with the check that was started. The rest is made by :func:`generated`."""
    if argv[:2] != ("mdadm", "--detail") or len(argv) != 3:
        return simulator_schedules.render(argv, text, state)
    action = state.get(f"file /sys/block/{argv[2].removeprefix('/dev/')}/md/sync_action", "").strip()
    word = {"check": "checking", "repair": "resyncing"}.get(action)
    return _STATE.sub(rf"\g<1>, {word}", text) if word else text


def generated(state: Mapping[str, str]) -> dict[Request[Answer], Answer]:
    """Return what the kernel and mdadm now show of the machine. Empty for another machine."""
    found = answers_of(state) if "md/clock" in state else {}
    return {**found, **simulator_create.generated(state), **simulator_schedules.generated(state)}


def advance(state: Mapping[str, str], seconds: float) -> State:
    """Let time pass. Rebuilds and checks that are complete end, and spares step in."""
    if "md/clock" not in state:
        return dict(state)
    begun = settled(state)
    return settled({**begun, "md/clock": f"{float(begun['md/clock']) + seconds:.1f}"})


def pull(state: Mapping[str, str], bay: str) -> State:
    """Take the drive out of a bay. udev removes it from its arrays, and a spare steps in."""
    serial = state.get(f"md/bay {bay}")
    if "md/clock" not in state:
        raise LookupError
    if serial is None:
        raise empty_bay_error(bay, _filled(state))
    left = {name: value for name, value in state.items() if not _is_member(name, serial)}
    del left[f"md/bay {bay}"]
    drive = fields(left[f"md/drive {serial}"])
    drive.pop("node", None)
    if any(serial in members(state, array) for array in arrays(state)):
        drive["sig"] = "linux_raid_member"  # its superblock stays on it
    left[f"md/drive {serial}"] = words(drive)
    return settled(left)


def push(state: Mapping[str, str], bay: str, serial: str) -> State:
    """Put a drive from the shelf into an empty bay. It gets the first letter that is free."""
    fresh = dict(state)
    drive = fields(fresh[f"md/drive {serial}"])
    taken = {fields(value).get("node") for name, value in fresh.items() if name.startswith("md/drive ")}
    drive["node"] = next(f"sd{letter}" for letter in _LETTERS if f"sd{letter}" not in taken)
    fresh[f"md/drive {serial}"] = words(drive)
    fresh[f"md/bay {bay}"] = serial
    return settled(fresh)


def fail(state: Mapping[str, str], bay: str) -> State:
    """Let the drive in a bay fail. The kernel takes it out of its arrays, and a spare steps in."""
    serial = state.get(f"md/bay {bay}")
    if "md/clock" not in state:
        raise LookupError
    if serial is None:
        raise empty_bay_error(bay, _filled(state))
    faulty = words({"slot": "-", "state": "faulty"})
    return settled({name: faulty if _is_member(name, serial) else value for name, value in state.items()})


def insert(state: Mapping[str, str], bay: str, serial: str | None, kind: NewDrive = "like") -> State:
    """Put a drive from the shelf into an empty bay. Without a serial number it is new, as large as the largest."""
    if "md/clock" not in state:
        raise LookupError
    if f"md/bay {bay}" in state or not re.fullmatch(r"[1-9]\d?", bay):
        raise filled_bay_error(bay, _filled(state))
    known = {name.rpartition(" ")[2]: fields(value) for name, value in state.items() if name.startswith("md/drive ")}
    if serial is None:
        serial = new_serial(known)
        sectors = max((drive["sectors"] for drive in known.values()), key=int)
        about = {"sectors": sectors, "smart": "PASSED", **_KINDS.get(kind, {})}
        if kind == "small":
            about["sectors"] = str(int(sectors) // 2)
        return push({**state, f"md/drive {serial}": words(about)}, bay, serial)
    if serial not in known or "node" in known[serial]:
        raise not_on_shelf_error(serial, [name for name, drive in known.items() if "node" not in drive])
    return push(state, bay, serial)


_KINDS: dict[NewDrive, dict[str, str]] = {"failing": {"smart": "FAILED!"}, "other_media": {"rotational": "0"}}


def _filled(state: Mapping[str, str]) -> list[str]:
    return [name.removeprefix("md/bay ") for name in state if name.startswith("md/bay ")]


def _is_member(name: str, serial: str) -> bool:
    return name.startswith("md/member ") and name.rpartition(" ")[2].partition("-")[0] == serial


def settled(state: Mapping[str, str]) -> State:
    """Return the state after what md does automatically. Rebuilds end, and spares step in."""
    fresh = dict(state)
    now = float(fresh["md/clock"])
    for array, about in arrays(fresh).items():
        for serial, member in members(fresh, array).items():
            if "ro" in about and "from" in member:
                fresh[f"md/member {array} {serial}"] = words({**member, "from": f"{now}"})
                continue
            over = now - float(member.get("from", now)) >= float(about["seconds"])
            if member["state"] == "rebuilding" and over:
                fresh[f"md/member {array} {serial}"] = words({"slot": member["slot"], "state": "in_sync"})
            if member["state"] == "copying" and over:
                old = next(
                    (one for one, it in members(fresh, array).items()
                     if it["slot"] == member["slot"] and it["state"] == "in_sync"), None,
                )  # fmt: skip
                if old is not None:
                    fresh[f"md/member {array} {old}"] = words({"slot": "-", "state": "faulty"})
                fresh[f"md/member {array} {serial}"] = words({"slot": member["slot"], "state": "in_sync"})
        _step_in(fresh, array, about, now)
        _end_check(fresh, array, about, now)
    return fresh


def _end_check(state: State, array: str, about: Fields, now: float) -> None:
    """End a check when it is through or a member fails. The kernel does not begin it again."""
    place, begun = f"file /sys/block/{array}/md", f"md/check {array}"
    action = state.get(f"{place}/sync_action", "").strip()
    if action not in ("check", "repair"):
        state.pop(begun, None)
        return
    over = now - float(state.setdefault(begun, f"{now}")) >= float(about["seconds"])
    if over or len(whole(state, array)) < int(about["slots"]):
        state[f"{place}/last_sync_action"] = f"{action}\n"
        del state[f"{place}/sync_action"], state[begun]


def _step_in(state: State, array: str, about: Fields, now: float) -> None:
    """Let a spare take the place of a missing member. None does if too many are missing."""
    found = members(state, array)
    used = {member["slot"] for member in found.values() if member["state"] in ("in_sync", "rebuilding")}
    free = [str(slot) for slot in range(int(about["slots"])) if str(slot) not in used]
    spares = [serial for serial, member in found.items() if member["state"] == "spare"]
    rebuilding = any(member["state"] == "rebuilding" for member in found.values())
    if free and spares and not rebuilding and "ro" not in about and not failed(state, array):
        state[f"md/member {array} {spares[0]}"] = words({"slot": free[0], "state": "rebuilding", "from": f"{now}"})


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """Carry out a command on a member, drive table or timer. None for another command."""
    reply = simulator_schedules.change(argv, state) or simulator_create.change(argv, state)
    if reply is not None:
        return reply
    if "md/clock" in state and argv[:1] in (("sfdisk",), ("wipefs",), ("grub-install",)):
        return _disk_command(argv, state)
    if "md/clock" not in state or argv[:1] != ("mdadm",) or len(argv) < 4 or not argv[1].startswith("/dev/md"):
        return None
    array = argv[1].removeprefix("/dev/")
    fresh, printed, code = dict(state), "", 0
    pairs = list(zip(argv[2::2], argv[3::2], strict=False))
    for option, node in pairs:
        serial = key_of(fresh, node)
        if option == "--with":
            continue
        what = _BY_OPTION.get(option)
        if what is None or serial is None or array not in arrays(fresh):
            return Reply(2, f"mdadm: cannot find {node}: No such file or directory\n", state)
        other = key_of(fresh, dict(pairs).get("--with", "")) or ""
        code, text = what(fresh, array, serial, other)
        printed += f"mdadm: {text}\n"
        fresh = settled(fresh)
        if code:
            break
    return Reply(code, printed, fresh)


_ROW = regex(r"(?m)^/dev/[a-z]+(\d+) : ")


def _disk_command(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """Simulate sfdisk, wipefs or GRUB's installation.

    What sfdisk reads becomes a table, and what wipefs finds is removed.
    """
    words_of = [word for word in argv[1:] if word.startswith("/dev/")]
    if "--dump" in argv or "--no-act" in argv or not words_of:
        return None
    key = key_of(state, words_of[0])
    if key is None:
        return Reply(1, f"{argv[0]}: {words_of[0]}: No such file or directory\n", state)
    serial = key.partition("-")[0]
    drive = fields(state[f"md/drive {serial}"])
    if argv[0] == "grub-install":
        if not drive.get("parts"):
            return Reply(1, "grub-install: error: will not proceed with blocklists.\n", state)
        drive["boot"] = "grub"
    elif argv[0] == "sfdisk":
        drive["parts"] = ",".join(_ROW.findall(argv[-1]))
    elif "-" not in key:
        drive.pop("parts", None)
        drive.pop("sig", None)
        drive.pop("boot", None)
    return Reply(0, "", {**state, f"md/drive {serial}": words(drive)})


def _fail(state: State, array: str, serial: str, other: str) -> tuple[int, str]:  # noqa: ARG001 - of all options
    member = members(state, array).get(serial)
    name = node_of(state, serial)
    if member is None:
        return 1, f"set device faulty failed for {name}:  No such device"
    last = arrays(state)[array]["level"] == "raid1" and [
        one for one, it in members(state, array).items() if it["state"] == "in_sync"
    ] == [serial]
    if last:
        return 2, f"set device faulty failed for {name}:  {BUSY}"
    state[f"md/member {array} {serial}"] = words({"slot": "-", "state": "faulty"})
    if failed(state, array):
        # refused in words, and the array is down nevertheless
        return 2, f"set device faulty failed for {name}:  {BUSY}"
    return 0, f"set {name} faulty in /dev/{array}"


def _remove(state: State, array: str, serial: str, other: str) -> tuple[int, str]:  # noqa: ARG001 - as above
    member = members(state, array).get(serial)
    name = node_of(state, serial)
    if member is None:
        return 1, f"hot remove failed for {name}: No such device or address"
    if member["state"] not in ("faulty", "spare"):
        return 1, f"hot remove failed for {name}: {BUSY}"
    del state[f"md/member {array} {serial}"]
    return 0, f"hot removed {name} from /dev/{array}"


def _add(state: State, array: str, serial: str, other: str) -> tuple[int, str]:  # noqa: ARG001 - as above
    name = node_of(state, serial)
    about = arrays(state)[array]
    if serial in members(state, array):
        return 1, f"Cannot open {name}: {BUSY}"
    drive = fields(state[f"md/drive {serial.partition('-')[0]}"])
    if int(drive["sectors"]) < int(about["sectors"]) + int(about["offset"]):
        return 1, f"{name} not large enough to join array"
    state[f"md/member {array} {serial}"] = words({"slot": "-", "state": "spare"})
    if "-" not in serial:
        drive["sig"] = "linux_raid_member"
        state[f"md/drive {serial}"] = words(drive)
    return 0, f"added {name}"


def _replace(state: State, array: str, serial: str, other: str) -> tuple[int, str]:
    found = members(state, array)
    name = node_of(state, serial)
    if found.get(other, {}).get("state") != "spare" or found.get(serial, {}).get("state") != "in_sync":
        return 1, f"{name} is not a member of /dev/{array}, or there is no spare"
    state[f"md/member {array} {other}"] = words(
        {"slot": found[serial]["slot"], "state": "copying", "from": state["md/clock"]}
    )
    return 0, f"Marked {name} (device {found[serial]['slot']} in /dev/{array}) for replacement"


_BY_OPTION = {"--fail": _fail, "--remove": _remove, "--add": _add, "--add-spare": _add, "--replace": _replace}
