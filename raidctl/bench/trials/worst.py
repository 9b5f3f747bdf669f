"""The longest latencies at a fixed rate. They count from the intended start of each operation."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from raidctl.bench.estimators import stalls
from raidctl.bench.estimators.figures import median
from raidctl.bench.faulty import Faulty
from raidctl.bench.result import Spread, TrialResult
from raidctl.bench.trials.phase import Phase, latencies
from raidctl.bench.trials.trial import KIB, Bench, Needs, Steps
from raidctl.bench.work import Op, Samples, Stream, Target

PLACES = 1 << 14
SATURATION_S = 2.0
WRITES = 0.3
"""Share of writes, if allowed."""
MAX_OPERATIONS = 1 << 19
"""Maximum operations of one phase. A rate that would need more is lowered."""


@dataclass(frozen=True, kw_only=True)
class Worst:
    """Reads and writes at shares of the saturating rate. An open loop hides no stall."""

    seconds: float = 60.0
    """Seconds of each share."""
    shares: tuple[float, ...] = (0.2, 0.5, 0.8)
    size: int = 4 * KIB
    depth: int = 16
    saturation: float = SATURATION_S
    """Seconds to find the saturating rate."""

    name = "worst"
    title = "the longest waits"
    alone = True

    def needs(self, target: Target) -> Needs:
        """Writes only if allowed."""
        seconds = len(self.shares) * self.seconds + self.saturation
        return Needs(seconds=seconds, written=None if target.writable else 0, size=4 * self.size)

    def run(self, bench: Bench) -> Steps:
        """Run at full speed first, then at each share of it."""
        size = bench.fitting(self.size)
        flat_out = Phase()
        flat_out.add(bench.run(self._stream(bench, size, PLACES, None), seconds=self.saturation))
        full = median(flat_out.rates)
        if not full:
            raise Faulty(f"The highest rate of {bench.target.name} is unknown: no time passed meanwhile.")
        phases, found, reasons = {}, dict[str, Spread](), list[str]()
        when: dict[str, list[list[float]]] = {}
        for number in bench.rounds(len(self.shares)):
            share = self.shares[number]
            name, rate = f"at_{share:.0%}".replace("%", ""), min(share * full, MAX_OPERATIONS / self.seconds)
            count = max(1, int(rate * self.seconds))
            moments = array("Q", (int(turn / rate * 1e9) for turn in range(count)))
            outcome = bench.run(self._stream(bench, size, count, moments))
            phases[name] = Phase()
            phases[name].add(outcome)
            several = stalls.find(outcome.samples[0].starts, outcome.samples[0].latencies)
            when[name] = [[round(one.start, 4), round(one.seconds, 4), one.operations] for one in several]
            found |= _stalls(name, several, outcome.samples[0].count)
            reasons.append(sentence(share, rate, full, outcome.samples[0]))
            reasons += _periodic(share, found[f"{name}_period"])
            yield
        saturation = flat_out.spread()
        return TrialResult(
            trial=self.name,
            figures={"saturation": saturation, **found},
            latency=latencies(phases),
            model="Operations arrive at a fixed rate, whether or not earlier ones have finished.",
            reasons=tuple(reasons),
            series={"stalls": when},
        )

    def _stream(self, bench: Bench, size: int, count: int, moments: array[int] | None) -> Stream:
        places = bench.places(size, count)
        share = WRITES if bench.target.writable else 0.0
        ops = bytes(Op.WRITE if bench.random.random() < share else Op.READ for _ in range(count))
        return Stream(
            ops=ops, offsets=places, size=size, depth=self.depth, cycle=moments is None, intended=moments
        )  # fmt: skip


def _stalls(name: str, found: Sequence[stalls.Stall], count: int) -> dict[str, Spread]:
    """The longest stall, their number and period."""
    worst = stalls.longest(found)
    longest = 0.0 if worst is None else worst.seconds * 1000
    return {
        f"{name}_longest_stall": Spread(measured=longest, unit="ms", n=count),
        f"{name}_stalls": Spread(measured=float(len(found)), unit="count", n=count),
        f"{name}_period": stalls.period(found),
    }


def _periodic(share: float, period: Spread) -> list[str]:
    """Comment on stalls with a fixed period."""
    if period.measured is None:
        return []
    return [f"At {share:.0%} it stalls every {period.measured:.1f} s, as if a cache were written out periodically."]


def sentence(share: float, rate: float, full: float, samples: Samples) -> str:
    """A sentence on the longest latency at a rate. The rate may be lower than its share of saturation (``full``)."""
    worst, real = max(samples.latencies) / 1e6, f"{rate / full:.0%}"
    lowered = "" if real == f"{share:.0%}" else f"; {share:.0%} would be more than can be kept"
    return f"At {real} ({rate:.0f} a second{lowered}) the longest of {len(samples.latencies)} waits was {worst:.1f} ms."
