"""smartctl's JSON output (``--json``, ``-j``) of one drive, or of a scan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raidctl.evidence import Line, Output, mark_read
from raidctl_drives.draft import DeviceComplaint
from raidctl_drives.smart import json_labels, messages, scan
from raidctl_drives.smart.draft import SmartDraft
from raidctl_drives.smart.json_drive import read_drive
from raidctl_drives.smart.json_tree import BEGINNING, Leaves, Tree, closed_json, parse, words


def read_json(command: str, text: str, key: str) -> tuple[list[SmartDraft], Output]:
    """Read a JSON output of smartctl, or several in one text.

    A truncated text is read as far as it goes, and is a problem.
    """
    broken: str | None = None
    try:
        values = parse(text)
    except ValueError as error:
        broken = str(error)
        start = text.lstrip(BEGINNING)
        values = _rest(start[: getattr(error, "pos", len(start))])
    flat = [tree for value in values for tree in (value if isinstance(value, list) else [value])]
    trees = [tree for tree in flat if isinstance(tree, dict)]
    if not trees:
        return [_broken(key, broken or "it holds no object")], Output.of_text(command, text)
    output = Output.of_json(command, trees[0] if len(trees) == 1 else trees)
    drafts: list[SmartDraft] = []
    for leaves in _leaves(output, trees):
        if isinstance(leaves.tree.get("devices"), list):
            drafts += _scan(leaves, key, len(drafts))
        else:
            draft = SmartDraft(_key(key, len(drafts)))
            read_drive(draft, leaves)
            drafts.append(draft)
    if broken and drafts:
        drafts[-1].report(_sentence(broken), kind="unread", severity="error", remedy=_REMEDY)
    return [draft.finish() for draft in drafts], output


_REMEDY = "Collect the output again; it is incomplete or was altered."


def _sentence(why: str) -> str:
    return f"The JSON output of smartctl is incomplete: {why}."


def _rest(text: str) -> list[Any]:
    whole = closed_json(text)
    try:
        return parse(whole) if whole else []
    except ValueError:
        return []


def _broken(key: str, why: str) -> SmartDraft:
    draft = SmartDraft(key)
    draft.complain(DeviceComplaint("error", "unread", _sentence(why), _REMEDY, key))
    return draft


def _key(key: str, before: int) -> str:
    return key if before == 0 else f"{key}#{before + 1}"


def _leaves(output: Output, trees: Sequence[Tree]) -> list[Leaves]:
    """The trees, each with its lines of the output."""
    groups: list[dict[str, Line]] = [{} for _ in trees]
    for line in output.lines:
        path = line.text.split(": ", 1)[0]
        if len(trees) == 1:
            groups[0][path] = line
        else:
            index, _, rest = path.removeprefix("[").partition("]")
            groups[int(index)][rest.removeprefix(".")] = line
    return [Leaves(tree, lines) for tree, lines in zip(trees, groups, strict=True)]


def _scan(leaves: Leaves, key: str, before: int) -> list[SmartDraft]:
    """``smartctl --scan --json``: a drive for each entry of ``devices``."""
    drafts: list[SmartDraft] = []
    for index, device in enumerate(leaves.tree["devices"]):
        if not isinstance(device, dict):
            continue
        draft = SmartDraft(_key(key, before + len(drafts)))
        draft.scanned = True
        node = leaves.line(f"devices[{index}].name")
        if node:
            draft.found_at(node, words(device.get("name")))
        draft.kind = words(device.get("type"))
        kind, name, protocol = (str(device.get(part) or "") for part in ("type", "info_name", "protocol"))
        interface = scan.interface_of(kind, name, protocol)
        line = leaves.line(f"devices[{index}].type")
        if line:
            draft.detail(line, "type", kind)
            if interface:
                draft.offer(line, "interface", interface)
        trouble = words(device.get("open_error"))
        if trouble and not messages.read(draft, trouble):
            draft.report(f"smartctl could not open the drive: {trouble}.", kind="unread")
        drafts.append(draft)
    for path, line in leaves.items():
        if (json_labels.NOTED.fullmatch(path) or path.startswith("devices[")) and not line.used:
            mark_read(line)
    return drafts
