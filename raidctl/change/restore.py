"""Restore settings that a killed raidctl or a power failure left changed.

For each change without an end, the newest first: the controllers are locked (one locked by a running raidctl is left
to it), the settings are read, and each setting of a begun step is checked. If it has its previous value, nothing is
done. If it has the step's value, the step is undone. Any other value was set by somebody else: it is left and
reported.

If the journal's command no longer fits (the controller or volume has another number, the tool was replaced),
:mod:`raidctl.change.rollback` plans new steps.

A journal that cannot be written does not stop the restoring.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from raidctl.change import guard, operation, rollback
from raidctl.change.deed_steps import mark_safely
from raidctl.change.engine import READ_DELAYS, Change, boot_id
from raidctl.change.failure_messages import silent
from raidctl.change.journal import Begin, Journal, JournaledChange, JournalFull, Kind
from raidctl.change.lookup import current_settings, owner
from raidctl.change.reading import Look
from raidctl.change.restored import Restored
from raidctl.change.rollback import UndoStep
from raidctl.change.state_directory import BRIEF_WAIT, Held, Holder, held_name, hold
from raidctl.change.still_running import running
from raidctl.model import Inventory
from raidctl.request import Runner
from raidctl.survey.survey import Survey
from raidctl.text import uncapitalised
from raidctl.units import parse_timestamp, timestamp
from raidctl.vendor.plan import Step, ToolSetting
from raidctl.vendor.protocol import Vendor


@dataclass
class Restorer:
    """Restores settings on one machine."""

    journal: Journal
    place: Path
    runner: Runner
    look: Look
    vendors: Sequence[Vendor]
    source: str
    show: Callable[[str], None]
    sleep: Callable[[float], None] = time.sleep
    patience: float = BRIEF_WAIT
    """Seconds to wait for a raidctl that has locked the controllers."""
    kinds: tuple[Kind, ...] = ("set", "batch", "operation")
    """The kinds of changes that it restores. Others are left to another restorer."""
    renew: Callable[[JournaledChange], JournaledChange] = lambda journaled: journaled
    """Function that adapts a change to the machine as it is today. It is called before the change's steps are
    undone."""

    def restore(self, only: str | None = None) -> list[Restored]:
        """Restore every change without an end, or one of them. The newest is restored first."""
        pending = [journaled for journaled in self.journal.pending() if journaled.begin.kind in self.kinds]
        waiting = [journaled for journaled in pending if journaled.begin.source == self.source]
        results: list[Restored] = []
        for journaled in waiting:
            if only is None or journaled.begin.change == only:
                results.append(self._restore_in_order(journaled, results))
        return results

    def _restore_in_order(self, journaled: JournaledChange, newer: Sequence[Restored]) -> Restored:
        """Restore a change, unless a newer one could not be restored. The newer one is of the same controller."""
        mine = {subject.id for subject in journaled.begin.subjects}
        for other in newer:
            if other.faults and mine & {subject.id for subject in other.journaled.begin.subjects}:
                return Restored(journaled, faults=[f"change {other.journaled.begin.change} must be undone first"])
        return self._one(journaled)

    def _one(self, journaled: JournaledChange) -> Restored:
        held = Restored(journaled)
        holder = Holder(change=journaled.begin.change, pid=0, since=timestamp(), about="restore")
        names = [held_name(self.source, subject.id) for subject in journaled.begin.subjects]
        try:
            with hold(self.place, names, holder, source=self.source, patience=self.patience):
                # the raidctl that made it may have ended it while we waited
                pending = {item.begin.change: item for item in self.journal.pending()}
                known = pending.get(journaled.begin.change)
                if known is None:
                    return held
                if _is_recent(known):
                    self.sleep(READ_DELAYS[-1])
                return self.put_back(self.renew(known))
        except Held as other:
            held.busy = str(other)
        return held

    def put_back(self, journaled: JournaledChange) -> Restored:
        """Restore one change; the caller has locked its controllers."""
        result = Restored(journaled)
        change = Change(
            journaled.begin, self.journal, self.runner, self.look, self.vendors, self.show, sleep=self.sleep
        )
        if journaled.begin.kind == "operation":
            operation.put_back(change, journaled, result, self.look, self.vendors)
            return result
        touched = journaled.started()
        if not touched:
            self._end(change, "no step was begun", result)
            return result
        if self.source == "local" and not self._wait_for_tool(journaled, result):
            return result
        settled: list[int] = []
        numbers = touched[::-1]
        for pause in (0.0, *READ_DELAYS):
            self.sleep(pause)
            seen = self.look()
            inventory = seen.inventory
            lost = self._steps(change, numbers, inventory, settled, result)
            names = {change.begin.steps[number].object_id for number in settled}
            result.faults += [text for text in _silent_drives(seen, names) if text not in result.faults]
            if not lost or not result.put_back or change.has_silent_drive(seen, {back.step.object_id for back in lost}):
                break
            # a controller does not report the ratio of an unused cache until its use is restored
            numbers = [back.number for back in lost]
        hidden = {back.number: why for back in lost if (why := rollback.unread(back, inventory)) is not None}
        result.faults += hidden.values()
        lost = [back for back in lost if back.number not in hidden]
        if lost:
            self._settings(change, lost, inventory, result)
        if journaled.unclear:  # the commands may have changed the volumes that have the numbers now
            result.left += rollback.other_volumes(journaled.begin, inventory)
        self._verify(journaled, settled[::-1], inventory, result)
        if not result.faults:
            self._end(change, "; ".join(result.left) or None, result)
        return result

    def _steps(
        self, change: Change, numbers: Sequence[int], inventory: Inventory, settled: list[int], result: Restored
    ) -> list[UndoStep]:
        """Undo these steps; return those whose settings are not reported."""
        current = current_settings(inventory, self.vendors)
        lost: list[UndoStep] = []
        for back in rollback.undo_steps(change.begin, numbers, inventory, self.vendors):
            if isinstance(back, str):
                result.faults += [back] if back not in result.faults else []
            elif back.action is not None and not back.step.readable:
                # its value is unknown, and undoing it twice does no harm
                self._step(change, back, current | {(back.step.object_id, back.step.setting): back.step.after}, result)
                settled.append(back.number)
            elif is_lost(back, current):
                lost.append(back)
            else:
                self._step(change, back, current, result)
                settled.append(back.number)
        return lost

    def _wait_for_tool(self, journaled: JournaledChange, result: Restored) -> bool:
        """Wait for a tool that outlives its killed raidctl. It could set the setting again after us."""
        for number in journaled.in_flight():
            action = journaled.begin.steps[number].action
            waited = 0.0
            while action.argv and running(action.argv):
                if waited >= action.timeout:
                    result.faults.append(f'"{action}", started by a killed raidctl, is still running')
                    return False
                self.sleep(READ_DELAYS[1])
                waited += READ_DELAYS[1]
        return True

    def _step(self, change: Change, back: UndoStep, current: dict[ToolSetting, str], result: Restored) -> None:
        """Restore a setting that is still changed.

        Leave it if it has its previous value, or if somebody else has changed it.
        """
        step, name = back.step, (back.step.object_id, back.step.setting)
        verdict = decide(back, current[name])
        if verdict == "unchanged":
            return
        if verdict == "left":
            text = changed_by_other(change.begin, step, current[name])
            result.left.append(text)
            mark_safely(change, back.number, "left", text)
            return
        mark_safely(change, back.number, "undo")
        self.show(f"  {step.undo}")
        fault = change.undo(step)
        if fault is not None:
            mark_safely(change, back.number, "failed", fault)
            result.faults.append(f"{step.undo}: {fault}")
            return
        mark_safely(change, back.number, "undone")
        current[name] = step.before
        result.put_back.append(f"{step.setting} of {step.object_id} from {step.after} back to {step.before}")

    def _settings(self, change: Change, lost: Sequence[UndoStep], inventory: Inventory, result: Restored) -> None:
        """Restore settings that the change's tool no longer reports, with the tool that is installed now."""
        for back in {back.controller.id: back for back in lost}.values():
            made, left, faults = rollback.settings(change.begin, back, inventory, self.vendors)
            result.left += left
            result.faults += [text for text in faults if text not in result.faults]
            for step in made.steps:
                mark_safely(change, back.number, "undo", str(step.action))
                self.show(f"  {step.action}")
                fault = change.carry_out(step)
                if fault is not None:
                    result.faults.append(f"{step.action}: {fault}")
                else:
                    result.put_back.append(
                        f"{step.setting} of {step.object_id} from {step.before} back to {step.after}"
                    )
            if made.desired:
                result.faults += rollback.differing(made, self.look().inventory)
        uncovered = [rollback.manual_remedy(back) for back in lost if not rollback.covered(change.begin, back)]
        result.faults += uncovered

    def _verify(
        self, journaled: JournaledChange, numbers: Sequence[int], inventory: Inventory, result: Restored
    ) -> None:
        """Read again until these steps' settings have their previous values; others are faults."""
        unsettled: list[str] = []
        for pause in READ_DELAYS if result.put_back else ():
            self.sleep(pause)
            seen = self.look()
            inventory = seen.inventory
            again = rollback.undo_steps(journaled.begin, numbers, inventory, self.vendors)
            steps = [back.step for back in again if isinstance(back, UndoStep)]
            unsettled = [text for text in again if isinstance(text, str) and text not in result.faults]
            unsettled += _unsettled(steps, current_settings(inventory, self.vendors), result)
            if not unsettled:
                break
            quiet = _silent_drives(seen, {step.object_id for step in steps})
            if quiet:
                unsettled += [text for text in quiet if text not in result.faults]
                break
        result.faults += unsettled
        if result.put_back:
            today = rollback.undo_steps(journaled.begin, journaled.started(), inventory, self.vendors)
            result.warnings += unsafe_now([back.step for back in today if isinstance(back, UndoStep)], inventory)

    def _end(self, change: Change, text: str | None, result: Restored) -> None:
        try:
            change.end("restored", text)
        except JournalFull as failure:
            if change.begin.steps and result.put_back:
                failure = JournalFull(f"All settings are restored, but {uncapitalised(str(failure))}")
            result.faults.append(str(failure).rstrip("."))


def _silent_drives(seen: Survey, ids: set[str]) -> list[str]:
    """Return drives among ``ids`` that did not respond. The kernel's facts on them are old and prove nothing."""
    return list(silent(seen.inventory.controllers, seen.inventory.problems, ids).values())


def _is_recent(journaled: JournaledChange) -> bool:
    """Whether a tool may have run a moment ago. Its command may take effect after us."""
    if not journaled.events or not any(journaled.begin.steps[number].action.argv for number in journaled.started()):
        return False
    last = parse_timestamp(journaled.events[-1].at)
    if last is None:
        return True
    # a time in the future means that the clock was set back: the age is unknown, too
    return (datetime.now(timezone.utc) - last).total_seconds() < sum(READ_DELAYS)


def is_lost(back: UndoStep, current: Mapping[ToolSetting, str]) -> bool:
    """Whether a setting is not reported, or has to be undone by another command than the journal's."""
    value = current.get((back.step.object_id, back.step.setting))
    return value is None or (back.action is None and decide(back, value) == "undo")


def decide(back: UndoStep, current: str) -> Literal["unchanged", "undo", "left"]:
    """Decide whether to undo a setting.

    At its previous value there is nothing to undo, and a value that somebody else set is left.
    """
    if current not in (back.step.before, back.step.after):
        return "left"
    return "unchanged" if current == back.step.before else "undo"


def changed_by_other(begin: Begin, step: Step, current: str) -> str:
    """Explain why a setting is left as it is."""
    return (
        f"{step.setting} of {step.object_id} is {current}, which is neither its previous value nor raidctl's; "
        f"{_who(begin, step)}"
    )


def _who(begin: Begin, step: Step) -> str:
    """Explain who or what may have changed a setting since."""
    if step.persistent is False and begin.boot and begin.boot != boot_id():
        return "the machine has been rebooted since, which resets this setting"
    return "somebody else has changed it since"


def unsafe_now(steps: Sequence[Step], inventory: Inventory) -> list[str]:
    """Warn of restored write-back that would not survive a power failure today."""
    found: dict[str, str] = {}
    for step in steps:
        controller = owner(inventory.controllers, step.object_id)
        reason = guard.unprotected(controller) if controller is not None else None
        if controller is None or reason is None:
            continue
        for volume in controller.volumes:
            policy = volume.cache.write_policy if volume.cache is not None else None
            if step.object_id in (volume.id, controller.id) and policy is not None and policy.endswith("write_back"):
                words = policy.replace("_", "-")
                risk = "a power failure loses data" if policy.startswith("unp") else "the controller has to fall back"
                found[volume.id] = f"{volume.id} is set to {words} again, as before, and {risk}: {reason.rstrip('.')}"
    return list(found.values())


def _unsettled(steps: Sequence[Step], current: dict[ToolSetting, str], result: Restored) -> list[str]:
    """Return restored settings that do not have their previous values."""
    first: dict[ToolSetting, Step] = {}
    for step in steps:
        first.setdefault((step.object_id, step.setting), step)
    return [
        f"{step.setting} of {step.object_id} is {current.get(name) or 'unknown'} instead of {step.before}"
        for name, step in first.items()
        if step.readable
        and current.get(name) != step.before
        and not any(f"{step.setting} of {step.object_id} " in text for text in (*result.left, *result.faults))
    ]
