"""Commits under another cache policy (evidence E4 and E4'). The trial switches, measures again, and switches back.

The caller passes a context manager that activates the policy and always restores the previous one. The order is A B B
A, so that a drift of the machine does not look like an effect.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal

from raidctl.bench.estimators.effect import of_medians
from raidctl.bench.estimators.figures import median
from raidctl.bench.result import Spread, TrialResult
from raidctl.bench.trials.phase import Phase, latencies
from raidctl.bench.trials.trial import KIB, ROUNDS, Bench, Needs, Steps
from raidctl.bench.work import Op, Stream, Target

State = Literal["write_through", "drives_off"]
"""The controller in write-through. For the drives: their caches off, with the controller in write-through."""
Switch = Callable[[State], AbstractContextManager[None]]
"""Set a state for the duration of the context. Raises BenchError if that is refused."""

FIGURES: dict[State, str] = {"write_through": "commits_write_through", "drives_off": "commits_drive_off"}
BEFORE = "commits_before"
"""The figure for the previous policy, measured in the same minutes."""
STEADY = 1.5
"""Factor by which phases under the same policy may always differ."""
_RATIOS: dict[State, str] = {"write_through": "write_through_ratio", "drives_off": "drive_off_ratio"}


@dataclass
class _Seen:
    """One state: its rounds, and to which phase they belong."""

    phase: Phase = field(default_factory=Phase)
    parts: list[list[float]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class PolicySwitch:
    """Commits of one stream: unchanged, switched, switched, unchanged."""

    switch: Switch
    states: tuple[State, ...]
    seconds: float = 20.0
    """Seconds of each of the four phases."""
    pieces: int = ROUNDS
    """Rounds of a phase, from which the interval is computed."""

    name = "policy_switch"
    title = "commits with another cache policy"
    alone = True

    def needs(self, target: Target) -> Needs:
        """Rewrites one block."""
        del target
        phases = 3 * len(self.states) + 1
        return Needs(seconds=self.seconds * phases, written=None, size=64 * KIB)

    def run(self, bench: Bench) -> Steps:
        """Run alone, since a policy is switched."""
        seen: dict[str, _Seen] = {BEFORE: _Seen()}
        self._phase(bench, seen[BEFORE])
        for state in self.states:
            mine = seen.setdefault(FIGURES[state], _Seen())
            with self.switch(state):
                # destages the present content of the cache
                bench.flush()
                self._phase(bench, mine)
                self._phase(bench, mine)
            bench.flush()
            self._phase(bench, seen[BEFORE])
        yield
        return self._result(seen)

    def _phase(self, bench: Bench, seen: _Seen) -> None:
        rates = []
        for _ in range(self.pieces):
            before = len(seen.phase.rates)
            _commits(bench, seen.phase, self.seconds / self.pieces)
            rates += seen.phase.rates[before:]
        seen.parts.append(rates)

    def _result(self, seen: dict[str, _Seen]) -> TrialResult:
        figures: dict[str, Spread] = {name: one.phase.spread() for name, one in seen.items()}
        for state in self.states:
            figures[_RATIOS[state]] = of_medians(seen[BEFORE].phase.rates, seen[FIGURES[state]].phase.rates)
        shaky = _shaky(seen)
        reasons = ["Phases with the same policy differ so much that the switch may not be what made the difference."]
        return TrialResult(
            trial=self.name,
            figures=figures,
            latency=latencies({name: one.phase for name, one in seen.items()}),
            model="Commits that a cache acknowledges become as slow as the medium when that cache is switched off.",
            verdict="inconclusive" if shaky else "info",
            reasons=tuple(reasons) if shaky else (),
            series={"unstable": shaky, "order": ["before", *(f"{s}, {s}, before" for s in self.states)]},
        )


def _commits(bench: Bench, phase: Phase, seconds: float) -> None:
    """Rewrite and flush one block in the middle repeatedly."""
    size = bench.fitting(4 * KIB)
    middle = bench.target.size // 2 // size * size
    ops = bytes([Op.WRITE, Op.FLUSH])
    stream = Stream(ops=ops, offsets=array("Q", [middle, middle]), size=size, cycle=True)
    phase.add_commits(bench.run(stream, seconds=seconds))


def _shaky(seen: dict[str, _Seen]) -> bool:
    """Whether one policy's phases differ nearly as much as the policies do."""
    typical = {name: [value for part in one.parts if (value := median(part))] for name, one in seen.items()}
    middles = [value for values in typical.values() if (value := median(values))]
    effect = max(middles) / min(middles) if middles else 1.0
    most = max(STEADY, math.sqrt(effect))
    return any(max(values) > most * min(values) for values in typical.values() if values)
