"""The result of ``restore``."""

from __future__ import annotations

from dataclasses import dataclass, field

from raidctl.change.journal import JournaledChange


@dataclass
class Restored:
    """The result of restoring one change without an end."""

    journaled: JournaledChange
    put_back: list[str] = field(default_factory=list)
    """Sentences on the restored settings."""
    left: list[str] = field(default_factory=list)
    """Settings that somebody else has changed since, which were left."""
    faults: list[str] = field(default_factory=list)
    """What could not be restored or read."""
    warnings: list[str] = field(default_factory=list)
    """Restored settings that are not safe."""
    busy: str | None = None
    """The raidctl that made it is still running: nothing was done."""
    open: str | None = None
    """What an incomplete operation waits for, and the command that continues it."""
