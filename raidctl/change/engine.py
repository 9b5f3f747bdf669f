"""Carry out a plan: journal, execute each step, verify, undo on failure.

The order is always the same. The caller has locked the controllers against other raidctl processes
(:mod:`raidctl.change.state_directory`). The settings are read, the desired ones planned and checked for risks. The
journal has the whole plan on disk before the first step, and a line before and after each. The vendor package judges
the tools' output, never the exit codes alone. Then the settings are read again: each must have its planned value, and
the desired ones must be active. If not, all begun steps are undone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from raidctl.change import deed_steps, waiting
from raidctl.change.beginning import begin, boot_id
from raidctl.change.deed_steps import Guard
from raidctl.change.failure_messages import (
    RightMissing,
    has_ended,
    interruption,
    is_denied,
    silent,
    trouble_text,
    what_is_undone,
)
from raidctl.change.journal import Begin, End, Journal, JournalFull, Mark, Planned, Result, StepEvent, extended
from raidctl.change.lookup import current_settings, doubt, falls_back, owner, subjects, why_inactive, wrong_values
from raidctl.change.passwords import carried_out
from raidctl.change.permitted_commands import judged, tables
from raidctl.change.plan_inventory import plan
from raidctl.change.reading import Look, Reading
from raidctl.change.rollback import other_volumes
from raidctl.change.settings_undo import READ_DELAYS, undo_settings
from raidctl.change.state_directory import restore_command
from raidctl.change.step_failures import StepFailed
from raidctl.errors import AccessMissing, CannotTell, ChangeNotUndone, ChangeUndone, UnderWay
from raidctl.request import Runner, Write
from raidctl.runners.foreground_child import uninterruptible
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.units import timestamp
from raidctl.vendor.changes import Changes, changes_of
from raidctl.vendor.plan import Action, Step
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendor_of
from raidctl.vendor.shapes import Shape

__all__ = ["READ_DELAYS", "Change", "begin", "boot_id", "current_settings", "owner", "plan", "subjects"]

_NOT_RESTORED = "The previous settings could not be restored"


@dataclass
class Change:
    """A running change, and its progress."""

    begin: Begin
    journal: Journal
    runner: Runner
    read_machine: Look
    vendors: Sequence[Vendor]
    show: Callable[[str], None]
    sleep: Callable[[float], None] = time.sleep
    begun: list[int] = field(default_factory=list)
    accepted: set[int] = field(default_factory=set)
    """Steps that the tool accepted."""
    ended: bool = True  # the last command, or it never started: else it may take effect later
    uncertain: bool = False
    """Whether a tool did not respond: its command may still take effect."""
    denied: bool = False
    """Whether a missing permission or tool is the only failure."""
    undone_any: bool = False
    """Whether any step was undone."""
    silent_drives: list[str] = field(default_factory=list)
    """Affected drives that did not respond to the last reading. Each reading waits for them."""
    faults: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """Remarks on a change that succeeded."""
    events: list[StepEvent] = field(default_factory=list)
    """The journal's entries of its steps."""
    clock: Callable[[], float] = time.monotonic
    guard: Guard = lambda _step, _seen: ()
    """Why a deed must not be done. This is asked again before each deed, and at each reading while somebody waits."""
    confirm: Guard = lambda _step, _seen: ()
    """What else a reading does not confirm yet, beyond the step's expectations."""
    at_most: float | None = None
    """Seconds to wait for a person or the hardware. None: as long as it takes."""
    pauses: Sequence[float] = waiting.TASK_PAUSES
    """Seconds between two readings while the hardware works. Then the last one is repeated."""
    doubtful: bool = False
    """Whether a tool's output and the readings contradicted each other."""
    passed: bool = False
    """Whether the point of no return has been passed."""
    resumed: bool = False
    """Whether these steps follow others of the same operation. The earlier ones are not undone with them."""
    last_reading: Reading | None = None
    """The last reading of the machine. None: nothing was read since the last command."""

    # --- readings

    def look(self) -> Survey:
        """Read the machine now."""
        seen = self.read_machine()
        self.last_reading = Reading(seen, self.clock())
        return seen

    def fresh(self) -> Survey:
        """Return the last reading if it is recent, and no command has been run since; otherwise read it now."""
        last = self.last_reading
        return last.seen if last is not None and last.recent(self.clock()) else self.look()

    # --- the journal

    def mark(self, step: int, mark: Mark, text: str | None = None) -> None:
        """Write a step's entry to the journal."""
        event = StepEvent(change=self.begin.change, at=timestamp(), step=step, mark=mark, text=text)
        self.journal.append(event)
        self.events.append(event)

    def end(self, result: Result, text: str | None = None) -> None:
        """Write the change's last entry to the journal."""
        self.journal.append(End(change=self.begin.change, at=timestamp(), result=result, text=text))

    # --- forward

    def apply(self) -> Survey:
        """Carry out all steps and verify the settings. Return the reading that shows them.

        Raises:
            ChangeUndone: It failed, and the previous settings were restored.
            ChangeNotUndone: It failed, and restoring failed or could not be verified. ``restore`` tries again.
        """
        try:
            self.journal.append(self.begin)
        except JournalFull as failure:
            raise JournalFull(f"{failure} Nothing was changed.") from None
        except BaseException:
            self.undo_all()
            raise
        return self._carried_out(0)

    def go_on(self, steps: Sequence[Step], facts: dict[str, str]) -> Survey:
        """Journal more steps of an operation and carry them out, as :meth:`apply` does.

        Raises:
            JournalFull: They could not be journaled. Nothing was changed.
            ChangeNotUndone: The same, after other steps of the operation; or as :meth:`apply`.
        """
        first, self.begun, self.resumed = len(self.begin.steps), [], bool(self.begin.steps)
        more = Planned(change=self.begin.change, at=timestamp(), steps=tuple(steps), facts=facts)
        try:
            self.journal.append(more)
        except JournalFull as failure:
            if not self.resumed:
                raise JournalFull(f"{failure} Nothing was changed.") from None
            raise ChangeNotUndone(f"{failure} {what_is_undone(self.begin, undone=False, resumed=True)}") from None
        self.begin = extended(self.begin, more)
        return self._carried_out(first)

    def _carried_out(self, first: int) -> Survey:
        """Carry out the steps from this number on, and verify the settings."""
        try:
            for number in range(first, len(self.begin.steps)):
                self._do_step(number)
            return self._confirmed()
        except UnderWay:
            raise
        except (StepFailed, AccessMissing, JournalFull) as failure:
            self.faults.append(str(failure))
            self.denied = isinstance(failure, AccessMissing) or (self.denied and isinstance(failure, StepFailed))
        except BaseException as error:
            self.faults.append(interruption(error))
            # a command without a result may still take effect
            self.uncertain = self.uncertain or (bool(self.events) and self.events[-1].mark == "start")
            if self.passed:
                raise self._stopped() from error
            self.undo_all()
            raise
        raise self._stopped() if self.passed or deed_steps.only_waited(self) else self._undone()

    def _stopped(self) -> ChangeNotUndone:
        """Return the exception of a failed operation. Nothing is undone where it failed."""
        resume = self.begin.resume
        if resume is None and self.doubtful:
            return deed_steps.not_confirmed(self, self._why())
        if resume is None:
            self._close("stopped")
        elif self.begun:
            deed_steps.mark_safely(self, self.begun[-1], "stopped", self._why())
        rest = f'Continue with "{resume}".' if resume else 'Check it with "raidctl show".'
        return ChangeNotUndone(f"{self._why()} Nothing was undone. {rest}")

    def _undone(self) -> ChangeUndone | ChangeNotUndone:
        """Undo the begun steps and return the exception to raise.

        Raises:
            ChangeNotUndone: They could not be undone.
        """
        only_denied = self.denied and len(self.faults) == 1
        if self.doubtful and self.begin.resume is None:
            raise deed_steps.not_confirmed(self, self._why())
        self.undo_all()
        text = f"{self._why()} {what_is_undone(self.begin, undone=self.undone_any, resumed=self.resumed)}"
        if self.resumed:  # the earlier steps of the operation are kept
            return ChangeNotUndone(text)
        return RightMissing(text, touched=self.undone_any) if only_denied else ChangeUndone(text)

    def finish(self) -> None:
        """End a permanent change, or an operation of which everything is done and verified.

        Raises:
            ChangeUndone: The end could not be journaled, so all was undone: ``restore`` would undo it later.
            ChangeNotUndone: The same, of an operation that cannot be undone, or that can be continued.
        """
        lasting = self.passed or self.begin.resume is not None
        try:
            self.end("done")
        except JournalFull as failure:
            self.faults.append(str(failure))
        except BaseException as error:
            self.faults.append(interruption(error))
            if lasting:
                raise self._not_closed() from error
            self.undo_all()
            raise
        else:
            return
        raise self._not_closed() if lasting else self._undone()

    def _not_closed(self) -> ChangeNotUndone:
        """Return the exception of an operation that is done, and still open in the journal."""
        again = self.begin.resume or restore_command(self.begin.source, self.journal.path.parent)
        return ChangeNotUndone(
            f'{self._why()} Everything is done and verified, but still open in the journal: "{again}".'
        )

    def _do_step(self, number: int) -> None:
        """Carry out a step. The effects of settings are read later, of all together."""
        step = self.begin.steps[number]
        if step.kind == "deed":
            deed_steps.do_deed(self, number)
            return
        if step.kind != "setting":
            waiting.wait_for(self, number)
            return
        self.mark(number, "start")
        self.begun.append(number)
        self.show(f"  {step.action}")
        fault = self.carry_out(step)
        if fault is not None:
            self.mark(number, "failed", fault)
            raise StepFailed(f"{step.action}: {fault}")
        self.accepted.add(number)
        self.mark(number, "done")

    def issue(self, action: Action, step: Step, *, undo: bool = False) -> str | None:
        """Carry out a command; return the fault, None if it was accepted."""
        self.last_reading = None
        request, answer = carried_out(self.runner, action)
        self.ended = has_ended(answer)
        self.uncertain = self.uncertain or not self.ended
        if answer.trouble is not None:
            fault: str | None = trouble_text(answer)
        elif isinstance(request, Write):
            fault = None
        elif step.kind == "deed":
            fault = judged(self.vendors, step.object_id, action, answer)
        else:
            fault = family.judge(action, answer) if (family := self._family(step.object_id)) is not None else None
        if not undo and fault is not None:
            self.denied = is_denied(request, answer, fault)
        return fault

    def shapes(self) -> Sequence[Shape]:
        """Return the table of commands that deeds may run."""
        return tables(self.vendors)

    def undo(self, step: Step) -> str | None:
        """Undo a step; return the fault, None if it was accepted."""
        return self.issue(step.undo, step, undo=True)

    def carry_out(self, step: Step) -> str | None:
        """Carry out a step; return the fault, None if it was accepted."""
        return self.issue(step.action, step)

    def _family(self, object_id: str) -> Changes | None:
        vendor = vendor_of(object_id, self.vendors)
        return changes_of(vendor) if vendor is not None else None

    def _confirmed(self) -> Survey:
        """Read the machine again until the settings are as planned. Deeds and waits have been verified already.

        Raises:
            StepFailed: They are not.
        """
        differences: list[str] = []
        if all(step.kind != "setting" for step in self.begin.steps):
            return self.fresh()
        for pause in READ_DELAYS:
            self.sleep(pause)
            seen = self.look()
            others = other_volumes(self.begin, seen.inventory)
            if others:
                self.doubtful = True
                raise StepFailed(f"What the commands have changed is unknown: {listing(others)}")
            idle, known = self._inactive_settings(seen)
            self.warnings += [text for text in known if text not in self.warnings]
            differences = [*wrong_values(self.begin.steps, current_settings(seen.inventory, self.vendors)), *idle]
            if not differences:
                return seen
            if self.has_silent_drive(seen, {step.object_id for step in self.begin.steps}):
                raise StepFailed(f"The settings could not be read again: {listing(self.silent_drives)}")
        raise StepFailed(f"The settings were read again and are not as requested: {listing(differences)}")

    def has_silent_drive(self, seen: Survey, ids: set[str]) -> bool:
        """Whether one of these drives did not respond. Another reading would only wait for it again."""
        self.silent_drives = list(silent(seen.inventory.controllers, seen.inventory.problems, ids).values())
        return bool(self.silent_drives)

    def _inactive_settings(self, seen: Survey) -> tuple[list[str], list[str]]:
        """Return inactive desired settings, and those that only need a warning."""
        differences: list[str] = []
        known: list[str] = []
        for desired in self.begin.desired:
            text = why_inactive(seen.inventory, desired)
            if text is not None:
                (known if self.begin.unsafe and falls_back(seen.inventory, desired) else differences).append(text)
            elif why := doubt(seen.inventory, desired):
                known.append(why)
        return differences, known

    # --- undo

    def undo_all(self) -> None:
        """Undo the begun steps, the last one first, and verify.

        Raises:
            ChangeNotUndone: Undoing failed, or could not be verified.
        """
        with uninterruptible():
            self._undo_all()

    def _undo_all(self) -> None:
        left = self._undo_begun() if self.begun else []
        if left:
            again = self.begin.resume or restore_command(self.begin.source, self.journal.path.parent)
            what = "What was done could not be undone" if self.begin.kind == "operation" else _NOT_RESTORED
            raise ChangeNotUndone(
                f'{self._why()} {what}: {listing(left)}. Check with "raidctl show"; try again with "{again}".'
            )
        if self.resumed:
            deed_steps.mark_safely(self, max(0, len(self.begin.steps) - 1), "stopped", self._why())
        else:
            self._close("undone")

    def _undo_begun(self) -> list[str]:
        """Undo the begun steps, and late effects of them. Return what still differs."""
        try:
            if self.begin.kind == "operation":
                left = deed_steps.undo_steps(self, self.begun)
                self.undone_any = any(event.mark == "undone" for event in self.events)
                return left
            return undo_settings(self)
        except CannotTell as failure:
            return [str(failure)]

    def _close(self, result: Result, text: str | None = None) -> None:
        try:
            self.end(result, "; ".join(self.faults) or text)
        except JournalFull as failure:
            if str(failure) not in self.faults:
                self.faults.append(str(failure))

    def _why(self) -> str:
        return " ".join(f"{fault.rstrip('.')}." for fault in self.faults[:4])
