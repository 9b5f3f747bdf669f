"""Readings of simulated machines. A machine that answers everything as before has been read before."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, ClassVar

from msgspec.structs import replace

from raidctl.request import Answer, Request, Runner
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.simulator import State

Round = tuple[tuple[Request[Any], ...], tuple[Answer, ...]]
"""Requests that are made together, and their answers."""


@dataclass
class _Point:
    """The requests of a reading after certain answers; at its end, the reading."""

    requests: tuple[Request[Any], ...] = ()
    after: dict[tuple[Answer, ...], _Point] = field(default_factory=dict)
    seen: Survey | None = None


@dataclass
class _Listening:
    """A runner that keeps the rounds. It has the answers to the first ones already."""

    AT_ONCE: ClassVar = True

    runner: Runner
    given: list[Round]
    rounds: list[Round] = field(default_factory=list)

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order."""
        asked, number = tuple(requests), len(self.rounds)
        if number < len(self.given):
            known, answers = self.given[number]
            assert known == asked, "two readings with the same answers asked different questions"
        else:
            answers = tuple(self.runner.carry_out(asked))
        self.rounds.append((asked, answers))
        return answers


@dataclass
class Readings:
    """The last readings of this process."""

    most: int = 1000
    """Readings that are kept; one takes some 100 KB."""
    _states: OrderedDict[Hashable, Survey] = field(default_factory=OrderedDict)
    """By recording and machine state."""
    _begin: dict[Hashable, _Point] = field(default_factory=dict)
    """By source, families and answers."""
    _ends: int = 0

    def of(self, recording: str, state: State, runner: Runner, families: Sequence[Vendor], source: str) -> Survey:
        """Read a machine in a state. Each state of a recording is read once."""
        key = recording, source, frozenset(state.items())
        if key not in self._states:
            self._states[key] = self.answered(runner, families, source)
        self._states.move_to_end(key)
        if len(self._states) > self.most:
            self._states.popitem(last=False)
        return _now(self._states[key])

    def answered(self, runner: Runner, families: Sequence[Vendor], source: str) -> Survey:
        """Make every request of a reading. If all answers are those of an earlier reading, return that one.

        The runner has to answer at once.
        """
        known: Hashable = source, *(family.FAMILY for family in families)
        point, given = self._begin.setdefault(known, _Point()), list[Round]()
        while point.requests:
            given.append((point.requests, tuple(runner.carry_out(point.requests))))
            following = point.after.get(given[-1][1])
            if following is None:
                break
            point = following
        if point.seen is None:
            listening = _Listening(runner, given)
            seen = survey(listening, families, source=source)
            point = self._end(known, listening.rounds)
            point.seen = seen
        return _now(point.seen)

    def _end(self, known: Hashable, rounds: Sequence[Round]) -> _Point:
        """Make the points of a reading. Return the last one."""
        self._ends += 1
        if self._ends > self.most:
            self._begin, self._ends = {}, 1
        point = self._begin.setdefault(known, _Point())
        for requests, answers in rounds:
            point.requests = requests
            point = point.after.setdefault(answers, _Point())
        return point


def _now(seen: Survey) -> Survey:
    """The same reading with the present time. Guard X3 refuses an old one."""
    at = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return replace(seen, inventory=replace(seen.inventory, host=replace(seen.inventory.host, collected_at=at)))


READINGS = Readings()
