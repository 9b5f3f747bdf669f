"""Puts back what a killed raidctl, or a power failure, has left changed.

For each change without an end, the newest first: the controllers are held (one that is still held belongs to a raidctl
that lives, and is left to it), the state is read, and each knob that a begun step has turned is looked at. Where it
stands as before, nothing is to be done. Where it stands as the step has set it, the step is undone. Where it stands
otherwise, somebody else has turned it meanwhile: it is left, and said. Where the way back is gone, the card has another
number or the program was exchanged, :mod:`raidctl.change.rollback` plans it anew.

What the journal cannot take is no reason to leave anything changed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from raidctl.change import guard, rollback
from raidctl.change.engine import LOOKS, Change, Look, Tell, boot_id
from raidctl.change.failure_messages import silent
from raidctl.change.journal import Begin, Journal, JournalFull, Story, now
from raidctl.change.lookup import knobs, owner
from raidctl.change.rollback import Back
from raidctl.change.state_directory import GLANCE, Held, Holder, held_name, hold
from raidctl.change.still_running import running
from raidctl.model import Inventory
from raidctl.request import Runner
from raidctl.survey.survey import Survey
from raidctl.text import attempt
from raidctl.vendor.plan import Step, ToolSetting
from raidctl.vendor.protocol import Vendor


@dataclass
class Restored:
    """What became of one change without an end."""

    story: Story
    put_back: list[str] = field(default_factory=list)
    """Sentences on the knobs that were turned back."""
    left: list[str] = field(default_factory=list)
    """Knobs that somebody else has turned meanwhile, and that were left."""
    faults: list[str] = field(default_factory=list)
    """What could not be put back, or not be read."""
    warnings: list[str] = field(default_factory=list)
    """What is as it was before, and not safe."""
    busy: str | None = None
    """The raidctl that made it lives: nothing was done."""


@dataclass
class Restorer:
    """All that is needed to put things back on one machine."""

    journal: Journal
    place: Path
    runner: Runner
    look: Look
    vendors: Sequence[Vendor]
    source: str
    tell: Tell
    sleep: Callable[[float], None] = time.sleep
    patience: float = GLANCE
    """Seconds to wait for a raidctl that still holds the controllers."""

    def restore(self, only: str | None = None) -> list[Restored]:
        """Put back every change without an end, or one of them; the newest first."""
        waiting = [story for story in self.journal.pending() if story.begin.source == self.source]
        results: list[Restored] = []
        for story in waiting:
            if only is None or story.begin.change == only:
                results.append(self._in_turn(story, results))
        return results

    def _in_turn(self, story: Story, newer: Sequence[Restored]) -> Restored:
        """Put one back, unless a newer one of the same controller stands: what that has set is not somebody else's."""
        mine = {subject.id for subject in story.begin.subjects}
        for other in newer:
            if other.faults and mine & {subject.id for subject in other.story.begin.subjects}:
                return Restored(story, faults=[f"change {other.story.begin.change} has to be put back first"])
        return self._one(story)

    def _one(self, story: Story) -> Restored:
        held = Restored(story)
        holder = Holder(change=story.begin.change, pid=0, since=now(), about="restore")
        names = [held_name(self.source, subject.id) for subject in story.begin.subjects]
        try:
            with hold(self.place, names, holder, source=self.source, patience=self.patience):
                # whoever had it may have ended it while we waited
                pending = {item.begin.change: item for item in self.journal.pending()}
                known = pending.get(story.begin.change)
                if known is None:
                    return held
                if _fresh(known):
                    self.sleep(LOOKS[-1])
                return self.put_back(known)
        except Held as other:
            held.busy = str(other)
        return held

    def put_back(self, story: Story) -> Restored:
        """Put one change back; its controllers are held by the caller."""
        result = Restored(story)
        change = Change(story.begin, self.journal, self.runner, self.look, self.vendors, self.tell)
        touched = story.started()
        if not touched:
            self._end(change, "no step was begun", result)
            return result
        if self.source == "local" and not self._landed(story, result):
            return result
        settled: list[Step] = []
        numbers = touched[::-1]
        for pause in (0.0, *LOOKS):
            self.sleep(pause)
            seen = self.look()
            inventory = seen.inventory
            lost = self._steps(change, numbers, inventory, settled, result)
            result.faults += [text for text in _unheard(seen, settled) if text not in result.faults]
            if not lost or not result.put_back or change.heard_not(seen, {back.step.object_id for back in lost}):
                break
            # a controller does not tell of the split of a cache that nothing uses: not before that was put back
            numbers = [back.number for back in lost]
        if lost:
            self._settings(change, lost, inventory, result)
        self._settle(story, settled[::-1], inventory, result)
        if not result.faults:
            self._end(change, "; ".join(result.left) or None, result)
        return result

    def _steps(
        self, change: Change, numbers: Sequence[int], inventory: Inventory, settled: list[Step], result: Restored
    ) -> list[Back]:
        """Turn back what these steps have turned, as far as their knobs are told; those of which nothing is told."""
        stand = knobs(inventory, self.vendors)
        lost: list[Back] = []
        for back in rollback.backs(change.begin, numbers, inventory, self.vendors):
            if isinstance(back, str):
                result.faults += [back] if back not in result.faults else []
            elif back.action is None or (back.step.object_id, back.step.knob) not in stand:
                lost.append(back)
            else:
                self._step(change, back, stand, result)
                settled.append(back.step)
        return lost

    def _landed(self, story: Story, result: Restored) -> bool:
        """Wait for a tool that outlives the raidctl that was killed: it would turn the knob once more after us."""
        for number in story.in_flight():
            action = story.begin.steps[number].action
            waited = 0.0
            while action.argv and running(action.argv):
                if waited >= action.timeout:
                    result.faults.append(f'"{action}" of the raidctl that was killed is still running')
                    return False
                self.sleep(LOOKS[1])
                waited += LOOKS[1]
        return True

    def _step(self, change: Change, back: Back, stand: dict[ToolSetting, str], result: Restored) -> None:
        """Turn a knob back, unless it stands so, or somebody else has turned it."""
        step, name = back.step, (back.step.object_id, back.step.knob)
        verdict = sorted_out(back, stand[name])
        if verdict == "stands":
            return
        if verdict == "left":
            text = other_hand(change.begin, back, stand[name])
            result.left.append(text)
            change.note(back.number, "left", text)
            return
        change.note(back.number, "undo")
        self.tell(f"  {step.undo}")
        fault = change.turn_back(step)
        if fault is not None:
            change.note(back.number, "failed", fault)
            result.faults.append(f"{step.undo}: {fault}")
            return
        change.note(back.number, "undone")
        stand[name] = step.before
        result.put_back.append(f"{step.knob} of {step.object_id} from {step.after} back to {step.before}")

    def _settings(self, change: Change, lost: Sequence[Back], inventory: Inventory, result: Restored) -> None:
        """Put back the settings where the knobs of a change are not told any more: by the program that is there now."""
        for back in {back.card.id: back for back in lost}.values():
            made, left = rollback.settings(change.begin, back, inventory, self.vendors)
            result.left += left
            for step in () if left else made.steps:
                change.note(back.number, "undo", str(step.action))
                self.tell(f"  {step.action}")
                fault = change.carry_out(step)
                if fault is not None:
                    result.faults.append(f"{step.action}: {fault}")
                else:
                    result.put_back.append(f"{step.knob} of {step.object_id} from {step.before} back to {step.after}")
            if made.wishes and not left:
                result.faults += rollback.missed(made, self.look().inventory)
        uncovered = [rollback.by_hand(back) for back in lost if not rollback.covered(change.begin, back)]
        result.faults += uncovered

    def _settle(self, story: Story, steps: Sequence[Step], inventory: Inventory, result: Restored) -> None:
        """Read again until all stands as before; what does not is a fault."""
        unsettled: list[str] = []
        for pause in LOOKS if result.put_back else ():
            self.sleep(pause)
            seen = self.look()
            inventory = seen.inventory
            unsettled = _unsettled(steps, knobs(inventory, self.vendors), result)
            if not unsettled:
                break
            quiet = _unheard(seen, steps)
            if quiet:
                unsettled += [text for text in quiet if text not in result.faults]
                break
        result.faults += unsettled
        if result.put_back:
            result.warnings += unsafe_now(story, inventory)

    def _end(self, change: Change, text: str | None, result: Restored) -> None:
        try:
            change.end("restored", text)
        except JournalFull as failure:
            if change.begin.steps and result.put_back:
                failure = JournalFull(f"All is as it was before, but {str(failure)[:1].lower()}{str(failure)[1:]}")
            result.faults.append(str(failure).rstrip("."))


def _unheard(seen: Survey, steps: Sequence[Step]) -> list[str]:
    """Drives that did not answer: what the kernel says of them it has learnt earlier, and proves nothing."""
    inventory = seen.inventory
    return list(silent(inventory.controllers, inventory.problems, {step.object_id for step in steps}).values())


def _fresh(story: Story) -> bool:
    """Whether a tool was at work a moment ago: what it was told may not show yet, and would come after us."""
    if not story.turns or not any(story.begin.steps[number].action.argv for number in story.started()):
        return False
    last = attempt(datetime.fromisoformat, story.turns[-1].at.replace("Z", "+00:00"))
    if last is None or last.tzinfo is None:
        return False
    # a moment in the future means that the clock was set back: nobody knows how long ago it was
    return (datetime.now(timezone.utc) - last).total_seconds() < sum(LOOKS)


def sorted_out(back: Back, current: str) -> Literal["stands", "turn", "left"]:
    """What is to be done about a knob: it stands as before, is to be turned back, or is somebody else's matter."""
    if rollback.foreign(back) is not None or current not in (back.step.before, back.step.after):
        return "left"
    return "stands" if current == back.step.before else "turn"


def other_hand(begin: Begin, back: Back, current: str) -> str:
    """Why a knob is left as it is."""
    step = back.step
    return rollback.foreign(back) or (
        f"{step.knob} of {step.object_id} is {current}, neither what was there nor what raidctl has set; "
        f"{_who(begin, step)}"
    )


def _who(begin: Begin, step: Step) -> str:
    """Who may have turned a knob meanwhile."""
    if step.persistent is False and begin.boot and begin.boot != boot_id():
        return "the machine was started anew meanwhile, and the setting does not outlast that"
    return "somebody else has changed it meanwhile"


def unsafe_now(story: Story, inventory: Inventory) -> list[str]:
    """Write-back that was there before, was put back, and is not kept through a power loss today."""
    found: dict[str, str] = {}
    for step in story.begin.steps:
        card = owner(inventory.controllers, step.object_id)
        reason = guard.unprotected(card) if card is not None else None
        if card is None or reason is None:
            continue
        for volume in card.volumes:
            policy = volume.cache.write_policy if volume.cache is not None else None
            if step.object_id in (volume.id, card.id) and policy is not None and policy.endswith("write_back"):
                words = policy.replace("_", "-")
                risk = "a power failure loses data" if policy.startswith("unp") else "the controller has to fall back"
                found[volume.id] = f"{volume.id} is set to {words} again, as it was, and {risk}: {reason.rstrip('.')}"
    return list(found.values())


def _unsettled(steps: Sequence[Step], stand: dict[ToolSetting, str], result: Restored) -> list[str]:
    """Knobs that do not stand as before though they were turned back."""
    first: dict[ToolSetting, Step] = {}
    for step in steps:
        first.setdefault((step.object_id, step.knob), step)
    return [
        f"{step.knob} of {step.object_id} is {stand.get(name) or 'not told'} instead of {step.before}"
        for name, step in first.items()
        if stand.get(name) != step.before
        and not any(f"{step.knob} of {step.object_id} " in text for text in (*result.left, *result.faults))
    ]
