"""Readings of simulated machines, one of each state. A machine in the same state prints the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import datetime, timezone

from msgspec.structs import replace

from raidctl.survey.survey import Survey
from raidctl.vendor.simulator import State


@dataclass
class Readings:
    """The last readings of this process, by recording and machine state."""

    most: int = 1000
    """Readings that are kept; one takes some 100 KB."""
    _kept: OrderedDict[Hashable, Survey] = field(default_factory=OrderedDict)

    def of(self, recording: str, state: State, read: Callable[[], Survey]) -> Survey:
        """Return what ``read`` returns for this state. Each call makes a new object."""
        key = recording, frozenset(state.items())
        if key not in self._kept:
            self._kept[key] = read()
        self._kept.move_to_end(key)
        if len(self._kept) > self.most:
            self._kept.popitem(last=False)
        return _now(self._kept[key])


def _now(seen: Survey) -> Survey:
    """The same reading with the present time. Guard X3 refuses an old one."""
    at = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return replace(seen, inventory=replace(seen.inventory, host=replace(seen.inventory.host, collected_at=at)))


READINGS = Readings()
