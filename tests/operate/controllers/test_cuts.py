"""A replacement behind a controller that is cut off.

The cut is at every mark of the journal, and while somebody is waited for. A process that ends leaves its files and
nothing else: those of each moment are kept while a replacement runs, and another process begins with them.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from raidctl.change.journal import Journal
from raidctl.change.waiting import HAND_PAUSE
from raidctl.errors import UsageError
from tests.change.harness import DirectoryCopies
from tests.operate.controllers.simulated import LATER, PULLED, PUSHED, ControllerReplacement, every, replacement_on


def left_at_entries(name: str, place: Path, folder: Path) -> list[Path]:
    """Copies of what is left right before and after each entry of the journal of a whole replacement."""
    replacement = replacement_on(name, place)
    left = DirectoryCopies(place, folder)
    append = Journal.append

    def watched(self: Journal, entry: object) -> None:
        left.copy()
        append(self, entry)  # type: ignore[arg-type]  # handed on
        left.copy()

    replacement.hands()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Journal, "append", watched)
        replacement.run()
    return copies(folder)


def left_at_moments(name: str, place: Path, folder: Path, *moments: float) -> list[Path]:
    """Copies of what is left at moments of the clock."""
    replacement = replacement_on(name, place)
    left, coming = DirectoryCopies(place, folder), list(moments)
    sleep = replacement.bench.sleep

    def slept(seconds: float) -> None:
        if coming and replacement.bench.at + seconds >= coming[0]:
            coming.pop(0)
            left.copy()
        sleep(seconds)

    replacement.bench.sleep = slept  # type: ignore[method-assign]  # of this replacement alone
    replacement.hands()
    replacement.run()
    return copies(folder)


def copies(folder: Path) -> list[Path]:
    """The directories that were copied, in order of time."""
    return sorted(folder.iterdir(), key=lambda path: int(path.name))


def cut(name: str, place: Path, left: Path) -> ControllerReplacement:
    """The replacement that another process finds in the same place, with the files that were left."""
    rmtree(place)
    replacement = replacement_on(name, place)
    rmtree(place)
    copytree(left, place)
    return replacement


def continued(replacement: ControllerReplacement) -> None:
    """Another process continues what is open, or begins. The person does what is not yet done."""

    def pull() -> None:
        with suppress(UsageError):  # it was pulled already
            replacement.pull()

    came = replacement.new() is not None
    replacement.bench.moments = [] if came else [(PULLED, pull), (PUSHED, replacement.push)]
    if replacement.bench.journal.pending():
        replacement.resume()
    elif not came:
        replacement.run()
    _, volume = replacement.now()
    new = replacement.new()
    assert new is not None
    assert (volume.status, replacement.bench.journal.pending()) == ("ok", [])
    assert new.role in ("member", "spare")  # a spare that stepped in may have become the member


@pytest.mark.slow
@every
def test_a_cut_while_it_waits_is_continued(name: str, tmp_path: Path) -> None:
    """Before the pull, between pull and push, and during the rebuild."""
    moments = (20.0, 70.0, 400.0)
    left = left_at_moments(name, tmp_path / "machine", tmp_path / "folder", *moments)
    assert len(left) == len(moments)
    for files in left:
        continued(cut(name, tmp_path / "machine", files))


@pytest.mark.slow
@every
def test_a_cut_at_any_entry_of_the_journal_is_continued(name: str, tmp_path: Path) -> None:
    """A cut right before or after each entry leaves nothing half done. The replacement ends."""
    left = left_at_entries(name, tmp_path / "machine", tmp_path / "folder")
    assert len(left) > 10
    for number, files in enumerate(left):
        replacement = cut(name, tmp_path / "machine", files)
        if replacement.new() is not None and not replacement.bench.journal.pending():
            assert number == len(left) - 1  # its last entry was written
            continue
        continued(replacement)


@every
def test_an_interrupt_leaves_the_replacement_open(name: str, tmp_path: Path) -> None:
    """Ctrl-C while a person is waited for undoes nothing. The replacement continues."""
    replacement = replacement_on(name, tmp_path)
    change = replacement.start()

    def interrupt(pause: float) -> None:
        if pause == HAND_PAUSE:
            raise KeyboardInterrupt
        replacement.bench.sleep(pause)

    change.sleep = interrupt
    with pytest.raises(Exception, match="Pull the drive"):
        replacement.replacing.run(change)
    replacement.bench.machine.pass_time(LATER)
    continued(replacement)
