"""A replacement behind a controller that is cut off.

The cut is at every mark of the journal, and while somebody is waited for.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from raidctl.change.journal import Journal
from raidctl.change.waiting import HAND_PAUSE
from raidctl.errors import UsageError
from tests.operate.controllers.simulated import DEMOS, LATER, PULLED, PUSHED, ControllerReplacement, replacement_on

every = pytest.mark.parametrize("name", DEMOS)
KILLED = 9


def marks_of(story: ControllerReplacement) -> int:
    """How many entries the journal of a whole story has."""
    story.hands()
    story.run()
    return story.bench.journal.path.read_bytes().count(b"\n")


def cut(story: ControllerReplacement, prepare: Callable[[ControllerReplacement], None]) -> bool:
    """Run the story in a process that ends itself; whether it did."""
    child = os.fork()
    if child == 0:
        try:
            prepare(story)
            story.hands()
            story.run()
        except BaseException:  # noqa: BLE001 - the child must never return into the test
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED


def at_entry(number: int, *, written: bool) -> Callable[[ControllerReplacement], None]:
    """Cut right before or after a journal entry is written. The entry is the n-th."""

    def prepare(_story: ControllerReplacement) -> None:
        append, count = Journal.append, iter(range(1000))

        def counted(self: Journal, entry: object) -> None:
            mine = next(count) == number
            if mine and not written:
                os._exit(KILLED)
            append(self, entry)  # type: ignore[arg-type]  # handed on
            if mine:
                os._exit(KILLED)

        Journal.append = counted  # type: ignore[method-assign]  # in the child alone

    return prepare


def at_moment(moment: float) -> Callable[[ControllerReplacement], None]:
    """Cut at a moment of the clock."""

    def prepare(story: ControllerReplacement) -> None:
        sleep = story.bench.sleep

        def slept(seconds: float) -> None:
            if story.bench.at + seconds >= moment:
                os._exit(KILLED)
            sleep(seconds)

        story.bench.sleep = slept  # type: ignore[method-assign]  # in the child alone

    return prepare


def continued(story: ControllerReplacement) -> None:
    """Another process continues what is open, or begins. The person does what is not yet done."""

    def pull() -> None:
        with suppress(UsageError):  # it was pulled already
            story.pull()

    came = story.new() is not None
    story.bench.moments = [] if came else [(PULLED, pull), (PUSHED, story.push)]
    if story.bench.journal.pending():
        story.replacing.run(story.resumed())
    elif not came:
        story.run()
    _, volume = story.now()
    new = story.new()
    assert new is not None
    assert (volume.status, story.bench.journal.pending()) == ("ok", [])
    assert new.role in ("member", "spare")  # a spare that stepped in may have become the member


@every
def test_a_cut_while_it_waits_is_continued(name: str, tmp_path: Path) -> None:
    """Before the pull, between pull and push, and during the rebuild."""
    for number, seconds in enumerate((20.0, 70.0, 400.0)):
        story = replacement_on(name, tmp_path / str(number))
        assert cut(story, at_moment(seconds)), seconds
        continued(story)


@pytest.mark.slow
@every
def test_a_cut_at_any_entry_of_the_journal_is_continued(name: str, tmp_path: Path) -> None:
    """A cut right before or after each entry leaves nothing half done. The story ends."""
    for number in range(marks_of(replacement_on(name, tmp_path / "whole"))):
        for written in (False, True):
            story = replacement_on(name, tmp_path / f"{number}-{written}")
            assert cut(story, at_entry(number, written=written)), (number, written)
            if story.new() is not None and not story.bench.journal.pending():
                continue  # its last entry was written
            continued(story)


@every
def test_an_interrupt_leaves_the_story_open(name: str, tmp_path: Path) -> None:
    """Ctrl-C while a person is waited for undoes nothing. The story continues."""
    story = replacement_on(name, tmp_path)
    change = story.start()

    def interrupt(pause: float) -> None:
        if pause == HAND_PAUSE:
            raise KeyboardInterrupt
        story.bench.sleep(pause)

    change.sleep = interrupt
    with pytest.raises(Exception, match="Pull the drive"):
        story.replacing.run(change)
    story.bench.machine.pass_time(LATER)
    continued(story)
