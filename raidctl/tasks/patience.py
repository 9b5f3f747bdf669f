"""How long a wait continues while the machine cannot be read."""

from __future__ import annotations

from dataclasses import dataclass

UNREAD_SECONDS = 900.0
"""Seconds that a machine may be unreadable during a wait. A controller restarts, or another program uses the tool."""


@dataclass
class Patience:
    """Since when the readings of a wait have failed."""

    since: float | None = None
    """Time of the first of the latest failed readings; None: the last one succeeded."""

    def renew(self) -> None:
        """Note a reading that succeeded."""
        self.since = None

    def exhausted(self, now: float) -> bool:
        """Note a reading that failed; return whether they have failed for too long."""
        self.since = now if self.since is None else self.since
        return now - self.since >= UNREAD_SECONDS
