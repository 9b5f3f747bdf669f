"""A reading of the machine during a change, and for how long it is recent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from raidctl.survey.survey import Survey

RECENT_SECONDS = 5.0
"""Seconds for which a reading is recent enough to run a command after it, without another one."""

Look = Callable[[], Survey]
"""Reads the machine."""


@dataclass(frozen=True)
class Reading:
    """What a reading showed, and when it was complete."""

    seen: Survey
    at: float
    """Seconds of the change's clock, which is monotonic."""

    def recent(self, now: float) -> bool:
        """Whether a command may still be run after it."""
        return now - self.at < RECENT_SECONDS
