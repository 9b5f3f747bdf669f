"""What was not read is no loss: changes that a failure to read explains are told from real ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from raidctl.drift.report import Change, Unread
from raidctl.model import HIDING, Controller, Inventory, Problem
from raidctl.select import items

_UNTOLD: tuple[Any, ...] = (None, "unknown", [], {}, "none")
_IN_ITS_WORDS = frozenset({"status_text", "details"})
"""Fields in the words of who was asked; who is asked instead has others."""
Split = tuple[tuple[Change, ...], tuple[Unread, ...]]


def sorted_out(changes: Sequence[Change], before: Inventory, after: Inventory) -> Split:
    """The changes that are left, and what could not be read with what it hides."""
    earlier, later = _unread(before), _unread(after)
    common = {_key(one) for one in earlier} & {_key(one) for one in later}
    left = [change for change in changes if not _is_told_as_unread(change)]
    found: list[Unread] = []
    there = _Ground(before, after, changes)
    for side, problems in (("after", later), ("before", earlier)):
        for problem in sorted(problems, key=there.specific, reverse=True):
            if _key(problem) in common:
                if side == "after":
                    found.append(_as_unread("both", problem, ()))
                continue
            hidden = [one for one in left if _hides(problem, one, side, there)]
            left = [one for one in left if one not in hidden]
            found.append(_as_unread(side, problem, hidden))
    return tuple(left), tuple(found)


def _unread(state: Inventory) -> list[Problem]:
    return [problem for problem in state.problems if problem.kind in HIDING]


def _key(problem: Problem) -> tuple[str, str]:
    return problem.kind, problem.where


def _as_unread(side: str, problem: Problem, hidden: Iterable[Change]) -> Unread:
    return Unread(
        side=side,  # type: ignore[arg-type]  # one of the three words that are written above
        kind=problem.kind, where=problem.where, message=problem.message, hidden=tuple(hidden),
    )  # fmt: skip


def _is_told_as_unread(change: Change) -> bool:
    """A problem of this kind that came, went or says something else is told as what it is, not as a change."""
    if change.object != "problem" or change.field:
        return False
    told = change.new or change.old or {}
    return told.get("kind") in HIDING


def _hides(problem: Problem, change: Change, side: str, there: _Ground) -> bool:
    """Whether a change may come from the problem of one state alone."""
    lost, came = (change.new, change.old) if side == "after" else (change.old, change.new)
    gone = change.kind == ("removed" if side == "after" else "added")
    untold = gone or (change.field is not None and lost in _UNTOLD and came not in _UNTOLD)
    if change.object == "tool":
        return untold or change.field is None  # another program may have been asked in the place of one that failed
    if change.object == "problem":
        return gone and there.touches(problem, change)
    in_words = (change.field or "").split("[")[0].rpartition(".")[2] in _IN_ITS_WORDS
    other_reader = change.controller in there.strange
    return (untold or in_words or other_reader) and there.touches(problem, change)


class _Ground:
    """The cards of both states, and who told of them."""

    def __init__(self, before: Inventory, after: Inventory, changes: Sequence[Change]) -> None:
        self.cards = [*before.controllers, *after.controllers]
        self.ids = {item.id for card in self.cards for item in items(card)}
        self.programs = {card.told_by for card in self.cards if card.told_by}
        self.families = {card.id.partition(":")[0] for card in self.cards}
        others = [change for change in changes if _is_another_reader(change)]
        self.strange = {change.controller for change in others} | {one.old for one in others if one.field == "id"}
        """Cards that another program, or only the kernel, told of: sizes, ids and words are its own then."""

    def specific(self, problem: Problem) -> bool:
        """Whether a problem names an object or a card."""
        where = problem.where
        return where in self.ids or where.startswith("/dev/") or any(where == card.pci_address for card in self.cards)

    def touches(self, problem: Problem, change: Change) -> bool:
        """Whether a problem is about the object: it names it, its device, its card, or who told of that."""
        where = problem.where
        if change.object == "host":
            return False
        own = [card for card in self.cards if _is_on(change, card)]
        named = [card for card in self.cards if where in (card.id, card.pci_address)]
        if named:
            same = {card.id for card in named} | {card.pci_address for card in named if card.pci_address}
            return any(card.id in same or card.pci_address in same for card in own) or change.id in same
        if where in self.ids:
            return change.id == where
        on_device = set(self._on_device(where)) if where.startswith("/dev/") else set()
        if on_device:
            return change.id in on_device
        if not own:
            return True
        program = where.split(" ", 1)[0].rpartition("/")[2]
        if program in self.programs:
            return any(card.told_by == program for card in own)
        if where not in self.families or change.object == "drive":
            return True  # members of software arrays have facts from their disks
        return any(card.id.partition(":")[0] == where for card in own)

    def _on_device(self, device: str) -> Iterator[str]:
        """The ids of what is this device, or a partition of it."""
        form = re.compile(rf"{re.escape(device)}(p?\d+)?", re.ASCII)
        for card in self.cards:
            yield from (drive.id for drive in card.drives if drive.device and form.fullmatch(drive.device))
            yield from (volume.id for volume in card.volumes if volume.device and form.fullmatch(volume.device))


def _is_another_reader(change: Change) -> bool:
    if change.object != "controller":
        return False
    if change.field == "told_by":
        return True
    return change.field == "id" and str(change.old).partition(":")[0] != str(change.new).partition(":")[0]


def _is_on(change: Change, card: Controller) -> bool:
    """Whether a change is on this card, a problem of something on it included."""
    if change.object == "problem":
        return change.id == card.pci_address or any(change.id == item.id for item in items(card))
    return change.controller == card.id
