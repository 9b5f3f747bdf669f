"""Wait for something that the hardware does: progress for the person who waits, and an end."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from raidctl.cli.shared.plan_change import tell
from raidctl.errors import UnderWay

_STEP = 5.0
"""Percent between two lines of progress."""


class Look(NamedTuple):
    """What one reading shows."""

    over: bool
    percent: float | None
    text: str
    """What is waited for: ``self-test of drives:ZC1``."""


class Clock(NamedTuple):
    """The time, and how it passes; the tests have one that does not."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


REAL = Clock()


def wait(look: Callable[[], Look], every: float, at_most: float | None, again: str, clock: Clock = REAL) -> None:
    """Look until it is over; a line of progress on standard error for every 5 percent.

    Raises:
        UnderWay: The time is over, or Ctrl-C was pressed; ``again`` is the command that shows it.
    """
    end = None if at_most is None else clock.now() + at_most
    shown: float | None = None
    try:
        while True:
            seen = look()
            if seen.over:
                return
            if seen.percent is not None and (shown is None or seen.percent >= shown + _STEP):
                shown = seen.percent
                tell(f"{seen.text}: {seen.percent:g}%")
            if end is not None and clock.now() >= end:
                raise UnderWay(f'{seen.text} is under way. Look again with "{again}".')
            clock.sleep(every)
    except KeyboardInterrupt:
        raise UnderWay(
            f'Interrupted while waiting; it is under way and not stopped. Look again with "{again}".'
        ) from None
