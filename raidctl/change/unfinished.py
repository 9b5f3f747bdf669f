"""Changes without an end: as problems of a machine, and as what blocks a new change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from raidctl.change.beginning import touched_by
from raidctl.change.journal import Begin, Journal, JournaledChange
from raidctl.change.state_directory import held_name, holder_of, restore_command
from raidctl.errors import CannotTell
from raidctl.model import Controller, Problem
from raidctl.text import listing
from raidctl.vendor.plan import Plan


def problems(place: Path, source: str) -> list[Problem]:
    """Return a problem for each unfinished change of a machine. The change has no end: it is running, or cut off."""
    try:
        waiting = [
            journaled for journaled in Journal(place).pending() if journaled.open and journaled.begin.source == source
        ]
    except CannotTell as failure:
        return [Problem(severity="warning", where="journal", message=str(failure), kind="unread")]
    return [_problem(place, journaled) for journaled in waiting]


def blocker(place: Path, source: str, plan: Plan, controllers: Sequence[Controller]) -> str | None:
    """Explain which unfinished change blocks a plan for these controllers. None if none does.

    The temporary settings of a change would be taken for the original ones. After a reboot, a controller may have
    another id. An operation blocks only its own objects (guard X4).

    Raises:
        CannotTell: The journal cannot be read.
    """
    names = {name for controller in controllers for name in (controller.id, controller.serial) if name}
    for journaled in Journal(place).pending():
        begin = journaled.begin
        if not journaled.open or begin.source != source:
            continue
        if begin.kind == "operation":
            common = sorted(_touched(plan) & set(begin.touches))
            if common:
                way = begin.resume or restore_command(source, place)
                return (
                    f"Operation {begin.change} of {begin.at} is not complete and uses {listing(common)}: "
                    f'{begin.about}. Nothing was changed. Continue it first: "{way}".'
                )
        elif any(subject.id in names or subject.serial in names for subject in begin.subjects):
            return (
                f"Change {begin.change} of {begin.at} was interrupted, its settings are still active: {begin.about}. "
                f'Nothing was changed. Undo it first: "{restore_command(source, place)}".'
            )
    return None


def _touched(plan: Plan) -> set[str]:
    """Return the ids and serial numbers of a plan's objects. LEDs may always be switched."""
    return {*(step.object_id for step in plan.steps if step.setting != "locate"), *touched_by(plan)}


def _runner(place: Path, begin: Begin) -> int | None:
    """The process that carries out a change now. None: it has ended.

    Meanwhile the locks may be those of other changes: an operation on another array, or the operation that this change
    was a part of, continued by another process.
    """
    for subject in begin.subjects:
        holder = holder_of(place, held_name(begin.source, subject.id))
        if holder is not None and (holder.change == begin.change or holder.pid == begin.pid):
            return holder.pid or begin.pid
    return None


def _problem(place: Path, journaled: JournaledChange) -> Problem:
    begin = journaled.begin
    if begin.kind == "locate":
        return _leds(place, begin)
    if begin.kind == "operation":
        return _open_operation(place, journaled)
    where = ", ".join(subject.id for subject in begin.subjects) or "journal"
    process = _runner(place, begin)
    if process is not None:
        message = f"Cache settings are changed for the duration of a batch (process {process}): {begin.about}"
        return Problem("info", where, message)
    message = f"A change of {begin.at} was cut off and is still active: {begin.about}"
    return Problem(
        "warning", where, message, f"Restore the previous settings: `{restore_command(begin.source, place)}`.", "state"
    )


def _leds(place: Path, begin: Begin) -> Problem:
    """The problem of locate LEDs that are on, or were left on."""
    where = ", ".join(indicator.bay.object_id for indicator in begin.indicators) or "journal"
    process = _runner(place, begin)
    if process is not None:
        return Problem("info", where, f"The locate LED is on until {begin.until} (process {process}).")
    if operation := begin.facts.get("operation"):
        message = f"The locate LED has been on since {begin.at}, for replacement {operation}, which waits for a person."
        return Problem("info", where, message)
    message = f"The locate LED was switched on at {begin.at} and not off again: {begin.about}"
    return Problem("warning", where, message, f"Switch it off: `{restore_command(begin.source, place)}`.", "state")


def _open_operation(place: Path, journaled: JournaledChange) -> Problem:
    begin = journaled.begin
    # a separate place: the array's own problem does not mention the operation
    where = f"operation {begin.change}"
    process = _runner(place, begin)
    if process is not None:
        return Problem("info", where, f"An operation is under way (process {process}): {begin.about}")
    message = f"An operation of {begin.at} is not {'confirmed' if journaled.unconfirmed else 'complete'}: {begin.about}"
    if journaled.waiting:
        message += f". {journaled.waiting}"
    again = restore_command(begin.source, place)
    remedy = f"Continue with `{begin.resume or again}`."
    if journaled.unconfirmed:
        remedy = f"Read what it has done, and close it: `{again}`."
    return Problem("warning", where, message, remedy, "state")
