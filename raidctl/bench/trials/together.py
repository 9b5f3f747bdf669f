"""Several drives at once against each alone: limits of bus, expander, processor."""

from __future__ import annotations

import itertools
import os
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from raidctl.bench.engines.process_group import Job, Report, now
from raidctl.bench.engines.process_group import work as side_by_side
from raidctl.bench.estimators import effect
from raidctl.bench.estimators.spread import too_short
from raidctl.bench.faulty import Faulty, TargetFailed, failed
from raidctl.bench.result import Spread, TrialResult, Verdict
from raidctl.bench.trials.phase import MIB, Phase, ends, stream
from raidctl.bench.trials.trial import ROUNDS, Bench, Interrupted, Needs, Steps
from raidctl.bench.verdict.decision import REPEAT
from raidctl.bench.work import Engine, Op, Target, Work
from raidctl.text import listing

EDGE = 0.1
"""Share of the common time that is left out at either end."""
BUSY = 0.9
"""Processor use above which the processor may be the limit. It is the share of all processors in use."""
_SEVERITY: dict[Verdict, int] = {"pass": 0, "info": 0, "inconclusive": 1, "suspect": 2, "fail": 3}
Group = tuple[int, ...]
"""The targets of a group, by number."""


@dataclass
class _Seen:
    rates: dict[Group, list[list[float]]] = field(default_factory=dict)
    """Rounds of each group; per round the rate of each target."""
    counted: dict[Group, tuple[float, int]] = field(default_factory=dict)
    """Seconds and operations counted."""
    busiest: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Together:
    """Sequential reads of each drive alone, all pairs, and all.

    Groups run forwards and backwards, at the same offset of each drive.

    Only the time in which all drives of a group were reading counts: the first that is done ends it.
    """

    others: tuple[Target, ...]
    """Open targets beside the measured one; only read."""
    seconds: float = 3.0
    """Seconds of each phase in each round."""
    size: int = MIB
    depth: int = 4
    rounds: int = ROUNDS

    name = "together"
    title = "several drives at once"
    alone = True

    def groups(self) -> list[Group]:
        """Each alone, all pairs, and all."""
        everyone = range(len(self.others) + 1)
        found: list[Group] = [(one,) for one in everyone]
        found += list(itertools.combinations(everyone, 2))
        return found if len(everyone) < 3 else [*found, tuple(everyone)]

    def needs(self, target: Target) -> Needs:
        """Only reads."""
        del target
        return Needs(seconds=self.rounds * self.seconds * len(self.groups()), size=4 * self.size)

    def run(self, bench: Bench) -> Steps:
        """Run ABBA: one round forwards, the next backwards."""
        targets = (bench.target, *self.others)
        groups, seen = self.groups(), _Seen()
        for number in bench.rounds(self.rounds):
            share = bench.random.random()
            for group in groups if number % 2 == 0 else groups[::-1]:
                self._group(bench, [targets[one] for one in group], group, share, seen)
            yield
        return self._result(bench, targets, seen)

    def _group(self, bench: Bench, targets: Sequence[Target], group: Group, share: float, seen: _Seen) -> None:
        if bench.over:
            raise Interrupted
        works = [(target, self._work(target, share)) for target in targets]
        begun = now()
        if isinstance(bench.engine, Several):
            reports = bench.engine.together(works)
        else:
            _, reports = side_by_side([_job(bench.engine, target, work) for target, work in works])
        cpu = sum(report.cpu_ns for report in reports) / (now() - begun) / len(os.sched_getaffinity(0))
        seen.busiest = max(seen.busiest, cpu)
        for target, report in zip(targets, reports, strict=True):
            _refuse_odd(target.name, report.odd)
        used = sorted({name for report in reports for name in report.notes})
        for name in used:
            bench.used(name)
        rates, seconds, count = _overlap(reports)
        seen.rates.setdefault(group, []).append(rates)
        before = seen.counted.get(group, (0.0, 0))
        seen.counted[group] = before[0] + seconds, before[1] + count

    def _work(self, target: Target, share: float) -> Work:
        size = -(-self.size // target.alignment) * target.alignment
        slots = target.size // size
        first = int(share * slots)
        places = array("Q", (size * ((first + step) % slots) for step in range(min(slots, 1 << 16))))
        return Work(streams=[stream(Op.READ, places, size, self.depth, cycle=True)], seconds=self.seconds)

    def _result(self, bench: Bench, targets: Sequence[Target], seen: _Seen) -> TrialResult:
        figures, verdicts, reasons = dict[str, Spread](), list[Verdict](), list[str]()
        for group, rounds in seen.rates.items():
            phase = Phase(rates=[sum(rates) for rates in rounds])
            phase.seconds, phase.operations = seen.counted[group]
            figures[_name(group, len(targets))] = phase.spread("MiB/s", self.size / MIB)
            if len(group) > 1:
                ratio = self._ratio(seen, group)
                figures[f"{_name(group, len(targets))}_ratio"] = ratio
                verdicts.append(effect.together(ratio))
                reasons += _reasons([targets[one].name for one in group], ratio)
        if seen.busiest > BUSY:
            reasons.append(f"The processors were {seen.busiest:.0%} busy: the drives may have waited for them.")
            verdicts = ["inconclusive" if one in ("fail", "suspect") else one for one in verdicts]
        verdict: Verdict = max(verdicts, key=_SEVERITY.__getitem__) if verdicts else "inconclusive"
        return TrialResult(
            trial=self.name,
            figures=figures,
            model="Drives that share nothing are as fast together as each alone, added up.",
            expected=f"at least {effect.TOGETHER_PASS:.0%} of the sum",
            verdict=verdict,
            reasons=tuple(reasons),
            next_test=REPEAT if verdict == "inconclusive" else None,
            series={
                "targets": [target.name for target in targets],
                "processors_busy": round(seen.busiest, 4),
                "engine": bench.engine.name,
            },
        )

    def _ratio(self, seen: _Seen, group: Group) -> Spread:
        """Ratio to the sum of the drives alone, per round."""
        parts = [seen.rates.get((one,), []) for one in group]
        several = [group, *((one,) for one in group)]
        rounds = min(len(seen.rates[group]), *map(len, parts))
        if not rounds or any(too_short(*seen.counted[one]) for one in several):
            return Spread(measured=None, unit="ratio", n=rounds)
        sums = [sum(part[number][0] for part in parts) for number in range(rounds)]
        return effect.paired(sums, [sum(rates) for rates in seen.rates[group][:rounds]])


@runtime_checkable
class Several(Protocol):
    """An engine for several targets at once, in one process each."""

    def together(self, works: Sequence[tuple[Target, Work]]) -> list[Report]:
        """Run several works started at the same moment. Return one report for each."""


def _job(engine: Engine, target: Target, work: Work) -> Job:
    """Run the engine's work on one target in a process. Times are on the common clock."""

    def job(arrive: Callable[[], int]) -> Report:
        arrive()
        begun = now()
        try:
            outcome = engine.run(target, work)
        except TargetFailed as error:  # only a report passes from one process to another
            return Report(odd={0: -error.number})
        # an engine reports times from its own start, which is between these two
        start = (begun + max(begun, now() - int(outcome.wall_seconds * 1e9))) // 2
        odd = {at: result for one in outcome.samples for at, result in enumerate(one.results) if result < one.size}
        moments = array("Q", (start + moment for moment in ends(outcome.samples[0])))
        return Report(
            starts=array("Q", [start]),
            ends=moments,
            odd=odd,
            cpu_ns=int(outcome.cpu_seconds * 1e9),
            notes={outcome.engine},
        )

    return job


def _refuse_odd(name: str, odd: Mapping[int, int]) -> None:
    """Raise Faulty if reads failed or were short."""
    worst = min(odd.values(), default=0)
    if worst < 0:
        raise failed(f"Reads of {name} failed", -worst)
    if odd:
        raise Faulty(f"Reads of {name} transferred less than requested.")


def _name(group: Group, several: int) -> str:
    """``first``, ``second``, ``together`` for two; ``drive_1``, ``pair_1_2``, ``all`` for more."""
    if several == 2:
        return "together" if len(group) == 2 else ("first", "second")[group[0]]
    if len(group) == several:
        return "all"
    return ("drive_" if len(group) == 1 else "pair_") + "_".join(str(one + 1) for one in group)


def _reasons(names: Sequence[str], ratio: Spread) -> list[str]:
    if ratio.measured is None:
        return []
    return [f"{listing(names)} together reach {ratio.measured:.0%} of what they reach alone."]


def _overlap(reports: Sequence[Report]) -> tuple[list[float], float, int]:
    """Operations per second of each in the common time. Also return that time and the number counted."""
    if not all(report.ends for report in reports):
        raise Faulty("One of the drives completed no operation within the time limit.")
    begin = max(report.starts[0] for report in reports)
    end = min(report.ends[-1] for report in reports)
    edge = int(EDGE * (end - begin))
    low, high = begin + edge, end - edge
    if high <= low:
        raise Faulty("The drives were not read at the same time: the machine is too busy.")
    counts = [bisect_right(report.ends, high) - bisect_left(report.ends, low) for report in reports]
    seconds = (high - low) / 1e9
    return [count / seconds for count in counts], seconds, sum(counts)
