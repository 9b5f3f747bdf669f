"""Wait for an operation of the hardware, with progress.

A failed reading shows neither an end nor a failure; the next one decides. The wait ends if nothing can be read for
:data:`UNREAD_SECONDS`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from raidctl.cli.shared.terminal import emit_message
from raidctl.errors import CannotTell, UnderWay
from raidctl.tasks.patience import UNREAD_SECONDS, Patience
from raidctl.units import format_percent

_STEP = 5.0
"""Percent between two lines of progress."""


class Look(NamedTuple):
    """The result of one reading."""

    over: bool
    percent: float | None
    text: str
    """The operation, for messages: ``self-test of drives:ZC1``."""
    unread: str = ""
    """What could not be read, and why; empty: everything was read."""


class Clock(NamedTuple):
    """The time, and a way to wait; tests replace it."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


REAL = Clock()


def wait(look: Callable[[], Look], every: float, at_most: float | None, again: str, clock: Clock = REAL) -> None:
    """Poll until the operation ends. Print progress on standard error every 5 percent.

    Raises:
        UnderWay: The time is over, or Ctrl-C was pressed; ``again`` is the command that shows it.
        CannotTell: It could not be read for too long.
    """
    end = None if at_most is None else clock.now() + at_most
    shown: float | None = None
    patience = Patience()
    reported = ""
    try:
        while True:
            seen = look()
            if not seen.unread:
                patience.renew()
            elif patience.exhausted(clock.now()):
                minutes = f"For {UNREAD_SECONDS / 60:.0f} minutes it could not be read"
                raise CannotTell(f'{minutes}: {seen.unread}. {seen.text} is not stopped. Check again with "{again}".')
            if seen.unread and seen.unread != reported:
                reported = seen.unread
                emit_message(f"Could not be read, so raidctl waits for the next reading: {seen.unread}.")
            if seen.over:
                return
            if seen.percent is not None and (shown is None or seen.percent >= shown + _STEP):
                shown = seen.percent
                emit_message(f"{seen.text}: {format_percent(seen.percent)}")
            if end is not None and clock.now() >= end:
                raise UnderWay(f'{seen.text} is under way. Check again with "{again}".')
            clock.sleep(every)
    except KeyboardInterrupt:
        raise UnderWay(
            f'Interrupted while waiting; it is under way and not stopped. Check again with "{again}".'
        ) from None
