"""A change that lasts for a while: put back at its end, and by a second process when raidctl itself is killed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from raidctl.change.engine import Change
from raidctl.change.journal import Journal, Story
from raidctl.change.restore import Restored, Restorer
from raidctl.change.state import again
from raidctl.cli.changing import Work, tell
from raidctl.cli.options import Settings
from raidctl.errors import ChangeStands, RaidctlError
from raidctl.runners.child import Guardian, undisturbed
from raidctl.text import listing

_STARTUP = 10.0
"""Seconds in which the second process has to stand by; it starts while the change is made."""


def put_back(work: Work, change: Change) -> None:
    """Put back what the batch has changed.

    Raises:
        ChangeStands: It could not be; the change stays open, for ``restore``.
    """
    tell("Putting back what was there:")
    result = restored(work, change, tell)
    report(result)
    if result.faults:
        raise ChangeStands(
            f'It could not be put back: {listing(result.faults)}. "{again(work.named.source)}" tries again; '
            'look at it with "raidctl show".'
        )


def restored(work: Work, change: Change, told: Callable[[str], None]) -> Restored:
    """Go back to what was there before a change, uninterrupted; ``told`` gets the commands as they are carried out."""
    named = work.named
    restorer = Restorer(Journal(work.state), work.state, named.runner, named.survey, named.vendors, named.source, told)
    # what was begun stands in memory as well: a journal that cannot be read now must not keep anything from going back
    with undisturbed():
        return restorer.put_back(Story(begin=change.begin, turns=tuple(change.turns)))


def report(result: Restored) -> None:
    """What became of a change, in sentences."""
    for text in result.put_back:
        tell(f"Put back: {text}.")
    for text in result.left:
        tell(f"Left as it is: {text}.")
    for text in result.warnings:
        tell(f"Warning: {text}.")


@dataclass
class Standby:
    """Who stands by while a change lasts; called, it learns that the change is over."""

    guardian: Guardian | None
    source: str

    def __call__(self) -> None:
        """Nothing is to be done any more."""
        if self.guardian is not None:
            self.guardian.dismiss()

    def wait(self) -> None:
        """Wait until it stands by, and say so when it does not: that matters only should we be killed."""
        if self.guardian is None or not self.guardian.ready(_STARTUP):
            tell(f'Warning: nobody stands by should raidctl be killed; "{again(self.source)}" would have to put back.')


@contextlib.contextmanager
def guardian(settings: Settings, change: str) -> Iterator[Standby]:
    """A second process that puts back when this one is killed."""
    words = [sys.executable, "-m", "raidctl", *(["--demo", settings.demo] if settings.demo else [])]
    words += ["restore", "--when-gone", "--change", change]
    words += ["--state-dir", settings.state_dir] if settings.state_dir else []
    try:
        other = Guardian(words)
    except OSError:
        other = None
    standby = Standby(other, f"demo:{settings.demo}" if settings.demo else "local")
    try:
        yield standby
        standby()
    except RaidctlError:
        # nothing is left to do: what failed was undone, or stands open for restore, which would fail in the same way;
        # after anything else (an end in the wrong moment) the other process finishes the work
        standby()
        raise
    finally:
        if other is not None:
            other.close()
