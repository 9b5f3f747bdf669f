"""Separate real changes from differences that a failure to read explains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from raidctl.drift.report import Change, Unread
from raidctl.model import UNREAD_KINDS, Controller, Inventory, Problem, unread_problems
from raidctl.model.problem import hides, is_command_for, program_of
from raidctl.select import family_of, items
from raidctl.text import regex

_UNKNOWN: tuple[Any, ...] = (None, "unknown", [], {}, "none")
_IN_ITS_WORDS = frozenset({"status_text", "details"})
"""Fields in the words of the tool; another tool has other words."""
_LISTS = frozenset({"drives", "spares"})
"""Fields with the members of an array. A shorter list is a loss."""
_ELSEWHERE = regex(r"/proc/(?!driver/)|([a-z]+):(?!/)", re.ASCII)
"""Places of problems that a tool does not depend on: files of the kernel, and the ids of another family."""
_BAD = frozenset(
    {"status", "errors", "replace", "foreign", "foreign_groups", "available_spare_percent", "life_used_percent"}
)
"""Fields whose warnings are about a state. Other warnings are about a setting or a difference."""
Split = tuple[tuple[Change, ...], tuple[Unread, ...]]


def separate_unread(changes: Sequence[Change], before: Inventory, after: Inventory) -> Split:
    """The real changes, and what could not be read. The latter comes with the differences that it may explain."""
    earlier, later = unread_problems(before.problems), unread_problems(after.problems)
    common = {_key(one) for one in earlier} & {_key(one) for one in later}
    left = [change for change in changes if not _is_unread_problem(change)]
    found: list[Unread] = []
    controllers = _Controllers(before, after, changes)
    for side, problems in (("after", later), ("before", earlier)):
        for problem in sorted(problems, key=controllers.specific, reverse=True):
            if _key(problem) in common:
                if side == "after":
                    found.append(_as_unread("both", problem, ()))
                continue
            hidden = [one for one in left if _hides(problem, one, side, controllers)]
            left = [one for one in left if one not in hidden]
            found.append(_as_unread(side, problem, hidden))
    return tuple(left), tuple(found)


def problems_hiding(lost: Sequence[Change], before: Inventory, after: Inventory) -> list[list[tuple[Problem, bool]]]:
    """For each lost object, the problems of the later inventory that may hide it.

    Each comes with whether it names an object, controller, tool or family that is known here. One that names none, such
    as a board without a tool, hides nothing that was seen in the same reading.
    """
    problems = unread_problems(after.problems)
    controllers = _Controllers(before, after, ())
    return [
        [(one, controllers.names(one)) for one in problems if _hides(one, change, "after", controllers)]
        for change in lost
    ]


def _key(problem: Problem) -> tuple[str, str]:
    return problem.kind, problem.where


def _as_unread(side: str, problem: Problem, hidden: Iterable[Change]) -> Unread:
    return Unread(
        side=side,  # type: ignore[arg-type]  # one of the three words that are written above
        kind=problem.kind, where=problem.where, message=problem.message, hidden=tuple(hidden),
    )  # fmt: skip


def _is_unread_problem(change: Change) -> bool:
    """Whether a change is a problem of this kind, reported separately."""
    if change.object == "problem" and change.field == "kind":  # the tool failed in another way
        return {change.old, change.new} <= set(UNREAD_KINDS)
    if change.object != "problem" or change.field:
        return False
    problem = change.new or change.old or {}
    return problem.get("kind") in UNREAD_KINDS


def _hides(problem: Problem, change: Change, side: str, controllers: _Controllers) -> bool:
    """Whether the problem of one snapshot may explain a change. It never explains what is known to be bad now."""
    if side == "before" and _is_alarm(change):
        return False
    lost, came = (change.new, change.old) if side == "after" else (change.old, change.new)
    gone = change.kind == ("removed" if side == "after" else "added")
    absent = gone or (change.field is not None and lost in _UNKNOWN and came not in _UNKNOWN)
    if change.object == "tool":
        return absent or change.field is None  # a tool that failed may have been replaced by another one
    if change.object == "problem":
        return gone and controllers.touches(problem, change)
    loss = gone or change.field in _LISTS
    if loss and (not hides(problem) or controllers.elsewhere(problem, change, side)):
        return False  # also a missing tool that only adds details of drives
    in_words = (change.field or "").split("[")[0].rpartition(".")[2] in _IN_ITS_WORDS
    other_reader = change.controller in controllers.strange and not _is_alarm(change)
    return (absent or in_words or other_reader) and controllers.touches(problem, change)


def _is_alarm(change: Change) -> bool:
    """Whether something is now known to be bad, whichever tool reports it. An example is a degraded volume."""
    if change.kind == "removed" or change.new in _UNKNOWN:
        return False
    fields = set(re.split(r"[.\[]", change.field or ""))
    bad = change.kind == "added" or (change.kind == "changed" and not _BAD.isdisjoint(fields))
    return change.severity == "critical" or (change.severity == "warning" and bad)


class _Controllers:
    """The controllers of both snapshots, and the tools that reported them."""

    def __init__(self, before: Inventory, after: Inventory, changes: Sequence[Change]) -> None:
        self.controllers = [*before.controllers, *after.controllers]
        self.sides = {"before": before.controllers, "after": after.controllers}
        self.ids = {item.id for controller in self.controllers for item in items(controller)}
        self.drives = {drive.id for controller in self.controllers for drive in controller.drives}
        self.programs = {controller.told_by for controller in self.controllers if controller.told_by}
        self.families = {family_of(controller) for controller in self.controllers}
        others = [change for change in changes if _is_another_reader(change)]
        self.strange = {change.controller for change in others} | {one.old for one in others if one.field == "id"}
        """Controllers that another tool, or only the kernel, reports. Sizes, ids and words then differ."""

    def specific(self, problem: Problem) -> bool:
        """Whether a problem names an object or controller."""
        where = problem.where
        return (
            where in self.ids
            or where.startswith("/dev/")
            or any(where == controller.pci_address for controller in self.controllers)
        )

    def names(self, problem: Problem) -> bool:
        """Whether a problem names an object, a controller, a tool or a family of these."""
        where = problem.where
        known = self.programs | self.families
        return self.specific(problem) or bool({where, program_of(where)} & known) or " /dev/" in where

    def elsewhere(self, problem: Problem, change: Change, side: str) -> bool:
        """Whether a problem is about other objects, while the tool of this object replied and lists all it has."""
        own = [controller for controller in self.controllers if _is_on(change, controller)]
        found = _ELSEWHERE.match(problem.where)
        if not found or any(family_of(controller) == found[1] for controller in own):
            return False
        return any(
            one.told_by and one.told_by == other.told_by
            and (one.id == other.id or (one.pci_address and one.pci_address == other.pci_address))
            for one in self.sides[side] for other in own
        )  # fmt: skip

    def touches(self, problem: Problem, change: Change) -> bool:
        """Whether a problem affects the object. It then names the object, its device, its controller, or the tool."""
        where = problem.where
        if change.object == "host":
            return where.startswith("/proc/")  # the files with the host's name and kernel
        own = [controller for controller in self.controllers if _is_on(change, controller)]
        named = [controller for controller in self.controllers if where in (controller.id, controller.pci_address)]
        if named:
            same = {controller.id for controller in named} | {
                controller.pci_address for controller in named if controller.pci_address
            }
            return (
                any(controller.id in same or controller.pci_address in same for controller in own) or change.id in same
            )
        if where in self.ids:
            return change.id == where
        on_device = set(self._on_device(where)) if where.startswith("/dev/") else set()
        if on_device:
            return change.id in on_device
        if not own:
            return True
        if program_of(where) in self.programs:
            return any(self._is_command_for(where, controller) for controller in own)
        devices = [word for word in where.split() if word.startswith("/dev/")]
        on_devices = {each for device in devices for each in self._on_device(device)}
        if devices and change.field is None and change.object != "problem":
            # "hdparm -I /dev/sda" lists nothing else, "mdadm --detail /dev/md0" also the members
            members = change.object == "drive" and not on_devices <= self.drives
            return members or change.id in on_devices
        if where not in self.families:
            return hides(problem) or not any(controller.told_by for controller in own)
        # members of software arrays have facts from their drives
        software = change.object == "drive" and any(controller.mode == "software" for controller in own)
        return software or any(family_of(controller) == where for controller in own)

    def _is_command_for(self, where: str, controller: Controller) -> bool:
        same_tool = (one.id for one in self.controllers if one.told_by == controller.told_by)
        return is_command_for(where, controller.told_by, controller.id, same_tool)

    def _on_device(self, device: str) -> Iterator[str]:
        """The ids of objects on this device or one of its partitions."""
        form = re.compile(rf"{re.escape(device)}(p?\d+)?", re.ASCII)
        for controller in self.controllers:
            yield from (drive.id for drive in controller.drives if drive.device and form.fullmatch(drive.device))
            yield from (volume.id for volume in controller.volumes if volume.device and form.fullmatch(volume.device))


def _is_another_reader(change: Change) -> bool:
    if change.object != "controller":
        return False
    if change.field == "told_by":
        return True
    return change.field == "id" and str(change.old).partition(":")[0] != str(change.new).partition(":")[0]


def _is_on(change: Change, controller: Controller) -> bool:
    """Whether a change is on this controller; includes problems of its objects."""
    if change.object == "problem":
        return change.id == controller.pci_address or any(change.id == item.id for item in items(controller))
    return change.controller == controller.id
