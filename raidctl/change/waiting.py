"""Steps that raidctl only watches: manual steps, and work of the hardware.

A failed reading proves nothing: neither that a drive is gone, nor that a volume no longer exists. Waiting continues;
it ends only if the machine cannot be read for :data:`UNREAD_SECONDS`, and the operation stays open. A drive that the
kernel no longer shows is gone even if tools fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from raidctl.change.deed_steps import Running, repeated
from raidctl.change.expectations import serials_of, unmet
from raidctl.change.journal import Begin
from raidctl.change.step_failures import StepFailed
from raidctl.errors import UnderWay
from raidctl.model import Problem, failed_readings, hiding_problems
from raidctl.survey.survey import Survey
from raidctl.tasks.patience import UNREAD_SECONDS, Patience
from raidctl.text import collapse, listing
from raidctl.vendor.plan import Step

HAND_PAUSE = 10.0
"""Seconds between two readings while a person works. The two that show a complete array are as far apart."""
TASK_PAUSES = (2.0, 5.0, 10.0, 30.0)
"""Seconds between two readings while the hardware works. Then the last one is repeated."""
TOOL_PAUSES = (30.0, 60.0, 120.0, 300.0)
"""Seconds between two readings if each runs a controller's tool. They replace ``TASK_PAUSES``, as one reading per
minute has stalled I/O."""
_BRIEF = ("verifying", "settling")
"""Waits that end within a minute."""
_KERNEL = ("/sys", "/proc")
"""Prefixes of the kernel's files."""
UNREAD_PAUSE = 30.0
"""Seconds until the next reading, at most, after one that failed."""


@dataclass
class Unread:
    """Which readings of a wait failed, and since when."""

    known: frozenset[tuple[str, str]] = frozenset()
    """Problems of a reading that shows every drive. They do not explain a missing one."""
    patience: Patience = field(default_factory=Patience)
    reported: str = ""

    def why(self, seen: Survey, *, drives: bool) -> str | None:
        """What a reading lacks that earlier ones had; None if nothing. ``drives``: what may hide whole drives."""
        problems = failed_readings(seen.inventory.problems) if drives else seen.inventory.problems
        fresh = [one for one in hiding_problems(problems) if _key(one) not in self.known]
        return f"{fresh[0].where}: {fresh[0].message.rstrip('.')}" if fresh else None

    def sound(self, seen: Survey) -> None:
        """Remember a complete reading."""
        self.known = frozenset(_key(one) for one in hiding_problems(seen.inventory.problems))
        self.patience.renew()


def _key(problem: Problem) -> tuple[str, str]:
    return collapse(problem.where), collapse(problem.message)


def unread_text(seen: Survey) -> str:
    """Return the problems of an operation's first reading, one per line. Its facts keep them in this form."""
    return "\n".join("\t".join(_key(one)) for one in hiding_problems(seen.inventory.problems))


def _known(text: str) -> frozenset[tuple[str, str]]:
    return frozenset((where, message) for where, _, message in (line.partition("\t") for line in text.splitlines()))


def wait_for(change: Running, number: int) -> None:
    """Wait until a person or the hardware has done a step.

    Raises:
        UnderWay: It is not done when the wait ends, or the machine has become unreadable.
        StepFailed: Something else has happened: another drive is gone.
    """
    step = change.begin.steps[number]
    if number not in change.begun:
        change.mark(number, "wait", step.hand)
        change.begun.append(number)
    asked, unread = False, Unread(_known(change.begin.facts.get("unread", "")))
    places, known = change.begin.facts.get("places", ""), change.begin.facts.get("kernel", "").splitlines()
    began = change.clock()
    # a few quick readings are made even without waiting
    at_most = None if step.setting in _BRIEF else change.at_most
    short = step.kind == "hand" or step.setting in _BRIEF
    try:
        seen = change.fresh()
        for pause in repeated((HAND_PAUSE,) if short else change.pauses):
            gone = _gone(step, seen)
            wrong = put_back(gone, places) if gone else next(iter(change.guard(step, seen)), None)
            certain = _gone_from_kernel(gone, seen, known)
            lost = unread.why(seen, drives=bool(gone)) if wrong is not None and not certain else None
            wrong = put_back(certain, places) if certain else wrong
            if wrong is not None and lost is None:
                raise _ended(change, number, wrong)
            if step.hand and not asked and change.at_most != 0:  # otherwise it is in the last sentence
                change.show(step.hand)
                asked = True
            if wrong is not None and lost is not None:
                maybe = f" If that is not the reason: {wrong}" if len(gone) == 1 else ""
                _not_read(change, number, unread, f"{lost}.{maybe}")
            else:
                unread.sound(seen)
                if not [*unmet(seen, step.expects), *change.confirm(step, seen)]:
                    change.mark(number, "seen" if step.kind == "hand" else "done")
                    return
            if at_most is not None and change.clock() - began >= at_most:
                break
            change.sleep(pause if lost is None else min(pause, UNREAD_PAUSE))
            seen = change.look()
    except KeyboardInterrupt:
        pass
    raise UnderWay(_under_way(change.begin, step))


def _ended(change: Running, number: int, wrong: str) -> UnderWay | StepFailed:
    """Journal what is wrong, and return the exception that ends the wait."""
    change.mark(number, "stopped", wrong)
    if change.begin.steps[number].kind == "hand" and change.begin.resume is not None:
        return UnderWay(f'{wrong} Then continue with "{change.begin.resume}".')
    return StepFailed(wrong)


def _not_read(change: Running, number: int, unread: Unread, text: str) -> None:
    """Report once what could not be read. Also report what the reading shows otherwise.

    Raises:
        UnderWay: It could not be read for too long.
    """
    exhausted = unread.patience.exhausted(change.clock())
    if text != unread.reported:
        unread.reported = text
        change.show(f"Could not be read, so raidctl waits for the next reading: {text}")
    if not exhausted:
        return
    text = f"For {UNREAD_SECONDS / 60:.0f} minutes the machine could not be read, so its state is unknown: {text}"
    change.mark(number, "stopped", text)
    resume = change.begin.resume
    raise UnderWay(f'{text} Continue with "{resume}".' if resume else text)


def _under_way(begin: Begin, step: Step) -> str:
    what = step.hand or f"{step.setting} of {step.object_id} is not complete"
    return f'Under way: {what.rstrip(".")}. Continue with "{begin.resume}".' if begin.resume else f"Under way: {what}"


def _gone(step: Step, seen: Survey) -> list[str]:
    """Return the serial numbers of missing drives that must stay. Empty if no drive could be read."""
    serials = serials_of(seen)
    gone = [serial for serial in step.keeps if serial not in serials]
    # all at once: this is a failed controller or reading, not a person
    return [] if not serials or len(gone) == len(step.keeps) > 1 else gone


def _gone_from_kernel(gone: Sequence[str], seen: Survey, known: Sequence[str]) -> list[str]:
    """Which of these drives the kernel has shown and shows no longer. Empty if its files could not be read.

    ``known``: serial numbers of the drives that it had shown when the operation began.
    """
    there = {block.serial for block in seen.view.blocks if block.kind == "disk"}
    hiding = hiding_problems(seen.inventory.problems)
    unread = any(one.where.startswith(_KERNEL) or "udev" in one.where for one in hiding)
    if unread or there.isdisjoint(known):
        return []
    return [serial for serial in gone if serial in known and serial not in there]


def put_back(gone: Sequence[str], listed: str) -> str:
    """Ask for drives that must stay.

    Args:
        gone: Their serial numbers.
        listed: The location of each drive at the beginning: ``SERIAL<tab>enclosure 1, bay 4``, one per line.
    """
    pairs = (line.partition("\t") for line in listed.splitlines())
    places = {serial: f" ({place})" for serial, _, place in pairs}
    names = listing([f"{serial}{places.get(serial, '') if len(gone) > 1 else ''}" for serial in gone])
    return (
        f"The drive with serial number {names} is gone, but must stay. Put it back now, into the bay that it came "
        f"from{places.get(gone[0], '')}; nothing else is done until it is back."
        if len(gone) == 1
        else f"The drives with serial numbers {names} are gone, but must stay. "
        "Put them back now, into the bays that they came from; nothing else is done until they are back."
    )
