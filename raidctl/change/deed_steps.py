"""The deeds of an operation; :mod:`raidctl.change.waiting` has manual steps and waits.

A tool's output never decides. Before a deed its objects are looked up by serial number, the guards are asked once more
on a fresh reading, and its command is compared with the table of its family. Afterwards the machine is read until it
shows what the step expects, or its time is over. So there are four outcomes:

==========  =========  ============================================================
tool        readings   outcome
==========  =========  ============================================================
accepted    changed    done
refused     changed    done, with a warning; the exit code is 6
refused     unchanged  failed
accepted    unchanged  not confirmed: exit code 6
==========  =========  ============================================================

"Unchanged" means that nothing else of the controller has changed either; otherwise it is not confirmed. A command that
did not end (it hung, or its connection failed) was neither accepted nor refused, and may take effect later: it is
watched as long as one that was accepted, and is not confirmed if it has changed nothing until then.

A reading that fails shows nothing: the machine is read on until the step's time is over, whatever the tool printed. If
it still cannot be read then, the outcome is unknown: not confirmed, and nothing is undone until it can be read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import msgspec

from raidctl.change.expectations import differences, exchanged, known_words, moved, unmet
from raidctl.change.journal import Begin, Journal, JournalFull, Mark, StepEvent
from raidctl.change.lookup import owner
from raidctl.change.other_programs import other_program
from raidctl.change.saved import keep
from raidctl.change.state_directory import restore_command
from raidctl.change.step_failures import NotConfirmed, StepFailed
from raidctl.change.unread import READ_PAUSES, unread, vanished
from raidctl.errors import AccessMissing, ChangeNotUndone
from raidctl.model import Inventory
from raidctl.request import RunAnswer, Runner
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.vendor.plan import Action, Expectation, Step
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.shapes import Shape, outside

REFUSED_SECONDS = 4.0
"""Seconds to watch after a refused command. It may have changed something nevertheless."""
_PAUSES = (0.0, 1.0, 1.0, 2.0, 3.0, 5.0)
"""Seconds before each reading after a command. Then the last one is repeated."""

Guard = Callable[[Step, Survey], Sequence[str]]
"""Why a step must not be carried out now. Empty if it may."""


class Running(Protocol):
    """The part of a running change that these steps use."""

    begin: Begin
    begun: list[int]
    warnings: list[str]
    faults: list[str]
    journal: Journal
    runner: Runner
    vendors: Sequence[Vendor]
    at_most: float | None
    pauses: Sequence[float]
    events: list[StepEvent]
    ended: bool
    doubtful: bool
    passed: bool

    @property
    def guard(self) -> Guard:
        """Called before each deed, and at each reading of a wait."""

    @property
    def confirm(self) -> Guard:
        """Returns what a reading does not confirm yet, beyond the step's expectations."""

    @property
    def sleep(self) -> Callable[[float], None]:
        """Waits some seconds."""

    @property
    def clock(self) -> Callable[[], float]:
        """A monotonic clock, in seconds."""

    @property
    def show(self) -> Callable[[str], None]:
        """Shows a line of progress to the user."""

    def mark(self, step: int, mark: Mark, text: str | None = None) -> None:
        """Write a step's entry to the journal."""

    def issue(self, action: Action, step: Step) -> str | None:
        """Carry out a command; return the fault, None if it was accepted."""

    def shapes(self) -> Sequence[Shape]:
        """The table of allowed commands."""

    def look(self) -> Survey:
        """Read the machine now."""

    def fresh(self) -> Survey:
        """Return the last reading if it is recent, such as that of the step before; otherwise read now."""


def do_deed(change: Running, number: int) -> None:
    """Carry out a deed and watch it.

    Raises:
        StepFailed: It must not be done now, or was refused and has changed nothing.
        NotConfirmed: What it has done is unknown.
    """
    step = change.begin.steps[number]
    seen = _checked(change, step, step.action)
    save(change, number, seen)
    passed = change.passed
    if step.way_back == "none" and not change.passed:
        change.mark(number, "passed", step.no_way_back)
        change.passed = True
    change.mark(number, "start")
    change.begun.append(number)
    change.show(f"  {step.action}")
    fault = change.issue(step.action, step)
    refused = fault is not None and change.ended
    limit = REFUSED_SECONDS if refused else _limit(step.expects)
    missing, after = _watch(change, step, limit, seen.inventory)
    if not missing:
        if fault is not None:
            how = "was refused" if refused else "did not end"
            text = f"{step.action} {how} ({fault.rstrip('.')}), and has taken effect nevertheless"
            change.warnings.append(text)
            change.doubtful = True
        change.mark(number, "done", fault)
        return
    text = f"{step.action}: {(fault or 'it was accepted').rstrip('.')}"
    why = unread(after, step, seen.inventory)
    if why is not None:
        text += f". Whether it has taken effect is unknown: {why}"
        change.mark(number, "failed", text)
        change.doubtful = True
        raise NotConfirmed(text)
    others = differences(seen.inventory, after.inventory, _controllers(seen.inventory, step))
    if others:
        text += f". The machine shows: {listing(others[:6])}"
    elif not refused:
        text += f", but {listing(missing[:3])} after {limit:.0f} s"
        text += ". It may still take effect" if fault is not None else ""
    change.mark(number, "failed", text)
    change.doubtful = change.doubtful or not refused or bool(others)
    if not change.doubtful:
        change.passed = passed  # it was refused, and has changed nothing: what came before can still be undone
    raise (NotConfirmed if change.doubtful else StepFailed)(text)


def save(change: Running, number: int, seen: Survey) -> None:
    """Save the inventory and the step's files in the state directory.

    Raises:
        AccessMissing: They cannot be saved, so the step must not be carried out.
    """
    step = change.begin.steps[number]
    if not step.saves:
        return
    contents = {"inventory.json": msgspec.json.encode(seen.inventory)}
    for one in step.saves:
        [answer] = change.runner.carry_out([one.action.request(reading=True)])
        if not isinstance(answer, RunAnswer) or answer.trouble is not None or answer.code:
            raise AccessMissing(f"`{one.action}` failed, so {one.name} cannot be kept.")
        contents[one.name] = answer.out
    for name, data in contents.items():
        path, digest = keep(change.journal.path.parent, change.begin.change, name, data)
        change.mark(number, "saved", f"{path} sha256 {digest}")


def _checked(change: Running, step: Step, action: Action) -> Survey:
    """Return a reading that shows the step as planned; refuse the step otherwise.

    Its objects, guards and command are compared.
    """
    seen, why = _readable(change, step, change.fresh())
    why = why or moved(seen, step.subjects)
    if why is not None:
        raise StepFailed(f"{step.setting} was not carried out: {why}")
    if not step.subjects:
        raise StepFailed(f"{step.setting} was not carried out: the plan does not identify its object")
    reasons = [*(f"{text}." for text in unmet(seen, step.requires)), *change.guard(step, seen)]
    if reasons:
        raise StepFailed(f"{step.setting} was not carried out: {' '.join(reasons)}")
    why = other_program(change.runner, change.vendors, change.sleep)
    if why is not None:
        raise StepFailed(f"{step.setting} was not carried out: {why}")
    why = outside(action, change.shapes(), known_words(seen.inventory, seen.view))
    if why is not None:
        raise StepFailed(f"{action} was not run: {why}")
    return seen


def _controllers(inventory: Inventory, step: Step) -> set[str]:
    ids = (step.object_id, *(subject.object_id for subject in step.subjects))
    return {controller.id for name in ids if (controller := owner(inventory.controllers, name)) is not None}


def _limit(expects: Sequence[Expectation]) -> float:
    return max((one.within_seconds for one in expects), default=REFUSED_SECONDS)


def _readable(change: Running, step: Step, seen: Survey) -> tuple[Survey, str | None]:
    """Read until a step's objects are readable, for some seconds. Return the last reading, and what hid them.

    ``seen`` is the first reading.
    """
    why = unread(seen, step)
    for pause in READ_PAUSES:
        if why is None:
            break
        change.sleep(pause)
        seen = change.look()
        why = unread(seen, step)
    return seen, why


def _watch(change: Running, step: Step, seconds: float, before: Inventory | None = None) -> tuple[list[str], Survey]:
    """Read until the expectations hold, or the time is over. Return those that do not, and the last reading.

    While the machine cannot be read, the time is that of a command that was accepted.
    """
    began = change.clock()
    longest = max(seconds, _limit(step.expects))
    for pause in repeated(_PAUSES):
        change.sleep(pause)
        seen = change.look()
        other = exchanged(seen, step.subjects) or (vanished(seen, step, before) if before is not None else None)
        missing = [*([other] if other else []), *unmet(seen, step.expects), *change.confirm(step, seen)]
        passed = change.clock() - began
        if not missing or passed >= longest or (passed >= seconds and unread(seen, step, before) is None):
            return missing, seen
    raise AssertionError  # repeated() does not end


def repeated(pauses: Sequence[float]) -> Iterator[float]:
    """The pauses, then the last one again and again."""
    yield from pauses
    while True:
        yield pauses[-1]


def undo_steps(change: Running, numbers: Sequence[int]) -> list[str]:
    """Undo begun steps of an operation, the last one first. Return what could not be undone."""
    left: list[str] = []
    for number in reversed(numbers):
        step = change.begin.steps[number]
        if step.kind in ("hand", "wait"):
            continue
        left += _undo(change, number, step)
        if left:
            break  # an earlier step may rely on this one
    return left


def _without_effect(change: Running, number: int, step: Step) -> list[str] | None:
    """Return the remains of a deed without visible effect: none, or unknown. None: the deed has to be undone.

    A command that was interrupted is watched as long as it may take.
    """
    seen = change.look()
    marks = {event.mark for event in change.events if event.step == number}
    if not unmet(seen, step.expects):
        return None
    if "failed" in marks:
        return []  # it was refused, and has changed nothing
    if "done" not in marks:
        change.show(f"Waiting to see whether {step.action} still takes effect.")
        _, seen = _watch(change, step, _limit(step.expects))
        if not unmet(seen, step.expects):
            return None
    wrong = unmet(seen, step.undo_expects or step.expects)
    if not wrong:
        return []  # as before, maybe because a later step was undone
    if "done" in marks:
        return None
    return [f"whether {step.setting} of {step.object_id} has taken effect is unknown: {listing(wrong[:3])}"]


def _undo(change: Running, number: int, step: Step) -> list[str]:
    """Undo a step; return what could not be undone. Runs nothing on objects that are unread or replaced."""
    seen, why = _readable(change, step, change.look()) if step.kind == "deed" else (None, None)
    why = why or (exchanged(seen, step.subjects) if seen is not None else None)
    if why is not None:
        text = f"{step.setting} of {step.object_id} may have taken effect, and nothing was run to undo it: {why}"
        mark_safely(change, number, "stopped", text)
        return [text]
    if step.kind == "deed" and not change.doubtful:
        left = _without_effect(change, number, step)
        if left is not None:
            return left
    if step.undo.empty:
        return [step.no_way_back or f"{step.setting} of {step.object_id} cannot be undone"]
    mark_safely(change, number, "undo")
    change.show(f"  {step.undo}")
    fault = change.issue(step.undo, step)
    missing: list[str] = []
    until = change.clock() + _limit(step.undo_expects)
    for pause in repeated(_PAUSES):
        change.sleep(pause)
        missing = unmet(change.look(), step.undo_expects)
        if not missing or change.clock() >= until:
            break
    if missing or (fault is not None and not step.undo_expects):
        text = f"{step.undo}: {fault or listing(missing[:3])}"
        mark_safely(change, number, "failed", text)
        return [text]
    mark_safely(change, number, "undone")
    return []


def only_waited(change: Running) -> bool:
    """Whether only waits of a continuing operation failed. There is then nothing to undo."""
    kinds = {change.begin.steps[number].kind for number in change.begun}
    return change.begin.resume is not None and kinds == {"wait"}


def not_confirmed(change: Running, why: str) -> ChangeNotUndone:
    """The exception of an operation whose effect is unknown. The operation stays open until ``restore`` has read it."""
    mark_safely(change, max(change.begun, default=0), "stopped", f"Not confirmed: {why}")
    again = restore_command(change.begin.source, change.journal.path.parent)
    deeds = change.begin.kind == "operation"
    what = "reads what it has done, and closes it" if deeds else "undoes what it has changed"
    return ChangeNotUndone(f'{why} It is not confirmed, and nothing was undone. "{again}" {what}.')


def mark_safely(change: Running, number: int, mark: Mark, text: str | None = None) -> None:
    """Journal a step; a failure to write must not stop the undoing."""
    try:
        change.mark(number, mark, text)
    except JournalFull as failure:
        if str(failure) not in change.faults:
            change.faults.append(str(failure))
