"""From outputs of zpool to the model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from raidctl.evidence import Output, mark_read
from raidctl.host import HostView
from raidctl.model import Array, Controller, Drive, Errors, Problem, Scrub, Tool, Volume, VolumeStatus
from raidctl.text import printable, regex
from raidctl.vendor.draft import unreadable
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.software import array_id, json_value
from raidctl_zfs.capability import FAMILY, SUPPORT
from raidctl_zfs.draft import ControllerDraft
from raidctl_zfs.get_text import ERROR, read_sync
from raidctl_zfs.infer import infer
from raidctl_zfs.list_text import read_list
from raidctl_zfs.status_json import read_json
from raidctl_zfs.status_text import read_status

_KERNEL = regex(r"(?:[hsv]d[a-z]{1,3}|xvd[a-z]{1,3})\d{0,3}|(?:nvme\d+n|mmcblk|md|loop)\d+(?:p\d+)?|dm-\d+", re.ASCII)
_BUSY: dict[str, VolumeStatus] = {"check": "checking", "expand": "expanding", "migrate": "migrating"}
"""Status of a pool without faults, by its work in progress."""
_REMEDY = "Give the output of `zpool status` as printed: without headings (`-H`), it cannot be read."


def read(
    documents: Sequence[Document],
    host: HostView | None = None,
    problems: Iterable[Problem] = (),
    tools: Sequence[Tool] = (),
) -> Observation:
    """Read outputs, and combine those of one pool. Never raises for their contents."""
    controller, outputs, found = ControllerDraft(), list[Output](), list(problems)
    for document in documents:
        output, known = _read(document, controller, found)
        outputs.append(output)
        found += unreadable(output, _REMEDY, known=known)
    infer(controller)
    made = []
    if controller.volumes:
        made = [_controller(controller, host or HostView())]
        found += controller.problems(FAMILY)
        controller.write_evidence(FAMILY)
    return Observation(tuple(made), tuple(dict.fromkeys(found)), tuple(tools), tuple(outputs))


def _read(document: Document, controller: ControllerDraft, found: list[Problem]) -> tuple[Output, bool]:
    text = document.text.strip()
    if not text.startswith("{"):
        output = Output.of_text(document.name, document.text)
        known = [read(output, controller) for read in (read_list, read_status, read_sync)]
        return output, any([*known, _read_errors(output, found)])
    value, rest = json_value(document, text, found)
    if not isinstance(value, Mapping):
        return Output(document.name), value is None
    output = Output.of_json(document.name, value)
    read_json(output, value, controller)
    for number, line in enumerate(rest.strip().splitlines(), 1):
        output.add(line, number)
    return output, "pools" in value


def _read_errors(output: Output, found: list[Problem]) -> bool:
    """Report the tool's errors about what it does not list. False if there is none."""
    # cannot open 'tank': pool I/O is currently suspended
    lines = [line for line in output.lines if ERROR.match(line.stripped)]
    for line in lines:
        mark_read(line)
        message = f"The tool reports: {printable(line.stripped)[:200]}"
        found.append(Problem("warning", output.command, message, "Look at the pool: `zpool status -v`.", "unread"))
    return bool(lines)


def _controller(draft: ControllerDraft, host: HostView) -> Controller:
    nodes = {name.rpartition("/")[2]: block.node for block in host.blocks
             for name in (*block.links, block.node)}  # fmt: skip
    first = next(iter(draft.volumes.values()))
    for line, _, _ in first.evidence[:1]:
        draft.put(line, "model", "OpenZFS")
    drives = tuple(_drive(draft, name, nodes) for name in draft.drives)
    points = {block.node: block.mountpoints for block in host.blocks if block.filesystem == "zfs_member"}
    return Controller(
        id=FAMILY,
        model="OpenZFS",
        mode="software",
        told_by="zpool",
        volumes=tuple(_volume(draft, name, _mounted(array_id(FAMILY, name), drives, points)) for name in draft.volumes),
        arrays=tuple(_array(draft, name) for name in draft.arrays),
        drives=drives,
        capabilities=SUPPORT,
    )


def _mounted(array: str, drives: Iterable[Drive], points: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return where a pool is mounted. The kernel's view lists it on each of its devices."""
    found = [point for one in drives if one.array == array for point in points.get(one.device or "", ())]
    return tuple(dict.fromkeys(found))


def _volume(draft: ControllerDraft, name: str, points: tuple[str, ...]) -> Volume:
    pool, array = draft.volume(name), draft.array(name)
    status, progress = pool.get("status") or "unknown", pool.get("progress")
    if progress is not None and status in ("ok", "degraded"):
        if progress.operation == "rebuild":
            status = "rebuilding"
        elif status == "ok":
            status = _BUSY[progress.operation]
        pool.restate("status", status, ("progress.operation",))
    if pool.get("raid_level") in ("raid0", "raid1", "raid10") and array.get("size_bytes"):
        pool.restate("size_bytes", pool.get("size_bytes") or array.get("size_bytes"), ("size_bytes",))
    known: dict[str, Any] = {"status": status, "consistency_check": pool.part("consistency_check", Scrub)}
    disabled = tuple(dict.fromkeys(pool.sync_disabled))
    known["sync_disabled"] = disabled if disabled or pool.sync_read else None  # one is known although a row was unread
    return pool.build(Volume, id=f"{FAMILY}:{name}", array=array_id(FAMILY, name), mountpoints=points, **known)


def _array(draft: ControllerDraft, name: str) -> Array:
    array = draft.array(name)
    return array.build(
        Array,
        id=array_id(FAMILY, name),
        drives=tuple(f"{FAMILY}:{key}" for key in array.members),
        spares=tuple(f"{FAMILY}:{key}" for key in array.spares),
    )


def _drive(draft: ControllerDraft, name: str, nodes: Mapping[str, str]) -> Drive:
    drive = draft.drive(name)
    printed = drive.details["name"]
    device = nodes.get(printed.rpartition("/")[2]) or _node(printed)
    array = array_id(FAMILY, name.partition("/")[0])
    spare = drive.get("role") == "spare"
    errors = drive.part("errors", Errors) or Errors()
    return drive.build(
        Drive, id=f"{FAMILY}:{name}", array=array, device=device, errors=errors, spare_for=(array,) if spare else ()
    )


def _node(printed: str) -> str | None:
    """The device of a name, away from its machine. A missing device has a number instead of a name."""
    if printed.startswith("/dev/") and not printed.rpartition("/")[2].isdecimal():
        return printed
    return f"/dev/{printed}" if _KERNEL.fullmatch(printed) else None
