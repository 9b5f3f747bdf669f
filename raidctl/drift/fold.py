"""Reduce consequences of one event to one change.

The event is a moved or replaced drive, or a learning battery. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from raidctl.drift.canonical import Doc
from raidctl.drift.match import Pair, identity
from raidctl.drift.report import Change
from raidctl.health.severity import WEIGHT
from raidctl.text import regex

_OF_THE_PLACE = ("device", "details", "layers", "mounts", "block")
"""Fields of a drive that change with its place."""

_LEARNING = regex(
    r"\bis learning\b|\bin (?:a|its) learn|\blearn(?:ing)? ?(?:cycle )?(?:is )?(?:active|in progress|running)\b",
    re.IGNORECASE,
)
"""Messages about a running learn cycle. Any other message about one, such as its failure, is as severe as it is."""


def folded(changes: Sequence[Change], pairs: Sequence[Pair]) -> Iterator[Change]:
    """The changes without the consequences of others.

    A replaced drive is one change, as severe as the worst of its differences, and of those of its members of software
    arrays; problems of the old drive are removed with it. For a moved drive, fields that change with its place are left
    out. A member of a software array follows the drive below it. A running learn cycle is information, a failed one is
    not.
    """
    drives = {new.id: new.data for _, new in pairs if new.kind == "drive"}
    physical = {identity(one["serial"]): name for name, one in drives.items() if one["serial"] and not one["array"]}
    learning = {
        new.controller for _, new in pairs
        if new.kind == "battery" and new.data["status"] == "learning"
    }  # fmt: skip
    mine = [change for change in changes if change.object == "drive" and change.kind != "removed"]
    replaced = {change.id: [one for one in mine if one.id == change.id] for change in mine if change.kind == "replaced"}
    moved: dict[str, tuple[str, ...]] = {change.id: _OF_THE_PLACE[1:] for change in mine if change.field == "device"}
    moved |= {change.id: _OF_THE_PLACE for change in mine if change.kind == "moved"}

    def devices_below(drive: Doc) -> Sequence[str | None]:
        return drive["backing"] or [physical.get(identity(drive["serial"]))]

    for change in changes:
        drive = drives.get(change.id) if change.object == "drive" else None
        field = (change.field or "").partition(".")[0].partition("[")[0]
        below = [] if drive is None else devices_below(drive)
        if any(name != change.id and (name in replaced or name in moved) for name in below) and (
            change.id in replaced or change.kind == "moved" or field in _OF_THE_PLACE
        ):
            continue
        if (change.object, change.kind) == ("problem", "removed") and change.id in replaced:
            continue
        if change.id in replaced and drive is not None:
            if change.kind == "replaced":
                above = [name for name in replaced if name != change.id and change.id in devices_below(drives[name])]
                yield _one(change, replaced[change.id], [one for name in above for one in replaced[name]])
        elif drive is None or field not in moved.get(change.id, ()):
            yield _as_info(change) if change.severity == "warning" and _by_learning(change, learning) else change


def _one(change: Change, same: Sequence[Change], above: Sequence[Change]) -> Change:
    """The change that represents a replaced drive. ``above``: those of its members of software arrays."""
    worst = min((one.severity for one in (*same, *above)), key=WEIGHT.__getitem__)
    state = "".join(f" Its status is {one.new}." for one in same if one.field == "status" and one.new != "ok")
    state += "".join(f" {one.id} on it is {one.new}." for one in above if one.field == "status" and one.new != "ok")
    return msgspec.structs.replace(change, severity=worst, message=change.message + state)


def _by_learning(change: Change, learning: set[str]) -> bool:
    """Whether a change is due to the learn cycle of a battery. Its controller writes through until that ends."""
    if change.object == "problem":
        mine = any(change.id == name or change.id.startswith(f"{name}/") for name in learning)
        return mine and bool(_LEARNING.search(change.message))
    fallen = (change.object, change.field, change.new) == ("volume", "cache.write_active", "write_through")
    return change.controller in learning and (fallen or (change.object, change.field) == ("controller", "cache.status"))


def _as_info(change: Change) -> Change:
    return msgspec.structs.replace(change, severity="info")
