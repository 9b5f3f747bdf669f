"""Carries a plan out: guard, journal, step by step, read again, undo what failed.

The order is always the same. The controllers are held, so that no other raidctl changes them. The state is read; what
is wished is planned from it, and guarded. The journal has the whole plan on disk before the first step, and a line on
disk before and after each. What the tools say is judged by the vendor package, never by exit codes; then the state is
read again, and every knob has to stand where the plan says, and what is wished has to be in force. If anything is
amiss, all that was begun is put back, the last step first, and the state is read once more.
"""

from __future__ import annotations

import getpass
import os
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from raidctl.change.failure_messages import RightMissing, barred, interruption, silent, trouble_text
from raidctl.change.journal import Begin, End, Journal, JournalFull, Kind, Mark, Result, Subject, Turn, now
from raidctl.change.lookup import before, doubt, falls_back, knobs, names, not_in_force, owner, subjects
from raidctl.change.plan_inventory import plan
from raidctl.change.state_directory import again
from raidctl.errors import CannotTell, ChangeStands, ChangeUndone
from raidctl.model import Inventory
from raidctl.request import Failure, Runner, Write
from raidctl.runners.foreground_child import undisturbed
from raidctl.select import items
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.vendor.changes import Changes, changes_of
from raidctl.vendor.plan import Plan, Step, ToolSetting
from raidctl.vendor.protocol import Vendor

__all__ = ["Change", "begin", "knobs", "owner", "plan", "subjects"]

LOOKS = (0.0, 1.0, 3.0)
"""Seconds before each of the looks after a change: some firmware takes a moment to put it in force."""

Look = Callable[[], Survey]
"""Reads the state anew."""
Tell = Callable[[str], None]
"""Takes a sentence for the person who waits."""


@dataclass
class Change:
    """One change under way: what it is about and what was begun so far."""

    begin: Begin
    journal: Journal
    runner: Runner
    look: Look
    vendors: Sequence[Vendor]
    tell: Tell
    sleep: Callable[[float], None] = time.sleep
    begun: list[int] = field(default_factory=list)
    accepted: set[int] = field(default_factory=set)
    """Steps that the tool says to have done."""
    uncertain: bool = False
    """Whether a tool gave no answer: what it was told may still happen."""
    denied: bool = False
    """Whether a right, or a program, was missing; and nothing else."""
    turned: bool = False
    """Whether anything was turned back."""
    silence: list[str] = field(default_factory=list)
    """Drives under change that did not answer in the last look: each look waits for them."""
    faults: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """What was done as wished, and still should be known."""
    turns: list[Turn] = field(default_factory=list)
    """What the journal has of its steps."""

    # --- the journal

    def mark(self, step: int, mark: Mark, text: str | None = None) -> None:
        """A line on a step."""
        turn = Turn(change=self.begin.change, at=now(), step=step, mark=mark, text=text)
        self.journal.append(turn)
        self.turns.append(turn)

    def end(self, result: Result, text: str | None = None) -> None:
        """The line that ends the change."""
        self.journal.append(End(change=self.begin.change, at=now(), result=result, text=text))

    # --- forward

    def apply(self) -> Survey:
        """Carry all steps out and read the state again.

        Raises:
            ChangeUndone: It failed, and what was there is there again; the journal has the end of the story.
            ChangeStands: It failed, and could not be put back, or that could not be read. ``restore`` tries again.
        """
        try:
            self.journal.append(self.begin)
        except JournalFull as failure:
            raise JournalFull(f"{failure} Nothing was changed.") from None
        except BaseException:
            self.back()
            raise
        try:
            for number in range(len(self.begin.steps)):
                self._forward(number)
            return self._confirmed()
        except _Failed as failure:
            self.faults.append(str(failure))
        except JournalFull as failure:
            self.faults.append(str(failure))
            self.denied = False
        except BaseException as error:
            self.faults.append(interruption(error))
            self.back()
            raise
        raise self._undone()

    def _undone(self) -> ChangeUndone:
        """Put back what was begun; what is to be said of it.

        Raises:
            ChangeStands: It could not be put back.
        """
        only_denied = self.denied and len(self.faults) == 1
        self.back()
        done = "What was there before was put back and read again." if self.turned else "Nothing was changed."
        text = f"{self._why()} {done}"
        return RightMissing(text, touched=self.turned) if only_denied else ChangeUndone(text)

    def finish(self) -> None:
        """End a change that is to stay.

        Raises:
            ChangeUndone: The end could not be written, so everything was put back: else ``restore`` would do it later.
        """
        try:
            self.end("done")
        except JournalFull as failure:
            self.faults.append(str(failure))
        except BaseException as error:
            self.faults.append(interruption(error))
            self.back()
            raise
        else:
            return
        raise self._undone()

    def _forward(self, number: int) -> None:
        step = self.begin.steps[number]
        self.mark(number, "start")
        self.begun.append(number)
        self.tell(f"  {step.action}")
        fault = self._carry_out(step, undo=False)
        if fault is not None:
            self.mark(number, "failed", fault)
            raise _Failed(f"{step.action}: {fault}")
        self.accepted.add(number)
        self.mark(number, "done")

    def _carry_out(self, step: Step, *, undo: bool) -> str | None:
        """Turn a knob or turn it back; what was said against it, None when it was accepted."""
        action = step.undo if undo else step.action
        request = action.request()
        [answer] = self.runner.carry_out([request])
        if answer.trouble is not None:
            self.uncertain = self.uncertain or answer.trouble in (Failure.TIMEOUT, Failure.FAILED, Failure.FLOOD)
            fault: str | None = trouble_text(answer)
        elif isinstance(request, Write) or (family := self._family(step.object_id)) is None:
            fault = None
        else:
            fault = family.judge(action, answer)
        if not undo and fault is not None:
            self.denied = barred(request, answer, fault)
        return fault

    def turn_back(self, step: Step) -> str | None:
        """Undo a step; what was said against it, None when it was accepted."""
        return self._carry_out(step, undo=True)

    def carry_out(self, step: Step) -> str | None:
        """Carry out a step that is none of the change's own; what was said against it."""
        return self._carry_out(step, undo=False)

    def _family(self, object_id: str) -> Changes | None:
        name = object_id.partition(":")[0]
        vendor = next((vendor for vendor in self.vendors if name == vendor.FAMILY), None)
        return changes_of(vendor) if vendor is not None else None

    def _confirmed(self) -> Survey:
        """The state, read again until it is as planned.

        Raises:
            _Failed: It did not become so.
        """
        amiss: list[str] = []
        for pause in LOOKS:
            self.sleep(pause)
            seen = self.look()
            idle, self.warnings = self._in_force(seen)
            amiss = [*self._astray(knobs(seen.inventory, self.vendors), undone=False), *idle]
            if not amiss:
                return seen
            if self.heard_not(seen, {step.object_id for step in self.begin.steps}):
                raise _Failed(f"The state could not be read again: {listing(self.silence)}")
        raise _Failed(f"The state was read again and is not as wished: {listing(amiss)}")

    def heard_not(self, seen: Survey, ids: set[str]) -> bool:
        """Whether a drive among these did not answer: looking again would only wait for it again."""
        self.silence = list(silent(seen.inventory.controllers, seen.inventory.problems, ids).values())
        return bool(self.silence)

    def _astray(self, stand: dict[ToolSetting, str], *, undone: bool) -> list[str]:
        """The knobs that are not where they should be."""
        wanted: dict[ToolSetting, str] = {}
        for number in self.begun if undone else range(len(self.begin.steps)):
            step = self.begin.steps[number]
            if undone:
                wanted.setdefault((step.object_id, step.knob), step.before)
            else:
                wanted[step.object_id, step.knob] = step.after
        return [
            f"{knob} of {object_id} is {stand.get((object_id, knob)) or 'not told'} instead of {value}"
            for (object_id, knob), value in wanted.items()
            if stand.get((object_id, knob)) != value
        ]

    def _in_force(self, seen: Survey) -> tuple[list[str], list[str]]:
        """What is not in force, and what of that has to be taken: the user has said that he knows."""
        amiss: list[str] = []
        known: list[str] = []
        for wish in self.begin.wishes:
            text = not_in_force(seen.inventory, wish)
            if text is not None:
                (known if self.begin.unsafe and falls_back(seen.inventory, wish) else amiss).append(text)
            elif why := doubt(seen.inventory, wish):
                known.append(why)
        return amiss, known

    # --- back

    def back(self) -> None:
        """Put back what was begun, the last step first, and read again.

        Raises:
            ChangeStands: It could not be put back, or that could not be read.
        """
        with undisturbed():
            self._back()

    def _back(self) -> None:
        if not self.begun:
            self._close("undone")
            return
        left = self._turned_back()
        if left:
            raise ChangeStands(
                f"{self._why()} It could not be put back: {listing(left)}. "
                f'Look at it with "raidctl show"; "{again(self.begin.source)}" tries again.'
            )
        self._close("undone")

    def _turned_back(self) -> list[str]:
        """Turn back what was begun, again where it comes late; what is still not as before."""
        left: list[str] = []
        try:
            # where the last look found a drive silent, another one would: everything is turned back unseen
            stand = {} if self.silence else knobs(self.look().inventory, self.vendors)
            for number in reversed(self.begun):
                step = self.begin.steps[number]
                # what was accepted and still reads as before may be about to take effect
                if number in self.accepted or stand.get((step.object_id, step.knob)) != step.before:
                    self._backward(number)
            for pause in LOOKS:
                self.sleep(pause)
                seen = self.look()
                stand = knobs(seen.inventory, self.vendors)
                left = self._astray(stand, undone=True)
                if not left and not self.uncertain:
                    break
                if self.heard_not(seen, {self.begin.steps[number].object_id for number in self.begun}):
                    left += self.silence
                    break
                if pause != LOOKS[-1]:
                    self._once_more(stand)
        except CannotTell as failure:
            left = [str(failure)]
        return left

    def _once_more(self, stand: dict[ToolSetting, str]) -> None:
        """Turn back what has come after it was turned back: a tool that hung, firmware that took its time."""
        for number in reversed(self.begun):
            step = self.begin.steps[number]
            if stand.get((step.object_id, step.knob)) == step.after != step.before:
                self._backward(number)

    def _backward(self, number: int) -> None:
        step = self.begin.steps[number]
        if not self.turned:
            self.turned = True
            self.tell("Restoring the previous settings:")
        self.note(number, "undo")
        self.tell(f"  {step.undo}")
        fault = self._carry_out(step, undo=True)
        if fault is not None:
            self.faults.append(f"{step.undo}: {fault}")
            self.note(number, "failed", fault)
        else:
            self.note(number, "undone")

    def note(self, number: int, mark: Mark, text: str | None = None) -> None:
        """A line on the way back: what cannot be written must not keep things from being put back."""
        try:
            self.mark(number, mark, text)
        except JournalFull as failure:
            if str(failure) not in self.faults:
                self.faults.append(str(failure))

    def _close(self, result: Result, text: str | None = None) -> None:
        try:
            self.end(result, "; ".join(self.faults) or text)
        except JournalFull as failure:
            if str(failure) not in self.faults:
                self.faults.append(str(failure))

    def _why(self) -> str:
        return " ".join(f"{fault.rstrip('.')}." for fault in self.faults[:4])


class _Failed(Exception):
    """A step failed, or the state is not as wished; the text says so."""


def begin(
    kind: Kind,
    plan: Plan,
    inventory: Inventory,
    *,
    about: str,
    source: str,
    reason: str | None = None,
    unsafe: bool = False,
) -> Begin:
    """The first line of a change's story."""
    held = subjects(inventory, plan)
    ways = names(inventory, plan)
    touched = {step.object_id for step in plan.steps} | {wish.object_id for wish in plan.wishes}
    return Begin(
        change=uuid.uuid4().hex[:12],
        at=now(),
        kind=kind,
        about=about,
        user=_user(),
        pid=os.getpid(),
        boot=boot_id(),
        source=source,
        subjects=tuple(
            Subject(
                id=item.id,
                model=item.model,
                serial=item.serial,
                objects={part.id: ways.get(part.id, "") for part in items(item) if part.id in touched},
            )
            for item in held
        ),
        wishes=plan.wishes,
        steps=plan.steps,
        was=tuple(before(inventory, plan)),
        reason=reason,
        unsafe=unsafe,
    )


def boot_id() -> str:
    """The kernel's name of this boot; empty where it has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _user() -> str:
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = str(os.getuid())
    caller = os.environ.get("SUDO_USER")
    return f"{caller} as {name}" if caller and caller != name else name
