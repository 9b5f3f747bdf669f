"""Readings of simulated machines: one of each state, since a machine in the same state prints the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from msgspec.structs import replace

from raidctl.survey.survey import Survey
from raidctl.vendor.simulator import State


@dataclass
class Readings:
    """The last readings of this process, by the recording and the state of its machine."""

    most: int = 1000
    """Readings that are kept; one takes some 100 KB."""
    _kept: OrderedDict[Hashable, Survey] = field(default_factory=OrderedDict)

    def of(self, recording: str, state: State, read: Callable[[], Survey]) -> Survey:
        """Return what ``read`` returns for this state; each time another object with the same content."""
        key = recording, frozenset(state.items())
        if key not in self._kept:
            self._kept[key] = read()
        self._kept.move_to_end(key)
        if len(self._kept) > self.most:
            self._kept.popitem(last=False)
        return replace(self._kept[key])


READINGS = Readings()
