"""Report changes without an end as problems."""

from __future__ import annotations

from pathlib import Path

from raidctl.change.journal import Begin, Journal, Story
from raidctl.change.state_directory import held_name, holder_of, restore_command
from raidctl.errors import CannotTell
from raidctl.model import Problem


def problems(place: Path, source: str) -> list[Problem]:
    """Return a problem for each unfinished change of a machine. The change has no end: it is running, or cut off."""
    try:
        waiting = [story for story in Journal(place).pending() if story.open and story.begin.source == source]
    except CannotTell as failure:
        return [Problem(severity="warning", where="journal", message=str(failure), kind="unread")]
    return [_problem(place, story) for story in waiting]


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


def _problem(place: Path, story: Story) -> Problem:
    begin = story.begin
    if begin.kind == "locate":
        return _leds(place, begin)
    if begin.kind == "operation":
        return _open_operation(place, story)
    where = ", ".join(subject.id for subject in begin.subjects) or "journal"
    process = _runner(place, begin)
    if process is not None:
        message = f"Cache settings are changed for the duration of a batch (process {process}): {begin.about}"
        return Problem("info", where, message)
    message = f"A change of {begin.at} was cut off and is still active: {begin.about}"
    return Problem(
        "warning", where, message, f"Put back the previous settings: `{restore_command(begin.source, place)}`.", "state"
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


def _open_operation(place: Path, story: Story) -> Problem:
    begin = story.begin
    # a separate place: the array's own problem does not mention the operation
    where = f"operation {begin.change}"
    process = _runner(place, begin)
    if process is not None:
        return Problem("info", where, f"An operation is under way (process {process}): {begin.about}")
    message = f"An operation of {begin.at} is not {'confirmed' if story.unconfirmed else 'complete'}: {begin.about}"
    if story.waiting:
        message += f". {story.waiting}"
    again = restore_command(begin.source, place)
    remedy = f"Continue with `{begin.resume or again}`."
    if story.unconfirmed:
        remedy = f"Read what it has done, and close it: `{again}`."
    return Problem("warning", where, message, remedy, "state")
