"""Undo the begun steps of a change of settings, the last one first.

Nothing is run while a number belongs to another volume: a command would change that one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from raidctl.change import deed_steps
from raidctl.change.deed_steps import Running
from raidctl.change.lookup import current_settings, wrong_values
from raidctl.change.rollback import other_volumes
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.vendor.plan import Step, ToolSetting

READ_DELAYS = (0.0, 1.0, 3.0)
"""Seconds before each reading after a change. Some firmware takes a moment to activate it."""


class Undoing(Running, Protocol):
    """The part of a running change of settings that is used to undo it."""

    accepted: set[int]
    uncertain: bool
    undone_any: bool
    silent_drives: list[str]

    @property
    def show(self) -> Callable[[str], None]:
        """Prints a line."""

    def undo(self, step: Step) -> str | None:
        """Undo a step; return the fault, None if it was accepted."""

    def has_silent_drive(self, seen: Survey, ids: set[str]) -> bool:
        """Whether one of these drives did not respond."""


def undo_settings(change: Undoing) -> list[str]:
    """Undo the begun steps, and late effects of them. Return what still differs."""
    # a drive that did not respond would not now: undo everything without reading first
    seen = None if change.silent_drives else change.look()
    if seen is not None and (moved := _renumbered(change, seen)):
        return moved
    current = current_settings(seen.inventory, change.vendors) if seen is not None else {}
    unknown: list[str] = []
    for number in reversed(change.begun):
        step = change.begin.steps[number]
        # an accepted step that still reads as before may be about to take effect
        if number in change.accepted or current.get((step.object_id, step.setting)) != step.before:
            fault = _undo_step(change, number)
            # a step that was refused, too, has changed nothing
            if fault is not None and not step.readable and (number in change.accepted or change.uncertain):
                unknown.append(f"{step.setting} of {step.object_id}, which nothing reports ({step.undo})")
    return _verified(change) + unknown


def _verified(change: Undoing) -> list[str]:
    """Read until the begun steps are undone, and undo late effects. Return what still differs."""
    left: list[str] = []
    steps = [change.begin.steps[number] for number in change.begun]
    for pause in READ_DELAYS:
        change.sleep(pause)
        seen = change.look()
        if moved := _renumbered(change, seen):
            return moved
        current = current_settings(seen.inventory, change.vendors)
        left = wrong_values(steps, current, undone=True)
        if not left and not change.uncertain:
            break
        if change.has_silent_drive(seen, {step.object_id for step in steps}):
            left += change.silent_drives
            break
        if pause != READ_DELAYS[-1]:
            _undo_late_effects(change, current)
    return left


def _renumbered(change: Undoing, seen: Survey) -> list[str]:
    """Report volumes whose numbers belong to others now. What the commands have changed is then unknown."""
    others = other_volumes(change.begin, seen.inventory)
    if others:
        change.doubtful = True
        deed_steps.mark_safely(change, max(change.begun), "stopped", f"Not confirmed: {listing(others)}")
    return others


def _undo_late_effects(change: Undoing, current: Mapping[ToolSetting, str]) -> None:
    """Undo steps that took effect after they were undone. A tool hung, or the firmware was slow."""
    for number in reversed(change.begun):
        step = change.begin.steps[number]
        if current.get((step.object_id, step.setting)) == step.after != step.before:
            _undo_step(change, number)


def _undo_step(change: Undoing, number: int) -> str | None:
    """Undo a step; return the fault, None if it was accepted."""
    step = change.begin.steps[number]
    if not change.undone_any:
        change.undone_any = True
        change.show("Restoring the previous settings:")
    deed_steps.mark_safely(change, number, "undo")
    change.show(f"  {step.undo}")
    fault = change.undo(step)
    if fault is not None:
        change.faults.append(f"{step.undo}: {fault}")
        deed_steps.mark_safely(change, number, "failed", fault)
    else:
        deed_steps.mark_safely(change, number, "undone")
    return fault
