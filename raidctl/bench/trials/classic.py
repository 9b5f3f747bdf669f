"""Sequential and random I/O of 8 KiB, write cache on and off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field

from raidctl.bench.estimators import effect
from raidctl.bench.result import Spread, TrialResult
from raidctl.bench.trials.phase import MIB, Phase, latencies, stream
from raidctl.bench.trials.trial import KIB, ROUNDS, Bench, Needs, Steps
from raidctl.bench.work import Op, Target
from raidctl.errors import BenchError

PLACES = 1 << 14
WAYS: dict[str, tuple[Op, bool]] = {
    "sequential_read": (Op.READ, True),
    "sequential_write": (Op.WRITE, True),
    "random_read": (Op.READ, False),
    "random_write": (Op.WRITE, False),
}
OFF = "_cache_off"
"""Suffix of figures with the write cache off."""
Switch = Callable[[], AbstractContextManager[object]]


@dataclass
class _Seen:
    phases: dict[str, Phase] = field(default_factory=dict)
    why: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Classic:
    """One operation at a time. With ``off``: unchanged, off, off, unchanged, which cancels drift."""

    size: int = 8 * KIB
    seconds: float = 1.0
    """Seconds of each phase in each round."""
    rounds: int = ROUNDS
    off: Switch | None = None
    """Switches the write cache off for its duration. None: measure only with the current setting."""

    name = "classic"
    title = "sequential and random blocks of 8 KiB"

    @property
    def alone(self) -> bool:
        """While a cache is off, no other trial is measured."""
        return self.off is not None

    @property
    def seconds_off(self) -> float:
        """Approximate time for which the write cache is off."""
        return self.rounds * self.seconds * len(WAYS)

    def ways(self, target: Target) -> list[str]:
        """Names of the phases."""
        return [name for name, (op, _) in WAYS.items() if target.writable or op == Op.READ]

    def needs(self, target: Target) -> Needs:
        """Writes only if allowed."""
        times = 2 if self.off is not None else 1
        seconds = times * self.rounds * self.seconds * len(self.ways(target))
        return Needs(seconds=seconds, written=None if target.writable else 0, size=64 * self.size)

    def run(self, bench: Bench) -> Steps:
        """Run all phases in random order, round by round."""
        seen = _Seen()
        if self.off is None:
            for _ in bench.rounds(self.rounds):
                self._round(bench, seen, "")
                yield
        else:
            yield from self._switched(bench, seen, self.off)
        return self._result(bench, seen)

    def _switched(self, bench: Bench, seen: _Seen, off: Switch) -> Iterator[None]:
        """Run equal numbers of rounds unchanged and switched off.

        A quarter is unchanged, then half are off, then a quarter is unchanged.
        """
        half = -(-self.rounds // 2)
        for count, suffix in ((half, ""), (2 * half, OFF), (half, "")):
            if bench.over:
                return
            with ExitStack() as stack:
                try:
                    stack.enter_context(off() if suffix else nullcontext())
                except BenchError as error:
                    seen.why.append(f"The write cache was not switched off: {error}")
                    continue
                for _ in bench.rounds(count):
                    self._round(bench, seen, suffix)
            yield

    def _round(self, bench: Bench, seen: _Seen, suffix: str) -> None:
        size = bench.fitting(self.size)
        for name in bench.shuffled(self.ways(bench.target)):
            op, in_a_row = WAYS[name]
            places = bench.places(size, PLACES)
            if in_a_row:
                places = bench.row(size, places[0], PLACES)
            phase = seen.phases.setdefault(name + suffix, Phase())
            phase.add(bench.run(stream(op, places, size, cycle=True), seconds=self.seconds))
            if op == Op.WRITE:
                bench.settle()

    def _result(self, bench: Bench, seen: _Seen) -> TrialResult:
        factor = bench.fitting(self.size) / MIB
        figures = dict[str, Spread]()
        for name, phase in sorted(seen.phases.items(), key=lambda item: (item[0].endswith(OFF), *_order(item[0]))):
            figures[name] = phase.spread("MiB/s", factor)
        for name in WAYS:
            if name in seen.phases and name + OFF in seen.phases:
                figures[f"{name}{OFF}_ratio"] = _ratio(seen.phases[name], seen.phases[name + OFF])
        cache = bench.below.write_cache
        latency = latencies(seen.phases)
        series = {"bytes": bench.fitting(self.size), "write_cache": cache, "switched": OFF in "".join(seen.phases)}
        return TrialResult(trial=self.name, figures=figures, latency=latency, reasons=tuple(seen.why), series=series)


def _order(name: str) -> tuple[int]:
    return (list(WAYS).index(name.removesuffix(OFF)),)


def _ratio(on: Phase, off: Phase) -> Spread:
    """Unpaired ratio: all rounds of one lie between those of the other."""
    if on.short or off.short:
        return Spread(measured=None, unit="ratio", n=0)
    return effect.of_medians(on.rates, off.rates)
