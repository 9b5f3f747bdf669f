"""Show what ``restore`` would do, from the journal and a survey. Changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from raidctl.change import operation, rollback
from raidctl.change.failure_messages import silent
from raidctl.change.journal import JournaledChange
from raidctl.change.lookup import current_settings
from raidctl.change.restore import changed_by_other, decide, is_lost
from raidctl.change.rollback import UndoStep
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Action, ToolSetting
from raidctl.vendor.protocol import Vendor


@dataclass(frozen=True)
class PreviewedStep:
    """A setting that would be restored."""

    object_id: str
    setting: str
    before: str
    """Current value."""
    after: str
    """Value after restoring."""
    action: Action


@dataclass
class Preview:
    """What ``restore`` would do about one change without an end."""

    journaled: JournaledChange
    steps: list[PreviewedStep] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """Settings that somebody else has changed since."""
    faults: list[str] = field(default_factory=list)
    """What could not be restored or read."""
    busy: str | None = None
    """The raidctl that made it is still running."""
    open: str | None = None
    """What an operation waits for, with the command that continues it."""


def preview(
    changes: Sequence[tuple[JournaledChange, str | None]], seen: Survey, vendors: Sequence[Vendor]
) -> list[Preview]:
    """Preview these changes, the newest first. Each shows what blocks restoring it now.

    The preview of an older change assumes that the newer ones are restored.
    """
    current = current_settings(seen.inventory, vendors)
    return [
        Preview(journaled, busy=busy) if busy is not None else _one(journaled, seen, vendors, current)
        for journaled, busy in changes
    ]


def _one(
    journaled: JournaledChange, seen: Survey, vendors: Sequence[Vendor], current: dict[ToolSetting, str]
) -> Preview:
    found = Preview(journaled)
    inventory, lost = seen.inventory, list[UndoStep]()
    numbers = journaled.started()[::-1]
    if journaled.begin.kind == "operation":
        # deeds are not undone, only temporary settings
        numbers = [number for number in numbers if journaled.begin.steps[number].for_length]
        found.open = operation.open_text(journaled)
    for back in rollback.undo_steps(journaled.begin, numbers, inventory, vendors):
        if isinstance(back, str):
            found.faults += [back] if back not in found.faults else []
            continue
        step, name = back.step, (back.step.object_id, back.step.setting)
        quiet = silent(inventory.controllers, inventory.problems, {step.object_id})
        found.faults += quiet.values()
        if back.action is not None and not step.readable:
            current[name] = step.after  # its current value is unknown: it is undone in any case
        if step.readable and name not in current and (why := rollback.unread(back, inventory)) is not None:
            found.faults.append(why)
        elif is_lost(back, current):
            lost.append(back)
        elif decide(back, current[name]) == "left":
            found.left.append(changed_by_other(journaled.begin, step, current[name]))
        elif decide(back, current[name]) == "undo":
            found.steps.append(PreviewedStep(step.object_id, step.setting, current[name], step.before, step.undo))
            current[name] = step.before
    _no_longer_reported(journaled, lost, seen, vendors, found)
    if journaled.unclear:
        found.left += rollback.other_volumes(journaled.begin, inventory)
    if journaled.begin.kind == "operation" and found.open is None and not found.faults:
        hidden, done, _ = operation.effects(journaled, seen)
        found.faults += hidden
        found.left += [] if hidden else done
    return found


def _no_longer_reported(
    journaled: JournaledChange, lost: Sequence[UndoStep], seen: Survey, vendors: Sequence[Vendor], found: Preview
) -> None:
    """Preview settings that the change's tool no longer reports, with the tool that is installed now."""
    for back in {back.controller.id: back for back in lost}.values():
        made, left, faults = rollback.settings(journaled.begin, back, seen.inventory, vendors)
        found.left += left
        found.faults += [text for text in faults if text not in found.faults]
        for step in made.steps:
            found.steps.append(PreviewedStep(step.object_id, step.setting, step.before, step.after, step.action))
    found.faults += [rollback.manual_remedy(back) for back in lost if not rollback.covered(journaled.begin, back)]
