"""Random writes until the rate, which may start high, is steady."""

from __future__ import annotations

from dataclasses import dataclass

from raidctl.bench.estimators import steady
from raidctl.bench.estimators.spread import too_short
from raidctl.bench.result import Spread, TrialResult
from raidctl.bench.trials.phase import MIB, Phase, latencies, stream
from raidctl.bench.trials.trial import KIB, Bench, Needs, Steps
from raidctl.bench.work import Op, Target

PLACES = 1 << 18
DISK, SOLID = 5.0, 60.0
"""Seconds of a round."""
FILLING = 100.0
"""MiB/s at which a device is usually filled."""


@dataclass(frozen=True, kw_only=True)
class Steady:
    """Rounds of random writes, by the SNIA performance test specification's rule."""

    seconds: float | None = None
    """Seconds of a round. None: 5 if the medium is known to rotate, else 60, as the rule requires for solid state."""
    most: int = 25
    """Maximum number of rounds."""
    size: int = 4 * KIB
    depth: int = 32

    name = "steady"
    title = "random writes until they are steady"
    alone = True

    def needs(self, target: Target) -> Needs:
        """Writes as much as possible."""
        filling = target.size / MIB / FILLING if _needs_fill(target) else 0.0
        return Needs(seconds=self.most * (self.seconds or SOLID) + filling, written=None, size=64 * self.size)

    def _filled(self, bench: Bench) -> str | None:
        """Write everything once sequentially, in at most half of the time. Return a note if that was too short."""
        block = bench.fitting(128 * KIB)
        count = bench.target.size // block
        whole = stream(Op.WRITE, bench.row(block, 0, count), block, self.depth)
        outcome = bench.run(whole, seconds=None if bench.budget is None else max(1.0, bench.left / 2))
        written = sum(one.count for one in outcome.samples)
        if written >= count:
            return None
        return f"Only {written / count:.0%} of it was filled before: the rest may be faster than the steady state."

    def run(self, bench: Bench) -> Steps:
        """Run rounds until the last five are steady."""
        size, phase = bench.fitting(self.size), Phase()
        seconds = self.seconds or (DISK if bench.rotating else SOLID)
        half = self._filled(bench) if _needs_fill(bench.target) else None
        yield
        for _ in bench.rounds(self.most):
            places = bench.places(size, min(PLACES, bench.target.size // size))
            phase.add(bench.run(stream(Op.WRITE, places, size, self.depth, cycle=True), seconds=seconds))
            if steady.find(phase.rates, "ops/s") is not None:
                break
            yield
        found = None if too_short(phase.seconds, phase.operations) else steady.find(phase.rates, "ops/s")
        first = phase.rates[0] if phase.rates and not phase.short else None
        figures = {
            "first": Spread(measured=first, unit="ops/s", n=phase.operations),
            "steady": Spread(measured=None, unit="ops/s", n=phase.operations) if found is None else found.figure,
        }
        several = "1 round" if len(phase.rates) == 1 else f"{len(phase.rates)} rounds"
        text = f"Not steady after {several} of {seconds:g} s."
        if found is not None:
            text = f"Steady from round {found.first + 1} to {found.last + 1}, of {seconds:g} s each."
        return TrialResult(
            trial=self.name,
            figures=figures,
            latency=latencies({"write": phase}),
            model="Five rounds within 20% of their mean, whose line rises or falls by 10% at most.",
            verdict="inconclusive" if found is None else "info",
            reasons=(text,) if half is None else (text, half),
            next_test="More rounds." if found is None else None,
            series={"ops_by_round": [round(rate, 2) for rate in phase.rates]},
        )


def _needs_fill(target: Target) -> bool:
    """Whether everything is written first, since unwritten blocks are fast. A new file is already written."""
    return target.kind != "file"
