"""Replacements and layouts in the journal that are not complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from raidctl.change.journal import Begin, End, Journal, JournaledChange, StepEvent
from raidctl.change.state_directory import Held, Holder, busy, held_name, hold
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import about
from raidctl.cli.shared.state_directories import readable_journal, state_directory
from raidctl.errors import CannotTell
from raidctl.units import timestamp


def open_operations(settings: Settings) -> list[JournaledChange]:
    """Return the incomplete operations on this machine, the newest first."""
    place = readable_journal(settings)
    return [
        journaled for journaled in Journal(place).pending()
        if journaled.begin.kind == "operation" and journaled.begin.source == settings.source
    ]  # fmt: skip


@contextmanager
def held(journaled: JournaledChange, settings: Settings) -> Iterator[None]:
    """Hold the objects of an operation that was begun earlier, and check that it is still as it was read.

    Raises:
        Held: Another process holds one of them.
        CannotTell: Another process has continued or ended it in the meantime.
    """
    begin = journaled.begin
    holder = Holder(change=begin.change, pid=os.getpid(), since=timestamp(), about=about())
    names = [held_name(begin.source, subject.id) for subject in begin.subjects]
    with hold(state_directory(settings), names, holder, source=begin.source):
        if journaled not in Journal(state_directory(settings)).pending():
            raise CannotTell(
                f"Operation {begin.change} was continued or ended by another raidctl in the meantime: nothing was "
                'done. "raidctl journal" shows how.'
            )
        yield


def note_resumed(journal: Journal, begin: Begin) -> None:
    """Write into the journal that an operation continues."""
    step = max(0, len(begin.steps) - 1)
    journal.append(StepEvent(change=begin.change, at=timestamp(), step=step, mark="resumed"))


def abandon(journaled: JournaledChange, settings: Settings, *, dry_run: bool = False) -> str:
    """End an operation in the journal. Nothing is done or undone. It raises errors as :func:`held` does.

    Returns:
        What happened, or what would happen in a dry run, as the beginning of a message.
    """
    if dry_run:
        begin = journaled.begin
        if text := busy(readable_journal(settings), begin.source, [subject.id for subject in begin.subjects]):
            raise Held(text)
        return f"Would be abandoned (change {begin.change}):"
    with held(journaled, settings):
        end = End(change=journaled.begin.change, at=timestamp(), result="abandoned", text=f"abandoned by {about()}")
        Journal(state_directory(settings)).append(end)
    return "Abandoned:"
