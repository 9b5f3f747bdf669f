"""The part of the simulated machine that makes, stops and lists arrays.

The rest is in :mod:`raidctl_md.simulator`. Pure.

======================  ==============================================================================================
name                    value
======================  ==============================================================================================
``md md127``            besides: ``name=lab:data link=data chunk=65536 policy=bitmap fs=none``
``super LAB1-2``        UUID in the superblock that a stopped array left on a member
``table LAB1``          ``1:2048:200704,…``: number, first sector and sectors of each partition
``held LAB1``           ``yes``: a program holds the drive for itself
``text PATH``           content of a file that was written
``time PATH``           when a file was written: a count that only grows
======================  ==============================================================================================

Answers as mdadm 4.2, wipefs 2.38 and sfdisk 2.38 gave them; exit codes of refusals from the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from raidctl.request import Answer, Read, ReadAnswer, Request, Run, RunAnswer, Which, WhichAnswer
from raidctl.text import regex
from raidctl.vendor.shapes import unlocked
from raidctl.vendor.simulator import Reply, State, fields, words
from raidctl_md.simulated_machine import arrays, drives, key_of, members

BUSY = "Device or resource busy"
_LEVELS = {"1": "raid1", "5": "raid5", "6": "raid6", "0": "raid0"}
# /dev/sda1 : start=1MiB, size=98MiB, type=A19D880F-05FC-4D3B-A006-743F0F84911E
_ROW = regex(r"(?m)^/dev/[a-z]+(\d+) : start=(\d+)MiB, size=(\d+)MiB")
_OFFSET = 2048
Answers = dict[Request[Any], Answer]


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """Carry out a command that makes or removes something. None for another command."""
    argv, _ = unlocked(argv)
    if "md/clock" not in state or not argv:
        return None
    if argv[:2] == ("mdadm", "--create"):
        return _create(argv, dict(state))
    if argv[:2] == ("mdadm", "--stop") and len(argv) == 3:
        return _stop(argv[2].removeprefix("/dev/"), dict(state))
    if argv[:2] == ("mdadm", "--zero-superblock") and len(argv) == 3:
        return _zero(argv[2], dict(state))
    if argv[:2] == ("sfdisk", "--quiet") and _ROW.search(argv[-1]):
        return _table(argv, dict(state))
    if argv[:2] == ("wipefs", "--all") and "--no-act" not in argv:
        return _wipe(argv[-1], dict(state))
    return _files(argv, dict(state))


def _files(argv: tuple[str, ...], state: State) -> Reply | None:
    """Write a file beside another one, and put it in its place. Also write a boot image."""
    if argv[0] == "dd" and argv[1].startswith("of=/etc/") and argv[-2] == "<":
        return Reply(0, "", _written(state, argv[1][3:], argv[-1]))
    if argv[0] == "mv" and f"md/text {argv[-2]}" in state:
        text = state.pop(f"md/text {argv[-2]}")
        return Reply(0, "", _written(state, argv[-1], text))
    if argv == ("update-initramfs", "-u"):
        image = next((name[8:] for name in state if name.startswith("md/time /boot/")), None)
        return Reply(0, "", _written(state, image, "")) if image else Reply(1, "no image\n", state)
    return None


def _written(state: State, path: str, text: str) -> State:
    count = max((int(value) for name, value in state.items() if name.startswith("md/time ")), default=0) + 1
    return {**state, f"md/text {path}": text, f"md/time {path}": str(count)}


def _busy(state: Mapping[str, str], key: str) -> bool:
    """Whether the kernel refuses to open a device for one program alone."""
    serial = key.partition("-")[0]
    mine = [one for array in arrays(state) for one in members(state, array)]
    # a whole drive is busy with any of its partitions
    return (
        key in mine
        or f"md/held {serial}" in state
        or ("-" not in key and any(serial == k.partition("-")[0] for k in mine))
    )


def _create(argv: tuple[str, ...], state: State) -> Reply:
    """``--run``: nothing is asked, whatever is on the drives."""
    given = dict(word.removeprefix("--").split("=", 1) for word in argv if word.startswith("--") and "=" in word)
    nodes = [word for word in argv[3:] if word.startswith("/dev/")]
    keys = [key_of(state, node) for node in nodes]
    slots = int(given["raid-devices"])
    level = _LEVELS.get(given["level"])
    if None in keys or level is None or len(nodes) != slots + int(given.get("spare-devices", "0")):
        return Reply(2, "mdadm: invalid\n", state)
    for key, node in zip(keys, nodes, strict=True):
        if key is not None and _sectors(state, key) is None:
            return Reply(2, f"mdadm: cannot open {node}: No such file or directory\n", state)
        if key is not None and _busy(state, key):
            return Reply(2, f"mdadm: super1.x cannot open {node}: {BUSY}\nmdadm: create aborted\n", state)
    name = next(f"md{number}" for number in range(127, 0, -1) if f"md/md md{number}" not in state)
    found = [key for key in keys if key is not None]
    sectors = min(_sectors(state, key) or 0 for key in found) - _OFFSET
    uuid = hashlib.sha256(f"{argv}{state['md/clock']}".encode()).hexdigest()[:32]
    bitmap = "bitmap" if given.get("bitmap") == "internal" else given.get("consistency-policy", "resync")
    chunk = int(given.get("chunk", "512K")[:-1]) * 1024
    state[f"md/md {name}"] = words({
        "level": level, "slots": str(slots), "sectors": str(sectors), "offset": str(_OFFSET), "seconds": "200",
        "uuid": ":".join(uuid[at : at + 8] for at in range(0, 32, 8)), "name": f"{given['homehost']}:{given['name']}",
        "link": given["name"], "chunk": str(chunk), "policy": bitmap, "fs": "none",
    })  # fmt: skip
    for slot, key in enumerate(found):
        about = {"slot": str(slot), "state": "in_sync"} if slot < slots else {"slot": "-", "state": "spare"}
        state[f"md/member {name} {key}"] = words(about)
        state.pop(f"md/super {key}", None)
    return Reply(0, f"mdadm: array /dev/md/{given['name']} started.\n", state)


def _sectors(state: Mapping[str, str], key: str) -> int | None:
    """The size of a drive or a partition; None if the drive has no such partition."""
    serial, _, part = key.partition("-")
    if part:
        return geometry(state, serial).get(part, (0, None))[1]
    return int(fields(state[f"md/drive {serial}"])["sectors"])


def geometry(state: Mapping[str, str], serial: str) -> dict[str, tuple[int, int]]:
    """The first sector and sector count of each partition of a drive."""
    rows = [row.split(":") for row in state.get(f"md/table {serial}", "").split(",") if row]
    return {number: (int(start), int(size)) for number, start, size in rows}


def _stop(array: str, state: State) -> Reply:
    array = next((name for name, about in arrays(state).items() if array in (name, f"md/{about.get('link')}")), array)
    if f"md/md {array}" not in state:
        return Reply(1, f"mdadm: error opening /dev/{array}: No such file or directory\n", state)
    if f"md/held {array}" in state:
        why = "Perhaps a running process, mounted filesystem or active volume group?"
        return Reply(1, f"mdadm: Cannot get exclusive access to /dev/{array}:{why}\n", state)
    uuid = fields(state.pop(f"md/md {array}"))["uuid"]
    for key in members(state, array):
        del state[f"md/member {array} {key}"]
        state[f"md/super {key}"] = uuid
        if "-" not in key:
            drive = fields(state[f"md/drive {key}"])
            state[f"md/drive {key}"] = words({**drive, "sig": "linux_raid_member"})
    return Reply(0, f"mdadm: stopped /dev/{array}\n", state)


def _zero(node: str, state: State) -> Reply:
    key = key_of(state, node)
    if key is None or _busy(state, key):
        return Reply(2, f"mdadm: Couldn't open {node} for write - not zeroing\n", state)
    state.pop(f"md/super {key}", None)
    if "-" not in key:
        drive = fields(state[f"md/drive {key}"])
        state[f"md/drive {key}"] = words({name: value for name, value in drive.items() if name != "sig"})
    return Reply(0, "", state)


def _table(argv: tuple[str, ...], state: State) -> Reply:
    serial = key_of(state, argv[2])
    if serial is None or _busy(state, serial):
        return Reply(1, f"sfdisk: {argv[2]}: {BUSY}\n", state)
    rows = [(number, int(start) * 2048, int(size) * 2048) for number, start, size in _ROW.findall(argv[-1])]
    drive = fields(state[f"md/drive {serial}"])
    state[f"md/drive {serial}"] = words({**drive, "parts": ",".join(number for number, _, _ in rows)})
    state[f"md/table {serial}"] = ",".join(f"{number}:{start}:{size}" for number, start, size in rows)
    return Reply(0, "", state)


def _wipe(node: str, state: State) -> Reply:
    key = key_of(state, node)
    if key is None or _busy(state, key):
        return Reply(1, f"wipefs: error: {node}: probing initialization failed: {BUSY}\n", state)
    serial, _, part = key.partition("-")
    state.pop(f"md/super {key}", None)
    if not part:
        kept = {name: value for name, value in fields(state[f"md/drive {serial}"]).items()
                if name not in ("sig", "parts", "boot")}  # fmt: skip
        state[f"md/drive {serial}"] = words(kept)
        state.pop(f"md/table {serial}", None)
        state = {name: value for name, value in state.items() if not name.startswith(f"md/super {serial}-")}
    return Reply(0, "", state)


def generated(state: Mapping[str, str]) -> Answers:
    """Return what is shown of this part.

    The outputs show geometry, superblocks, files, and whether a device can be opened alone.
    """
    if "md/clock" not in state:
        return {}
    found: Answers = {}
    for tool in ("flock", "wipefs", "sfdisk"):
        found[Which(tool)] = WhichAnswer(path=f"/usr/sbin/{tool}")
    for serial, drive in drives(state).items():
        table = geometry(state, serial)
        for part, (start, size) in table.items():
            place = f"/sys/class/block/{drive['node']}{part}"
            found[Read(f"{place}/start")] = _text(str(start))
            found[Read(f"{place}/size")] = _text(str(size))
        for part in ("", *(fields(state[f"md/drive {serial}"]).get("parts", "").split(","))):
            key, node = f"{serial}-{part}" if part else serial, f"/dev/{drive['node']}{part}"
            busy = _busy(state, key)
            error = f"wipefs: error: {node}: probing initialization failed: {BUSY}\n".encode() if busy else b""
            found[Run(("wipefs", "--all", "--no-act", node))] = RunAnswer(code=int(busy), err=error)
            uuid = state.get(f"md/super {key}", "")
            out = f"MD_LEVEL=raid1\nMD_UUID={uuid}\n".encode() if uuid else b""
            found[Run(("mdadm", "--examine", "--export", node))] = RunAnswer(code=0 if uuid else 1, out=out)
    return found | _of_arrays(state) | _of_files(state)


def _of_arrays(state: Mapping[str, str]) -> Answers:
    """An array without a file system has no signature."""
    found: Answers = {}
    for array, about in arrays(state).items():
        held = f"md/held {array}" in state
        row = f'{{"device": "{array}", "offset": "0x438", "type": "{about.get("fs", "ext4")}"}}'
        out = "" if about.get("fs") == "none" else f'{{"signatures": [{row}]}}'
        found[Run(("wipefs", "--no-act", "--json", f"/dev/{array}"))] = RunAnswer(code=0, out=out.encode())
        found[Run(("wipefs", "--all", "--no-act", f"/dev/{array}"))] = RunAnswer(code=int(held))
    return found


def _of_files(state: Mapping[str, str]) -> Answers:
    """Files that were written, and when."""
    found: Answers = {}
    for name, value in state.items():
        if name.startswith("md/text "):
            found[Read(name[8:])] = ReadAnswer(data=value.encode())
            found[Run(("cat", name[8:]))] = RunAnswer(code=0, out=value.encode())
        if name.startswith("md/time "):
            found[Run(("stat", "--format=%Y", name[8:]))] = RunAnswer(code=0, out=f"{value}\n".encode())
        if name.startswith("md/time /boot/"):
            found[Which("update-initramfs")] = WhichAnswer(path="/usr/sbin/update-initramfs")
    return found


def _text(text: str) -> ReadAnswer:
    return ReadAnswer(data=f"{text}\n".encode())
